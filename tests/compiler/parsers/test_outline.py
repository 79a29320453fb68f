"""What stands under what: counts that go on after nested items, headings with bare numbers, bylaws, annexes."""

import pytest
from document_makers import find, labels, read

from ir.document import Document


def above(document: Document, words: str) -> str | None:
    """The label, or the text where there is none, of what a block stands under."""
    parents = {block.address: block.label.text if block.label else block.text for block in document.blocks}
    parent = find(document, words).parent
    return parents[parent] if parent else None


def plain(*lines: str) -> Document:
    return read("\n\n".join(lines).encode(), "a.txt")


@pytest.mark.parametrize(
    "items", [("（1）水泵；", "（2）阀门。"), ("a) 水泵；", "b) 阀门。"), ("1）水泵；", "①离心泵。")]
)
def test_a_decimal_count_goes_on_after_items(items: tuple[str, str]) -> None:
    """`3.2` follows `3.1` whatever stood in between, and stands under the same article."""
    document = plain("第三条 交付", "3.1 乙方供应：", *items, "3.2 乙方负责安装。", "3.3 乙方负责调试。", "第四条 付款")
    assert [above(document, words) for words in ("安装", "调试")] == ["第三条", "第三条"]
    assert above(document, items[0]) == "3.1"


def test_a_contract_counts_on_after_two_levels_of_items() -> None:
    """Clause and section numbers come back to their own level."""
    document = plain(
        "LICENCE", "1. GRANT", "1.1 The Owner grants:", "(a) use; and", "(b) copies, except:", "(i) maps; and",
        "(ii) plans.", "1.2 The Owner may inspect.", "2. PRICE", "2.1 The User pays.", "3. TERM", "3.1 One year.",
    )  # fmt: skip
    assert [above(document, words) for words in ("maps", "may inspect", "The User pays", "One year")] == [
        "(b)", "1.", "2.", "3."
    ]  # fmt: skip
    levels = {find(document, words).level for words in ("The Owner grants", "may inspect", "The User pays")}
    assert len(levels) == 1


def test_a_plain_list_below_a_decimal_clause_is_its_own() -> None:
    """`1.` and `2.` below `6.1` are items of it; `6.2` and `7.` go on outside."""
    document = plain("6. RECORDS", "6.1 The clerk keeps:", "1. the log;", "2. the map.", "6.2 They are kept.", "7. END")
    assert [above(document, words) for words in ("the log", "the map", "They are kept")] == ["6.1", "6.1", "6."]
    assert above(document, "END") != "2."


def test_bare_numbers_that_lead_decimals_are_headings() -> None:
    """`2 Tasks` before `2.1` is a heading in plain text; counted things are not."""
    document = plain(
        "1 Aim", "To be quick.", "2 Tasks", "2.1 The cook cooks.", "2.2 The waiter serves.", "3 Files", "Kept."
    )
    assert labels(document) == ["1", None, "2", "2.1", "2.2", "3", None]
    assert (above(document, "serves"), above(document, "Kept")) == ("2", "3")
    assert labels(plain("Bring:", "1 passport", "2 photos")) == [None, None, None]


def test_sections_that_begin_anew_in_each_article_stand_under_it() -> None:
    """Bylaws count sections within articles; statutes count articles within sections."""
    bylaws = read(
        b"<h2>ARTICLE I. BOARD</h2><h3>Section 1. Seats</h3><p>Five.</p><h3>Section 2. Vacancies</h3><p>Filled.</p>"
        b"<h2>ARTICLE II. DUES</h2><h3>Section 1. Rate</h3><p>Ten.</p>",
        "a.html",
    )
    assert [above(bylaws, words) for words in ("Seats", "DUES", "Rate")] == ["ARTICLE I.", None, "ARTICLE II."]
    code = plain("SECTION 1. PERSONS", "Article 1. Adults act.", "SECTION 2. GOODS", "Article 2. Goods are sold.")
    assert above(code, "Goods are sold") == "SECTION 2."


def test_clauses_of_an_annex_count_under_it() -> None:
    """`B.1` and `B.1.1` are labels of the annex, a lone initial is none."""
    document = plain("附录B 试验", "B.1 试剂", "B.1.1 试剂应当为分析纯。", "B.1.2 水应当为二级水。", "B.2 步骤")
    assert labels(document) == ["附录B", "B.1", "B.1.1", "B.1.2", "B.2"]
    assert (above(document, "二级水"), above(document, "步骤")) == ("B.1", "附录B")
    assert labels(plain("The panel:", "E.3 Ohm resistor", "It is closed.")) == [None, None, None]


