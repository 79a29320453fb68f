"""PDF: tables that are not boxed in, and what only looks like one."""

from collections.abc import Sequence

import pymupdf
import pytest
from document_makers import Written, bodies, cells, column, make_pdf, read

from ir.document import Block, Document

EN = [
    [["Cargo"], ["Who releases it"], ["Within"]],
    [["Empty tank"], ["Yard leader"], ["two hours"]],
    [["Residue on board"], ["Safety officer, after the yard", "leader has taken a sample"], ["one day"]],
    [["Unknown"], ["Terminal director"], ["three days"]],
]
ZH = [
    [["货物类别"], ["放行人"], ["期限"]],
    [["空罐"], ["堆场负责人"], ["2小时"]],
    [["罐内有残留物"], ["安全员，须由堆场负责人事先", "取样检验"], ["1日"]],
    [["性质不明"], ["码头负责人"], ["3日"]],
]


def _drawn(rows: Sequence[Sequence[Sequence[str]]], rules: Sequence[int], columns: int = 3) -> Document:
    """A table's lines at three left edges, with a rule over the rows of `rules`, between two clauses."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=595, height=842)

        def write(x: float, y: float, text: str) -> None:
            font = "china-s" if any(char > "\u2fff" for char in text) else "helv"
            page.insert_text((x, y), text, fontname=font, fontsize=10)

        write(72, 100, "Tanks are released as follows.")
        y = 124.0
        for number, row in enumerate(rows):
            if number in rules:
                page.draw_line((70, y - 14), (500, y - 14))
            for x, cell in zip((72, 200, 400), row[:columns], strict=False):
                for at, text in enumerate(cell):
                    write(x, y + 13 * at, text)
            y += 13 * max(map(len, row)) + 10
        if len(rows) in rules:
            page.draw_line((70, y - 14), (500, y - 14))
        write(72, y + 10, "A release is entered in the register by the guard on duty.")
        return read(pdf.tobytes())


def _table(document: Document) -> Block:
    assert [block.kind for block in document.body()] == ["paragraph", "table", "paragraph"]
    return next(block for block in document.body() if block.kind == "table")


@pytest.mark.parametrize("rows", [EN, ZH])
@pytest.mark.parametrize("rules", [(), (0, 1, 4), (1, 2, 3), (0, 1, 2, 3, 4)])
def test_a_table_with_horizontal_rules_or_none(rows: list[list[list[str]]], rules: tuple[int, ...]) -> None:
    """Its words stand in cells, a wrapped cell's together, under headings."""
    table = _table(_drawn(rows, rules))
    texts = cells(table)
    join = "" if rows is ZH else " "
    assert texts["r3c2"] == join.join(rows[2][1])
    assert texts["r4c3"] == rows[3][2][0]
    assert [cell.header for cell in table.cells] == [True] * 3 + [False] * 9


def test_two_columns_with_rules() -> None:
    """Two columns are a table where rules part the rows."""
    assert cells(_table(_drawn(EN, (0, 1, 4), columns=2)))["r4c2"] == "Terminal director"


def test_close_lines_that_fill_all_columns_are_rows() -> None:
    """A table set as close as text has a row for each line."""
    rows = [
        ["Berth", "Pilot"],
        ["North quay", "Ms Ahlgren"],
        ["South quay", "Mr Bergman"],
        ["Dry dock one", "Ms Carlsen"],
    ]
    lines = [line for at, x in enumerate((72, 200)) for line in column([row[at] for row in rows], x=x, leading=12)]
    with pymupdf.open(stream=make_pdf(lines), filetype="pdf") as pdf:
        for y in (89, 103, 140):
            pdf[0].draw_line((70, y), (300, y))
        (table,) = read(pdf.tobytes()).blocks
    assert cells(table)["r4c2"] == "Ms Carlsen"


def test_columns_of_prose_drawn_row_by_row_are_no_table() -> None:
    """Full lines side by side are running text."""
    texts = [f"The guard notes the seal and calls the leader {n}" for n in range(9)]
    parts = zip(*(column(texts, x=x, size=8) for x in (40, 220, 400)), strict=True)
    document = read(make_pdf([line for row in parts for line in row]))
    assert all(block.kind != "table" for block in document.blocks)


def test_bands_of_narrow_columns_are_no_table() -> None:
    """Three columns of ragged lines with a heading among them are read down, not across."""
    ends = ["the guard on duty", "the yard", "a leader who is on the spot", "the port and its pilot"]
    texts = [f"Note {n} goes to {end}" for n, end in enumerate(ends * 3)]
    bands = [line for y in (100, 260) for x in (40, 220, 400) for line in column(texts, x=x, y=y, leading=11, size=8)]
    lines = [*bands[:36], Written(40, 244, "6 Seals", 12, bold=True), *bands[36:]]
    assert all(block.kind != "table" for block in read(make_pdf(lines)).blocks)


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        (["(a)", "(b)", "(c)"], ["Check the seal of the tank.", "Call the leader.", "Enter the time."]),
        (["Seals", "Samples", "Records"], ["4", "7", "12"]),
        (["编号：", "日期：", "部门："], ["三百零二", "五月", "安全部"]),
    ],
)
def test_lists_and_contents_are_no_tables(marks: list[str], words: list[str]) -> None:
    """Labels, page numbers and names of fields beside words make no table, even between rules."""
    lines = [Written(x, y.y, y.text) for x, texts in ((72, marks), (200, words)) for y in column(texts)]
    with pymupdf.open(stream=make_pdf(lines), filetype="pdf") as pdf:
        for y in (86, 106, 140):
            pdf[0].draw_line((70, y), (400, y))
        document = read(pdf.tobytes())
    assert all(block.kind != "table" for block in document.blocks)
    assert all(text in " ".join(bodies(document)) for text in (*marks, *words))
