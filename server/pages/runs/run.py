"""Runs: the list, what became of one and why, and what may be done with it."""

from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from ir.walk import RunStatus
from registry.versions import versions
from runtime.commands import steer
from runtime.executions import executions
from runtime.exporting import events_seen
from runtime.forms import Status
from runtime.telling import explain
from runtime.views.standing import Standing, standing
from server.access import Acting, Reading, Shown
from server.errors import BadForm
from server.pages.runs.picture import MARKS, picture
from server.pages.runs.shown import ShownRun, opened_run, title_of, titles
from server.pages.runs.timeline import timeline
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from server.words import Words
from store.users import OPERATOR

router = APIRouter()
PLACE = "/runs/{execution}"
MOST = 50
STATUSES: tuple[Status, ...] = ("pending", "running", "waiting_human", "completed", "failed", "cancelled")
ENDS: tuple[RunStatus, ...] = get_args(RunStatus)
Said = Annotated[str, Form(max_length=2000)]


@router.get("/runs")
def run_list(
    request: Request,
    site: Shown,
    session: Reading,
    status: Literal["", "pending", "running", "waiting_human", "completed", "failed", "cancelled"] = "",
    end: Literal["", RunStatus] = "",
    workflow: str = "",
    mine: bool = False,
    number: Annotated[int, Query(alias="page", ge=1, le=100_000)] = 1,
) -> Response:
    """Runs, the last to change first: all, or those that stand or ended so, of a workflow, that the reader began."""
    with site.workspace.database.transaction() as connection:
        found = executions(
            connection, status=status or None, workflow_id=workflow or None, end=end or None,
            principal=session.user.name if mine else None, most=MOST + 1, skip=(number - 1) * MOST,
        )  # fmt: skip
        known = versions(connection)
    published = {one.workflow_id: title_of(one) for one in known if one.state in ("published", "deprecated")}
    begins = [one for one in known if one.state == "published"] if session.user.may(OPERATOR) else []
    return page(
        request, "runs.html", session, rows=found[:MOST], more=len(found) > MOST, number=number, statuses=STATUSES,
        ends=ENDS, chosen={"status": status, "end": end, "workflow": workflow, "mine": mine}, workflows=published,
        begins=begins,
        titles=titles(site, ((one.workflow_id, one.number) for one in found)),
    )  # fmt: skip


@router.get(PLACE)
def run_page(request: Request, site: Shown, session: Reading, execution: str) -> Response:
    """What a run came to or waits for, its picture, its steps with their words, and what happened."""
    run = opened_run(site, execution, language_of(request))
    now = standing(site.host, execution)
    svg = picture(site, run.version, language_of(request), now)
    return page(request, "run.html", session, svg=svg, **_told(request, site, session, run, now))


@router.get(PLACE + "/told")
def told_part(request: Request, site: Shown, session: Reading, execution: str) -> Response:
    """What is told of a run beside its picture, to be put in its page anew."""
    run = opened_run(site, execution, language_of(request))
    now = standing(site.host, execution)
    return page(request, "run-told.html", session, **_told(request, site, session, run, now))


def _told(request: Request, site: Site, session: Session, run: ShownRun, now: Standing) -> dict[str, Any]:
    told = explain(site.host, run.execution.id, session.user)
    happened = events_seen(site.host, run.execution.id, session.user)
    return {
        "run": run.execution,
        "version": run.version,
        "title": title_of(run.version),
        "told": told,
        "outputs": run.results(told["outputs"]),
        "inputs": run.inputs(site, session.user),
        "gave": {one["node"]: run.gave(one["node"], one["gave"]) for one in told["steps"]},
        "names": {name: run.reader.node_name(name) for name in run.workflow.nodes},
        "stands": now.nodes,
        "sources": run.sources,
        "marks": MARKS,
        "answered": {one["node"]: one["by"] for one in told["people"]},
        "happened": timeline(happened, run.reader, Words(language_of(request))),
        "may": session.user.may(OPERATOR),
    }


# --- acts -------------------------------------------------------------------------------------------------------------


@router.post(PLACE + "/pause")
def pause(site: Shown, session: Acting, execution: str, reason: Said = "") -> Response:
    """Let no node of a run be carried out until it is resumed."""
    return _steered(site, session, execution, "pause", reason)


@router.post(PLACE + "/resume")
def resume(site: Shown, session: Acting, execution: str, reason: Said = "") -> Response:
    """Let a run go on that was paused."""
    return _steered(site, session, execution, "resume", reason)


@router.post(PLACE + "/cancel")
def cancel(site: Shown, session: Acting, execution: str, reason: Said = "") -> Response:
    """End a run; what was done stays done."""
    if not reason.strip():
        raise BadForm("say why the run is called off; it is kept with it")
    return _steered(site, session, execution, "cancel", reason)


def _steered(site: Site, session: Session, execution: str, what: str, reason: str) -> Response:
    steer(site.host, session.user, execution, what, reason.strip())
    return RedirectResponse(f"/runs/{execution}", 303)
