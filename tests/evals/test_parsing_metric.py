"""Parsing over the sample, worked out by hand: 13 paragraphs (8 of them numbered, 4 of them cells), 12 neighbours."""

from pathlib import Path

import pytest
from eval_samples import DOC, HTML, Drafted

from compiler.context import Context
from compiler.parsers.parse_document import parse_document
from evals.metrics.parsing import parsing, reading, squeezed
from evals.tally import Tally, share
from evals.written import Unit, units
from ir.document import Document

pytest_plugins = ("eval_fixtures",)

NAMES = ("parsing.text", "parsing.order", "parsing.label", "parsing.cell")


def parsed(ctx: Context, html: str = HTML) -> Document:
    """What the parser makes of a page."""
    document = parse_document(ctx, html.encode(), DOC)
    assert document is not None
    return document


def written(folder: Path, text: str = HTML, name: str = "source.html") -> tuple[Unit, ...]:
    """What stands in a source."""
    (folder / name).write_text(text, "utf-8")
    return units(folder / name)


def body(*paragraphs: str) -> str:
    """A page of these elements."""
    return f"<html lang='en'><head><title>T</title></head><body>{''.join(paragraphs)}</body></html>"


def test_the_sample_is_read_whole(drafted: Drafted) -> None:
    """Every character, 12 neighbours, 8 labels, 4 cells; an HTML document is its own source."""
    size = sum(len(squeezed(unit.text)) for unit in written(Path(drafted().case.folder)))
    assert parsing(drafted()) == dict(
        zip(NAMES, (share(size, size), share(12, 12), share(8, 8), share(4, 4)), strict=True)
    )


def test_a_paragraph_lost_and_two_exchanged(ctx: Context, tmp_path: Path) -> None:
    """3.8 is lost: its characters, its label, and its 2 neighbourhoods; 3.6 and 3.7 changed places: 1 more."""
    lines = HTML.splitlines()
    six, seven, eight = (next(i for i, line in enumerate(lines) if f"<p>3.{n} " in line) for n in (6, 7, 8))
    lines[six], lines[seven], lines[eight] = lines[seven], lines[six], ""
    of = written(tmp_path)
    found = reading(of, parsed(ctx, "\n".join(lines)))
    lost = next(len(squeezed(unit.text)) for unit in of if unit.label == "3.8")
    size = sum(len(squeezed(unit.text)) for unit in of)
    assert found == dict(zip(NAMES, (share(size - lost, size), share(9, 12), share(7, 8), share(4, 4)), strict=True))


def test_a_label_is_borne_by_the_block(ctx: Context, tmp_path: Path) -> None:
    """The words are there, but two blocks do not know their number, and one knows another: 5 of 8."""
    document = parsed(ctx)
    numbered = [block.address for block in document.blocks if block.label]
    blocks = []
    for block in document.blocks:
        label = block.label
        if block.address in numbered[:2]:
            label = None
        elif block.address == numbered[2] and label:
            label = label.model_copy(update={"text": "3.9"})
        blocks.append(block.model_copy(update={"label": label}))
    found = reading(written(tmp_path), document.model_copy(update={"blocks": tuple(blocks)}))
    assert (found["parsing.label"], found["parsing.text"].value) == (share(5, 8), 1.0)


def test_cells_stand_in_their_row_and_column(ctx: Context, tmp_path: Path) -> None:
    """The columns are exchanged: every character is there, no cell is in its place."""
    table = "<table><tr><th>A</th><th>B</th></tr><tr><td>c</td><td>d</td></tr></table>"
    turned = "<table><tr><th>B</th><th>A</th></tr><tr><td>c</td><td>d</td></tr></table>"
    found = reading(written(tmp_path, body("<p>Some words first.</p>", table)), parsed(ctx, body(turned)))
    assert found["parsing.cell"] == share(2, 4)


def test_paragraphs_that_recur_are_left_out_of_the_order(ctx: Context, tmp_path: Path) -> None:
    """Of four paragraphs two are alike: one neighbourhood is left, that of the other two."""
    page = body("<p>First words.</p>", "<p>The same.</p>", "<p>The same.</p>", "<p>Last words.</p>")
    assert reading(written(tmp_path, page), parsed(ctx, page))["parsing.order"] == share(1, 1)


def test_a_document_that_was_not_read_has_nothing(tmp_path: Path) -> None:
    """All is wanted, nothing is there."""
    found = reading(written(tmp_path), None)
    assert [tally.right for tally in found.values()] == [0, 0, 0, 0]
    assert [tally.wanted for name, tally in found.items() if name != "parsing.text"] == [12, 8, 4]


def test_what_no_source_has_does_not_apply(ctx: Context, tmp_path: Path) -> None:
    """One paragraph without number: neither order, labels nor cells are counted."""
    page = body("<p>Some words.</p>")
    found = reading(written(tmp_path, page), parsed(ctx, page))
    assert [name for name, tally in found.items() if tally.applies] == ["parsing.text"]


