"""HTML: what a reader of the page sees, by its style sheets, and what is kept of the rest."""

import pytest
from document_makers import bodies, cells, read


def page(body: str, head: str = "") -> bytes:
    """A page in UTF-8."""
    return f'<!DOCTYPE html><html><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'.encode()


@pytest.mark.parametrize(
    ("sheet", "seen"),
    [
        ("<style>@media (max-width:500px){.k{display:none}}</style>", True),
        ("<style>@media screen and (min-width:500px){.k{display:none}}</style>", False),
        ("<style media=print>.k{display:none}</style>", True),
        ("<style>@supports (display:grid){.k{display:none}}</style>", True),
        ("<style>div p{visibility:hidden}</style>", False),
        ("<style>ul > p{display:none}</style>", True),
        ("<style>p.j.k{display:none}</style>", False),
        ("<style>[data-n='4']{display:none}</style>", False),
        ("<style>div p{display:none} div p.k{display:block}</style>", True),
        ("<style>.k{display:none!important} p.k{display:block}</style>", False),
        ("<style>.k:hover{display:none}</style>", True),
        ("<style>.k{position:absolute;clip:rect(0,0,0,0)}</style>", False),
        ("<style>.k{max-height:0;overflow:hidden}</style>", False),
        ("<style>.k{color:rgba(0,0,0,0)}</style>", False),
        ("<style>div{background:#123} .k{color:#fff}</style>", True),
        ("<style>div{background:#000} .k{color:black}</style>", False),
    ],
)
def test_a_page_is_read_as_a_screen_shows_it(sheet: str, seen: bool) -> None:
    """Selectors, their weight and media queries decide what is hidden."""
    document = read(page("<p>Rules.</p><div><p class='j k' data-n=4>The clerk signs.</p></div>", sheet))
    assert [block.tag for block in document.blocks] == [None, None if seen else "hidden"]


def test_hidden_parts_keep_their_structure() -> None:
    """A closed tab has its paragraphs, items and tables, each tagged."""
    inside = "<h2>Return</h2><p>Bring it back.</p><ol><li>clean</li><li>dry</li></ol>"
    table = "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
    document = read(page(f"<p>Lend it.</p><div hidden>{inside}{table}</div>"))
    hidden = [block for block in document.blocks if block.tag == "hidden"]
    assert [block.text for block in hidden] == ["Return", "Bring it back.", "clean", "dry", ""]
    assert list(cells(hidden[-1]).values()) == ["A", "B", "1", "2"]


def test_what_is_visible_inside_a_hidden_part_is_text() -> None:
    """Visibility can be given back."""
    body = "<div style='visibility:hidden'><p>Draft.</p><p style='visibility:visible'>Final.</p></div>"
    assert bodies(read(page(body))) == ["Final."]


def test_hidden_rows_and_cells_are_kept_out_of_the_table() -> None:
    """They stand after it, tagged, as do words that are hidden or crossed out in a cell."""
    rows = (
        "<tr><th>Item</th><th hidden>Code</th><th>Limit</th></tr>"
        "<tr><td>Taxi<span hidden> or limousine</span></td><td hidden>T1</td><td><del>90</del> 40</td></tr>"
        "<tr style='display:none'><td>Yacht</td><td hidden>Y1</td><td>9000</td></tr>"
    )
    document = read(page(f"<table>{rows}</table>"))
    assert cells(document.blocks[0]) == {"r1c1": "Item", "r1c2": "Limit", "r2c1": "Taxi", "r2c2": "40"}
    aside = [(block.tag, block.text) for block in document.blocks[1:]]
    assert ("hidden", "or limousine") in aside and ("deleted", "90") in aside and ("hidden", "Yacht") in aside


def test_the_foot_of_a_table_stands_last() -> None:
    """Wherever the page's source has it."""
    (table,) = read(
        page("<table><tfoot><tr><td>Sum<td>3</tr></tfoot><tbody><tr><td>A<td>1</tr><tr><td>B<td>2</tr></tbody></table>")
    ).blocks
    assert [cell.text for cell in table.cells] == ["A", "1", "B", "2", "Sum", "3"]


def test_what_stands_in_for_something_else_is_kept() -> None:
    """Frames written within the page, fallbacks, words of drawings and pictures; what scripts replace is hidden."""
    body = (
        "<p>Rules.</p><iframe srcdoc='<p>Lock the gate.</p>'></iframe><object><p>Keep the key.</p></object>"
        "<img alt='Chart: ask, wait, enter'><img alt=logo><noscript><p>Call the desk.</p></noscript>"
        "<template><p>Old rule.</p></template>"
    )
    document = read(page(body))
    assert bodies(document) == ["Rules.", "Lock the gate.", "Keep the key.", "Chart: ask, wait, enter"]
    assert [block.text for block in document.blocks if block.tag == "hidden"] == ["Call the desk.", "Old rule."]


