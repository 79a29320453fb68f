"""Lists whose items bear numbers of their own, and numbers of Markdown as they are shown."""

import pytest
from document_makers import bodies, find, labels, read


def page(body: str) -> bytes:
    """A page in UTF-8."""
    return f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'.encode()


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ("<ol><li>第一条 车辆应当登记。</li><li>第二条 钥匙应当交还。</li></ol>", ["第一条", "第二条"]),
        ("<ol type=i><li>(a) keys;</li><li>(b) cards.</li></ol>", ["(a)", "(b)"]),
        ("<ol><li>3.1 The guard opens.</li></ol>", ["3.1"]),
        ("<ul><li>一、登记</li><li>二、交还</li></ul>", ["一、", "二、"]),
        ("<ol><li>(1) and (2) are open.</li><li>The rest is shut.</li></ol>", ["1.", "2."]),
    ],
)
def test_a_written_number_counts_rather_than_the_browser_s(items: str, said: list[str]) -> None:
    """Where every item has one."""
    assert labels(read(page(items))) == said


def test_a_repeated_number_of_markdown_counts_on() -> None:
    """As it is shown; a list that begins anew begins at its own number."""
    document = read(b"1. Fill in.\n1. Sign.\n1. Send.\n\nThen:\n\n1. Wait.\n2. Collect.\n", "a.md")
    assert labels(document) == ["1.", "2.", "3.", None, "1.", "2."]
    assert find(document, "Send").text == "Send."


def test_a_bullet_before_a_written_letter_is_no_label() -> None:
    """The letter is."""
    assert labels(read(b"* (a) Keys\n* (b) Cards\n", "a.md")) == ["(a)", "(b)"]


def test_footnotes_of_markdown_stand_beside_their_marks() -> None:
    """And are no clauses; powers are kept apart from their base."""
    document = read(b"Pay 70 euros.[^tax]\n\nStore 10^3^ or 10<sup>4</sup> items.\n\n[^tax]: Before\n  tax.\n", "a.md")
    assert bodies(document) == ["Pay 70 euros.[tax]", "Store 10³ or 10⁴ items."]
    note = document.blocks[1]
    assert (note.tag, note.text, note.parent) == ("footnote", "[tax] Before tax.", document.blocks[0].address)
