"""What a document prescribes: steps, conditions and their order, each tied to the words it came from."""

from typing import Literal

from pydantic import Field

from ir.base import Model
from ir.duration import Duration
from ir.fields import FieldType
from ir.formula import FormulaTree
from ir.predicate import Predicate
from ir.source import Evidence, Language, Span

StepKind = Literal["input", "notify", "check", "decision", "approval", "record", "wait", "task", "end"]
Modality = Literal["must", "should", "may", "must_not"]
FlowKind = Literal["sequence", "branch", "parallel", "exception"]
EndStatus = Literal["completed", "rejected", "returned", "failed", "cancelled"]
GapKind = Literal[
    "missing_parameter",
    "ambiguity",
    "conflict",
    "undefined_exception",
    "undefined_role",
    "loop",
    "unclear_condition",
    "unmapped_step",
]
START, END = "start", "end"
DETERMINISTIC = frozenset({"cues", "syntax"})
"""Methods of reading that ask no model."""


class Element(Model):
    """Anything that the document says, with the words that say it."""

    evidence: tuple[Evidence, ...] = ()


class Trigger(Element):
    """What starts the procedure."""

    text: str
    condition: Predicate | None = None
    concepts: tuple[str, ...] = ()


class Fact(Element):
    """Something that has a value when the procedure runs: known at the start or learnt on the way.

    Args:
        id: unique in the procedure; conditions refer to it as `$.facts.ID`.
        name: as the document names it.
        concept: id of a catalog concept, where one fits.
        enum: the values that the document distinguishes, where it enumerates them.
    """

    id: str
    name: str
    type: FieldType
    concept: str | None = None
    unit: str | None = None
    enum: tuple[str | int, ...] | None = None
    required: bool = True


class Deadline(Model):
    """By when: an ISO 8601 duration, `P3D`, `PT48H`, or `P5BD` for business days; `start` names what it counts from."""

    duration: Duration
    start: str | None = Field(default=None, alias="from")
    calendar: str | None = None
    evidence: tuple[Evidence, ...] = ()


class Action(Model):
    """One verb with its object and people, by their spans."""

    verb: Span
    object: Span | None = None
    actor: Span | None = None
    recipient: Span | None = None


class Step(Element):
    """One action by one actor with one result.

    Args:
        id: unique in the procedure.
        text: the action in the document's words.
        actor: the role as the document names it; None where it names none and the context makes none plain.
        recipient: to whom something is sent, told or submitted, as the document names them.
        outcomes: what the step can end in, where the flow depends on it; `$.steps.ID.outcome` reads it.
        ends: for kind `end`, with which status the run ends there.
    """

    id: str
    text: str
    kind: StepKind
    actor: str | None = None
    object: str | None = None
    recipient: str | None = None
    modality: Modality = "must"
    actions: tuple[Action, ...] = ()
    deadline: Deadline | None = None
    outcomes: tuple[str, ...] = ()
    ends: EndStatus | None = None


class ResultRow(Element):
    """What a result is, and when; `formula` is None where the words are not definite enough to compute it.

    Args:
        condition: when it is that; None in all cases that no row before it names.
    """

    text: str
    formula: FormulaTree | None = None
    condition: Predicate | None = None


class Result(Element):
    """A value that comes out: a step finds it out, it follows from others, or the document wants it told in the end.

    Args:
        id: unique in the procedure; conditions and formulas refer to it as `$.results.ID`.
        name: as the document names it.
        enum: the values that the document distinguishes.
        step: the step that gives it; None where it follows from others alone.
        rows: how it follows; the first that holds counts, of a list (`type` array) all that hold. None where the step
            finds it out.
        final: the document wants it told in the end.
    """

    id: str
    name: str
    type: FieldType
    concept: str | None = None
    unit: str | None = None
    enum: tuple[str | int, ...] | None = None
    step: str | None = None
    rows: tuple[ResultRow, ...] = ()
    final: bool = False


class ConditionText(Element):
    """A condition that the document states; `predicate` is None where it is not definite enough to decide."""

    id: str
    text: str
    predicate: Predicate | None = None


class Flow(Element):
    """From a step (or `start`) to a step (or `end`), perhaps under a condition.

    Args:
        condition: id of a ConditionText, `otherwise`, or None for always.
        priority: among the flows of one step, the smallest true one is taken; None comes last.
        cue: spans of the words that say so.
    """

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    kind: FlowKind = "sequence"
    condition: str | None = None
    priority: int | None = None
    ends: EndStatus | None = None
    cue: tuple[Span, ...] = ()


class Constraint(Element):
    """A rule that binds steps without being one: a prohibition, a threshold, a duty with no place in the order."""

    id: str
    text: str
    modality: Modality
    steps: tuple[str, ...] = ()
    predicate: Predicate | None = None


class Gap(Element):
    """What the document leaves open, as a question for a person.

    Args:
        about: ids of the steps, conditions, facts or nodes concerned.
    """

    id: str
    kind: GapKind
    question: str
    about: tuple[str, ...] = ()


class UnplacedText(Element):
    """Text that speaks of a duty but was given no place, and why."""

    text: str
    reason: str


class Procedure(Model):
    """One procedure of one document.

    Args:
        id: unique in the build, usable as a file name.
        extent: addresses of the blocks that the procedure was read from.
        method: what extracted it: `cues`, `syntax`, or a model's name and the mode that held it to its form.
        agreed: ids of steps that two readings agree on in all points; None where it was read once.
    """

    id: str
    title: str
    doc_id: str
    language: Language
    extent: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    facts: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()
    results: tuple[Result, ...] = ()
    conditions: tuple[ConditionText, ...] = ()
    flows: tuple[Flow, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    gaps: tuple[Gap, ...] = ()
    unplaced: tuple[UnplacedText, ...] = ()
    method: str = "cues"
    agreed: tuple[str, ...] | None = None

    def step(self, step_id: str) -> Step:
        """The step with this id; KeyError where there is none."""
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)
