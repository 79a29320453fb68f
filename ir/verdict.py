"""What a draft says of itself: how it was read, what is open in it, and what became of every sentence."""

from typing import Literal, get_args

from ir.base import Model
from ir.procedure import Modality

Fate = Literal[
    "carried", "enforced", "question", "unenforced", "unplaced",
    "definition", "purpose", "heading", "reference", "other",
]  # fmt: skip
"""What became of a statement.

`carried`: by nodes, edges, guards or rules. `enforced`: a constraint that every run keeps. `unenforced`: one that
nothing keeps. `question`: a person is asked. `unplaced`: it demands something and is in nothing that will run. The
others demand nothing.
"""
FATES: tuple[Fate, ...] = get_args(Fate)
SET_ASIDE: frozenset[Fate] = frozenset({"definition", "purpose", "heading", "reference", "other"})


class StatementFate(Model):
    """What became of a statement: of a sentence, or of one of the duties of a sentence with several.

    Args:
        block, start, end: where it stands, in code points of the block's raw text.
        by: what carries, enforces, asks or lists it, as `node:ID`, `edge:INDEX`, `guard:INDEX`, `rule:PACK/ID`,
            `gap:ID`, `constraint:ID`, `input:NAME`, `trigger:INDEX`; for `unplaced` the reason, where one is known.
        prohibition: whether it forbids something, and if so whether something sees to it.
        reason: why it was accepted, or why it has no place.
    """

    block: str
    start: int
    end: int
    text: str
    fate: Fate
    modality: Modality | None = None
    by: tuple[str, ...] = ()
    prohibition: Literal["enforced", "accepted", "unenforced"] | None = None
    reason: str | None = None


class QuestionCounts(Model):
    """Questions for people; `weighty` are those whose answer could change a path, an approval or a deadline."""

    all: int = 0
    weighty: int = 0


class StepCounts(Model):
    """Steps of the document: mapped to a Node Type, a person's by right, or neither."""

    all: int = 0
    executable: int = 0
    manual: int = 0
    unmapped: int = 0


class ProhibitionCounts(Model):
    """What the document forbids: kept by every run, accepted by a person as it is, or neither."""

    all: int = 0
    enforced: int = 0
    accepted: int = 0
    unenforced: int = 0


class StatementCounts(Model):
    """The statements of the draft's part of the document, each counted once; `constraint`: enforced or not."""

    all: int = 0
    carried: int = 0
    constraint: int = 0
    question: int = 0
    unplaced: int = 0
    set_aside: int = 0


class Verdict(Model):
    """What is known of a draft.

    Args:
        sound: the validator found no error. It says nothing of whether the draft is what the document means.
        read_by: `rules`, a model's name, or `rules (MODEL failed)`.
    """

    sound: bool
    questions: QuestionCounts = QuestionCounts()
    steps: StepCounts = StepCounts()
    prohibitions: ProhibitionCounts = ProhibitionCounts()
    statements: StatementCounts = StatementCounts()
    read_by: str = "rules"

    @property
    def settled(self) -> bool:
        """Whether nothing is left that keeps a workflow from running by itself or from being published."""
        return not (self.questions.weighty or self.steps.unmapped or self.prohibitions.unenforced)


def count_statements(fates: "tuple[StatementFate, ...]") -> StatementCounts:
    """The statements by what became of them."""
    kinds = [one.fate for one in fates]
    return StatementCounts(
        all=len(kinds),
        carried=kinds.count("carried"),
        constraint=kinds.count("enforced") + kinds.count("unenforced"),
        question=kinds.count("question"),
        unplaced=kinds.count("unplaced"),
        set_aside=sum(kind in SET_ASIDE for kind in kinds),
    )


def count_prohibitions(fates: "tuple[StatementFate, ...]") -> ProhibitionCounts:
    """What is forbidden, by what sees to it."""
    kinds = [one.prohibition for one in fates if one.prohibition is not None]
    return ProhibitionCounts(
        all=len(kinds),
        enforced=kinds.count("enforced"),
        accepted=kinds.count("accepted"),
        unenforced=kinds.count("unenforced"),
    )
