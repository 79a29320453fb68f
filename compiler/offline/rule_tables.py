"""Tables that prescribe: of steps (`步骤 | 内容 | 责任人`) and of decisions (`金额 | 审批人`), read row by row.

A column says in which case a row holds, what is done, by whom, or by when; its heading and its cells tell which. A row
gives the acts of its cells, each in the case that the row's own cells state. Tables of other matter give nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from compiler.offline.bands import band
from compiler.offline.forms import is_key_value
from compiler.offline.lexicon import Lexicon
from compiler.offline.statements import ConditionCue, DeadlineCue, Statement
from compiler.text.measures import Measure, named_measure
from compiler.text.sentences import Piece, sentences
from compiler.text.units import CURRENCIES, find_quantities
from ir.document import Block, Cell

Use = Literal["case", "band", "act", "approver", "who", "when", "none"]
Read = Callable[[Piece, Piece | None], list[Statement]]
Role = Callable[[Piece], Piece | None]
LEAST_ROWS = 2
LONGEST_CASE = 90  # letters
SHARE = 0.5  # of a column's cells that must be of one sort
_BLANK = re.compile(r"^[\s—–\-/／無无]*$|^(?:n/?a|none|nil)\.?$|^不适用$", re.IGNORECASE)
_ORDINAL = re.compile(r"^[\s第（(]*[0-9一二三四五六七八九十ivxIVX]{1,4}[\s）).、级步档类号]*$")
_KEYED = re.compile(r"\s*[^：:，。；]{1,12}[：:]\s*\S")
_OF_MONEY = re.compile(
    r"金额|额度|价款?|费用?|款|投资|预算|支出|标的|"
    r"\b(?:amounts?|values?|costs?|price|sum|spend(?:ing)?|expenditure|limit|exposure|budget|threshold)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"^.{0,12}(?:先行|事先|事前|预先)|\b(?:prior|beforehand|first|in advance|before)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One column.

    Args:
        heading: without the unit that it names for the numbers under it.
        cells: by row.
        group: the heading above several that it stands under.
        measure: that unit, or the one that is named for the whole table.
        units: the words that name it.
    """

    heading: Piece
    cells: dict[int, Piece]
    use: Use = "none"
    group: Piece | None = None
    measure: Measure | None = None
    units: tuple[Piece, ...] = ()


def row_statements(
    block: Block, cues: Lexicon, read: Read, role: Role, above: Piece | None = None
) -> Iterator[tuple[int, list[Statement]]]:
    """What each row prescribes, with the row's number; nothing where the table is of other matter.

    Args:
        above: the text right above the table, which may name a unit for it (`单位：万元`).
        read: reads a sentence of a cell, given who acts.
        role: the role that a cell names, None where it names none.
    """
    columns = _columns(block, cues, read, role, above)
    acts = [c for c in columns if c.use in ("act", "approver")]
    cases = [c for c in columns if c.use in ("case", "band")]
    if not acts or not (cases or any(c.use == "who" for c in columns) or _numbered(columns)):
        return
    if cases and not any(c.use == "band" for c in cases):
        values = [tuple(c.cells[row].text for c in cases if row in c.cells) for row in _rows(columns)]
        if len(set(values)) < len(values):
            cases = []  # rows of one case are steps of it, not choices
    by_heading = len([c for c in acts if c.use == "approver"]) > 1
    for row in _rows(columns):
        conditions = tuple(_case(c, row) for c in cases if row in c.cells and not _BLANK.match(c.cells[row].text))
        who = next((role(c.cells[row]) for c in columns if c.use == "who" and row in c.cells), None)
        found: list[Statement] = []
        for column in acts:
            if row not in column.cells or _BLANK.match(column.cells[row].text):
                continue
            choices = tuple(c.heading.text for c in acts if c.group is not None and c.group == column.group)
            headed = ConditionCue(column.heading, heading=column.group, choices=choices if column.group else ())
            mine = (*conditions, headed) if by_heading and column.use == "approver" else conditions
            given = _approval(column, row, role) if column.use == "approver" else _acts(column, row, read, who)
            found += [s.but(conditions=(*mine, *s.conditions)) for s in given]
        found.sort(key=lambda s: _FIRST.search(s.piece.text) is None)
        yield row, _dated(found, columns, row)


