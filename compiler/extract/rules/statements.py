"""What one sentence says: the form that the language-specific readers give and the rest of extraction works on."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

from compiler.text.measures import Measure
from compiler.text.sentences import Piece
from ir.predicate import CompareOp
from ir.procedure import EndStatus, Modality, StepKind

_POINTS = re.compile(r"[下以][列下]|之一|\bfollowing\b|\bbelow\b", re.IGNORECASE)
_CASE_END = re.compile(r"[\s；;。.，,]*(?:\b(?:or|and)|的)?[\s；;。.，,]*$", re.IGNORECASE)
_ANY = re.compile(r"之一|任[一何]|\b(?:any|one|either|some)\b", re.IGNORECASE)


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
        measured: its comparisons with quantities are what it states; its other words only say what is measured.
        classed: it names classes (`class 3`, `zones 0 and 1`).
        presupposed: no word opens it; its words name what an act presupposes, the same thing wherever they stand.
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
    measured: bool = False
    classed: bool = False
    presupposed: bool = False

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


@dataclass
class Scope:
    """What holds while a clause is read, in either language: conditions so far, time words, who acted last.

    Args:
        said: an act has been told since the conditions, so that a further condition begins a branch of its own.
        recurring: the clause speaks of what is done again and again.
    """

    conditions: list[ConditionCue] = field(default_factory=list)
    deadlines: list[DeadlineCue] = field(default_factory=list)
    after: list[Piece] = field(default_factory=list)
    actor: Piece | None = None
    modality: Modality | None = None
    parallel: bool = False
    said: bool = False
    recurring: bool = False


RuleKind = Literal[
    "prohibition", "requirement", "content", "a state", "penalty", "goes on", "extension", "negative",
    "resubmission", "manner", "leads to a list", "rule",
]  # fmt: skip
"""What makes words a rule and no act: they forbid, say what a paper holds, how things are, what a breach costs, …"""
DutyKind = Literal["a responsibility", "recurring", "a state or general duty", "no action"]
"""What makes words a standing duty: nobody does it once in the course of the procedure."""


@dataclass(frozen=True)
class Said:
    """What every statement has: the words that carry it, and under which conditions it holds.

    Args:
        piece: the words that carry it, one contiguous run.
        sentence: the whole sentence.
        block_index: position of the block among the document's blocks.
        verb: the main verb.
        after: words such as `收到申请后` that say after what.
        merges: it goes on from the act before it, by the same actor.
    """

    piece: Piece
    sentence: Piece
    block_index: int
    actor: Piece | None = None
    verb: Piece | None = None
    object: Piece | None = None
    modality: Modality = "must"
    conditions: tuple[ConditionCue, ...] = ()
    deadlines: tuple[DeadlineCue, ...] = ()
    after: tuple[Piece, ...] = ()
    parallel: bool = False
    merges: bool = False

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def as_rule(self, kind: RuleKind, **changes: Any) -> "Rule":
        """The same words as a rule."""
        return Rule(**self._common(changes), kind=kind)

    def as_duty(self, kind: DutyKind, **changes: Any) -> "Duty":
        """The same words as a standing duty."""
        return Duty(**self._common(changes), kind=kind)

    def as_end(self, ends: EndStatus, **changes: Any) -> "End":
        """The same words as the end of a run."""
        return End(**self._common(changes), ends=ends)

    def as_exception(self, conditions: tuple[ConditionCue, ...]) -> "ExceptFor":
        """The same words as the case in which what was said before does not hold."""
        return ExceptFor(**self._common({"conditions": conditions}))

    def as_introduction(self, **changes: Any) -> "Introduction":
        """The same words as what introduces a list."""
        return Introduction(**self._common(changes))

    def as_jump(self, target: str, **changes: Any) -> "Jump":
        """The same words as one that leads elsewhere."""
        return Jump(**self._common(changes), target=target)

    def as_skip(self, target: str, **changes: Any) -> "Skip":
        """The same words as one that leaves an act out."""
        return Skip(**self._common(changes), target=target)

    def _common(self, changes: dict[str, Any]) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(Said)} | changes


@dataclass(frozen=True)
class Act(Said):
    """Somebody does something.

    Args:
        outcomes: where its words name what it can end in.
        ends: it ends the run, in this way.
        words: what a person reads instead of the piece, where its own words are too short to say the act.
        passive: nobody says who does it: `the form is signed`.
        marked: a table of marks says who does it.
        presumed: told only as what another act is added to (`除经主任审批外，还应当…`): mostly a step told before.
    """

    recipient: Piece | None = None
    step_kind: StepKind = "task"
    outcomes: tuple[str, ...] = ()
    ends: EndStatus | None = None
    words: str = ""
    passive: bool = False
    marked: bool = False
    presumed: bool = False


@dataclass(frozen=True)
class Jump(Said):
    """Go on at another place: the label of a clause (`第十七条`) or, without one, the words that name an act."""

    target: str = ""


@dataclass(frozen=True)
class Skip(Said):
    """An act, named like the target of a jump, is not needed."""

    target: str = ""


@dataclass(frozen=True)
class End(Said):
    """The procedure ends."""

    ends: EndStatus | None = None


@dataclass(frozen=True)
class ExceptFor(Said):
    """What was said before does not hold in the case that the conditions state."""


@dataclass(frozen=True)
class Rule(Said):
    """A rule that binds an act and is none."""

    kind: RuleKind = "rule"


@dataclass(frozen=True)
class Duty(Said):
    """A standing or recurring duty."""

    kind: DutyKind = "recurring"


@dataclass(frozen=True)
class Introduction(Said):
    """Words that introduce a list, whose items say the rest; it is gone when the list has been read."""


Statement = Act | Jump | Skip | End | ExceptFor | Rule | Duty | Introduction
"""One thing that a sentence says of the procedure."""


@dataclass(frozen=True)
class Norm:
    """One sentence that forbids, demands or allows within limits, cut into what it applies to and what has to hold.

    `Trucks must not lift loads heavier than 5 t unless …` has a scope (loads heavier than 5 t; an exception);
    `… must be at least three quotations` something that has to hold. A sentence whose parts are not all understood
    is no norm, and is asked about.

    Args:
        piece: the sentence.
        modality: `must_not` where what the scope says must not be; `must` or `may` where `held` has to hold in it.
        scope: in which cases; all of them together.
        held: what has to hold there, all of it.
        unsure: words that may narrow it further, or only say what it is about.
        exempted: sentences after it that say where it does not hold.
        listed: the members of the list below it that it is about.
    """

    piece: Piece
    modality: Modality
    scope: tuple[ConditionCue, ...]
    held: tuple[ConditionCue, ...] = ()
    exempted: tuple[Piece, ...] = ()
    unsure: tuple[Piece, ...] = ()
    listed: tuple[Piece, ...] = ()

    @property
    def words(self) -> str:
        """The sentence with the list that it is about."""
        return " ".join(piece.text for piece in (self.piece, *self.listed))


def distinct(cues: list[ConditionCue]) -> Iterator[ConditionCue]:
    """The conditions, each place once."""
    seen: set[tuple[int, int]] = set()
    for cue in cues:
        if (cue.piece.start, cue.piece.end) not in seen:
            seen.add((cue.piece.start, cue.piece.end))
            yield cue
