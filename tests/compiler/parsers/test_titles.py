"""What a document is called: not what a program wrote for want of a title, nor who issues it."""

import pytest

from compiler.parsers.title import title_of
from ir.document import Block, BlockKind


def head(*lines: tuple[BlockKind, str]) -> list[Block]:
    """Blocks at the head of a document, by kind and text."""
    return [Block(address=f"b{at}", kind=kind, text=text) for at, (kind, text) in enumerate(lines)]


ISSUED = head(
    ("heading", "临海港集装箱码头有限公司"), ("heading", "危险货物堆存管理规定"), ("paragraph", "文件编号：一")
)


@pytest.mark.parametrize(
    "metadata",
    ["about:blank", "untitled", "Untitled-1", "Microsoft Word - 规定（定稿）.doc", "Document1", "policy v2.docx",
     "文档1", "https://example.org/a", " ", None],
)  # fmt: skip
def test_what_a_program_wrote_is_no_title(metadata: str | None) -> None:
    """The heading that names the policy is, though the company stands above it."""
    assert title_of(metadata, ISSUED, "a/b.pdf") == "危险货物堆存管理规定"


@pytest.mark.parametrize("metadata", ["Travel Policy", "车辆管理制度", "Documentation of changes", "Untangling claims"])
def test_a_title_in_the_metadata_stands(metadata: str) -> None:
    """Though headings name something else."""
    assert title_of(metadata, ISSUED, "a/b.pdf") == metadata


def test_without_a_heading_that_names_a_policy_the_first_is_the_title() -> None:
    """And what comes after the head's text is none of its headings; without any the file's name is."""
    later = head(("heading", "Acme Ltd"), ("paragraph", "We ship goods."), ("heading", "Travel Policy"))
    assert title_of(None, later, "a/b.pdf") == "Acme Ltd"
    assert title_of("about:blank", head(("paragraph", "We ship goods.")), "a/b.pdf") == "b"
