"""Tables that prescribe: of steps (`步骤 | 内容 | 责任人`) and of decisions (`金额 | 审批人`), read row by row.

A column says in which case a row holds, what is done, by whom, or by when (`table_columns`). A row gives the acts of
its cells, each in the case that the row's own cells state. Tables of other matter give nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.extract.rules.statements import Act, ConditionCue, DeadlineCue, End, Jump, Skip, Statement
from compiler.extract.rules.table_columns import (
    LEAST_ROWS,
    Column,
    Read,
    Role,
    approvers,
    columns_of,
    duration,
    names_people,
    numbered,
    parts,
    piece,
    spanning,
)
from compiler.extract.rules.table_marks import mark_statements
from compiler.text.lexicon import Lexicon
from compiler.text.measures import quantities_in
from compiler.text.ranges import band
from compiler.text.sentences import Piece
from ir.document import Block, Cell

_FIRST = re.compile(r"^.{0,12}(?:先行|事先|事前|预先)|\b(?:prior|beforehand|first|in advance|before)\b", re.IGNORECASE)
_REST = re.compile(r"^(?:all )?others?\b|^any other\b|^otherwise$|^其他|^其余|^除上述", re.IGNORECASE)
_CASES = ("case", "band", "clause", "limit")
_MOST_WORDS = 300  # letters of a table that a question quotes
_ACTS = ("act", "told", "approver", "recipient")


@dataclass(frozen=True)
class TableReading:
    """What a table prescribes, row by row, and what of a table of approvals was not understood.

    Args:
        unclear: cells with the words that are asked about.
    """

    statements: tuple[Statement, ...] = ()
    unclear: tuple[tuple[Piece, str], ...] = ()


def read_table(block: Block, cues: Lexicon, read: Read, role: Role, above: Piece | None = None) -> TableReading:
    """What each row prescribes; nothing where the table is of other matter.

    A table of approvals of which it is not plain whether its rows are for different cases, or follow one another, is
    asked about and gives nothing: read as a chain, it would demand of everybody what is for one class each.

    Args:
        read: reads a sentence of a cell, given who acts.
        role: the role that a cell names, None where it names none.
        above: the text right above the table, which may name a unit for it (`单位：万元`).
    """
    columns = columns_of(block, cues, read, role, above)
    if sum(c.use == "mark" for c in columns) > 1:
        marked = mark_statements(columns, cues, read, role, above)
        return TableReading(tuple(s for _, statements in marked for s in statements))
    columns = _with_approvers_of_limits(columns)
    acts = [c for c in columns if c.use in _ACTS]
    powers = bool(acts) and all(c.use == "approver" for c in acts)
    cases = _told_apart([c for c in columns if c.use in _CASES], columns, chained=powers and _is_ordered(columns, cues))
    if powers and _is_doubtful(columns, acts, cases, cues, above):
        return TableReading(unclear=((acts[0].heading, _words(block)),))
    if not acts or not (cases or any(c.use == "who" for c in columns) or numbered(columns)):
        return TableReading()
    found: list[Statement] = []
    unclear: list[tuple[Piece, str]] = []
    if powers:
        left = [c for c in columns if c.use in ("none", "who") and not _is_remark(c, cues) and names_people(c, role)]
        unclear += [(c.heading, " | ".join((c.heading.text, *(cell.text for cell in c.filled)))) for c in left]
        if _counts_levels(columns, acts, cues):
            unclear.append((acts[0].heading, _words(block)))
    rows = _Rows(columns, acts, cases, spanning(block), cues, read, role)
    for row in rows.numbers:
        if powers and cases and all(c.is_empty(row) for c in cases):
            unclear += [(c.cells[row], c.cells[row].text) for c in acts[:1] if c.says(row)]
            continue
        found += rows.statements(row)
        unclear += [
            (c.cells[row], c.cells[row].text)
            for c in acts
            if c.acting and c.says(row) and not approvers(c.cells[row], role)
        ]
    return TableReading(tuple(found), tuple(unclear))


@dataclass(frozen=True)
class _Rows:
    """The rows of a table whose columns are understood."""

    columns: list[Column]
    acts: list[Column]
    cases: list[Column]
    wide: dict[int, Cell]
    cues: Lexicon
    read: Read
    role: Role

    @property
    def numbers(self) -> list[int]:
        """The rows below the headings."""
        return _rows(self.columns)

    def statements(self, row: int) -> list[Statement]:
        """What a row prescribes, in the case that its cells and the headings state."""
        crossed = _crossed(self.cases)
        if crossed and len(self.acts) == 1 and self.acts[0].says(row):
            told = _prescribed(self.acts[0], row, self.cues, self.read, self.role, None)
            kinds = tuple(c.heading.text for c in crossed)
            return [s.but(conditions=_in_kind(c, row, kinds)) for c in crossed if c.says(row) for s in told]
        conditions = tuple(cue for c in self.cases if c.says(row) for cue in _case(c, row, self.cues))
        if row in self.wide and _REST.search(self.wide[row].text.strip()):
            conditions = (ConditionCue(piece(self.wide[row]), "otherwise"),)
        who = next((self.role(c.cells[row]) for c in self.columns if c.use == "who" and row in c.cells), None)
        headed = _with_headed_cases(self.acts)
        found: list[tuple[Column, Statement]] = []
        for column in (c for c in self.acts if c.says(row)):
            mine = (*conditions, *_headed(column, self.acts, self.cues)) if column in headed else conditions
            told = _prescribed(column, row, self.cues, self.read, self.role, who)
            found += [(column, s.but(conditions=(*mine, *s.conditions))) for s in told]
        found.sort(key=lambda told: _FIRST.search(told[1].piece.text) is None)
        return _dated(found, self.columns, row)


def _with_headed_cases(acts: list[Column]) -> list[Column]:
    """The columns of approvers whose headings state a case, as several do that name no act."""
    headed = [c for c in acts if c.use == "approver" and not c.acting]
    return headed if len(headed) > 1 else []


def _told_apart(cases: list[Column], columns: list[Column], *, chained: bool) -> list[Column]:
    """The columns of cases, none where rows are steps of one case, not choices.

    Args:
        chained: rows of one case are approvals one after the other.
    """
    if not cases or any(c.use in ("band", "limit") for c in cases):
        return cases
    values = [tuple(c.cells[row].text for c in cases if row in c.cells) for row in _rows(columns)]
    apart = len(set(values)) == len(values) or (chained and len(set(values)) > 1)
    return cases if apart else []


# --- tables of approvals that are not plain ---------------------------------------------------------------------------


def _is_doubtful(
    columns: list[Column], acts: list[Column], cases: list[Column], cues: Lexicon, above: Piece | None
) -> bool:
    """Whether nothing says for which case each row of approvals is, nor that the rows follow one another."""
    in_turn = above is not None and cues.pattern("tables", "in_turn").search(above.text) is not None
    if len(_rows(columns)) < LEAST_ROWS or _with_headed_cases(acts):
        return False
    if cases:
        return in_turn and _counts_levels(columns, acts, cues)
    return not in_turn and not _is_ordered(columns, cues)


def _is_ordered(columns: list[Column], cues: Lexicon) -> bool:
    """Whether a column counts or names the steps that the rows are."""
    first = columns[0].heading.text
    counted = numbered(columns) and not any(cues.pattern("tables", use).search(first) for use in ("kind", "levels"))
    return counted or any(cues.pattern("tables", "order").search(c.heading.text) for c in columns)


def _counts_levels(columns: list[Column], acts: list[Column], cues: Lexicon) -> bool:
    """Whether rows of one approver each are called levels, of the matter or of those who approve in turn."""
    return (
        len(acts) == 1
        and numbered(columns)
        and cues.pattern("tables", "levels").match(columns[0].heading.text) is not None
    )


def _is_remark(column: Column, cues: Lexicon) -> bool:
    return cues.pattern("tables", "other").search(column.heading.text) is not None


def _words(block: Block) -> str:
    """The words of a table, row by row."""
    rows: dict[int, list[str]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(cell.text)
    text = "; ".join(" | ".join(cells) for _, cells in sorted(rows.items()))
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"


# --- cases of rows ----------------------------------------------------------------------------------------------------


def _crossed(cases: list[Column]) -> list[Column]:
    """Ranges that stand under kinds of one thing: in each kind another range leads to the row's act."""
    ranges = [c for c in cases if c.use == "band" and c.group is not None]
    same = len(ranges) == len(cases) > 1 and len({c.group for c in ranges}) == 1
    return ranges if same else []


