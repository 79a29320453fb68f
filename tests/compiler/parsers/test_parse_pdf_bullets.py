"""PDF: bullets that are shapes."""

import pymupdf
from document_makers import bodies, labels, read


def _page(lines: list[str], discs: int) -> bytes:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, text in enumerate(lines):
            page.insert_text((90, 100 + 18 * number), text, fontname="china-s" if text[0] > "\u2fff" else "helv")
            if number < discs:
                page.draw_circle((80, 96.5 + 18 * number), 1.6, fill=(0, 0, 0), color=None)
        return bytes(pdf.tobytes())


def test_discs_before_lines_are_bullets() -> None:
    """Each line that a disc leads is an item."""
    for lines in (["coil the hose", "close the valve", "wipe the nozzle"], ["盘好水管", "关闭阀门", "擦净喷嘴"]):
        document = read(_page(lines, 3))
        assert labels(document) == ["•"] * 3
        assert [block.body for block in document.blocks] == lines


def test_one_disc_is_no_bullet() -> None:
    """A lone shape is an ornament."""
    assert bodies(read(_page(["The hose is coiled after each shift of the brigade."], 1)))[0].startswith("The hose")
