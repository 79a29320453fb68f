"""A document as data in a prompt: its blocks as JSON lines, inside a fence that it cannot close.

Text that nobody sees, running headers, navigation and comments stay out. The fence bears a digest of what stands in it,
so that no text can hold the mark of its own fence, and the same document gives the same prompt.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator

from ir.document import Block

SHOWN = frozenset({None, "footnote"})


def fenced(blocks: Iterable[Block]) -> str:
    """The blocks as JSON lines `{"b": address, "t": text}`, table rows as `{"b": row, "c": cells}`, in their fence."""
    lines = "\n".join(line for block in blocks if block.tag in SHOWN for line in _lines(block))
    mark = hashlib.sha256(lines.encode()).hexdigest()[:16]
    return f"<document-{mark}>\n{lines}\n</document-{mark}>"


def _lines(block: Block) -> Iterator[str]:
    if not block.cells:
        yield _json({"b": block.address, "t": block.text})
        return
    rows: dict[int, list[str]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(cell.text)
    for row, cells in sorted(rows.items()):
        yield _json({"b": f"{block.address}-r{row}", "c": cells})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
