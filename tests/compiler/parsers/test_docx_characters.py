"""Word: what runs show, where it is not what they hold: symbol fonts, raised numbers, line breaks."""

import pytest
from document_makers import abstract, bodies, item, labels, level, make_docx, num, read


def _run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def _font(name: str) -> str:
    return f'<w:rFonts w:ascii="{name}" w:hAnsi="{name}"/>'


@pytest.mark.parametrize(
    ("font", "code", "shown"),
    [
        ("Symbol", 0xB3, "≥"),
        ("Symbol", 0xA3, "≤"),
        ("Symbol", 0x6D, "μ"),
        ("Wingdings", 0xFE, "☑"),
        ("Wingdings", 0x82, "②"),
        ("Wingdings 2", 0x50, "✓"),
        ("Wingdings 2", 0xA3, "☐"),
    ],
)
def test_symbol_fonts_show_their_own_characters(font: str, code: int, shown: str) -> None:
    """As a symbol, as a private character in the font, and by plain code; at a line's start no bullet comes of it."""
    symbol = f'<w:r><w:sym w:font="{font}" w:char="F0{code:02X}"/></w:r>'
    runs = symbol, _run(chr(0xF000 + code), _font(font)), _run(chr(code), _font(font))
    document = read(make_docx("".join(f"<w:p>{run}{_run(' 40 kg')}</w:p>" for run in runs)))
    assert bodies(document) == [f"{shown} 40 kg"] * 3
    if shown not in "✓②":
        assert labels(document) == [None] * 3


def test_a_list_takes_its_bullet_from_the_font_of_its_level() -> None:
    """The same code is another glyph in another font."""
    font = f"<w:rPr>{_font('Wingdings')}</w:rPr>"
    lists = "".join(
        abstract(at, level(0, "bullet", "\uf0a7").replace("</w:lvl>", f"{extra}</w:lvl>")) + num(at + 1, at)
        for at, extra in enumerate((font, f"<w:rPr>{_font('Symbol')}</w:rPr>"))
    )
    assert labels(read(make_docx(item("a", 1) + item("b", 2), numbering=lists))) == ["▪", "♣"]


@pytest.mark.parametrize(
    ("before", "raised", "after", "shown"),
    [
        ("over 10", "4", " cells", "over 10⁴ cells"),
        ("a fine of 300", "2", " francs", "a fine of 300² francs"),
        ("面积超过80m", "2", "的", "面积超过80m²的"),
        ("the 4", "th", " day", "the 4th day"),
    ],
)
def test_raised_numbers_are_kept_apart(before: str, raised: str, after: str, shown: str) -> None:
    """A power or a note's mark does not lengthen the number before it."""
    above = _run(raised, '<w:vertAlign w:val="superscript"/>')
    assert bodies(read(make_docx(f"<w:p>{_run(before)}{above}{_run(after)}</w:p>"))) == [shown]


def test_lowered_numbers_after_figures_are_kept_apart() -> None:
    """In formulas they stay plain, as they are usually typed."""
    below = _run("2", '<w:vertAlign w:val="subscript"/>')
    assert bodies(read(make_docx(f"<w:p>{_run('log 10')}{below}{_run(' of CO')}{below}</w:p>"))) == ["log 10₂ of CO2"]


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("承办人应当在接到申请之日起", "十日内答复。", "承办人应当在接到申请之日起十日内答复。"),
        ("核对存折、印鉴和证件，", "并由复核人签字。", "核对存折、印鉴和证件，并由复核人签字。"),
        ("Each sample must go to the", "Central Laboratory.", "Each sample must go to the Central Laboratory."),
        ("Samples must be sent", "Monday to Friday.", "Samples must be sent Monday to Friday."),
        ("适用范围", "本办法适用于全体职工。", None),
        ("Who is who", "Our people.", None),
        ("Quality Manual", "Second edition.", None),
        ("保管人应当做到：", "不得外借。", None),
    ],
)
def test_a_line_break_within_a_sentence_is_closed(first: str, second: str, whole: str | None) -> None:
    """A title, a lead-in and what has ended keep their own line."""
    body = f"<w:p>{_run(first)}<w:r><w:br/></w:r>{_run(second)}</w:p>"
    assert bodies(read(make_docx(body))) == ([whole] if whole else [first, second])
