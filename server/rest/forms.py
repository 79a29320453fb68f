"""What operations take and tell beside what agents are told (`agents.forms`)."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from agents.forms import ExplainedRun, FoundWorkflow, State
from ir.base import Model
from ir.walk import RunStatus
from ir.workflow import RiskLevel
from registry.forms import Blocker, CallPin, Compatibility, Pin, Transition
from registry.forms import State as VersionState
from registry.reviewed import JudgedCase, Reviewed, Waived
from runtime.forms import StepBefore, TaskKind, TaskStatus

Schema = dict[str, Any]
Words = Annotated[str, Field(max_length=2000)]


class Body(Model):
    """What a request brings: each value of the type that it has to have, and nothing else."""

    model_config = ConfigDict(strict=True)


# --- workflows --------------------------------------------------------------------------------------------------------


class WorkflowSummary(Model):
    """A workflow that can be begun, by what it is for.

    Args:
        version: the last that is published, `ID@vN`.
        when: when it is of use, in the workflow's language.
        begins_by_itself: whether a run that an agent asks for begins without a person.
    """

    workflow: str
    version: str
    title: str
    description: str | None
    when: tuple[str, ...]
    risk_level: RiskLevel
    begins_by_itself: bool
    owner: str | None
    tags: tuple[str, ...]


class WorkflowGuard(Model):
    """What turns a run away before it begins.

    Args:
        code: with which it does.
        words: of the document that say so.
    """

    code: str
    message: str | None
    words: tuple[str, ...]


class PublishedAs(Model):
    """How a version came to be what it is; told to people."""

    state: VersionState
    digest: str
    history: tuple[Transition, ...]


class WorkflowAbout(WorkflowSummary):
    """A version as its callers see it; nothing of how it is made.

    Args:
        inputs: JSON Schema (2020-12) of what a run is given.
        outputs: JSON Schema of what a run that ended gives.
        published: None for agents.
    """

    guards: tuple[WorkflowGuard, ...]
    inputs: Schema
    outputs: Schema
    published: PublishedAs | None


class WorkflowQuestion(Body):
    """A task for which a workflow is looked for."""

    task: Annotated[str, Field(min_length=1, max_length=2000)]
    limit: Annotated[int, Field(ge=1, le=20)] = 5


class FoundWorkflows(Model):
    """The workflows that a task may be for, best first; none where nothing fits."""

    found: tuple[FoundWorkflow, ...]


class RunForeseen(Body):
    """Inputs of a run that is not begun."""

    inputs: dict[str, JsonValue] = {}


# --- runs -------------------------------------------------------------------------------------------------------------


class RunWanted(Body):
    """A run to begin.

    Args:
        workflow: `ID@vN`, or `ID` for the last that is published.
        ask: wait for a person where inputs are missing, rather than refuse.
    """

    workflow: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*(@v[1-9][0-9]{0,5})?$", max_length=200)]
    inputs: dict[str, JsonValue] = {}
    ask: bool = False


class RunListed(Model):
    """A run in a list.

    Args:
        state: of the run by itself; one that waits for a person in a run that it called is `running` here.
        end: how it ended by the workflow's own words; None while it goes on.
        called_by: the run that called it; None where somebody began it.
    """

    run: str
    workflow: str
    state: State
    end: RunStatus | None
    began_by: str
    began_at: str
    changed_at: str
    called_by: str | None


class StepTold(Model):
    """A node of a run's path, with what it gave, as the reader may see it."""

    node: str
    label: str
    state: str
    gave: JsonValue = None
    error: str | None = None
    message: JsonValue = None
    words: tuple[str, ...] = ()


class CalledRun(Model):
    """A run that a node called."""

    node: str
    run: str
    workflow: str
    state: str
    end: RunStatus | None


class RunExplained(ExplainedRun):
    """How a run stands and why; to people also the way that it took.

    Args:
        steps: in the order of the path; None for agents.
        called: the runs that it called; None for agents.
    """

    steps: tuple[StepTold, ...] | None = None
    called: tuple[CalledRun, ...] | None = None


class Changes(Body):
    """Other values, by reference: `$.inputs.NAME` or `$.outputs.NODE.FIELD`."""

    changes: Annotated[dict[str, JsonValue], Field(min_length=1)]


