"""The source of a draft in review: what is left out can be opened, and words are found wherever they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from compiler.report.markup import Markup, element
from compiler.report.review.page import source_of
from compiler.report.review.source_pane import Opener
from ir.document import Document
from review.draft import ReviewDraft
from server.pages.review_desk import Desk, Row, numbers_of

MOST = 12
"""Places of each sort that are shown."""
_AROUND = 24


@dataclass(frozen=True)
class InText:
    """Words of the document.

    Args:
        number: of the block in the document.
        where: page and label of the block, as far as it has them.
    """

    block: str
    number: int
    where: str
    before: str
    words: str
    after: str


@dataclass(frozen=True)
class Found:
    """Where a word is found, each sort with how many places there are in all."""

    texts: tuple[InText, ...]
    in_texts: int
    nodes: tuple[tuple[str, str], ...]
    in_nodes: int
    rows: tuple[Row, ...]
    in_rows: int


def opener(address: str, document: Document) -> Opener:
    """What opens parts that are left out; it bears the numbers of the first and the last block in it.

    Args:
        address: of the draft's page.
    """
    numbers = numbers_of(document)
    cells = {block.address: len(block.cells) for block in document.blocks}

    def made(said: str, first: str, last: str) -> Markup:
        query = urlencode({"first": first, "last": last})
        target = {"hx-get": f"{address}/source?{query}", "hx-target": "closest .left-out", "hx-swap": "outerHTML"}
        ends = {"data-first": numbers.get(first), "data-last": numbers.get(last, -1) + cells.get(last, 0)}
        return element("button", {"type": "button", "class": "link", **target, **ends}, said)

    return made


def left_out(draft: ReviewDraft, first: str, last: str) -> Markup:
    """What was left out of the draft's document."""
    return source_of(draft.page).opened(draft.document, first, last)


def search(desk: Desk, word: str) -> Found:
    """Where a word is found; nowhere where there is none."""
    if not word:
        return Found((), 0, (), 0, (), 0)
    pattern = re.compile(re.escape(word), re.IGNORECASE)
    texts = list(_in_texts(desk, pattern))
    names = desk.draft.page.names
    graph = [(key, names[key]) for key in names if key[0] in "ne" and pattern.search(names[key])]
    rows = [row for row in desk.rows if pattern.search(row.item.title) or pattern.search(row.item.id)]
    return Found(
        tuple(texts[:MOST]), len(texts), tuple(graph[:MOST]), len(graph), tuple(rows[:MOST]), len(rows)
    )  # fmt: skip


def _in_texts(desk: Desk, pattern: re.Pattern[str]) -> Iterator[InText]:
    for block in desk.draft.document.blocks:
        label = block.label.text if block.label and block.label.ordered else ""
        where = " · ".join(part for part in (label, f"p. {block.page}" if block.page else "") if part)
        for address, text in ((block.address, block.text), *((cell.address, cell.text) for cell in block.cells)):
            found = pattern.search(text)
            if found is not None:
                start, end = found.span()
                before = text[max(0, start - _AROUND) : start]
                yield InText(address, desk.numbers[address], where, before, found[0], text[end : end + _AROUND])
