"""Word: lists in lists, typed labels among automatic ones, clauses in headings' styles, empty numbered lines."""

import pytest
from document_makers import abstract, bodies, cells, find, item, labels, level, make_docx, num, para, read

from ir.document import Document

_NUMBERS = abstract(0, level(0, "decimal", "%1.")) + num(1, 0)


def _levels(document: Document) -> list[int]:
    return [block.level for block in document.body()]


def _indented(at: int) -> str:
    return f'<w:pPr><w:ind w:left="{at}" w:hanging="360"/></w:pPr>'


@pytest.mark.parametrize("marks", ["--", "••", ("(a)", "(b)"), ("（1）", "（2）")])
def test_typed_labels_between_automatic_numbers_stand_under_them(marks: tuple[str, str]) -> None:
    """The number after them goes on with its own list."""
    first, second = (para(f"{mark} {words}") for mark, words in zip(marks, ("the passport", "the visa"), strict=True))
    document = read(make_docx(item("Bring:", 1) + first + second + item("Sign.", 1), numbering=_NUMBERS))
    assert _levels(document) == [1, 2, 2, 1]
    assert {block.parent for block in document.blocks[1:3]} == {document.blocks[0].address}
    assert document.blocks[3].parent is None


def test_typed_labels_of_a_higher_rank_stand_over_automatic_numbers() -> None:
    """`二、` after `1.` and `2.` is no item of theirs, and neither is a dash after a paragraph that ends the list."""
    body = para("一、受理") + item("登记；", 1) + item("编号。", 1) + para("二、审查")
    document = read(make_docx(body + para("审查人员逐项核对下列内容。") + para("- 印章"), numbering=_NUMBERS))
    assert find(document, "二、审查").parent is None
    assert find(document, "印章").parent == find(document, "二、审查").address


def test_a_list_set_in_deeper_than_another_stands_under_it() -> None:
    """Both count from their first level; the indents tell which is inside."""
    lists = abstract(0, level(0, "decimal", "%1.", extra="").replace("</w:lvl>", f"{_indented(360)}</w:lvl>"))
    lists += abstract(1, level(0, "lowerLetter", "%1)").replace("</w:lvl>", f"{_indented(900)}</w:lvl>"))
    lists += num(1, 0) + num(2, 1)
    body = item("Weigh", 1) + item("gross", 2) + item("net", 2) + item("Record", 1)
    document = read(make_docx(body, numbering=lists))
    assert (labels(document), _levels(document)) == (["1.", "a)", "b)", "2."], [1, 2, 2, 1])


def test_styles_of_deeper_lists_nest() -> None:
    """A style's own indent counts as the list's does."""
    style = (
        '<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{id}"/><w:pPr><w:numPr><w:numId w:val="{num}"/>'
        '</w:numPr><w:ind w:left="{at}" w:hanging="360"/></w:pPr></w:style>'
    )
    styles = style.format(id="Outer", num=1, at=360) + style.format(id="Inner", num=2, at=720)
    lists = _NUMBERS + abstract(1, level(0, "bullet", "•")) + num(2, 1)
    styled = (para(name, f'<w:pStyle w:val="{name}"/>') for name in ("Outer", "Inner", "Outer"))
    assert _levels(read(make_docx("".join(styled), numbering=lists, styles=styles))) == [1, 2, 1]


_CLAUSES = abstract(0, *(level(at, *told) for at, told in enumerate((("decimal", "%1."), ("decimal", "%1.%2"))))) + num(
    1, 0
)
_HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="H{at}"><w:name w:val="heading {at}"/><w:pPr><w:numPr>'
    f'<w:ilvl w:val="{at - 1}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    for at in (1, 2)
)


@pytest.mark.parametrize(
    ("title", "clause"),
    [
        ("RENT", "The tenant shall pay the rent on the first day of each month."),
        ("Definitions.", "if the tenant is late, the landlord may charge interest; and"),
        ("租金", "承租人应当于每月一日前向出租人支付当月租金。"),
    ],
)
def test_sentences_in_the_styles_of_headings_are_clauses(title: str, clause: str) -> None:
    """They keep their number and their depth; a title stays a heading."""
    body = para(title, '<w:pStyle w:val="H1"/>') + para(clause, '<w:pStyle w:val="H2"/>')
    document = read(make_docx(body, numbering=_CLAUSES, styles=_HEADINGS))
    assert [(block.kind, block.level) for block in document.blocks] == [("heading", 1), ("list_item", 2)]
    assert labels(document) == ["1.", "1.1"]


def test_an_empty_numbered_paragraph_takes_a_number() -> None:
    """Word counts it, though it shows nothing that is read; hidden ones do not count."""
    hidden = item("x", 1).replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>")
    body = item("a", 1) + item("", 1) + hidden + item("b", 1)
    document = read(make_docx(body, numbering=_NUMBERS))
    assert (bodies(document), labels(document)) == (["a", "b"], ["1.", "3."])


def test_a_cell_that_holds_only_its_number_shows_it() -> None:
    """As a column of row numbers does."""
    rows = "".join(f"<w:tr><w:tc>{item('', 1)}</w:tc><w:tc>{para(word)}</w:tc></w:tr>" for word in ("pen", "ink"))
    table = read(make_docx(f"<w:tbl>{rows}</w:tbl>", numbering=_NUMBERS)).blocks[0]
    assert cells(table) == {"r1c1": "1.", "r1c2": "pen", "r2c1": "2.", "r2c2": "ink"}


def test_a_style_based_on_a_tied_style_has_its_level() -> None:
    """A definition ties levels to styles (ECMA-376 part 1, 17.9.23); a style based on one inherits the level too."""
    tie = '<w:pStyle w:val="{}"/>'
    style = '<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{id}"/>{base}<w:pPr>{own}</w:pPr></w:style>'
    numbered = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    styles = (
        style.format(id="Chapter", base="", own=numbered)
        + style.format(id="Clause", base="", own=numbered)
        + style.format(id="Wide", base='<w:basedOn w:val="Clause"/>', own='<w:jc w:val="both"/>')
        + style.format(id="Wider", base='<w:basedOn w:val="Wide"/>', own="")
    )
    lists = abstract(
        0,
        level(0, "decimal", "%1.", extra=tie.format("Chapter")),
        level(1, "decimal", "%1.%2", extra=tie.format("Clause")),
    ) + num(1, 0)
    names = ("Chapter", "Clause", "Wide", "Wider", "Chapter", "Wider")
    body = "".join(para(f"Words {n} of a clause that goes on.", tie.format(name)) for n, name in enumerate(names))
    labels = [block.label.text for block in read(make_docx(body, numbering=lists, styles=styles)).blocks if block.label]
    assert labels == ["1.", "1.1", "1.2", "1.3", "2.", "2.1"]


def test_a_start_of_a_deeper_level_leaves_the_levels_above_as_they_are() -> None:
    """The second list begins its letters anew under the number that the first has come to."""
    lists = abstract(0, level(0, "decimal", "%1."), level(1, "lowerLetter", "%1%2)")) + num(1, 0)
    lists += num(2, 0, '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="1"/></w:lvlOverride>')
    told = ((1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 1), (1, 0))
    numbers = '<w:numPr><w:ilvl w:val="{1}"/><w:numId w:val="{0}"/></w:numPr>'
    body = "".join(para(f"Words {n} of a clause that goes on.", numbers.format(*each)) for n, each in enumerate(told))
    labels = [block.label.text for block in read(make_docx(body, numbering=lists)).blocks if block.label]
    assert labels == ["1.", "2.", "2a)", "2b)", "2a)", "2b)", "3."]
