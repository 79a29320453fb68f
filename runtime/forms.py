"""What an execution is, as it is stored and shown."""

from typing import Any, Literal

from pydantic import JsonValue

from ir.base import Model
from ir.fields import Fields
from ir.walk import Performer, RunState, RunStatus

Status = Literal["pending", "running", "waiting_human", "completed", "failed", "cancelled"]
TaskKind = Literal["input", "approval", "task", "start", "settle"]
TaskStatus = Literal["open", "claimed", "done", "closed"]
ENDED: tuple[Status, ...] = ("completed", "failed", "cancelled")


class Parent(Model):
    """The node that called a run."""

    execution: str
    node: str


class Progress(Model):
    """What an execution has done, beside its row.

    Args:
        run: what it was given and the outcomes it took.
        attempts: by node how often it was tried.
        parked: nodes whose call nobody knows to have been made.
        again_at: by node when it is tried again.
        invalid: by task how many answers did not fit.
        asked: names of inputs that are waited for before the first node.
        held: roles of which one has to let it begin; none where nobody has to, or somebody did.
        deleted_at: when the values were deleted; None while they are there.
        parent: what called it; None where somebody began it.
        children: by node the run that it called and that has not ended.
        doubted: nodes whose call a person was asked about since the run was restored from a backup; None where it was
            not. What else it would call and must not do twice is asked about first.
        flowc: the version that wrote this; empty where it was one that did not say.
    """

    run: RunState
    attempts: dict[str, int] = {}
    parked: tuple[str, ...] = ()
    again_at: dict[str, str] = {}
    invalid: dict[str, int] = {}
    asked: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    deleted_at: str | None = None
    parent: Parent | None = None
    children: dict[str, str] = {}
    doubted: tuple[str, ...] | None = None
    flowc: str = ""

    @property
    def waits_to_begin(self) -> bool:
        """Whether a person has to do something before the first node."""
        return bool(self.asked or self.held)

    def doubts(self, node: str) -> bool:
        """Whether nobody here can know that a call of a node was not made after the backup that the run came from."""
        return self.doubted is not None and node not in self.doubted


class Execution(Model):
    """One execution of a version.

    Args:
        digest: of the definition that it is bound to.
        principal: who began it.
        end: how it ended by the end that it came to, or `cancelled` where somebody ended it; None while it goes on.
        revision: goes up with each change.
    """

    id: str
    workflow_id: str
    number: int
    digest: str
    status: Status
    paused: bool
    principal: str
    end: RunStatus | None = None
    progress: Progress
    revision: int
    began_at: str
    changed_at: str

    @property
    def ended(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.status in ENDED


class StepBefore(Model):
    """A step that a run went through on its way to a task.

    Args:
        title: in the workflow's language.
        by: who gave it; None where no person did.
        at: when the run had it.
        gave: without what has no value.
        error, message: with which it failed, and what was said of that.
        words: of the document on which it rests; of rules those of the rows that held come first.
    """

    node: str
    title: str
    performer: Performer
    by: str | None = None
    at: str
    gave: dict[str, JsonValue] = {}
    error: str | None = None
    message: JsonValue = None
    words: tuple[str, ...] = ()


class Task(Model):
    """What a person has to do.

    Args:
        roles: any of them may answer.
        fields: the form.
        shown: what the person sees beside it.
        digest: of all that is shown.
        overdue: whether it was noted that its time is over.
        escalated: roles that may answer as well since then.
        delegated_by: who gave it to the one that has it; None where nobody did.
    """

    id: str
    execution: str
    node: str
    kind: TaskKind
    roles: tuple[str, ...]
    title: str
    fields: Fields
    shown: dict[str, JsonValue] = {}
    digest: str
    status: TaskStatus
    claimed_by: str | None = None
    due_at: str | None = None
    opened_at: str
    overdue: bool = False
    escalated: tuple[str, ...] = ()
    delegated_by: str | None = None

    @property
    def before(self) -> tuple[StepBefore, ...]:
        """What came before it in its run; it is shown and so in the digest."""
        steps = self.shown.get("before")
        return tuple(map(StepBefore.model_validate, steps if isinstance(steps, list) else ()))


class Row(Model):
    """What reached an execution."""

    sequence: int
    kind: Literal["start", "answer", "moment", "child", "cancel", "pause", "resume"]
    payload: dict[str, Any]
    principal: str
