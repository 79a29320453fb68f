"""Tasks: the inbox of somebody, a task with its form, and what may be done with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from compiler.report.readers_words import Reader
from ir.fields import Fields
from ir.workflow import HUMAN_APPROVAL
from runtime import claiming, commands
from runtime.errors import BadAnswer, TaskClosed
from runtime.executions import execution_of, task_of
from runtime.forms import Execution, StepBefore, Task
from runtime.governance.own_part import own_part
from runtime.people import COMMENT
from runtime.permission import has_by_delegation, may_answer, must_be_allowed, must_see
from runtime.values import faults
from runtime.veil import seen, task_seen
from runtime.views.inbox import Inbox, Which, inbox
from server.access import Acting, Person, Shown
from server.errors import BadForm
from server.pages.runs.controls import NOTHING, PREFIX, Control, Typed, clashing, faulty, values_of
from server.pages.runs.controls import Form as MadeForm
from server.pages.runs.shown import ShownRun, ShownValue, shown_values, takes_of, title_of, titles
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from server.words import Words
from store.clock import now
from store.errors import NotAllowed, UnknownUser
from store.users import AGENT, OPERATOR, User, users

router = APIRouter()
PLACE = "/tasks/{task_id}"
MOST = 50
Said = Annotated[str, Form(max_length=2000)]


async def sent(request: Request) -> Typed:
    """What was sent with a form."""
    form: FormData = await request.form()
    return Typed.of(form)


Sent = Annotated[Typed, Depends(sent)]


@router.get("/tasks")
def task_list(
    request: Request,
    site: Shown,
    session: Person,
    which: Which | None = None,
    number: Annotated[int, Query(alias="page", ge=1, le=100_000)] = 1,
) -> Response:
    """The inbox: what somebody has, may claim, or, for operators, all of it; what is due first stands first."""
    user = session.user
    kinds: tuple[Which, ...] = ("mine", "claimable", "all") if user.may(OPERATOR) else ("mine", "claimable")
    skip = (number - 1) * MOST
    with site.workspace.database.transaction() as connection:
        found: dict[Which, Inbox] = {one: inbox(connection, user, one, most=0) for one in kinds}
        which = which or ("mine" if found["mine"].total else "claimable")
        shown = inbox(connection, user, which, most=MOST, skip=skip)
    return page(
        request, "tasks.html", session, which=which, shown=shown, at=now(), number=number,
        counts={one: found[one].total for one in kinds}, more=shown.total > skip + MOST,
        titles=titles(site, ((one.workflow_id, one.number) for one in shown.entries)),
    )  # fmt: skip


@router.get(PLACE)
def task_page(request: Request, site: Shown, session: Person, task_id: str) -> Response:
    """A task: what is asked, what it rests on, the form."""
    return _shown(request, site, session, task_id)


@router.post(PLACE + "/answer")
def answer(request: Request, site: Shown, session: Acting, task_id: str, typed: Sent) -> Response:
    """Answer a task; where the answer does not fit, the form stands again with what was typed."""
    task, _ = _opened(site, session.user, task_id)
    if clashing(typed):
        return _shown(request, site, session, task_id, Refused(BadForm("not known, and filled in as well"), typed))
    try:
        commands.answer(site.host, session.user, task_id, values_of(task.fields, typed), typed.text("shown") or None)
    except (BadAnswer, NotAllowed, TaskClosed) as error:
        return _shown(request, site, session, task_id, Refused(error, typed))
    return _to(task_id)


@router.post(PLACE + "/claim")
def claim(request: Request, site: Shown, session: Acting, task_id: str) -> Response:
    """Claim a task, so that nobody else answers it."""
    return _acted(request, site, session, task_id, lambda: claiming.claim(site.host, session.user, task_id))


@router.post(PLACE + "/give-back")
def give_back(request: Request, site: Shown, session: Acting, task_id: str) -> Response:
    """Give a task back to all who may answer it."""
    return _acted(request, site, session, task_id, lambda: claiming.give_back(site.host, session.user, task_id))


@router.post(PLACE + "/delegate")
def delegate(
    request: Request, site: Shown, session: Acting, task_id: str, to: Said = "", reason: Said = ""
) -> Response:  # fmt: skip
    """Give a task to somebody, who needs no role for it."""
    return _acted(
        request, site, session, task_id,
        lambda: claiming.delegate(site.host, session.user, task_id, to.strip(), reason.strip()),
    )  # fmt: skip


@dataclass(frozen=True)
class Refused:
    """What was not done with a task, and what was typed."""

    error: BadAnswer | BadForm | NotAllowed | TaskClosed | UnknownUser
    typed: Typed = NOTHING

    @property
    def status(self) -> int:
        """What it is in HTTP."""
        return 400 if isinstance(self.error, BadAnswer | BadForm | UnknownUser) else 409


def _acted(request: Request, site: Site, session: Session, task_id: str, act: Any) -> Response:
    _opened(site, session.user, task_id)
    try:
        act()
    except (NotAllowed, TaskClosed, UnknownUser) as error:
        return _shown(request, site, session, task_id, Refused(error))
    return _to(task_id)


def _opened(site: Site, user: User, task_id: str) -> tuple[Task, Execution]:
    """A task that a user may look at, with its run.

    Raises:
        UnknownTask: there is none such.
        NotAllowed: the user may not.
    """
    with site.workspace.database.transaction() as connection:
        task = task_of(connection, task_id)
        execution = execution_of(connection, task.execution)
    must_see(user, task, execution)
    return task, execution


@dataclass(frozen=True)
class Allowed:
    """What somebody may do with a task.

    Args:
        answer: whether they may answer it.
        why_not: a key of the words, with what is put into them; None where they may.
    """

    answer: bool
    why_not: tuple[str, str] | None
    claim: bool
    give_back: bool
    delegate: bool


def _allowed(site: Site, user: User, task: Task, execution: Execution) -> Allowed:
    going = task.status in ("open", "claimed")
    back = going and (task.delegated_by == user.name or task.claimed_by == user.name)
    try:
        with site.workspace.database.transaction() as connection:
            must_be_allowed(site.host, connection, user, task, execution)
    except (NotAllowed, TaskClosed):
        return Allowed(False, _why_not(user, task), False, back, False)
    return Allowed(True, None, task.claimed_by != user.name, back, not has_by_delegation(user, task))


def _why_not(user: User, task: Task) -> tuple[str, str]:
    if task.status == "done":
        return "task.done_by", task.claimed_by or "flowc"
    if task.status == "closed":
        return "task.closed", ""
    if task.claimed_by not in (None, user.name):
        return "task.has", str(task.claimed_by)
    return ("task.another", "") if may_answer(user, task) else ("task.needs", ", ".join(task.roles))


def _shown(
    request: Request, site: Site, session: Session, task_id: str, refused: Refused | None = None
) -> Response:  # fmt: skip
    task, execution = _opened(site, session.user, task_id)
    version = site.host.version(execution.workflow_id, execution.number)
    reader = Reader(version.definition, site.host.catalog, language_of(request))
    shown = task_seen(site.host, task, session.user)
    allowed = _allowed(site, session.user, task, execution)
    typed = refused.typed if refused else NOTHING
    wrong = refused is not None and isinstance(refused.error, BadAnswer)
    told = tuple(faults(values_of(task.fields, typed), task.fields)) if wrong else ()
    words = Words(language_of(request))
    open_form = allowed.answer or typed.form  # what was typed stays, though somebody else was quicker
    controls = _labelled(task, MadeForm(reader, words, typed, told).controls(task.fields), words) if open_form else ()
    return page(
        request, "task.html", session, refused.status if refused else 200, task=shown, execution=execution,
        title=title_of(version), shown=_parts(shown, reader),
        before=_before(shown, ShownRun(execution, version, reader)), words=_list(shown, "words"), rest=_rest(shown),
        controls=controls, faulty=faulty(controls), allowed=allowed, refused=refused,
        late=task.overdue or _is_late(task),
        others=_others(site, session.user) if allowed.delegate else (),
        once_more=bool(execution.progress.invalid.get(task_id)) and bool(task.node) and task.kind != "settle",
        label=reader.node_name(task.node.partition("#")[0]) if task.node else "",
        also=_also(site, session.user, task, execution, reader) if allowed.answer else (),
    )  # fmt: skip


def _also(site: Site, user: User, task: Task, execution: Execution, reader: Reader) -> tuple[str, ...]:
    """What else of the run the user did, in words that go on from their name."""
    with site.workspace.database.transaction() as connection:
        part = own_part(connection, user.name, task, execution)
    return part.told(lambda node: reader.node_name(node.partition("#")[0]), reader.language)


def _labelled(task: Task, controls: tuple[Control, ...], words: Words) -> tuple[Control, ...]:
    """The controls of a task, the comment by its name; but the one that the buttons of an approval stand for."""
    return tuple(
        replace(one, label=words("field.comment"), description="")
        if task.fields[one.name.removeprefix(f"{PREFIX}/")] == COMMENT
        else one
        for one in controls
        if not (task.kind == "approval" and one.name == f"{PREFIX}/approved")
    )


def _parts(task: Task, reader: Reader) -> Mapping[str, tuple[ShownValue, ...]]:
    """What a task shows beside its question: what the run was given, and what the step is given."""
    node = reader.workflow.nodes.get(task.node.partition("#")[0])
    given = takes_of(node, reader)
    inputs: Fields = given if task.kind == "settle" else {**reader.workflow.inputs}
    parts = {
        "inputs": shown_values(_object(task, "inputs"), inputs, reader),
        "given": shown_values(_object(task, "given"), given, reader),
    }
    return {name: values for name, values in parts.items() if values}


@dataclass(frozen=True)
class ShownStep:
    """A step that came before a task.

    Args:
        gave: without by whom and when, which are told of each step.
    """

    step: StepBefore
    gave: tuple[ShownValue, ...]
    message: str


def _before(task: Task, run: ShownRun) -> tuple[ShownStep, ...]:
    approvals = {name for name, node in run.workflow.nodes.items() if node.type == HUMAN_APPROVAL}
    found = []
    for one in task.before:
        twice = ("approver", "at") if one.node in approvals else ()
        gave = {name: value for name, value in one.gave.items() if name not in twice}
        found.append(ShownStep(one, run.gave(one.node, gave), str(seen(one.message) or "")))
    return tuple(found)


def _rest(task: Task) -> list[ShownValue]:
    """What else it shows, by flowc's own names."""
    known = ("inputs", "given", "before", "words", "workflow")
    return [ShownValue(name, str(seen(value))) for name, value in task.shown.items() if name not in known]


def _object(task: Task, name: str) -> dict[str, Any]:
    value = task.shown.get(name)
    return dict(value) if isinstance(value, dict) else {}


def _list(task: Task, name: str) -> list[Any]:
    value = task.shown.get(name)
    return list(value) if isinstance(value, list) else []


def _is_late(task: Task) -> bool:
    return task.status in ("open", "claimed") and task.due_at is not None and task.due_at < now()


def _others(site: Site, user: User) -> list[str]:
    """To whom a task may be given: people who are somebody else."""
    with site.workspace.database.transaction() as connection:
        return [one.name for one in users(connection) if one.name != user.name and AGENT not in one.roles]


def _to(task_id: str) -> Response:
    return RedirectResponse(f"/tasks/{task_id}", 303)