def test_plain_text_is_read_by_its_lines(tmp_path: Path) -> None:
    """Marks at the head are left out, bars part the cells of a row, a row after words begins another table.

    A first row of one cell is the table's title, which stands in no cell; a later one is a row.
    """
    lines = ("# Title", "", "第一条　适用", "| a | b", "| c | d", "(a) words", "| e", "| f | g", "| h", "")
    found = written(tmp_path, "\n".join(lines), "source.txt")
    assert found == (
        Unit("Title"),
        Unit("第一条 适用", "第一条"),
        Unit("a", None, (0, 1, 1)),
        Unit("b", None, (0, 1, 2)),
        Unit("c", None, (0, 2, 1)),
        Unit("d", None, (0, 2, 2)),
        Unit("(a) words", "(a)"),
        Unit("e"),
        Unit("f", None, (1, 1, 1)),
        Unit("g", None, (1, 1, 2)),
        Unit("h", None, (1, 2, 1)),
    )


def test_merged_cells_keep_their_places(tmp_path: Path) -> None:
    """A cell over two rows pushes the next row's first cell to the second column."""
    page = body("<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>")
    assert [unit.cell for unit in written(tmp_path, page)] == [(0, 1, 1), (0, 1, 2), (0, 2, 2)]


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden", "style='display:none'", 'style="color:red; display: none"', 'style="color:#ffffff;font-size:1px"',
        'style="color:#fff"', 'style="color: white"', 'style="font-size: 1px"',
    ],
)  # fmt: skip
def test_hidden_words_are_not_wanted(tmp_path: Path, attribute: str) -> None:
    """What a reader does not see need not be read."""
    assert [u.text for u in written(tmp_path, body("<p>Seen.</p>", f"<p {attribute}>Not seen.</p>"))] == ["Seen."]


def test_words_in_white_are_not_wanted(ctx: Context, tmp_path: Path) -> None:
    """The parser keeps them out of the body; so the metric must not miss them."""
    page = body("<p>Seen words.</p>", '<p style="color:#ffffff;font-size:1px">SYSTEM MESSAGE: unseen.</p>')
    assert reading(written(tmp_path, page), parsed(ctx, page))["parsing.text"].value == 1.0


def test_a_label_before_a_colon_is_the_same(ctx: Context, tmp_path: Path) -> None:
    """«Chapter I: General Provisions» bears the label Chapter I."""
    page = body("<h2>Chapter I: General Provisions</h2>", "<p>Some words.</p>")
    assert reading(written(tmp_path, page), parsed(ctx, page))["parsing.label"] == Tally(right=1, wanted=1, found=1)


def test_a_tables_title_in_a_plain_source_is_no_row(ctx: Context, tmp_path: Path) -> None:
    """The page has a caption and two rows of two cells; all four stand where they were written."""
    rows = "<tr><th>Role</th><th>Room</th></tr><tr><td>Desk</td><td>B 104</td></tr>"
    page = body("<p>The rooms:</p>", f"<table><caption>Rooms</caption>{rows}</table>")
    source = "The rooms:\n| Rooms\n| Role | Room\n| Desk | B 104\n"
    found = reading(written(tmp_path, source, "source.txt"), parsed(ctx, page))
    assert found["parsing.cell"] == share(4, 4)
    assert found["parsing.text"].value == 1.0


SEEN = ["background-color:#ffffff", "background:#003366;color:#fff", "background-color: white", "color:#fff3e0"]


# BUG in evals/written.py, `UNSEEN`: `[style*='color:#fff']` is met by `background-color:#fff` and by other colours too
# (#fff3e0), and white on a dark ground is seen; the parser reads such words, the metric does not ask for them.
@pytest.mark.parametrize("style", SEEN)
def test_words_on_white_or_in_white_on_a_ground_are_wanted(ctx: Context, tmp_path: Path, style: str) -> None:
    """The parser reads them; a document that lost them must lose some of the figure: 10 of 20 letters."""
    page = body("<p>Some words.</p>", f'<p style="{style}">More words.</p>')
    of = written(tmp_path, page)
    assert [unit.text for unit in of] == ["Some words.", "More words."]
    assert reading(of, parsed(ctx, page))["parsing.text"] == share(20, 20)
    assert reading(of, parsed(ctx, body("<p>Some words.</p>")))["parsing.text"] == share(10, 20)


# BUG in evals/written.py, `UNSEEN`: as above; the heads of a table are gone, so that each cell below is looked for one
# row too far up, and the figure of a table that was rightly read is 0 of 2.
def test_a_tables_head_in_white_on_a_ground_is_a_row(ctx: Context, tmp_path: Path) -> None:
    """Two rows of two cells, the first on dark blue."""
    head = '<tr style="background-color:#003366;color:#ffffff"><th>Role</th><th>Room</th></tr>'
    page = body("<p>The rooms:</p>", f"<table>{head}<tr><td>Desk</td><td>B 104</td></tr></table>")
    assert reading(written(tmp_path, page), parsed(ctx, page))["parsing.cell"] == share(4, 4)
