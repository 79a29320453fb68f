"""What the blocks of a document may be called by, and in which regulation of the file they stand."""

import re
from collections.abc import Iterator, Sequence

from compiler.parsers.references.words import unit_of, value_of
from compiler.text.labels import parse_label
from ir.document import Block

_N = r"(?:[一二三四五六七八九十百零〇]+|\d+)"
_ARTICLE = re.compile(rf"第\s?({_N})(?:[-－](\d+))?\s?(部分|[编編章节節条條])(?:之({_N}))?")
_STEP = re.compile(rf"第?\s?(?:步骤)?\s?({_N})\s?步?")
_COMMA = re.compile(r"([一二三四五六七八九十]+)\s?、")
_ANNEX = re.compile(rf"\s*(附[录錄]|附件|附表|表|[图圖])\s?([A-Z](?:\.\d+)*|\d+(?:[-.]\d+)*|{_N})")
_WORD = re.compile(
    r"\s*(title|part|chapter|section|sec\.|article|art\.|rule|regulation|clause|paragraph|item|annex|appendix|schedule"
    r"|exhibit|attachment|table|figure|fig\.|step|phase)\s+(\d+(?:[.-]\d+)*[A-Z]?|[A-Z]\b|[IVX]+\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(§{0,2})\s?((?:[A-Z]\.)?\d+(?:[.．-]\d+)*[A-Z]?|[IVX]+(?=[.．、]))(?:\.\s?[—–-]{1,2}\s?\(1\))?[.．、:：)）]?$"
)


def names_of(block: Block) -> frozenset[str]:
    """What a block may be called by: `article:5`, `number:4.2`, `part:c`, `annex:1`."""
    if block.tag is not None:
        return frozenset()
    if block.kind == "table":
        return frozenset(name for cell in block.cells if len(cell.text) < 60 for name in _captioned(cell.text))
    label = block.label.text.strip() if block.label else ""
    names = set[str]()
    if match := _ARTICLE.match(label):
        inserted = match[2] or match[4]
        number = value_of(match[1]) + (f"之{value_of(inserted)}" if inserted else "")
        names.add(f"{unit_of(match[3])}:{number}")
    elif "步" in label and (match := _STEP.match(label)):
        names.add(f"step:{value_of(match[1])}")
    head = f"{label} {block.body}" if block.kind in ("heading", "caption", "paragraph") else label
    if match := _ANNEX.match(head):
        names.add(f"{unit_of(match[1])}:{value_of(match[2])}")
    if match := _WORD.match(head):
        names.add(f"{unit_of(match[1])}:{match[2].lower()}")
    if match := _NUMBER.match(label):
        names.update({f"number:{match[2].lower()}"} | ({f"section:{match[2].lower()}"} if match[1] else set()))
    return frozenset(names)


def all_names(blocks: Sequence[Block]) -> list[frozenset[str]]:
    """The names of each block; `三、` is the third article and part of a text that counts neither as such."""
    names = [names_of(block) for block in blocks]
    units = {name.partition(":")[0] for found in names for name in found}
    free = {"article", "part"} - units
    for at, block in enumerate(blocks):
        match = _COMMA.fullmatch(block.label.text.strip()) if block.label and block.tag is None else None
        if match and "article" in free:
            names[at] |= {f"{unit}:{value_of(match[1])}" for unit in free}
    return names


def _captioned(text: str) -> Iterator[str]:
    if match := re.match(r"\s*(?:([图圖])|Figure|Fig\.)\s?(\d+(?:[-.]\d+)*)", text):
        yield f"figure:{match[2]}"


def parts_of(blocks: Sequence[Block]) -> list[int]:
    """For each block, in which regulation of the file it stands: a new one begins where articles begin anew at 1.

    The title, the chapter and the annex above that article belong to it.
    """
    where = {block.address: at for at, block in enumerate(blocks)}
    starts: list[int] = []
    highest = latest = 0
    for at, block in enumerate(blocks):
        match = re.match(rf"第\s?({_N})[条條]|article\s+(\d+)", block.label.text if block.label else "", re.IGNORECASE)
        if not match or block.tag is not None:
            continue
        number = int(value_of(match[1] or match[2]) or 0)
        if number == 1 and highest > 1:
            starts.append(_opening(blocks, where, at, latest))
            highest = 0
        highest, latest = max(highest, number), at
    return [sum(start <= at for start in starts) for at in range(len(blocks))]


def _opening(blocks: Sequence[Block], where: dict[str, int], at: int, latest: int) -> int:
    """Where a regulation begins whose first article is at `at`: at the highest of what encloses it alone."""
    parent = blocks[at].parent
    while parent is not None and where[parent] > latest:
        at = where[parent]
        parent = blocks[at].parent
    while at - 1 > latest and blocks[at - 1].kind == "heading" and blocks[at - 1].tag is None:
        at -= 1
    return at


def figure_of(label: str) -> str:
    """The figure of an item's label: `3` of `（三）`, `③` and `3)`, `c` of `(c)`.

    >>> figure_of("（三）"), figure_of("③"), figure_of("(c)"), figure_of("iv.")
    ('3', '3', 'c', 'iv')
    """
    parsed = parse_label(f"{label} ")
    if parsed and parsed.number and not ("-letter" in parsed.kind or "-roman" in parsed.kind):
        return str(parsed.number[-1])
    return re.sub(r"[^\w]", "", label).lower()
