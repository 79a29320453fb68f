"""Tables of marks: who does what (RACI, ticks), and what is done for which class, by rows or by columns."""

import re
from collections.abc import Iterator

from compiler.extract.rules.statements import Act, ConditionCue, Statement
from compiler.extract.rules.table_columns import Column, Read, Role, parts
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece

_LETTERS = re.compile(r"^[RACI](?:\s*[/,、]\s*[RACI])*$", re.IGNORECASE)
_YES = re.compile(r"^[√✓✔●■Yy]$")
_NO = re.compile(r"^[×✗✘Nn]$")
_CROSS = re.compile(r"^[xX]$")


def mark_statements(
    columns: list[Column], cues: Lexicon, read: Read, role: Role, above: Piece | None
) -> Iterator[tuple[int, list[Statement]]]:
    """What a table of marks prescribes, by row (or by the first row where a measure holds), with the reason `marks`.

    Of a matrix of responsibilities the letter R names who carries out; A, C and I prescribe nothing of their own.
    Marks of doubtful meaning (`○`) make the table unread.

    Args:
        above: the text right above the table, which may say that the marks are approvals.
    """
    for row, found in _read_marks(columns, cues, read, role, above):
        yield row, [statement.but(marked=True) for statement in found]


def _read_marks(
    columns: list[Column], cues: Lexicon, read: Read, role: Role, above: Piece | None
) -> Iterator[tuple[int, list[Statement]]]:
    """What the marks prescribe, read by their place: roles, classes or measures head their columns."""
    marks = [c for c in columns if c.use == "mark"]
    first = next((c for c in columns if c.use != "mark"), None)
    if first is None or not _are_clear(marks):
        return
    by_role = sum(role(c.heading) is not None for c in marks) * 2 > len(marks)
    if by_role and first.use in ("act", "none", "told"):
        yield from _responsibilities(first, marks, cues, read, role)
    elif by_role and above is not None and cues.pattern("tables", "approver").search(above.text):
        yield from _approvals(first, marks, role)
    elif not by_role and (any(c.use == "who" for c in columns) or first.use == "act"):
        yield from _by_class(columns, first, marks, cues, read, role)
    elif not by_role:
        yield from _measures(first, marks, read)


def _are_clear(marks: list[Column]) -> bool:
    texts = {cell.text.strip() for column in marks for cell in column.filled}
    known = all(_LETTERS.match(t) or _YES.match(t) or _NO.match(t) or _CROSS.match(t) for t in texts)
    crosses = any(_CROSS.match(t) for t in texts)
    return known and not (crosses and any(_YES.match(t) or _NO.match(t) for t in texts))


def _holds(column: Column, row: int) -> bool:
    """Whether a mark stands for a yes: a tick, a lone cross, an R."""
    text = column.cells[row].text.strip() if row in column.cells else ""
    return bool(_YES.match(text) or _CROSS.match(text) or (_LETTERS.match(text) and "R" in text.upper()))


def _responsibilities(
    acts: Column, marks: list[Column], cues: Lexicon, read: Read, role: Role
) -> Iterator[tuple[int, list[Statement]]]:
    """Each row's act by the role whose column is marked."""
    for row, cell in sorted(acts.cells.items()):
        who = next((role(c.heading) for c in marks if _holds(c, row)), None)
        if who is None:
            continue
        found = [s for part in parts(cell, cues) for s in read(part, who) if isinstance(s, Act)]
        yield row, [s.but(actor=who) for s in found[:1]] or [Act(cell, cell, 0, actor=who)]


def _approvals(classes: Column, marks: list[Column], role: Role) -> Iterator[tuple[int, list[Statement]]]:
    """For each class the approvals of the roles whose columns are marked, from left to right."""
    choices = tuple(dict.fromkeys(cell.text for cell in classes.filled))
    for row, cell in sorted(classes.cells.items()):
        case = ConditionCue(cell, heading=classes.heading, choices=choices)
        yield row, [
            Act(
                column.cells[row], column.cells[row], 0, actor=role(column.heading),
                step_kind="approval", outcomes=("approved", "rejected"), conditions=(case,), words=column.heading.text,
            )
            for column in marks if _holds(column, row)
        ]  # fmt: skip


def _by_class(
    columns: list[Column], acts: Column, marks: list[Column], cues: Lexicon, read: Read, role: Role
) -> Iterator[tuple[int, list[Statement]]]:
    """Each row's act, in the classes whose columns are marked."""
    choices = tuple(c.heading.text for c in marks)
    for row, cell in sorted(acts.cells.items()):
        held = [c for c in marks if _holds(c, row)]
        if not held:
            continue
        who = next((role(c.cells[row]) for c in columns if c.use == "who" and row in c.cells), None)
        found = [s for part in parts(cell, cues) for s in read(part, who) if isinstance(s, Act)]
        act = found[0] if found else Act(cell, cell, 0, actor=who)
        case = ConditionCue(
            held[0].heading, heading=held[0].group, choices=choices if held[0].group else (),
            also=tuple(c.heading for c in held[1:]),
        )  # fmt: skip
        yield row, [act.but(actor=who or act.actor, conditions=() if len(held) == len(marks) else (case,))]


def _measures(classes: Column, marks: list[Column], read: Read) -> Iterator[tuple[int, list[Statement]]]:
    """The act that each column names, in the classes whose rows are marked."""
    choices = tuple(dict.fromkeys(cell.text for cell in classes.filled))
    for column in marks:
        rows = [row for row in sorted(classes.cells) if _holds(column, row)]
        if not rows:
            continue
        found = [s for s in read(column.heading, None) if isinstance(s, Act)][:1]
        act = found[0] if found else Act(column.heading, column.heading, 0)
        cells = [classes.cells[row] for row in rows]
        case = ConditionCue(cells[0], heading=classes.heading, choices=choices, also=tuple(cells[1:]))
        everywhere = len(rows) == len(classes.cells)
        yield rows[0], [act.but(conditions=act.conditions if everywhere else (case, *act.conditions))]
