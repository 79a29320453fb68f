"""What became of decisions in a reading: the forms in which it is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.decisions.anchoring import State
from compiler.draft.alignment import AlignedStep, Sources
from ir.base import Model
from ir.decisions.decision import Decision
from ir.decisions.operation import DraftOperation
from ir.procedure import Procedure


class DecisionFate(Model):
    """What became of one decision.

    Args:
        id: of the decision.
        state: whether its words are there, see `Anchored`.
        score: likeness of the words, 0 to 1.
        applied: whether the draft goes by it.
        procedure, element: what it is about now.
        words, block: its words as they are now, and where they stand.
        was, now: for what drifted the duty as it was and as it is.
        code, message: why it is not applied: `drifted-decision`, `orphaned-decision`, `contradicted-decision`,
            `unfit-decision`; None where a later decision took its place.
        field: of the operation, that is at fault.
    """

    id: str
    state: State
    score: float = 1.0
    applied: bool = False
    procedure: str | None = None
    element: str | None = None
    words: str | None = None
    block: str | None = None
    was: str = ""
    now: str = ""
    code: str | None = None
    message: str | None = None
    field: str | None = None


@dataclass(frozen=True)
class Drafted:
    """An operation on a draft, with the ids that things have in this reading."""

    decision: Decision
    operation: DraftOperation


@dataclass(frozen=True)
class ByHand:
    """What a person has a part in of one procedure.

    Args:
        read: the procedure as it was read; None where nobody changed it.
        drafted: what they decided about its draft.
        whole: they put the procedure in as a whole.
        decisions: what they decided about the document, its words as they stand now.
        aligned, sources: what a model said of it in an earlier build, where it is not asked again.
    """

    read: Procedure | None = None
    drafted: tuple[Drafted, ...] = ()
    whole: bool = False
    decisions: tuple[Decision, ...] = ()
    aligned: Mapping[str, AlignedStep] = field(default_factory=dict)
    sources: Sources | None = None


NOBODY = ByHand()


@dataclass(frozen=True)
class Decided:
    """The procedures of a document after what was decided about them.

    Args:
        read: as they were read.
        procedures: as they are to be drafted, in the same order.
        decisions: those that hold, their words as they stand now.
        drafted: by procedure.
    """

    read: tuple[Procedure, ...]
    procedures: tuple[Procedure, ...]
    decisions: tuple[Decision, ...] = ()
    drafted: Mapping[str, tuple[Drafted, ...]] = field(default_factory=dict)
    fates: tuple[DecisionFate, ...] = ()

    def by_hand(self, number: int) -> ByHand:
        """What a person has a part in of the procedure of a number."""
        read, now = self.read[number], self.procedures[number]
        return ByHand(read if read != now else None, self.drafted.get(now.id, ()), decisions=self.decisions)
