"""References of a document to its own clauses, and those that lead nowhere."""

import pytest
from document_makers import read

from compiler.parsers import parse
from compiler.parsers.references.cross_references import cross_references

ZH = """# 报销办法

第一条　申请人应当提交申请表。

第二条　申请表包括下列内容：

（一）金额；

（二）用途。

员工应当在三日内补正。

第三条　依照第二条第二款补正的，适用第二条第（二）项；违反前条规定的，按照《员工手册》第九条处理。

第四条　依照第十二条、第一条办理，见附件1。

附件1　申请表
"""
EN = """# Access rules

## Section 1 Requests

1.1 The user files a request.

1.2 The owner decides:

(a) on rights,

(b) on terms, as the preceding paragraph says.

## Section 2 Review

2.1 Under section 1 and 1.2(b) the analyst acts, see 4.7, not under Article 6 of the Data Protection Act.
"""


def told(text: str, name: str) -> dict[str, str | None]:
    """What each reference points to, by the beginning of the words there."""
    document = read(text.encode(), name)
    blocks = {block.address: block.text for block in document.blocks}
    return {r.text: blocks[r.target][:8] if r.target else None for r in cross_references(document)}


def test_chinese_articles_paragraphs_items_and_annexes() -> None:
    """`款` counts paragraphs, `项` items; another text's articles are not looked for."""
    found = told(ZH, "a.md")
    assert found["第二条第二款"] == "员工应当在三日内"
    assert found["第二条第（二）项"] == "（二）用途。"
    assert found["前条"] == "第二条　申请表包"
    assert found["第十二条"] is None
    assert found["第一条"] == "第一条　申请人应"
    assert found["附件1"] is not None
    assert "第九条" not in found


def test_english_sections_decimals_and_letters() -> None:
    """Section, decimal number and letter; what is not there is dangling, what is another text's is left alone."""
    found = told(EN, "a.md")
    assert found["section 1"] == "Section "
    assert found["the preceding paragraph"] is not None
    assert [target for words, target in found.items() if words.endswith("4.7")] == [None]
    assert not any("Article 6" in words for words in found)


@pytest.mark.parametrize(("text", "name", "words"), [(ZH, "a.md", "第十二条"), (EN, "a.md", "4.7")])
def test_dangling_references_are_reported_where_they_stand(text: str, name: str, words: str) -> None:
    """A warning for each, at its block, and none for the others."""
    (found,) = parse(text.encode(), name).diagnostics
    assert found.error_code == "dangling-reference"
    assert found.location is not None and found.location.block is not None
    assert words in str(found.found)


def test_each_regulation_of_a_file_has_its_own_articles() -> None:
    """Where articles begin anew at 1, a reference means the article of its own part."""
    text = "# 汇编\n\n第一条　甲一。\n\n第二条　甲二。\n\n第一条　乙一。\n\n第二条　依照第一条办理。\n"
    assert told(text, "a.md")["第一条"] == "第一条　乙一。"


def missing(text: str, name: str = "a.txt") -> list[str]:
    """The words of the references that lead nowhere."""
    document = read(text.encode(), name)
    return [reference.text for reference in cross_references(document) if reference.target is None]


