"""What every parser's tables share: which row bears the headings."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from compiler.parsers.draft import DraftCell
from compiler.parsers.join import ends_sentence

_LONGEST_HEADER = 60


def mark_header(cells: Sequence[DraftCell], bold: AbstractSet[tuple[int, int]]) -> list[DraftCell]:
    """Mark the first row as column headings where its type, or else its contents, set it apart from the rest."""
    first = [cell for cell in cells if cell.row == 1]
    rest = [cell for cell in cells if cell.row > 1]
    if len(first) < 2 or not rest or any(not cell.text or len(cell.text) > _LONGEST_HEADER for cell in first):
        return list(cells)
    all_bold = all((cell.row, cell.column) in bold for cell in first)
    rest_bold = sum((cell.row, cell.column) in bold for cell in rest if cell.text) / max(
        sum(bool(c.text) for c in rest), 1
    )
    plain = not bold and not any(re.search(r"\d", cell.text) or ends_sentence(cell.text) for cell in first)
    contrast = any(re.search(r"\d|.{25}", cell.text) for cell in rest) and max(cell.row for cell in cells) > 2
    filled = len({cell.text for cell in first}) == len(first)
    if not ((all_bold and rest_bold < 0.8) or (plain and contrast and filled)):
        return list(cells)
    return [replace(cell, header=True) if cell.row == 1 else cell for cell in cells]
