"""What agents are told, as structured content: how a run stands, and nothing of how its workflow is made."""

from typing import Literal

from pydantic import JsonValue

from ir.base import Model

State = Literal["running", "waiting", "paused", "completed", "failed", "cancelled"]


class AwaitedTask(Model):
    """What a person has to do before a run goes on.

    Args:
        kind: what it is: values, an approval, work, values to begin with, or what became of a call.
        asks: in the workflow's language.
        who: whoever claimed it, else the roles of which any may do it; none where anybody may.
        address: where a person does it.
    """

    task: str
    kind: Literal["input", "approval", "task", "start", "settle"]
    asks: str
    who: tuple[str, ...]
    address: str


class RunAnswer(Model):
    """How a run stands, and once it ended what it came to and why.

    Args:
        workflow: the version, `ID@vN`.
        end: how it ended by the workflow's own words: completed, returned, rejected, cancelled, failed, undecided.
        text: verdict, reason, what is missing and what to do, in the document's language; where it stands meanwhile.
        because: words of the document on which the choices on the way and the end rest.
        outputs: what it gave; empty while it goes on.
        waits: what people have to do.
        next: what the agent can do now.
    """

    run: str
    workflow: str
    state: State
    end: str | None = None
    reason_code: str | None = None
    text: str
    because: tuple[str, ...] = ()
    outputs: dict[str, JsonValue] = {}
    waits: tuple[AwaitedTask, ...] = ()
    next: str


class Ground(Model):
    """What a reference in the outputs stands for.

    Args:
        ref: as it stands in the outputs.
        value: what was recorded there: of which document, table, system or person it is.
        words: of the document that ask for it.
    """

    ref: str
    value: JsonValue
    words: tuple[str, ...]


class ExplainedRun(RunAnswer):
    """How a run stands, with what its result rests on, who did something in it, and what was not tried again.

    Args:
        grounds: what the references in the outputs stand for.
        people: who answered something in it.
        not_retried: why something that failed was not tried again.
    """

    grounds: tuple[Ground, ...] = ()
    people: tuple[str, ...] = ()
    not_retried: tuple[str, ...] = ()


class Reason(Model):
    """Why a workflow was found.

    Args:
        word: of the task; the whole task for what is most like all of it.
        part: of the workflow in which something is like it.
        text: what stands there; None for steps, which are not shown.
    """

    word: str
    part: str
    text: str | None
    likeness: float


class NeededValue(Model):
    """What a run has to be given, or may be."""

    name: str
    type: str
    required: bool


class FoundWorkflow(Model):
    """A workflow that may be for a task.

    Args:
        score: 0 to 1; only for ranking within one search.
        begins_by_itself: whether it begins without a person.
        people: how many of its steps wait for a person.
    """

    workflow: str
    title: str
    score: float
    reasons: tuple[Reason, ...]
    inputs: tuple[NeededValue, ...]
    begins_by_itself: bool
    people: int
    risk_level: str


class FoundTool(FoundWorkflow):
    """A workflow that may be for a task, as the tool that runs it."""

    tool: str


class FoundTools(Model):
    """The workflows that a task may be for, best first; none where nothing fits."""

    found: tuple[FoundTool, ...]
    next: str


class PossibleEnd(Model):
    """One way in which a run may end."""

    end: str
    reason_code: str | None


class AskedPerson(Model):
    """Whom a run may ask, and what."""

    kind: str
    roles: tuple[str, ...]
    asks: str


class ForeseenRun(Model):
    """What a run would come to; nothing was called and nothing written.

    Args:
        missing: by input that is wanting what it takes.
        turned_away: the code with which no such run begins; None where it would begin.
        begins_by_itself: whether it begins without a person.
        people: whom it may ask on the way.
        acts: whether it may change something in another system.
        all_told: whether these are all ends that are possible.
    """

    workflow: str
    missing: dict[str, str]
    turned_away: str | None
    begins_by_itself: bool
    ends: tuple[PossibleEnd, ...]
    people: tuple[AskedPerson, ...]
    acts: bool
    all_told: bool


class ReplayedRun(Model):
    """A run walked again over what was recorded of it; nothing was called.

    Args:
        same: whether path and result are those that were recorded.
        outputs: what the walk gives.
        because: words of the document that the result rests on.
    """

    run: str
    same: bool
    end: str
    outputs: dict[str, JsonValue]
    because: tuple[str, ...]


class Refusal(Model):
    """Why a call was not carried out, with what to do; the content of a result that is an error."""

    code: str
    message: str
    next: str
