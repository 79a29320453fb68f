"""Pages that are pictures: read with the `ocr` extra and marked so, named by a code without it."""

import pymupdf
import pytest

from compiler.parsers import parse
from compiler.parsers.pdf import ocr
from compiler.parsers.worker import Worker

LINES = ["1. The clerk must check the form.", "2. The manager must approve it within 5 days."]


def picture(lines: list[str]) -> bytes:
    """A PDF of one page that is a picture of the lines."""
    with pymupdf.open() as written, pymupdf.open() as scanned:
        page = written.new_page(width=595, height=420)
        for number, line in enumerate(lines):
            page.insert_text(
                (60, 90 + 40 * number), line, fontname="china-s" if line[0] > "\u2fff" else "helv", fontsize=14
            )
        drawn = page.get_pixmap(dpi=200).tobytes("png")
        bare = scanned.new_page(width=595, height=420)
        bare.insert_image(bare.rect, stream=drawn)
        return bytes(scanned.tobytes())


@pytest.mark.skipif(not ocr.available(), reason="the ocr extra is not here")
@pytest.mark.parametrize("lines", [LINES, ["第一条申请人应当提交申请表。", "第二条部门负责人应当在五日内审批。"]])
def test_a_picture_is_read_and_marked(lines: list[str]) -> None:
    """In both languages, in a process of its own, with boxes on the page."""
    worker = Worker()
    document = worker.parse(picture(lines), "scan.pdf").document
    worker.end()
    assert document is not None
    text = "".join("".join(block.text.split()) for block in document.blocks)
    assert all("".join(line.split()) in text for line in lines)
    assert {block.read_by for block in document.blocks} == {"ocr"}
    assert all(block.box is not None and 0 <= block.box[0] < block.box[2] <= 595 for block in document.blocks)


@pytest.mark.skipif(ocr.available(), reason="the ocr extra is here")
def test_without_the_extra_it_is_named() -> None:
    """The diagnostic says what would read it."""
    (found,) = parse(picture(LINES), "scan.pdf").diagnostics
    assert found.error_code == "image-only-document"
    assert "`ocr` extra" in found.message