def _in_kind(column: Column, row: int, kinds: tuple[str, ...]) -> tuple[ConditionCue, ...]:
    cell = column.cells[row]
    kind = ConditionCue(column.heading, heading=column.group, choices=kinds)
    return kind, ConditionCue(cell, heading=cell, measure=column.measure, units=column.units)


def _rows(columns: list[Column]) -> list[int]:
    return sorted({row for column in columns for row in column.cells})


def _case(column: Column, row: int, cues: Lexicon) -> Iterator[ConditionCue]:
    """What a cell says of the case that its row is for."""
    cell = column.cells[row]
    if column.use == "clause":
        yield ConditionCue(cell)
    elif column.use == "limit":
        yield from _up_to(column, row)
    else:
        values = tuple(dict.fromkeys(c.text for c in column.filled)) if column.use == "case" else ()
        told = all(cues.answer(value) is not None for value in values)
        yield ConditionCue(
            cell, heading=column.heading, choices=() if told else values, measure=column.measure, units=column.units
        )


def _up_to(column: Column, row: int) -> Iterator[ConditionCue]:
    """The sums for which a role's limit is needed: more than the next lower limit allows, and up to its own."""
    sums = {n: found[0].value for n, c in column.cells.items() if (found := quantities_in(c.text, column.measure))}
    mine = sums.get(row)
    lower = max((n for n, value in sums.items() if mine is None or value < mine), key=lambda n: sums[n], default=None)
    if lower is not None:
        yield ConditionCue(
            column.cells[lower], heading=column.heading, measure=column.measure, units=column.units, op="gt"
        )
    if mine is not None:
        yield ConditionCue(
            column.cells[row], heading=column.heading, measure=column.measure, units=column.units, op="lte"
        )