RULES = """冷库管理办法

第一条　冷库应当具备下列条件：

（一）有温度记录：

1. 自动记录；

2. 人工记录。

（二）有报警装置。

冷库应当每年检定。

第二条之一　停用应当报告。

第三条　{}

附件2

检定表
"""
STORE = """Harbour Store Rules

1. Scope

1.1 These rules apply to stores.

2. Duties

2.1 The keeper shall:

(a) lock the gate;

(b) keep a list.

3. Control

3.1 {}

Annex A Forms

1. The list form.
"""


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("依照第一条第二款处理。", []),
        ("依照第一条第二款、第三款处理。", ["第三款"]),
        ("依照第一条第（一）、（三）项处理。", ["（三）项"]),
        ("依照第一条第一款第（一）项第3目处理。", ["第一条第一款第（一）项第3目"]),
        ("依照第二条处理。", ["第二条"]),
        ("依照第二条之一处理，不适用第二条之二。", ["第二条之二"]),
        ("有本条第（四）项情形的，报告。", ["本条第（四）项"]),
        ("按照第 六 条办理，见图3、步骤4。", ["第 六 条", "图3", "步骤4"]),
        ("按第3.4款执行。", ["第3.4款"]),
        ("违反《冷链条例》第二十条，同时违反第三十条规定的，从重处罚。", []),
        ("依照省政府令第7号第十二条和租赁合同第九条办理。", []),
        ("依照《冷链条例》第二十条和本办法第三十条办理。", ["第三十条"]),
    ],
)
def test_chinese_places_are_looked_for_one_by_one(words: str, lost: list[str]) -> None:
    """Members of lists, inserted articles and places around the words; another text's articles are left alone."""
    assert missing(RULES.format(words)) == lost


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("The keeper acts under Section 2, clause 1 and paragraph 1 of Annex A.", []),
        ("See paragraph 2 of Annex A.", ["paragraph 2"]),
        ("Clauses 1.1, 2.1 and 2.4 apply.", ["2.4"]),
        ("Clause 2.1(b) and (d) apply.", ["(d)"]),
        ("See § 7.2, para. 8.3 and Exhibit D.", ["§ 7.2", "para. 8.3", "Exhibit D"]),
        ("The keeper acts under paragraph (e) of clause 2.1.", ["paragraph (e)"]),
        ("Rule 4-2 applies.", ["Rule 4-2"]),
        ("Sections 6 and 8 of the Harbour Act apply, and Articles 61 and 62 TFEU.", []),
        ("Clause 9.3 of the Charter Party applies, as do ISO 22000:2018, clause 8.5 and 40 CFR Part 60.", []),
        ("The pump runs at 6.3 bar in 4.5 hours, a score under 3.7 is a fail.", []),
        ("Section 9 housing and firms in Chapter 12 bankruptcy are exempt.", []),
        ("Section 9 of the Harbour Store Rules applies.", ["Section 9"]),
    ],
)
def test_english_places_are_looked_for_one_by_one(words: str, lost: list[str]) -> None:
    """Plain numbers, lists, letters and annexes; quantities and other texts are no references."""
    assert missing(STORE.format(words)) == lost


def test_an_article_is_looked_for_in_its_own_regulation_alone() -> None:
    """The next regulation of the file has a fourth article, this one has not; an annex may mean the main text."""
    text = "<h1>甲办法</h1><p>第一条 甲。</p><p>第二条 依照本办法第三条。</p>"
    other = "<h1>乙办法</h1><p>第一条 乙。</p><p>第二条 丙。</p><p>第三条 丁。</p>"
    assert missing(text + other, "a.html") == ["第三条"]
    annexed = "<h1>甲办法</h1>" + "".join(f"<p>第{n}条 甲。</p>" for n in "一二三") + "<h2>附件1 名单</h2>"
    assert missing(annexed + "<p>第一条 乙。</p><p>第二条 依照第三条。</p>", "a.html") == []


def test_a_circular_counts_its_articles_with_commas() -> None:
    """`第二条` means `二、` where the text has no articles; where it has, it does not."""
    text = "一、范围\n\n本通知适用于各库房。\n\n二、检查\n\n（一）库管员每日检查。\n\n三、罚则\n\n"
    text += "未按本通知第二条第（一）项检查的，通报批评；第八条另行规定。\n"
    document = read(text.encode(), "a.txt")
    targets = {found.text: found.target for found in cross_references(document)}
    assert [document.text_at(target) if target else None for target in targets.values()] == [
        "（一）库管员每日检查。",
        None,
    ]


def test_a_number_that_begins_anew_in_each_part_is_looked_for_in_its_own() -> None:
    """`1.1` of the second part, where that part has one."""
    lines = (
        "第一部分 进厂",
        "1. 验货",
        "1.1 门卫验货。",
        "第二部分 出厂",
        "1. 装车",
        "1.1 司机装车。",
        "1.2 未按1.1装车的，退回。",
    )
    document = read("\n\n".join(lines).encode(), "a.txt")
    (found,) = cross_references(document)
    assert document.text_at(found.target or "") == "1.1 司机装车。"
