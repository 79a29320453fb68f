"""HTML: raised and lowered figures, footnotes and comments with the marks that lead to them."""

import pytest
from document_makers import bodies, cells, find, read


def page(body: str, head: str = "") -> bytes:
    """A page in UTF-8."""
    return f'<!DOCTYPE html><html><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'.encode()


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("At most 10<sup>4</sup> cells.", "At most 10⁴ cells."),
        ("Below 10<sup>-2</sup> mg.", "Below 10⁻² mg."),
        ("不超过70<sup>1</sup>元。", "不超过70¹元。"),
        ("Keep 8<span style='vertical-align:super'>2</span> copies.", "Keep 8² copies."),
        ("Wait 2<sup>1</sup>/<sub>4</sub> hours.", "Wait 2 1/4 hours."),
        ("Pay 90<sup><a href='#x'>3</a></sup> euros.", "Pay 90[3] euros."),
        ("Pay 90<a href='#x'><sup>[3]</sup></a> euros.", "Pay 90[3] euros."),
        ("Report CO<sub>2</sub> on the 1<sup>st</sup> day.", "Report CO2 on the 1st day."),
        ("A room of 12 m<sup>2</sup>.", "A room of 12 m²."),
    ],
)
def test_raised_figures_stay_apart_from_the_number_before_them(written: str, kept: str) -> None:
    """Powers and notes do not lengthen a number; letters and fractions read as they are said."""
    assert bodies(read(page(f"<p>{written}</p>"))) == [kept]


def test_raised_figures_in_cells_stay_apart() -> None:
    """A power, and the letter of a table's note."""
    (table,) = read(page("<table><tr><th>A<th>B</tr><tr><td>10<sup>3</sup><td>400<sup>b</sup></tr></table>")).blocks
    assert list(cells(table).values()) == ["A", "B", "10³", "400[b]"]


@pytest.mark.parametrize(
    "note",
    [
        "<ol><li id=n1>Before tax. <a href='#m1'>↩</a></li></ol>",
        "<section role=doc-endnotes><p id=n1>Before tax.</p></section>",
        "<div class=footnotes><ol><li id=n1><p>Before tax. <a href='#m1'>↑</a></p></li></ol></div>",
    ],
)
def test_a_footnote_stands_beside_the_clause_that_bears_its_mark(note: str) -> None:
    """However the page lays out its notes, none is a clause."""
    document = read(page(f"<p>1. Pay $70<sup id=m1><a href='#n1'>1</a></sup>.</p><p>2. File it.</p>{note}"))
    assert bodies(document) == ["1. Pay $70[1].", "2. File it."]
    (told,) = [block for block in document.blocks if block.tag == "footnote"]
    assert (told.text, told.parent) == ("[1] Before tax.", find(document, "Pay").address)


def test_notes_comments_and_running_headers_of_word_are_no_text() -> None:
    """What Word puts at the end of a page that it saves is tagged, and its marks of comments are dropped."""
    body = (
        "<p>1. The guard logs visits<a href='#_msocom_1' class=msocomanchor>[AB1]</a> daily"
        "<a href='#_ftn1' name='_ftnref1'>[1]</a>.</p>"
        "<div style='mso-element:comment-list'><div style='mso-element:comment'>"
        "<p id='_com_1'>Ask legal.</p></div></div>"
        "<div style='mso-element:footnote-list'><div style='mso-element:footnote' id=ftn1>"
        "<p><a href='#_ftnref1' name='_ftn1'>[1]</a> At noon.</p></div></div>"
        "<div style='mso-element:header'><p>Internal</p></div>"
    )
    document = read(page(body))
    assert bodies(document) == ["1. The guard logs visits daily[1]."]
    tagged = [(block.tag, block.text) for block in document.blocks if block.tag]
    assert tagged == [("comment", "Ask legal."), ("footnote", "[1] At noon."), ("header", "Internal")]


def test_links_to_sections_are_no_notes() -> None:
    """A table of contents and a reference to a later section leave the section where it is."""
    document = read(page("<p>See <a href='#s2'>2</a>.</p><p>1. Scope.</p><p id=s2>2. Duties.</p>"))
    assert bodies(document) == ["See 2.", "1. Scope.", "2. Duties."]
