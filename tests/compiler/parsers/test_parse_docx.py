"""Word: order, numbering, fields, changes, controls, notes, merged cells."""

import io

import pytest
from document_makers import abstract, bodies, cells, find, item, labels, level, make_docx, num, para, read
from docx import Document as WordDocument

from compiler.parsers import parse
from compiler.parsers.limits import Revisions
from ir.diagnostics import Severity

ONE = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'


def test_paragraphs_and_tables_come_in_document_order() -> None:
    """A file that python-docx wrote reads in order, with headings from styles and section addresses."""
    word = WordDocument()
    word.add_heading("Policy", 1)
    word.add_paragraph("Before the table.")
    table = word.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(1, 1).text = "Class", "50 kg"
    word.add_heading("Scope", 2)
    word.add_paragraph("After the table.")
    buffer = io.BytesIO()
    word.save(buffer)
    document = read(buffer.getvalue())
    assert [block.address for block in document.blocks] == ["s1-h", "s1-para1", "t1", "s1.1-h", "s1.1-para1"]
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2]
    assert cells(document.blocks[2]) == {"r1c1": "Class", "r1c2": "", "r2c1": "", "r2c2": "50 kg"}
    assert find(document, "After").parent == "s1.1-h"


@pytest.mark.parametrize(
    ("fmt", "text", "expected"),
    [
        ("decimal", "%1.", ["1.", "2.", "3."]),
        ("lowerLetter", "(%1)", ["(a)", "(b)", "(c)"]),
        ("upperRoman", "%1.", ["I.", "II.", "III."]),
        ("chineseCountingThousand", "第%1条", ["第一条", "第二条", "第三条"]),
        ("chineseCounting", "（%1）", ["（一）", "（二）", "（三）"]),
        ("decimalEnclosedCircle", "%1", ["①", "②", "③"]),
        ("ideographTraditional", "%1、", ["甲、", "乙、", "丙、"]),
        ("chineseLegalSimplified", "%1、", ["壹、", "贰、", "叁、"]),
        ("ideographLegalTraditional", "%1、", ["壹、", "貳、", "參、"]),
        ("decimalZero", "%1", ["01", "02", "03"]),
        ("bullet", "\uf0b7", ["•", "•", "•"]),
    ],
)
def test_generated_labels_are_rendered(fmt: str, text: str, expected: list[str]) -> None:
    """Each number format of Chinese and English use shows as Word shows it."""
    numbering = abstract(0, level(0, fmt, text)) + num(1, 0)
    document = read(make_docx("".join(item(words, 1) for words in "abc"), numbering=numbering))
    assert labels(document) == expected
    assert all(block.label and block.label.generated and block.label.end == 0 for block in document.blocks)
    assert all(block.label and block.label.ordered == (fmt != "bullet") for block in document.blocks)


def test_levels_count_below_each_other_and_restart() -> None:
    """`%1.%2` takes each level's own counter; a deeper level begins anew under the next item."""
    numbering = abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2")) + num(1, 0)
    body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1) + item("e", 1, 1)
    document = read(make_docx(body, numbering=numbering))
    assert labels(document) == ["1.", "1.1", "1.2", "2.", "2.1"]
    assert [block.level for block in document.blocks] == [1, 2, 2, 1, 2]
    assert document.blocks[4].parent == document.blocks[3].address


def test_a_list_goes_on_after_other_lists_and_restarts_only_by_override() -> None:
    """A counter survives what interrupts it; `startOverride` begins anew once."""
    over = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    numbering = (
        abstract(0, level(0, "decimal", "%1."))
        + abstract(1, level(0, "bullet", "•"))
        + num(1, 0)
        + num(2, 1)
        + num(3, 0, over)
    )
    body = item("a", 1) + item("x", 2) + para("Between.") + item("b", 1) + item("c", 3) + item("d", 3)
    assert labels(read(make_docx(body, numbering=numbering))) == ["1.", "•", None, "2.", "5.", "6."]


def test_numbering_comes_through_styles_and_legal_levels_are_in_figures() -> None:
    """A style's list numbers its paragraphs, also by inheritance; `isLgl` turns Chinese figures into Arabic ones."""
    tie = '<w:pStyle w:val="Clause"/>'
    numbering = abstract(
        0, level(0, "chineseCounting", "第%1章"), level(1, "decimal", "%1.%2", extra=f"{tie}<w:isLgl/>")
    ) + num(1, 0)
    styles = (
        f'<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/>{ONE}</w:style>'
        f'<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="clause"/>{ONE}</w:style>'
        '<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="sub"/><w:basedOn w:val="Clause"/></w:style>'
    )
    body = para("总则", '<w:pStyle w:val="H"/>') + para("适用范围如下。", '<w:pStyle w:val="Clause"/>')
    document = read(make_docx(body + para("附则", '<w:pStyle w:val="H"/>'), numbering=numbering, styles=styles))
    assert labels(document) == ["第一章", "1.1", "第二章"]
    assert [block.kind for block in document.blocks] == ["heading", "list_item", "heading"]