# --- columns ----------------------------------------------------------------------------------------------------------


def _columns(block: Block, cues: Lexicon, read: Read, role: Role, above: Piece | None) -> list[Column]:
    rows = sorted({cell.row for cell in block.cells})
    first = [cell for cell in block.cells if rows and cell.row == rows[0]]
    heads, depth = _heads(block, first)
    if len(rows) < LEAST_ROWS + depth or (is_key_value(block) and not all(cell.header for cell in first)):
        return []
    if sum(_KEYED.match(cell.text) is not None for cell in block.cells) * 2 > len(block.cells):
        return []  # `发布日期：1月30日`: keys with values
    if len(heads) < 2 or any(not cell.text.strip() or len(cell.text) > 40 for cell in heads):
        return []
    if sum(cues.pattern("tables", "not_rules").search(cell.text) is not None for cell in first) >= 2:
        return []
    last = rows[0] + depth - 1
    groups = {head: next((c for c in first if c != head and _over(c, head.column)), None) for head in heads}
    columns = [
        _measured(Column(_piece(head), dict(_spread(block, head.column, last)), "none", over and _piece(over)), above)
        for head, over in groups.items()
    ]
    columns = [replace(c, use=_use(at, c, cues, read, role)) for at, c in enumerate(columns)]
    return [replace(c, use="case") if _tells_cases(c, columns, cues) else c for c in columns]


def _measured(column: Column, above: Piece | None) -> Column:
    """The column with the unit that its heading names, or that the text above the table names for sums of money."""
    if (named := named_measure(column.heading.text)) is not None:
        measure, end = named
        return replace(column, measure=measure, units=(column.heading,), heading=column.heading.part(0, end))
    if above is None or len(above.text) > LONGEST_CASE or not _OF_MONEY.search(column.heading.text):
        return column
    named = named_measure(above.text)
    fits = named is not None and named[0].unit.id in CURRENCIES
    return replace(column, measure=named[0], units=(above,)) if named and fits else column


def _tells_cases(column: Column, columns: list[Column], cues: Lexicon) -> bool:
    """Whether a column of longer words says in which case the approver of its row is the one."""
    cells = [cell.text for cell in column.cells.values()]
    one = sum(c.use == "approver" for c in columns) == 1 and column.group is None
    telling = column.use == "none" and not cues.pattern("tables", "other").search(column.heading.text)
    short = all(len(text) <= LONGEST_CASE and not _ORDINAL.match(text) for text in cells)
    return one and telling and short and len(set(cells)) == len(cells) > 1


def _over(cell: Cell, column: int) -> bool:
    return cell.column <= column < cell.column + cell.column_span


def _heads(block: Block, first: list[Cell]) -> tuple[list[Cell], int]:
    """The headings of the columns and how many rows they take: two where one stands above several others."""
    nested = any(cell.row_span > 1 for cell in first) and any(cell.column_span > 1 for cell in first)
    if not nested:
        return first, 1
    depth = max(cell.row_span for cell in first)
    top = first[0].row
    inside = [cell for cell in block.cells if top <= cell.row < top + depth]
    deepest = [cell for cell in inside if cell.row + cell.row_span == top + depth]
    return sorted(deepest, key=lambda cell: cell.column), depth


def _spread(block: Block, column: int, head: int) -> Iterator[tuple[int, Piece]]:
    """The cells of a column by row; a merged cell stands for each of its rows."""
    width = max(cell.column + cell.column_span for cell in block.cells) - 1
    for cell in block.cells:
        note = cell.column_span == width > 1  # a remark below the table
        if _over(cell, column) and cell.row > head and not note:
            for row in range(cell.row, cell.row + cell.row_span):
                yield row, _piece(cell)


