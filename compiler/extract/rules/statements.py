"""What one sentence says: the form that the language-specific readers give and the rest of extraction works on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from compiler.text.measures import Measure
from compiler.text.sentences import Piece
from ir.predicate import CompareOp
from ir.procedure import EndStatus, Modality, StepKind

_POINTS = re.compile(r"[下以][列下]|之一|\bfollowing\b|\bbelow\b", re.IGNORECASE)
_CASE_END = re.compile(r"[\s；;。.，,]*(?:\b(?:or|and)|的)?[\s；;。.，,]*$", re.IGNORECASE)
_ANY = re.compile(r"之一|任[一何]|\b(?:any|one|either|some)\b", re.IGNORECASE)

StatementKind = Literal["action", "jump", "skip", "end", "except", "constraint", "duty"]


@dataclass(frozen=True)
class ConditionCue:
    """Words that state a condition.

    Args:
        piece: the condition's words, without the opening and closing cue.
        mode: `when` it holds, `unless` it does not, or `otherwise` of the condition before.
        vague: it leaves to judgement whether it holds.
        cases: the list of cases that the words point to (`有下列情形之一的`, `any of the following applies`).
        every: all of the cases must be given, not one of them.
        heading: of a table's cell, the heading of its column, which names what the cell is a value or range of.
        choices: the words of all cells of that column, where they are values.
        measure: what the numbers of that column are in, where the heading or the text above the table says it.
        units: the words that say so.
        also: of a table, other cells of the column for which the act is prescribed as well.
        op: of a cell that is a plain quantity, the comparison that its column implies (`审批限额`: up to that sum).
    """

    piece: Piece
    mode: Literal["when", "unless", "otherwise"] = "when"
    vague: bool = False
    cases: tuple[Piece, ...] = ()
    every: bool = False
    heading: Piece | None = None
    choices: tuple[str, ...] = ()
    measure: Measure | None = None
    units: tuple[Piece, ...] = ()
    also: tuple[Piece, ...] = ()
    op: CompareOp | None = None

    @property
    def points_to_list(self) -> bool:
        """Whether the words speak of a list below them."""
        return _POINTS.search(self.piece.text) is not None

    def of_cases(self, cases: Iterable[Piece]) -> "ConditionCue":
        """The cue with the list that it points to."""
        cut = (case.part(0, _CASE_END.search(case.text).start()) for case in cases)  # type: ignore[union-attr]
        return replace(self, cases=tuple(cut), every=_ANY.search(self.piece.text) is None)


@dataclass(frozen=True)
class DeadlineCue:
    """Words that say by when; `duration` is None where they give no value (`及时`, `promptly`)."""

    piece: Piece
    duration: str | None
    start: str | None = None


@dataclass(frozen=True)
class Statement:
    """One thing that a sentence says of the procedure.

    Args:
        kind: `action` an act by somebody; `jump` go on at another place; `skip` an act is not needed; `end` the
            procedure ends; `except` what was said before does not hold in a case; `constraint` a rule that binds an
            act; `duty` a standing or recurring duty.
        piece: the words that carry it, one contiguous run.
        verb: the main verb.
        step_kind: for actions.
        outcomes: for actions whose words name what they can end in.
        target: for jumps, the label of the clause (`第十七条`) or, without one, the words that name the act.
        words: what a person reads instead of the piece, where its own words are too short to say the act.
        merges: the act goes on from the one before it, by the same actor.
        after: words such as `收到申请后` that say after what.
        sentence: the whole sentence.
        block_index: position of the block among the document's blocks.
    """

    kind: StatementKind
    piece: Piece
    sentence: Piece
    block_index: int
    actor: Piece | None = None
    verb: Piece | None = None
    object: Piece | None = None
    recipient: Piece | None = None
    modality: Modality = "must"
    step_kind: StepKind = "task"
    outcomes: tuple[str, ...] = ()
    conditions: tuple[ConditionCue, ...] = ()
    deadlines: tuple[DeadlineCue, ...] = ()
    after: tuple[Piece, ...] = ()
    target: str | None = None
    ends: EndStatus | None = None
    merges: bool = False
    parallel: bool = False
    parts: tuple["Statement", ...] = field(default=())
    reason: str = ""
    words: str = ""

    def but(self, **changes: Any) -> "Statement":
        """A copy with some fields changed."""
        return replace(self, **changes)