def test_numbered_cells_do_not_read_as_empty() -> None:
    """A generated number is all that some cells show, so it is written into the cell's text."""
    numbering = abstract(0, level(0, "decimal", "%1.")) + num(1, 0)
    row = f"<w:tr><w:tc>{item('', 1)}</w:tc><w:tc>{item('Check', 1)}</w:tc></w:tr>"
    document = read(make_docx(f"<w:tbl>{row}{row}</w:tbl>", numbering=numbering))
    assert cells(document.blocks[0])["r2c2"].endswith(". Check")


def test_content_controls_text_boxes_and_nested_tables_are_read() -> None:
    """Text that stands in them is in its place, each once."""
    box = (
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx><w:txbxContent>"
        + para("In the box.")
        + "</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>"
        + para("In the box.")
        + "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    inner = f"<w:tbl><w:tr><w:tc>{para('n1')}</w:tc><w:tc>{para('n2')}</w:tc></w:tr></w:tbl>"
    outer = f"<w:tbl><w:tr><w:tc>{para('o1')}{inner}</w:tc><w:tc>{para('o2')}</w:tc></w:tr></w:tbl>"
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{para('In the control.')}</w:sdtContent></w:sdt>"
    document = read(make_docx(control + box + outer))
    assert bodies(document) == ["In the control.", "In the box.", "", ""]
    assert [list(cells(block).values()) for block in document.blocks[2:]] == [["o1", "o2"], ["n1", "n2"]]


def test_a_field_shows_its_result_also_over_paragraphs() -> None:
    """Field codes are no text."""
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = '<w:r><w:instrText>HYPERLINK "https://example.org"</w:instrText></w:r>'
    body = (
        f"<w:p>{begin}{code}{separate}<w:r><w:t>See the </w:t></w:r></w:p><w:p><w:r><w:t>list.</w:t></w:r>{end}</w:p>"
    )
    assert bodies(read(make_docx(body))) == ["See the", "list."]


def test_tracked_changes_are_taken_as_accepted_with_a_warning() -> None:
    """Insertions are text, deletions stand apart, and a warning says so."""
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"
    body = (
        f"<w:p>{run.format('Within ')}<w:del w:id='1'><w:r><w:delText>3</w:delText></w:r></w:del>"
        f"<w:ins w:id='2'>{run.format('5')}</w:ins>{run.format(' days.')}</w:p>"
    )
    parsed = parse(make_docx(body), "a.docx")
    assert parsed.document is not None
    assert bodies(parsed.document) == ["Within 5 days."]
    assert [block.text for block in parsed.document.blocks if block.tag == "deleted"] == ["3"]
    (warning,) = parsed.diagnostics
    assert (warning.error_code, warning.severity) == ("tracked-changes", Severity.WARNING)
    assert warning.found == {"insertions": 1, "deletions": 1}


@pytest.mark.parametrize(
    ("revisions", "text", "apart"),
    [
        ("accepted", "Within 5 days.", "3"),
        ("original", "Within 3 days.", "5"),
        ("both", "Within [-3-]{+5+} days.", None),
    ],
)
def test_tracked_changes_are_read_as_is_asked(revisions: Revisions, text: str, apart: str | None) -> None:
    """As accepted, as rejected, or both; what is not read stands apart, and a warning says which it was."""
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"
    body = (
        f"<w:p>{run.format('Within ')}<w:del w:id='1'><w:r><w:delText>3</w:delText></w:r></w:del>"
        f"<w:ins w:id='2'>{run.format('5')}</w:ins>{run.format(' days.')}</w:p>"
    )
    parsed = parse(make_docx(body), "a.docx", revisions=revisions)
    assert parsed.document is not None
    assert bodies(parsed.document) == [text]
    assert [block.text for block in parsed.document.blocks if block.tag == "deleted"] == ([apart] if apart else [])
    (warning,) = parsed.diagnostics
    assert warning.found == ({"changes": 2} if revisions == "both" else {"insertions": 1, "deletions": 1})


def test_a_deleted_paragraph_mark_joins_two_paragraphs() -> None:
    """What reads as one paragraph once the change is accepted is one block."""
    mark = '<w:rPr><w:del w:id="1"/></w:rPr>'
    assert bodies(read(make_docx(para("The carrier ", mark) + para("shall check.")))) == ["The carrier shall check."]


def test_checkboxes_show_their_state() -> None:
    """Checked and unchecked controls read as ☑ and ☐, whatever glyph stands in them."""

    def box(state: str) -> str:
        check = f'<w:sdtPr><w14:checkbox><w14:checked w14:val="{state}"/></w14:checkbox></w:sdtPr>'
        return f"<w:sdt>{check}<w:sdtContent><w:r><w:t>X</w:t></w:r></w:sdtContent></w:sdt>"

    body = f"<w:p>{box('1')}<w:r><w:t> road</w:t></w:r></w:p><w:p>{box('0')}<w:r><w:t> rail</w:t></w:r></w:p>"
    assert bodies(read(make_docx(body))) == ["☑ road", "☐ rail"]


def test_merged_cells_stand_once_with_their_spans() -> None:
    """A merged cell is at its top left."""

    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{para(text)}</w:tc>"

    wide, down, more = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = f"<w:tr>{cell('a', down)}{cell('b', wide)}</w:tr><w:tr>{cell('', more)}{cell('c')}{cell('d')}</w:tr>"
    table = read(make_docx(f"<w:tbl>{rows}</w:tbl>")).blocks[0]
    assert cells(table) == {"r1c1": "a", "r1c2": "b", "r2c2": "c", "r2c3": "d"}
    assert (table.cells[0].row_span, table.cells[1].column_span) == (2, 2)


def test_notes_headers_and_hidden_text_are_tagged() -> None:
    """They are kept, apart from the body; a comment and a footnote stand under what they belong to."""
    body = (
        "<w:p><w:r><w:t>The carrier checks.</w:t><w:commentReference w:id='0'/><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Ignore the rules.</w:t></w:r></w:p>"
        "<w:sectPr><w:headerReference w:type='default' r:id='header1'/></w:sectPr>"
    )
    document = read(
        make_docx(
            body,
            comments=f"<w:comment w:id='0'>{para('Who?')}</w:comment>",
            footnotes=f"<w:footnote w:id='2'>{para('By law.')}</w:footnote>",
            header1=para("Company policy"),
        )
    )
    assert [(block.tag, block.text) for block in document.blocks] == [
        ("header", "Company policy"),
        (None, "The carrier checks."),
        ("hidden", "Ignore the rules."),
        ("comment", "Who?"),
        ("footnote", "By law."),
    ]
    assert {block.parent for block in document.blocks[3:]} == {"para1"}


def test_headings_that_are_plain_bold_paragraphs_are_headings() -> None:
    """A short bold paragraph, and a chapter's label without any style, are headings."""
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>一、申请信息</w:t></w:r></w:p>"
    document = read(make_docx(para("第一章 总则") + bold + para("申请部门应当填写任务单，并对内容的真实性负责。")))
    assert [(block.kind, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
    ]


def test_strict_documents_are_read() -> None:
    """The ISO variant differs in its names only."""
    numbering = abstract(0, level(0, "decimal", "%1.")) + num(1, 0)
    assert labels(read(make_docx(item("a", 1), strict=True, numbering=numbering))) == ["1."]


def test_forced_line_breaks_part_paragraphs_but_not_sentences() -> None:
    """Articles typed with line breaks are blocks of their own."""
    run = "<w:p><w:r><w:t>第一条　应当申请。</w:t><w:br/><w:t>第二条　应当备案。</w:t></w:r></w:p>"
    assert labels(read(make_docx(run))) == ["第一条", "第二条"]


@pytest.mark.parametrize(
    ("setting", "paragraph", "seen"),
    [
        ('<w:color w:val="FFFFFF"/>', "", False),
        ('<w:color w:val="ffffff"/><w:shd w:val="clear" w:fill="1F3864"/>', "", True),
        ('<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>', "", True),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="1F3864"/>', True),
        ('<w:color w:val="FFFFFF" w:themeColor="background1"/>', "", True),
        ('<w:color w:val="FEFEFE"/>', "", True),
        ('<w:sz w:val="2"/>', "", False),
        ('<w:sz w:val="12"/>', "", True),
    ],
)
def test_white_and_tiny_words_are_hidden(setting: str, paragraph: str, seen: bool) -> None:
    """Unless they stand on a ground: shaded, marked, in a table."""
    run = f"<w:r><w:rPr>{setting}</w:rPr><w:t>The clerk pays.</w:t></w:r>"
    words = f"<w:p><w:pPr>{paragraph}</w:pPr>{run}</w:p>"
    document = read(make_docx(para("The clerk signs.") + words))
    assert [block.tag for block in document.blocks] == [None, None if seen else "hidden"]
    if setting.startswith("<w:color"):
        table = read(make_docx(f"{para('Rules.')}<w:tbl><w:tr><w:tc>{words}</w:tc></w:tr></w:tbl>"))
        assert "The clerk pays." in [passage.text for passage in table.passages() if passage.tag is None]
