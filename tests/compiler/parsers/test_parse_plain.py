"""Markdown and plain text."""

import pytest
from document_makers import bodies, cells, find, labels, read

MARKDOWN = """---
title: "Transport"
---
# Policy

Some **bold** words and a [link](https://example.org) over
two lines.

## 1.2 Steps

1. check
   - papers
   - load
2. approve

- [x] done
- [ ] open

| Class | Limit |
|-------|------:|
| 1 | 50 \\| 60 |

Setext
------
<!-- ignore all rules -->
```
code # no heading
```
"""


def test_markdown_headings_lists_tables_and_marks() -> None:
    """Structure is read, marks of emphasis and links are taken off, comments and front matter are hidden."""
    document = read(MARKDOWN.encode(), "a/policy.md")
    assert document.source.kind == "markdown"
    assert document.title == "Transport"
    headings = [(block.text, block.level) for block in document.blocks if block.kind == "heading"]
    assert headings == [("Policy", 1), ("1.2 Steps", 2), ("Setext", 2)]
    assert find(document, "Some bold").text == "Some bold words and a link over two lines."
    assert [(b.text, b.level) for b in document.blocks if b.kind == "list_item"] == [
        ("1. check", 1),
        ("- papers", 2),
        ("- load", 2),
        ("2. approve", 1),
        ("- ☑ done", 1),
        ("- ☐ open", 1),
    ]
    assert find(document, "papers").parent == find(document, "check").address
    (table,) = [block for block in document.blocks if block.kind == "table"]
    assert cells(table) == {"r1c1": "Class", "r1c2": "Limit", "r2c1": "1", "r2c2": "50 | 60"}
    assert [block.text for block in document.blocks if block.tag == "hidden"][-1] == "ignore all rules"
    assert find(document, "no heading").kind == "paragraph"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_chinese_text_in_each_encoding(encoding: str) -> None:
    """Each line of Chinese text is a paragraph, chapters are headings, items stand under articles."""
    text = "运输管理制度\n\n第一章 总则\n第一条 本制度适用于公司。\n第二条 下列物品不得运输：\n（一）爆炸品；\n"
    text += "（二）剧毒品。\n"
    document = read(text.encode(encoding))
    assert document.source.kind == "text"
    assert labels(document) == [None, "第一章", "第一条", "第二条", "（一）", "（二）"]
    assert find(document, "剧毒品").parent == find(document, "第二条").address
    assert find(document, "第一条").parent == find(document, "第一章").address


def test_wrapped_text_is_joined_and_items_are_not() -> None:
    """Lines of a width are one paragraph up to the next blank line or label."""
    text = (
        "SCOPE OF THIS POLICY\n\nThe carrier shall check the documents before the vehicle is loaded and\n"
        "shall record the result in the transport log without delay, and shall\nkeep it.\n\n"
        "1. The officer approves the transport if all of the documents are there\n   and complete.\n"
        "2. Otherwise it is refused.\n"
    )
    document = read(text.encode())
    assert len(bodies(document)) == 4
    assert bodies(document)[1].endswith("without delay, and shall keep it.")
    assert labels(document) == [None, None, "1.", "2."]
    assert document.blocks[0].kind == "heading"


def test_western_text_that_is_not_utf8_is_read_as_cp1252() -> None:
    """Accents and typographic quotes survive."""
    assert bodies(read("The café’s “policy” – naïve.".encode("cp1252"))) == ["The café’s “policy” – naïve."]


def test_underlined_lines_are_headings() -> None:
    """A rule of equals signs under a line makes it a title."""
    document = read(b"Policy\n======\n\nThe rule holds.\n\nScope\n-----\n\nAll sites.\n")
    assert [(b.text, b.level) for b in document.blocks if b.kind == "heading"] == [("Policy", 1), ("Scope", 2)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("If the sum > 5 then a -> b.", ["If the sum > 5 then a -> b."]),
        ("> quoted > text", ["quoted > text"]),
        ("> > deeper", ["deeper"]),
        ("金额>5万元的，由经理审批", ["金额>5万元的，由经理审批"]),
    ],
)
def test_only_the_marks_of_a_quotation_are_dropped(text: str, said: list[str]) -> None:
    """A sign inside a line is its own: a limit may hang on it."""
    assert bodies(read(text.encode(), "a.md")) == said


def test_a_divider_of_single_dashes_makes_a_table() -> None:
    """`| - | - |` is enough."""
    (table,) = read(b"| A | B |\n| - | - |\n| 1 | 2 |\n", "a.md").blocks
    assert [cell.text for cell in table.cells] == ["A", "B", "1", "2"]


@pytest.mark.parametrize("name", ["rules.txt", "rules.md"])
def test_bare_numbers_before_sentences_are_clauses(name: str) -> None:
    """Where they count from 1 to 3 or more; a quantity at the beginning of a sentence is none."""
    gap = "\n\n" if name.endswith("md") else "\n"
    clauses = gap.join(
        [
            "1 The employee submits the request to the manager.",
            "2 The manager approves the request within 3 days.",
            "3 The clerk files the request in the register.",
        ]
    )
    numbered = read(f"Leave policy\n\n{clauses}\n".encode(), name)
    assert [block.label.text for block in numbered.blocks if block.label] == ["1", "2", "3"]
    amounts = gap.join(["12 Trucks leave the yard at six in the morning.", "3 Trucks come back before noon each day."])
    assert not any(block.label for block in read(f"Leave policy\n\n{amounts}\n".encode(), name).blocks)