def test_a_number_before_a_small_letter_is_a_label_where_the_count_wants_it() -> None:
    """`5.2 kV …` between 5.1 and 5.3 is a clause; `4.2 kV` among none is a quantity."""
    assert labels(plain("5.1 Scope of works", "5.2 kV switchgear is tested.", "5.3 Reports are kept.")) == [
        "5.1",
        "5.2",
        "5.3",
    ]
    assert labels(plain("The limit is", "4.2 kV in all rooms.")) == [None, None]
    assert labels(plain("6.1 总则", "6.2 mL级取样", "6.3 pH值测定")) == ["6.1", "6.2", "6.3"]


def test_a_sentence_about_an_annex_or_a_table_is_neither() -> None:
    """A blank after the number does not make the words that follow a title."""
    document = plain(
        "第二条 下列情形除外。", "附件3 所列人员不适用。", "表2 中的温度为上限。", "表2 温度", "附件3 人员名单"
    )
    assert labels(document) == ["第二条", None, None, None, "附件3"]
    assert [find(document, words).kind for words in ("表2 中", "表2 温度")] == ["paragraph", "caption"]


def test_items_typed_below_a_markdown_list_stand_in_it() -> None:
    """`（1）` below `1.` is its item, and `2.` goes on with the list."""
    document = read("1. 巡查，包括：\n\n（1）仓库；\n\n（2）车间。\n\n2. 记录。\n".encode(), "a.md")
    assert (above(document, "车间"), above(document, "记录")) == ("1.", None)


def test_particulars_of_a_document_are_no_heading() -> None:
    """A number after a colon is neither heading nor title."""
    document = plain("巡检管理程序", "文件编号：XJ-07　版本：C/1", "1 目的", "保证安全。", "2 要求", "2.1 每日巡检。")
    assert document.title == "巡检管理程序"
    assert find(document, "XJ-07").kind == "paragraph"


def test_what_closes_a_circular_stands_under_no_clause() -> None:
    """The list of annexes, the issuer and the date hang in the whole; the items of the list are no headings."""
    document = plain(
        "一、范围", "（一）本通知适用于各站点。", "二、要求", "（一）站长应当每日巡查。", "附件：1.巡查表",
        "2.站点名单", "北岭供热有限公司", "2023年11月2日", "附件1", "巡查表", "1.锅炉压力。", "2.水位。",
    )  # fmt: skip
    assert [above(document, words) for words in ("1.巡查表", "北岭供热", "11月2日")] == [None, None, None]
    assert (above(document, "2.站点名单"), find(document, "2.站点名单").kind) == ("附件：", "list_item")
    assert above(document, "水位") == "附件1"


def test_signatures_stand_under_no_clause_but_a_form_within_one_does() -> None:
    """`Signed for` after the last clause is none of its text; between two clauses it is."""
    document = plain(
        "1. LOAN", "1.1 The Museum lends the vase.", "2. CARE", "2.1 The Borrower shall insure it.",
        "Signed for and on behalf of THE MUSEUM", "Name:", "SCHEDULE 1", "One vase.",
    )  # fmt: skip
    assert [above(document, words) for words in ("Signed for", "Name:")] == [None, None]
    form = plain("1. Sign here", "1.1 Write your name.", "Signed by:", "2. Hand it in", "2.1 The desk files it.")
    assert above(form, "Signed by:") == "1.1"


def test_sections_with_the_articles_figure_stand_under_it() -> None:
    """`Section 2.1` is a part of Article II, and `Sec. 7-3` one of whatever article is open."""
    document = plain(
        "ARTICLE I. LEASE", "Section 1.1 The Owner leases the pier.", "ARTICLE II. RENT", "Section 2.1 The User pays.",
        "Section 2.2 The rent is due in May.",
    )  # fmt: skip
    assert [above(document, words) for words in ("The Owner", "The User", "in May")] == [
        "ARTICLE I.", "ARTICLE II.", "ARTICLE II."
    ]  # fmt: skip
    assert above(document, "RENT") is None


def test_a_bold_annex_with_a_colon_is_a_heading() -> None:
    """A plain line with a colon is the list of annexes, or one of it."""
    text = b"Pay the fee in May.\n\n**Appendix A: Fees**\n\nA boat pays 5 dollars.\n\nAppendix B: Berths\n"
    assert [block.kind for block in read(text, "a.md").blocks] == ["paragraph", "heading", "paragraph", "paragraph"]
