"""Tables that prescribe: of steps (`步骤 | 内容 | 责任人`) and of decisions (`金额 | 审批人`), read row by row.

A column says in which case a row holds, what is done, by whom, or by when (`table_columns`). A row gives the acts of
its cells, each in the case that the row's own cells state. Tables of other matter give nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from compiler.extract.rules.statements import Act, ConditionCue, DeadlineCue, End, Jump, Skip, Statement
from compiler.extract.rules.table_columns import (
    Column,
    Read,
    Role,
    columns_of,
    duration,
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
from ir.document import Block

_FIRST = re.compile(r"^.{0,12}(?:先行|事先|事前|预先)|\b(?:prior|beforehand|first|in advance|before)\b", re.IGNORECASE)
_REST = re.compile(r"^(?:all )?others?\b|^any other\b|^otherwise$|^其他|^其余|^除上述", re.IGNORECASE)
_CASES = ("case", "band", "clause", "limit")
_ACTS = ("act", "told", "approver", "recipient")


def row_statements(
    block: Block, cues: Lexicon, read: Read, role: Role, above: Piece | None = None
) -> Iterator[tuple[int, list[Statement]]]:
    """What each row prescribes, with the row's number; nothing where the table is of other matter.

    Args:
        read: reads a sentence of a cell, given who acts.
        role: the role that a cell names, None where it names none.
        above: the text right above the table, which may name a unit for it (`单位：万元`).
    """
    columns = columns_of(block, cues, read, role, above)
    if sum(c.use == "mark" for c in columns) > 1:
        yield from mark_statements(columns, cues, read, role, above)
        return
    columns = _with_approvers_of_limits(columns)
    acts = [c for c in columns if c.use in _ACTS]
    cases = [c for c in columns if c.use in _CASES]
    if not acts or not (cases or any(c.use == "who" for c in columns) or numbered(columns)):
        return
    if cases and not any(c.use in ("band", "limit") for c in cases):
        values = [tuple(c.cells[row].text for c in cases if row in c.cells) for row in _rows(columns)]
        if len(set(values)) < len(values):
            cases = []  # rows of one case are steps of it, not choices
    by_heading = len([c for c in acts if c.use == "approver"]) > 1
    wide = spanning(block)
    crossed = _crossed(cases)
    for row in _rows(columns):
        if crossed and len(acts) == 1 and acts[0].says(row):
            told = _prescribed(acts[0], row, cues, read, role, None)
            kinds = tuple(c.heading.text for c in crossed)
            yield row, [s.but(conditions=_in_kind(c, row, kinds)) for c in crossed if c.says(row) for s in told]
            continue
        conditions = tuple(cue for c in cases if c.says(row) for cue in _case(c, row, cues))
        if row in wide and _REST.search(wide[row].text.strip()):
            conditions = (ConditionCue(piece(wide[row]), "otherwise"),)
        who = next((role(c.cells[row]) for c in columns if c.use == "who" and row in c.cells), None)
        found: list[Statement] = []
        for column in acts:
            if not column.says(row):
                continue
            mine = conditions
            if by_heading and column.use == "approver":
                mine = (*conditions, *_headed(column, acts, cues))
            found += [s.but(conditions=(*mine, *s.conditions)) for s in _prescribed(column, row, cues, read, role, who)]
        found.sort(key=lambda s: _FIRST.search(s.piece.text) is None)
        yield row, _dated(found, columns, row)


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


# --- cases ------------------------------------------------------------------------------------------------------------


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
    heading, named = column.group or column.heading, _approvers(cell, role)
    alone = role(cell) is not None
    return [
        _act_of_cell(cell, who, _worded(heading, cell if alone else who)).but(
            step_kind="approval", outcomes=("approved", "rejected")
        )
        for who in named
    ]


def _approvers(cell: Piece, role: Role) -> list[Piece]:
    """Who approves: `A和B共同审批` and `A and B jointly` name two; nobody, where one of the names is none."""
    if (who := role(cell)) is not None:
        return [who]
    joint = _JOINTLY.search(cell.text)
    names, begin = [], 0
    for match in _BESIDE.finditer(cell.text, 0, joint.start() if joint else len(cell.text)):
        names.append(cell.part(begin, match.start()))
        begin = match.end()
    names.append(cell.part(begin, joint.start() if joint else len(cell.text)))
    found = [role(name) for name in names]
    return [who for who in found if who is not None] if all(found) else []


_JOINTLY = re.compile(r"(?:共同|联合|分别)?(?:审批|批准|签批|会签|核准)$|,?\s+(?:jointly|together)$", re.IGNORECASE)
_BESIDE = re.compile(r"、|以及|[和与及]|,?\s+and\s+")


def _dated(found: list[Statement], columns: list[Column], row: int) -> list[Statement]:
    """The row's acts, the last of them with the row's deadline."""
    cells = [c.cells[row] for c in columns if c.use == "when" and row in c.cells]
    cue = next((DeadlineCue(cell, duration(cell)) for cell in reversed(cells) if duration(cell)), None)
    if cue is None or not found:
        return found
    return [*found[:-1], found[-1].but(deadlines=(*found[-1].deadlines, cue))]
