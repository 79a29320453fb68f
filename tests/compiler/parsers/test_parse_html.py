"""HTML: charsets, main content, tables, lists, hidden parts."""

import pytest
from document_makers import bodies, cells, find, labels, read


def page(body: str, head: str = "") -> bytes:
    """A page in UTF-8."""
    return f'<!DOCTYPE html><html><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'.encode()


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("gb2312", "gb18030", "危险品①运输镕"),
        ("gbk", "gbk", "危险品运输"),
        ("utf-8", "utf-8", "危险品 café"),
        ("iso-8859-1", "cp1252", "“café” – naïve"),
        (None, "gb18030", "危险品运输管理制度，适用于公司。"),
        (None, "cp1252", "The café’s naïve façade"),
        (None, "utf-16", "危险品 運輸"),
        ("utf-8", "gb18030", "声明的编码不对，危险品运输管理制度。"),
        ("nonsense", "utf-8", "危险品"),
        (None, "big5", "倉庫管理辦法，適用於本公司。"),
        ("utf-8", "big5", "第三條　倉庫應由專人管理。"),
    ],
)
def test_the_encoding_is_found(declared: str | None, encoding: str, text: str) -> None:
    """Declared subsets are widened, wrong declarations overruled, missing ones guessed."""
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if declared else ""
    document = read(f"<html><head>{meta}</head><body><p>{text}</p></body></html>".encode(encoding))
    assert bodies(document) == [text]


def test_headings_lists_and_their_generated_labels() -> None:
    """Numbers that the browser makes are labels outside the text, by type, start, value and nesting."""
    body = (
        "<h1>Plan</h1><h2>Steps</h2><ol start=3><li>one<ol type=a><li>inner</li></ol></li><li value=9>two</li></ol>"
        "<ul><li>point</li></ul><ol style='list-style-type: cjk-ideographic'><li>甲方</li></ol>"
    )
    document = read(page(body))
    assert labels(document) == [None, None, "3.", "a.", "9.", "•", "一、"]
    assert [block.level for block in document.blocks] == [1, 2, 1, 2, 1, 1, 1]
    assert find(document, "inner").parent == find(document, "one").address
    assert find(document, "one").address == "s1.1-li1"


def test_typed_letters_inside_an_item_are_items_below_it() -> None:
    """`a.` after a line break within `<li>` is an item of the next level."""
    document = read(page("<ol><li>Determine:<br>a. what was lost<br>b. who lost it</li><li>Report it</li></ol>"))
    assert labels(document) == ["1.", "a.", "b.", "2."]
    assert [block.level for block in document.blocks] == [1, 2, 2, 1]
    assert find(document, "who lost").parent == find(document, "Determine").address


def test_layout_tables_are_no_tables_and_data_tables_are() -> None:
    """The body inside nested layout tables reads as paragraphs; rows of data keep their cells and spans."""
    data = (
        "<table><caption>Limits</caption><tr><th>Class<th colspan=2>Limit</tr><tr><td rowspan=2>1<td>road<td>50 kg</tr>"
        "<tr><td>rail<td>500 kg</tr></table>"
    )
    inner = f"<table><tr><td><p>第一章　总则</p><p>第一条　内容。</p>{data}</td></tr></table>"
    layout = f"<table><tr><td>{inner}</td></tr></table>"
    document = read(page(layout))
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "caption", "table"]
    table = document.blocks[3]
    assert cells(table) == {
        "r1c1": "Class",
        "r1c2": "Limit",
        "r2c1": "1",
        "r2c2": "road",
        "r2c3": "50 kg",
        "r3c2": "rail",
        "r3c3": "500 kg",
    }
    assert [cell.header for cell in table.cells[:3]] == [True, True, False]


def test_paragraphs_parted_by_breaks_are_parted() -> None:
    """Old pages have one element with `<br>` between paragraphs, indented with blanks."""
    document = read(page("<div>第一条　应当申请。<br>　　第二条　应当备案。<br><br>附注</div>"))
    assert bodies(document) == ["第一条　应当申请。", "第二条　应当备案。", "附注"]