def test_small_menus_related_pages_and_marks_for_editors_are_no_text() -> None:
    """Links that lead about the site are tagged, a wiki's `[edit]` is none of its heading; lists of forms are text."""
    page = (
        "<p><a href=/l>登录</a> <a href=/r>注册</a></p><h2>Mooring<span>[<a href=/e>edit</a>]</span></h2>"
        "<p>1. The crew shall tie two lines.</p><ul><li><a href=f1.docx>Form A</a></li><li><a href=f2.docx>Form B</a>"
        "</ul>"
        "<div><h3>相关链接</h3><ul><li><a href=/x>船舶靠泊须知</a></li></ul></div>"
        "<p><a href=/a>About us</a> | <a href=/p>Help</a>"
    )
    document = read(page.encode(), "a.html")
    tagged = {block.text: block.tag for block in document.blocks}
    assert [tagged[text] for text in ("登录 注册", "[edit]", "相关链接", "船舶靠泊须知", "About us | Help")] == [
        "navigation"
    ] * 5
    assert [tagged[text] for text in ("Mooring", "Form A", "Form B")] == [None] * 3


def test_numbers_that_a_style_sheet_counts_are_labels() -> None:
    """Counters of nested lists, of headings, and of lists that Google Docs sets beside those they belong in."""
    style = (
        "<style>ol{list-style:none;counter-reset:n}li::before{counter-increment:n;content:counters(n,'.') ' '}"
        'body{counter-reset:a}h2:before{counter-increment:a;content:"Article " counter(a,upper-roman) ": "}</style>'
    )
    body = (
        "<h2>Berths</h2><ol><li>Ships<ol><li>The pilot boards.</ol><li>Boats<ol><li>They wait.</ol></ol><h2>Fees</h2>"
    )
    found = [(block.label and block.label.text, block.text) for block in read(page(body, style), "a.html").blocks]
    assert found == [
        ("Article I:", "Berths"), ("1", "Ships"), ("1.1", "The pilot boards."), ("2", "Boats"), ("2.1", "They wait."),
        ("Article II:", "Fees"),
    ]  # fmt: skip
    kix = (
        "<style>.lst-kix_q-0>li{counter-increment:c0}.lst-kix_q-1>li{counter-increment:c1}ol{list-style-type:none}"
        '.lst-kix_q-0>li:before{content:"" counter(c0,decimal) ". "}ol.lst-kix_q-0.start{counter-reset:c0}'
        "ol.lst-kix_q-1.start{counter-reset:c1 0}"
        '.lst-kix_q-1>li:before{content:"(" counter(c1,lower-latin) ") "}</style>'
    )
    lists = '<ol class="lst-kix_q-0 start"><li>Moor.</ol><ol class="lst-kix_q-1 start"><li>fore;<li>aft.</ol>'
    blocks = read(page(f'{lists}<ol class="lst-kix_q-0"><li>Pay.</ol>', kix), "a.html").blocks
    assert [block.label and block.label.text for block in blocks] == ["1.", "(a)", "(b)", "2."]
    assert [block.parent for block in blocks] == [None, blocks[0].address, blocks[0].address, None]


def test_tables_made_of_other_elements_are_tables() -> None:
    """By their roles or their style; what is only set beside each other is text."""
    row = "<div class=r><div class=c>{}</div><div class=c>{}</div></div>"
    style = "<style>.t{display:table}.r{display:table-row}.c{display:table-cell}</style>"
    shown = f"<div class=t>{row.format('Berth', 'Depth')}{row.format('North', '7 m')}</div>"
    cell = "<div role=row><span role=columnheader>Boat</span><span role=columnheader>Fee</span></div>"
    named = f"<div role=table>{cell}<div role=row><span role=cell>Gig</span><span role=cell>$5</span></div></div>"
    document = read(page(shown + named, style), "a.html")
    assert [[each.text for each in block.cells] for block in document.blocks] == [
        ["Berth", "Depth", "North", "7 m"],
        ["Boat", "Fee", "Gig", "$5"],
    ]
    beside = f"<div class=t>{row.format('The pilot boards.', 'He leaves.')}</div>"
    assert bodies(read(page(beside, style), "a.html")) == ["The pilot boards.", "He leaves."]


def test_what_is_said_of_a_term_stands_under_it() -> None:
    """All of it, up to the next term; a chapter that is set as a term stays a heading."""
    terms = (
        "<dl><dt>Pilot</dt><dd>boards the ship.</dd><dd>keeps the log.</dd><dt>Crew</dt><dd>moors.</dd></dl><p>End.</p>"
    )
    blocks = read(page(terms), "a.html").blocks
    texts = {block.address: block.text for block in blocks}
    parents = [texts[block.parent] if block.parent else None for block in blocks]
    assert parents == [None, "Pilot", "Pilot", None, "Crew", None]
    chapters = (
        "<dl><dt>第一章　总则</dt><dd>第一条　船员应当值班。</dd>"
        "<dt>第二章　值班</dt><dd>第二条　每班四小时。</dd></dl>"
    )
    kinds = [block.kind for block in read(page(chapters), "a.html").blocks]
    assert kinds == ["heading", "paragraph", "heading", "paragraph"]


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("<dialog><p>The clerk pays.</p></dialog>", False),
        ("<dialog open><p>The clerk pays.</p></dialog>", True),
        ("<datalist><option>The clerk pays.</option></datalist>", False),
        ("<svg><desc>The clerk pays.</desc></svg>", False),
        ("<svg><text>The clerk pays.</text></svg>", True),
    ],
)
def test_parts_that_no_browser_shows_are_hidden(body: str, seen: bool) -> None:
    """Closed dialogs, lists of choices, the titles of drawings."""
    document = read(page(f"<p>The clerk signs.</p>{body}"))
    assert {block.tag for block in document.blocks if "pays" in block.text} <= {None if seen else "hidden"}
    assert any("pays" in block.text for block in document.blocks) or not seen
