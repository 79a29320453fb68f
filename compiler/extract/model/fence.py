"""A document as data in a prompt: its blocks as JSON lines, inside a fence that it cannot close.

Text that nobody sees, running headers, navigation and comments stay out, and so does what is set aside as addressed to
a machine. The fence bears a digest of what stands in it, so that no text can hold the mark of its own fence, and the
same document gives the same prompt.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator

from compiler.text.sentences import MASK
from ir.document import Block, Document

SHOWN = frozenset({None, "footnote"})


def fenced(blocks: Iterable[Block]) -> str:
    """The blocks as JSON lines `{"b": address, "t": text}`, table rows as `{"b": row, "c": cells}`, in their fence."""
    lines = "\n".join(line for block in blocks if block.tag in SHOWN for line in _lines(block))
    mark = hashlib.sha256(lines.encode()).hexdigest()[:16]
    return f"<document-{mark}>\n{lines}\n</document-{mark}>"


def numbered(document: Document) -> dict[str, str]:
    """A short address for each block: its number in the document, for prompts are paid for by the letter."""
    return {block.address: str(number) for number, block in enumerate(document.blocks, 1)}


def _lines(block: Block) -> Iterator[str]:
    if not block.cells:
        if text := _shown(block.text):
            yield _json({"b": block.address, "t": text})
        return
    rows: dict[int, list[str]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(_shown(cell.text))
    for row, cells in sorted(rows.items()):
        if any(cells):
            yield _json({"b": f"{block.address}-r{row}", "c": cells})


def _shown(text: str) -> str:
    """A text without what is set aside in it."""
    return " ".join(part.strip() for part in text.split(MASK) if part.strip()) if MASK in text else text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
