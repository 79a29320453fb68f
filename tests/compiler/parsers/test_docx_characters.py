"""Word: what runs show, where it is not what they hold: symbol fonts, raised numbers, line breaks, formulas, fields."""

import pytest
from document_makers import abstract, bodies, item, labels, level, make_docx, num, para, read


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


_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def _t(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (f"<m:f><m:num>{_t('gain')}</m:num><m:den>{_t('cost+tax')}</m:den></m:f>", "gain/(cost+tax)"),
        (f"<m:sSup><m:e>{_t('2')}</m:e><m:sup>{_t('8')}</m:sup></m:sSup>", "2^8"),
        (f"<m:rad><m:deg/><m:e>{_t('ab')}</m:e></m:rad>", "√ab"),
        (f"<m:d><m:e>{_t('a−b')}</m:e></m:d>{_t('÷3')}", "(a−b)÷3"),
        (f"<m:d><m:dPr><m:begChr m:val='|'/><m:endChr m:val='|'/></m:dPr><m:e>{_t('x')}</m:e></m:d>", "|x|"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{_t('i')}</m:sub><m:e>{_t('x')}</m:e></m:nary>",
            "∑_i x",
        ),
    ],
)
def test_formulas_keep_their_bars_powers_and_brackets(formula: str, shown: str) -> None:
    """On one line."""
    body = f"<w:p>{_run('If ')}<m:oMath xmlns:m='{_MATH}'>{formula}</m:oMath>{_run(', refuse.')}</w:p>"
    assert bodies(read(make_docx(body))) == [f"If {shown}, refuse."]


def _field(code: str) -> str:
    marks = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end"))
    return f"<w:r><w:instrText>{code}</w:instrText></w:r>".join(marks)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r" EQ \o\ac(○,4)", "④"),
        (r"eq \o\ac(□,√)", "☑"),
        (r" EQ \* jc2 \o\ad(\s\up 9(shen),审)", "审"),
        (r" EQ \f(2,3) ", "2/3"),
        (" MACROBUTTON NoMacro [your name]", "[your name]"),
        (" AUTONUM ", "1."),
        (r" SYMBOL 179 \f Symbol", "≥"),
        (' XE "fees"', ""),
    ],
)
def test_fields_without_a_result_show_what_their_code_says(code: str, shown: str) -> None:
    """Figures in circles, ticked boxes, fractions, buttons."""
    assert bodies(read(make_docx(f"<w:p>{_run('Sign ')}{_field(code)}{_run(' here.')}</w:p>"))) == [
        f"Sign {shown} here."
    ]


def test_a_field_that_never_ends_hides_nothing() -> None:
    """What follows a damaged field stays."""
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    assert bodies(read(make_docx(f"<w:p>{_run('One')}{begin}{_run(' two.')}</w:p>{para('Three.')}"))) == [
        "One two.",
        "Three.",
    ]


def test_a_large_first_letter_belongs_to_its_paragraph() -> None:
    """Word keeps it in a frame of its own."""
    body = para("E", '<w:framePr w:dropCap="drop" w:lines="2"/>') + para("very pilot reports.")
    assert bodies(read(make_docx(body))) == ["Every pilot reports."]


def test_a_caption_by_its_style_is_no_heading() -> None:
    """Though it is bold and short."""
    style = '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/><w:rPr><w:b/></w:rPr></w:style>'
    body = para("Dues by tonnage", '<w:pStyle w:val="C"/>') + para("The dues of each ship follow from its tonnage.")
    assert [block.kind for block in read(make_docx(body, styles=style)).blocks] == ["caption", "paragraph"]


def test_lines_in_capitals_are_headings() -> None:
    """Typed or shown so, where they lead text; sentences are none, nor is a letterhead."""
    shown = f"<w:p>{_run('Berthing fees', '<w:caps/>')}</w:p>"
    body = para("HARBOUR RULES") + para("Each ship reports to the harbour office on arrival.") + shown
    body += para("Fees fall due on departure, and the office issues a receipt.") + para("NO SMOKING IN THE HARBOUR.")
    kinds = [block.kind for block in read(make_docx(body)).blocks]
    assert kinds == ["heading", "paragraph", "heading", "paragraph", "paragraph"]
    assert read(make_docx(para("PORT OF ELM") + para("Tariff of 2024"))).blocks[0].kind == "paragraph"


def test_underlined_titles_are_headings() -> None:
    """Where they lead text; lines to write on, links and words underlined within a paragraph are none."""
    line = '<w:u w:val="single"/>'
    body = f"<w:p>{_run('Moorings', line)}</w:p>" + para(
        "The crew ties two lines, and the pilot looks on from the quay."
    )
    body += f"<w:p>{_run('____ m', line)}</w:p>" + f"<w:p>{_run('The ', '')}{_run('pilot', line)}</w:p>"
    body += para("He reports to the harbour office, which keeps the log of the day.")
    kinds = [block.kind for block in read(make_docx(body)).blocks]
    assert kinds == ["heading", "paragraph", "paragraph", "paragraph", "paragraph"]