class WouldHaveBeen(Model):
    """A walk over the record of a run with some of it changed; nothing was called.

    Args:
        unknown: references without a value, for want of which no way on can be told.
    """

    run: str
    path: tuple[str, ...]
    end: str
    reason_code: str | None
    outputs: dict[str, JsonValue]
    unknown: tuple[str, ...]


class WhySteered(Body):
    """Why a run is paused, resumed or cancelled; it is kept in the audit."""

    reason: Annotated[str, Field(max_length=500)] = ""


class Values(Body):
    """Values that a run needs to begin, by the name of the input."""

    values: Annotated[dict[str, JsonValue], Field(min_length=1)]


class EventTold(Model):
    """An event of a run's record, its body as the reader may see it.

    Args:
        sequence: in the audit; of one that is not chained yet the one that it would have now.
    """

    sequence: int
    at: str
    kind: str
    by: str
    body: dict[str, JsonValue]


# --- tasks ------------------------------------------------------------------------------------------------------------


class TaskListed(Model):
    """A task in a list.

    Args:
        for_roles: any of them may answer it; none where anybody may.
        due_at: None where there is no time for it.
        mine: whether the caller claimed it, or was given it.
    """

    task: str
    run: str
    workflow: str
    kind: TaskKind
    title: str
    status: TaskStatus
    for_roles: tuple[str, ...]
    claimed_by: str | None
    opened_at: str
    due_at: str | None
    overdue: bool
    mine: bool


class TaskShown(TaskListed):
    """A task with all that its answer is about.

    Args:
        answer: JSON Schema of an answer.
        shown: what is shown beside it, as the reader may see it, but what came before it.
        before: the steps that led to it in the order in which they ended, with what people gave, systems answered and
            rules judged.
        digest: of title, fields, what is shown and what came before; an approval names it. None where some of that is
            hidden.
    """

    answer: Schema
    shown: dict[str, JsonValue]
    before: tuple[StepBefore, ...]
    digest: str | None


class TaskAnswer(Body):
    """An answer to a task.

    Args:
        shown: the digest of what was seen; an approval has to name it.
    """

    values: dict[str, JsonValue]
    shown: Annotated[str, Field(max_length=100)] | None = None


class Delegation(Body):
    """To whom a task is given, and why."""

    to: Annotated[str, Field(min_length=1, max_length=100)]
    reason: Annotated[str, Field(max_length=500)] = ""


# --- registry ---------------------------------------------------------------------------------------------------------


class VersionListed(Model):
    """A version of a workflow."""

    version: str
    workflow: str
    state: VersionState
    title: str | None
    owner: str | None
    tags: tuple[str, ...]
    author: str
    digest: str
    changed_at: str
    errors: int
    warnings: int
    open_questions: tuple[str, ...]


class VersionShown(VersionListed):
    """A version with what it was published with.

    Args:
        executors: by node who carries it out; only of published versions.
        reviewed: what was known of its draft when it was submitted: what is open, and who decided what.
        cases: those that people judged, as they run on it.
        waived: all that was open when it was published and stayed so, for the reason that its history tells.
        stopping: what stands in the way of the caller's publishing it; nothing of a version that is past that.
        compatibility: with the version published before it.
        stale: Types that the catalog here has otherwise, in words; no run of it begins while there are any.
    """

    risk_level: RiskLevel
    begins_by_itself: bool
    history: tuple[Transition, ...]
    reviewed: Reviewed | None
    cases: tuple[JudgedCase, ...]
    waived: tuple[Waived, ...]
    stopping: tuple[Blocker, ...]
    executors: dict[str, str]
    pins: tuple[Pin, ...]
    calls: tuple[CallPin, ...]
    compatibility: Compatibility | None
    stale: tuple[str, ...]
    definition: dict[str, JsonValue]


class VersionsDiffer(Model):
    """What changed from one version to another.

    Args:
        same: nothing did.
        lines: what did, in words.
        difference: the same as data.
        compatibility: whether callers of the one can call the other.
    """

    before: str
    after: str
    same: bool
    lines: tuple[str, ...]
    difference: dict[str, JsonValue]
    compatibility: Compatibility


Steering = Literal["pause", "resume", "cancel"]