def _use(at: int, column: Column, cues: Lexicon, read: Read, role: Role) -> Use:
    filled = [cell for cell in column.cells.values() if not _BLANK.match(cell.text)]
    if not filled:
        return "none"
    heading = column.heading.text

    def most(holds: Callable[[Piece], object]) -> bool:
        return sum(bool(holds(cell)) for cell in filled) >= SHARE * len(filled)

    if cues.pattern("tables", "when").search(heading) and most(lambda cell: _duration(cell) is not None):
        return "when"
    approves = cues.pattern("tables", "approver")
    if (approves.search(heading) and most(role)) or most(lambda cell: approves.match(cell.text) and role(cell)):
        return "approver"
    if column.group is not None and most(lambda cell: len(cell.text) <= 40 and role(cell)):
        return "approver"  # who is named where a row and a column cross
    if cues.pattern("tables", "who").search(heading) and most(role):
        return "who"
    if most(lambda cell: band(cell.text, cues, measure=column.measure)):
        return "band"
    if cues.pattern("tables", "other").search(heading) or most(lambda cell: _ORDINAL.match(cell.text)):
        return "none"
    short = most(lambda cell: len(cell.text) <= (24 if cues.language == "zh" else 60))
    if cues.pattern("tables", "case").search(heading) and short:
        return "case"
    if most(lambda cell: len(cell.text) > 3 and _tells_acts(cell, cues, read)):
        return "act"
    return (
        "case" if at == 0 and short and not most(lambda cell: re.search(r"\d[.\-]\d|^[A-Z]{2,}", cell.text)) else "none"
    )


def _tells_acts(cell: Piece, cues: Lexicon, read: Read) -> bool:
    return any(s.kind in ("action", "end") for part in _parts(cell, cues) for s in read(part, None))


def _numbered(columns: list[Column]) -> bool:
    return bool(columns) and all(_ORDINAL.match(cell.text) for cell in columns[0].cells.values())


def _rows(columns: list[Column]) -> list[int]:
    return sorted({row for column in columns for row in column.cells})


# --- cells ------------------------------------------------------------------------------------------------------------


def _case(column: Column, row: int) -> ConditionCue:
    choices = tuple(dict.fromkeys(c.text for c in column.cells.values())) if column.use == "case" else ()
    return ConditionCue(
        column.cells[row], heading=column.heading, choices=choices, measure=column.measure, units=column.units
    )


def _acts(column: Column, row: int, read: Read, who: Piece | None) -> list[Statement]:
    cell = column.cells[row]
    return [s for part in _parts(cell, None) for s in read(part, who)]


def _approval(column: Column, row: int, role: Role) -> list[Statement]:
    """A cell that names who approves is that approval."""
    cell = column.cells[row]
    who = role(cell)
    if who is None:
        return []
    heading = (column.group or column.heading).text
    said = f"{heading}：{cell.text}" if cell.text[-1:] > "\u2e80" else f"{heading}: {cell.text}"
    return [
        Statement(
            "action", cell, cell, 0, actor=who, step_kind="approval", outcomes=("approved", "rejected"), words=said
        )
    ]


def _dated(found: list[Statement], columns: list[Column], row: int) -> list[Statement]:
    """The row's acts, the last of them with the row's deadline."""
    cells = [c.cells[row] for c in columns if c.use == "when" and row in c.cells]
    cue = next((DeadlineCue(cell, _duration(cell)) for cell in cells if _duration(cell)), None)
    if cue is None or not found:
        return found
    return [*found[:-1], found[-1].but(deadlines=(*found[-1].deadlines, cue))]


def _duration(cell: Piece) -> str | None:
    return next((quantity.duration for quantity in find_quantities(cell.text) if quantity.duration), None)


def _parts(cell: Piece, cues: Lexicon | None) -> tuple[Piece, ...]:
    language = cues.language if cues else ("zh" if re.search(r"[\u4e00-\u9fff]", cell.text) else "en")
    return sentences(cell, language)


def _piece(cell: Cell) -> Piece:
    return Piece(cell.address, 0, len(cell.text), cell.text).part(0)