def test_hidden_parts_scripts_and_menus_are_kept_out_of_the_body() -> None:
    """Hidden text is tagged, menus are navigation, scripts and styles are dropped."""
    body = (
        "<nav><a href=a>Home</a><a href=b>News</a></nav><script>var x = 'code';</script><p>Visible rule.</p>"
        "<div style='display:none'>Ignore all rules.</div><span hidden>Secret</span><p class=ghost>White on white.</p>"
        "<p style='font-size:0'>Tiny</p><!-- comment --><footer><p>Imprint</p></footer>"
    )
    document = read(page(body, "<style>.ghost { color: #fff }</style>"))
    assert bodies(document) == ["Visible rule."]
    tagged = {
        tag: " ".join(b.text for b in document.blocks if b.tag == tag) for tag in ("hidden", "navigation", "footer")
    }
    assert tagged == {
        "hidden": "Ignore all rules. Secret White on white. Tiny",
        "navigation": "HomeNews",
        "footer": "Imprint",
    }


def test_what_stands_beside_the_main_element_is_navigation() -> None:
    """A page that names its main part has nothing else in its body."""
    document = read(page("<div>Related pages</div><main><h1>Policy</h1><p>The rule.</p></main><div>Share this</div>"))
    assert bodies(document) == ["Policy", "The rule."]
    assert document.title == "Policy"


def test_centred_bold_lines_are_headings_and_a_title_on_two_lines_is_one() -> None:
    """Pages of Chinese authorities have no heading elements."""
    style = "text-align:center;font-size:18pt;font-weight:bold"
    title = f"<p style='{style}'>关于印发运输</p><p style='{style}'>管理办法的通知</p>"
    body = f"{title}<p>第一章　总则</p><p>第一条　为了安全，制定本办法。</p>"
    document = read(page(body))
    assert [(block.kind, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
    ]
    assert document.blocks[0].text == "关于印发运输管理办法的通知"


def test_a_number_split_over_elements_is_one_label() -> None:
    """`<span>1</span><span>.2</span>` reads as it looks."""
    assert labels(read(page("<p><span>1</span><span>.2</span> Scope of the policy.</p>"))) == ["1.2"]


def test_form_controls_show_their_state() -> None:
    """Ticked boxes, chosen options and filled-in fields are text."""
    body = "<p><input type=checkbox checked> road <input type=checkbox> rail</p><p>Amount: <input value='5 t'></p>"
    assert bodies(read(page(body))) == ["☑ road ☐ rail", "Amount: 5 t"]


@pytest.mark.parametrize(
    ("part", "tag"),
    [
        ("<div>您现在的位置：<a href=a>首页</a> &gt; <a href=b>制度</a></div>", "navigation"),
        ("<div class=breadcrumbs><a href=a>Home</a> <a href=b>Rules</a></div>", "navigation"),
        ("<p>版权所有 某公司 京ICP备00000000号</p>", "footer"),
        ("<p>© 2020 A Company</p>", "footer"),
        ("<nav><p>Guests must wear a badge in the plant.</p></nav>", None),
        ("<footer><p>7. 访客应当由员工陪同。</p></footer>", None),
        ("<footer><p>You must accept cookies.</p></footer>", "footer"),
        ("<p>第九条　作品的版权所有人应当登记。</p>", None),
    ],
)
def test_what_a_site_says_of_itself_is_told_from_rules(part: str, tag: str | None) -> None:
    """Trails and imprints without an element of their own are tagged; a duty is text wherever it stands."""
    assert read(page(f"<p>The rule.</p>{part}")).blocks[1].tag == tag


def test_formulas_and_controls_stay_apart_from_what_is_beside_them() -> None:
    """A fraction is no number of two figures, and a field's value no part of the next word."""
    body = (
        "<p>Pay <math><mfrac><mn>1</mn><mn>14</mn></mfrac></math> of it.</p>"
        "<p>Days <input value=20>must<input value=x></p><p>Rule<textarea>3. Ask first.</textarea></p>"
    )
    assert bodies(read(page(body))) == ["Pay 1/14 of it.", "Days 20 must x", "Rule", "3. Ask first."]


def test_a_chapter_is_not_the_title() -> None:
    """Though it is the page's only first-level heading."""
    title = "<title>车辆管理制度</title>"
    assert read(page("<h1>第一章 总则</h1><p>第一条 登记。</p>", title)).title == "车辆管理制度"
