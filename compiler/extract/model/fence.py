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
    """The blocks as JSON lines `{"b": address, "t": text}`, rows as `{"b": row, "c": columns}`, in their fence."""
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
    for row, cells in sorted(_grid(block).items()):
        if any(cells):
            yield _json({"b": f"{block.address}-r{row}", "c": cells})


def _grid(table: Block) -> dict[int, list[str | None]]:
    """The columns of each row: a merged cell in every row that it spans, None where the cell before goes on."""
    rows: dict[int, dict[int, str | None]] = {}
    for cell in table.cells:
        for row in range(cell.row, cell.row + cell.row_span):
            for column in range(cell.column, cell.column + cell.column_span):
                text = _shown(cell.text) if column == cell.column else None
                rows.setdefault(row, {}).setdefault(column, text)
    own = {cell.row for cell in table.cells}  # a row that no cell begins in holds nothing of its own
    return {row: [at.get(n, "") for n in range(1, max(at) + 1)] for row, at in rows.items() if row in own}


def _shown(text: str) -> str:
    """A text without what is set aside in it."""
    return " ".join(part.strip() for part in text.split(MASK) if part.strip()) if MASK in text else text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
