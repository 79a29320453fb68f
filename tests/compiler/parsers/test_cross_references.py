"""References of a document to its own clauses, and those that lead nowhere."""

import pytest
from document_makers import read

from compiler.parsers import parse
from compiler.parsers.cross_references import cross_references

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
