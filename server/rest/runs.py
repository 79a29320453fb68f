"""Runs: begun once under a key, listed, seen, steered, given what they lack."""

import hashlib
import hmac
from typing import Annotated

import sqlalchemy as sa
from fastapi import Query, Request, Response
from pydantic import JsonValue

from agents.acts import Acts, sees_all_runs
from agents.forms import RunAnswer, State
from agents.telling import plain, state_of
from ir.base import canonical_json
from ir.walk import RunStatus
from runtime.commands import begun_under
from runtime.executions import executions_after
from runtime.forms import ENDED, Execution
from server.access import Shown
from server.rest.call import Calling, Doing, Key, RunId, operations
from server.rest.forms import RunListed, RunWanted, Values, WhySteered
from server.rest.paging import Cursor, Limit, Page, cursor_of, place_of
from server.rest.turns import seen
from store.tables import EXECUTIONS
from store.users import ANY, READ, User

router = operations("runs", (404, 409))
OfWorkflow = Annotated[str | None, Query(max_length=200, description="id of a workflow")]


@router.post("/runs", status_code=201)
def start_run(
    request: Request, response: Response, acts: Doing, user: Calling, wanted: RunWanted, key: Key = None
) -> RunAnswer:  # fmt: skip
    """Begin a run of a published version. What may not begin without a person waits for an approval.

    The same request under the same `Idempotency-Key` tells of the run that it began the first time.
    """
    user.must_hold(READ, wanted.workflow.partition("@")[0])
    run = _begun(acts, wanted, key)
    request.state.run = run.id
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/runs/{run.id}"
    return plain(seen(acts, run.id))


def _begun(acts: Acts, wanted: RunWanted, key: str | None) -> Execution:
    if key is None:
        return acts.start(acts.version(wanted.workflow), wanted.inputs, ask=wanted.ask)
    name, asked = _name_of(acts.agent, key), _digest_of(wanted, key)
    with acts.host.workspace.database.transaction() as connection:
        known = begun_under(connection, name, asked)
    if known is not None:
        return known
    return acts.start(acts.version(wanted.workflow), wanted.inputs, ask=wanted.ask, key=name, request=asked)


def _name_of(user: User, key: str) -> str:
    """What a run is called that is begun once however often it is asked for."""
    return hashlib.sha256(canonical_json(["rest", user.name, key]).encode()).hexdigest()[:24]


def _digest_of(wanted: RunWanted, key: str) -> str:
    """Of what is asked for, so that it cannot be guessed without the key, which is kept nowhere."""
    told: JsonValue = wanted.model_dump(mode="json")
    return hmac.new(key.encode(), canonical_json(told).encode(), hashlib.sha256).hexdigest()


@router.get("/runs")
def list_runs(
    site: Shown,
    user: Calling,
    workflow: OfWorkflow = None,
    state: Annotated[State | None, Query(description="only runs that stand so")] = None,
    end: Annotated[RunStatus | None, Query(description="only runs that ended so")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[RunListed]:
    """Runs that the caller began, the last to begin first; operators and readers see those of others too."""
    user.must_hold(READ)
    wanted = [] if state is None else [_stands(state)]
    if end is not None:
        wanted.append(EXECUTIONS.c.end == end)
    if workflow is not None:
        user.must_hold(READ, workflow)
        wanted.append(EXECUTIONS.c.workflow_id == workflow)
    if not sees_all_runs(user):
        wanted.append(EXECUTIONS.c.principal == user.name)
    if user.grant is not None and ANY not in user.grant.workflows:
        wanted.append(EXECUTIONS.c.workflow_id.in_(sorted(user.grant.workflows)))
    with site.workspace.database.transaction() as connection:
        found = executions_after(connection, place_of(cursor), limit + 1, *wanted)
    last = found[limit - 1] if len(found) > limit else None
    more = cursor_of((last.began_at, last.id)) if last is not None else None
    return Page(items=tuple(_listed(one) for one in found[:limit]), next_page=more)


def _stands(state: State) -> sa.ColumnElement[bool]:
    """What holds of the rows of runs in a state."""
    status, paused = EXECUTIONS.c.status, EXECUTIONS.c.paused
    if state in ENDED:
        return status == state
    if state == "paused":
        return sa.and_(paused, status.not_in(ENDED))
    return sa.and_(~paused, status.in_(("waiting_human",) if state == "waiting" else ("pending", "running")))


def _listed(one: Execution) -> RunListed:
    parent = one.progress.parent
    return RunListed(
        run=one.id, workflow=f"{one.workflow_id}@v{one.number}", state=state_of(one, ()), end=one.end,
        began_by=one.principal, began_at=one.began_at, changed_at=one.changed_at,
        called_by=parent.execution if parent is not None else None,
    )  # fmt: skip


@router.get("/runs/{run}")
def see_run(acts: Doing, run: RunId) -> RunAnswer:
    """How a run stands, whose turn it is, and once it ended what it came to and why."""
    return plain(seen(acts, run))


@router.post("/runs/{run}/pause")
def pause_run(acts: Doing, user: Calling, run: RunId, why: WhySteered | None = None) -> RunAnswer:
    """Let nothing of a run be carried out until it is resumed."""
    return _steered(acts, user, run, "pause", why)


@router.post("/runs/{run}/resume")
def resume_run(acts: Doing, user: Calling, run: RunId, why: WhySteered | None = None) -> RunAnswer:
    """Let a paused run go on."""
    return _steered(acts, user, run, "resume", why)


@router.post("/runs/{run}/cancel")
def cancel_run(acts: Doing, user: Calling, run: RunId, why: WhySteered | None = None) -> RunAnswer:
    """End a run; what was done stays done."""
    return _steered(acts, user, run, "cancel", why)


def _steered(acts: Acts, user: User, run: str, what: str, why: WhySteered | None) -> RunAnswer:
    user.must_hold(READ, acts.own(run).workflow_id)
    acts.steer(run, what, why.reason if why is not None else "")
    return plain(seen(acts, run))


@router.post("/runs/{run}/values")
def give_value(acts: Doing, user: Calling, run: RunId, given: Values) -> RunAnswer:
    """Give what a run needs to begin. Approvals and other work of people are tasks."""
    user.must_hold(READ, acts.own(run).workflow_id)
    acts.give(run, given.values)
    return plain(seen(acts, run))