def _with_approvers_of_limits(columns: list[Column]) -> list[Column]:
    """Beside a column of limits, a column of roles names who approves up to them."""
    if not any(c.use == "limit" for c in columns):
        return columns
    if all(c.use != "approver" for c in columns):
        columns = [replace(c, use="approver") if c.use == "who" else c for c in columns]
    if any(c.use == "approver" for c in columns):
        return columns
    return [replace(c, use="band") if c.use == "limit" else c for c in columns]


def _headed(column: Column, acts: list[Column], cues: Lexicon) -> Iterator[ConditionCue]:
    """What the headings above an approver say of the case: a range, a kind, or both."""
    heading, group = column.heading, column.group
    if band(heading.text, cues, measure=column.measure):
        of_sums = group is not None and (band(group.text, cues) or quantities_in(group.text))
        if group is not None and not of_sums and not _names_a_sum(group, cues):
            yield ConditionCue(group)
        named = group if group is not None and _names_a_sum(group, cues) else heading
        yield ConditionCue(heading, heading=named, measure=column.measure, units=column.units)
        return
    choices = tuple(c.heading.text for c in acts if c.group is not None and c.group == group)
    yield ConditionCue(heading, heading=group, choices=choices if group else ())


def _names_a_sum(group: Piece, cues: Lexicon) -> bool:
    """Whether a heading over ranges says what is measured (`单笔金额`, `Amount`)."""
    return cues.pattern("tables", "sum").search(group.text) is not None


# --- acts -------------------------------------------------------------------------------------------------------------


def _prescribed(column: Column, row: int, cues: Lexicon, read: Read, role: Role, who: Piece | None) -> list[Statement]:
    """What a cell prescribes."""
    cell = column.cells[row]
    if column.use == "approver":
        return _approval(column, cell, role)
    if column.use == "recipient":
        return [_act_of_cell(cell, None, _worded(column.heading, cell)).but(step_kind="notify", recipient=cell)]
    found = [s for part in parts(cell, cues) for s in read(part, who)]
    known = any(isinstance(s, Act | End | Jump | Skip) for s in found)
    if who is not None and known and _is_phrase(cell):
        found = [s.but(actor=who, piece=cell) if s.actor != who and isinstance(s, Act) else s for s in found[:1]]
    if not known and (column.use == "told" or who is not None):
        return [_act_of_cell(cell, who)]
    return found


def _is_phrase(cell: Piece) -> bool:
    """Whether a cell is one short phrase, which begins with its verb where another column says who acts."""
    return len(cell.text) <= 40 and not re.search(r"[，,。；;：:]|\b(?:shall|must|and)\b", cell.text)


def _act_of_cell(cell: Piece, who: Piece | None, words: str = "") -> Statement:
    """The act that a cell is by its column, whatever its words."""
    return Act(cell, cell, 0, actor=who, words=words)


def _worded(heading: Piece, cell: Piece) -> str:
    return f"{heading.text}：{cell.text}" if cell.text[-1:] > "\u2e80" else f"{heading.text}: {cell.text}"


def _approval(column: Column, cell: Piece, role: Role) -> list[Statement]:
    """A cell that names who approves is that approval; where it names several, each of them approves."""
    heading = column.heading if column.acting or column.group is None else column.group
    named = approvers(cell, role)
    alone = len(named) == 1
    return [
        _act_of_cell(cell, who, _worded(heading, cell if alone else who)).but(
            step_kind="approval", outcomes=("approved", "rejected")
        )
        for who in named
    ]


def _dated(found: list[tuple[Column, Statement]], columns: list[Column], row: int) -> list[Statement]:
    """The row's acts with its deadlines: one is the last act's; of several, each is that of the acts before it."""
    statements = [statement for _, statement in found]
    dates = [c for c in columns if c.use == "when" and row in c.cells and duration(c.cells[row])]
    for date in dates:
        before = columns[: columns.index(date)]
        own = [at for at, (column, _) in enumerate(found) if len(dates) == 1 or column in _nearest(before, found)]
        if own:
            last, cell = statements[own[-1]], date.cells[row]
            statements[own[-1]] = last.but(deadlines=(*last.deadlines, DeadlineCue(cell, duration(cell))))
    return statements


def _nearest(before: list[Column], found: list[tuple[Column, Statement]]) -> list[Column]:
    """The last column before one of deadlines that holds acts."""
    acting = [column for column, _ in found]
    return [column for column in before if column in acting][-1:]
