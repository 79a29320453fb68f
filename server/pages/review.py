"""A draft in review: its graph, its source and its panels, a queue of what to look at, deciding about each thing."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from compiler.report.markup import Markup
from compiler.report.review.page import Panel, graph_pane, page_header, review_body, side_pane, splitter
from ir.decisions.decision import DecisionKind
from ir.decisions.operation import AnyOperation
from ir.errors import BadInputFile
from ir.workflow import Workflow
from registry.versions import versions
from review.decide import decide, decide_all, new_decision, undo
from review.draft import ReviewDraft, open_draft
from review.errors import Conflict, Fault, Refused
from review.forms import completions, forms_of, operation_from
from server.access import Acting, Reading, Shown
from server.builds.folders import BuildFolder
from server.errors import BadForm, UnknownPlace
from server.pages.review_desk import Card, Desk, Row
from server.pages.review_graph import drawn
from server.pages.review_opened import blind_reader, note_decisions, opened_desk
from server.pages.review_panes import panes_of
from server.pages.review_source import left_out, search
from server.pages.review_trial import told_changes, told_findings
from server.proving import proving
from server.rendering import page, rendered
from server.sessions import Session
from server.site import Site
from store.users import AUTHOR, REVIEWER

router = APIRouter()
PLACE = "/drafts/{build_id}/{workflow_id}"
Entered = Annotated[str, Form(max_length=20_000)]
Revision = Annotated[int, Form(ge=0)]
_FIXED = frozenset({"csrf", "item", "seen", "do", "reason"})
_TOLD = frozenset({"accept", "reject", "answer", "declare", "correct", "undo"})
_KINDS: dict[str, DecisionKind] = {
    "accept": "accept", "reject": "reject", "answer": "answer", "declare": "declare", "comment": "comment",
}  # fmt: skip


@dataclass(frozen=True)
class _Entered:
    """What a form of an operation brings, for a draft."""

    build_id: str
    workflow_id: str
    form: FormData


# --- looking ----------------------------------------------------------------------------------------------------------


@router.get(PLACE)
def draft_page(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, item: str = "", told: str = ""
) -> Response:  # fmt: skip
    """A draft as its build's review page shows it, with the queue and the thing that was asked for."""
    build, blind = site.builds.build(build_id), blind_reader(request, session)
    try:
        desk = opened_desk(request, site, build_id, workflow_id, blind)
    except BadInputFile as error:
        return _fixed(request, site, session, build, workflow_id, str(error))
    with proving():
        panes = panes_of(desk)
    row = desk.first(item or None)
    card = rendered(request, "review-card.html", session, **_card_values(desk, row, session))
    title = desk.draft.workflow.metadata.title or workflow_id
    views = rendered(request, "review-graph.html", session, desk=desk, views=panes.views, view=panes.view)
    first = Panel("card", desk.words("review.card"), None, Markup(card))
    return page(
        request, "review.html", session, title=title, desk=desk, current=row, head=page_header(desk.draft.page, title),
        side=side_pane(panes.page, first, panels=panes.panels),
        graph=graph_pane(panes.page, Markup(views), drawn=panes.graph), source=panes.source, told=_said(desk, told),
        splitters=[splitter(panes.page, number) for number in (0, 1)],
        **_submitting(site, session, build, desk.draft.workflow), blind=blind,
    )  # fmt: skip


def _fixed(
    request: Request, site: Site, session: Session, build: BuildFolder, workflow_id: str, why: str
) -> Response:  # fmt: skip
    """A draft as its build wrote it, where no decision can be taken on it."""
    made = build.read()
    entry = made.draft(workflow_id)
    if entry is None:
        raise UnknownPlace(f"the build {build.title} has no draft {workflow_id}; its page lists those that it has")
    review = made.review(entry, site.host.catalog)
    with proving():
        body = review_body(review)
    common = _submitting(site, session, build, review.workflow)
    return page(
        request, "draft.html", session, title=body.title, body=body.body, fixed=why,
        blind=blind_reader(request, session), **common,
    )  # fmt: skip


def _submitting(site: Site, session: Session, build: BuildFolder, workflow: Workflow) -> dict[str, Any]:
    """What the form needs that submits a draft: what is said of its last version is offered again."""
    with site.workspace.database.transaction() as connection:
        known = versions(connection, workflow.workflow_id)
    return {
        "build": build, "workflow_id": workflow.workflow_id, "may_submit": session.user.may(AUTHOR),
        "about": (known[-1].definition if known else workflow).metadata, "may_review": session.user.may(REVIEWER),
    }  # fmt: skip


@router.get(PLACE + "/card")
def card_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, item: str = "", graph: str = ""
) -> Response:  # fmt: skip
    """One thing to decide on, by its key or by what the graph shows of it."""
    desk = _desk(request, site, session, build_id, workflow_id)
    row = desk.row(item) if item else desk.first(None, graph)
    if graph and (row is None or row.item.graph_key != graph):
        return Response(status_code=204)
    return page(request, "review-card.html", session, **_card_values(desk, row, session))


@router.get(PLACE + "/graph")
def graph_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, view: str = "flow",
    unfolded: Annotated[list[str] | None, Query()] = None,
) -> Response:  # fmt: skip
    """The graph, drawn in one of its ways."""
    desk = _desk(request, site, session, build_id, workflow_id)
    return HTMLResponse(drawn(desk.draft.page, view, frozenset(unfolded or ())))


@router.get(PLACE + "/forms")
def forms_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, item: str, do: str = ""
) -> Response:  # fmt: skip
    """The operations that may be made on a thing, and the form of one of them."""
    desk = _desk(request, site, session, build_id, workflow_id)
    row = desk.row(item)
    forms = forms_of(desk.draft, row.item)
    form = next((one for one in forms if one.do == do), forms[0] if forms else None)
    return page(request, "review-form.html", session, desk=desk, row=row, forms=forms, form=form)


@router.get(PLACE + "/names")
def names_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, text: str = "", at: int = 0
) -> Response:  # fmt: skip
    """Names that may stand where the cursor is in a condition."""
    desk = _desk(request, site, session, build_id, workflow_id)
    found = completions(desk.draft, text[:20_000], max(0, at))[:12]
    return page(request, "review-names.html", session, names=found)


@router.get(PLACE + "/search")
def search_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, q: str = ""
) -> Response:  # fmt: skip
    """What a word is found in: the text, the graph, the queue."""
    desk = _desk(request, site, session, build_id, workflow_id)
    found = search(desk, q.strip()[:200])
    return page(request, "review-found.html", session, desk=desk, found=found, q=q.strip()[:200])


@router.get(PLACE + "/source")
def source_part(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str, first: str, last: str
) -> Response:  # fmt: skip
    """What was left out of the source from a block to another."""
    desk = _desk(request, site, session, build_id, workflow_id)
    return page(request, "review-source.html", session, blocks=left_out(desk.draft, first, last))


@router.get(PLACE + "/agreed")
def agreed_part(request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str) -> Response:
    """What may be accepted together."""
    desk = _desk(request, site, session, build_id, workflow_id)
    return page(request, "review-agreed.html", session, desk=desk)


# --- deciding ---------------------------------------------------------------------------------------------------------


@router.post(PLACE + "/decide")
def decide_act(
    request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str,
    item: Entered, kind: Entered, seen: Revision, reason: Entered = "", value: Entered = "",
) -> Response:  # fmt: skip
    """Accept, reject, answer, declare or comment; the next open thing comes back."""
    desk = _acting(request, site, session, build_id, workflow_id)
    row = desk.row(item)
    chosen = _KINDS.get(kind)
    if chosen is None:
        raise BadForm(f"{kind!r} is no decision; it is one of {', '.join(_KINDS)}")
    answer = value.strip() if chosen == "answer" else None
    missing = "value" if chosen == "answer" and not answer else "reason" if not reason.strip() else None
    if chosen == "answer" and answer and missing:
        reason, missing = desk.words("review.reason.answer"), None
    if missing:
        return _refused(request, session, (Fault(missing, "missing-value", desk.words(f"review.{missing}.missing")),))
    made = new_decision(
        desk.draft, row.item, chosen, author=session.user.name, reason=reason.strip(), value=answer
    )  # fmt: skip
    try:
        with proving():
            after = decide(desk.draft, made, seen)
    except Conflict as error:
        return _conflict(request, session, desk, row, error, {"kind": kind, "reason": reason, "value": value})
    except Refused as error:
        return _refused(request, session, error.faults)
    note_decisions(site, session, desk, [made])
    said = desk.words(f"review.told.{chosen}", _short(row.item.title))
    if chosen == "answer" and after.workflow == desk.draft.workflow:
        said = f"{said} {desk.words('review.told.unchanged')}"
    stay = row if chosen == "comment" else None
    return _answer(request, session, desk, after, chosen, said, stay=stay, done=row)


@router.post(PLACE + "/agreed")
def agreed_act(
    request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str, seen: Revision,
    items: Annotated[list[str] | None, Form()] = None, reason: Entered = "",
) -> Response:  # fmt: skip
    """Accept several things that nothing speaks against; each has a decision of its own."""
    desk = _acting(request, site, session, build_id, workflow_id)
    chosen = [one for one in desk.agreed if one.key in (items or ())]
    if not chosen or not reason.strip():
        missing = "items" if not chosen else "reason"
        return _refused(request, session, (Fault(missing, "missing-value", desk.words(f"review.{missing}.missing")),))
    who, why = session.user.name, reason.strip()
    made = [new_decision(desk.draft, one, "accept", author=who, reason=why) for one in chosen]
    try:
        with proving():
            after = decide_all(desk.draft, made, seen)
    except Conflict as error:
        return _conflict(request, session, desk, desk.row(chosen[0].key), error, {})
    except Refused as error:
        return _refused(request, session, error.faults)
    note_decisions(site, session, desk, made)
    return _answer(request, session, desk, after, "accept", desk.words("review.told.agreed", len(made)))


@router.post(PLACE + "/undo")
def undo_act(
    request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str, which: Entered = ""
) -> Response:  # fmt: skip
    """Take a decision back, by default one's last; what it was about comes back."""
    desk = _acting(request, site, session, build_id, workflow_id)
    try:
        with proving():
            after = undo(desk.draft, session.user.name, desk.words("review.reason.undo"), which or None)
    except (Refused, Conflict) as error:
        faults = error.faults if isinstance(error, Refused) else (Fault("", "decided-meanwhile", str(error)),)
        return _refused(request, session, faults)
    made = after.decisions[-1]
    note_decisions(site, session, desk, [made])
    again = Desk(desk.build, after, desk.words)
    row = next((one for one in again.rows if (one.item.subject, one.item.id) == (made.subject, made.element)), None)
    said = desk.words("review.told.undo", _short(made.name))
    return _answer(request, session, desk, after, "undo", said, stay=row)


# --- correcting -------------------------------------------------------------------------------------------------------


@router.post(PLACE + "/check")
async def check_act(request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str) -> Response:
    """Whether what is being entered can be read, field by field; nothing is tried."""
    entered = _Entered(build_id, workflow_id, await request.form())
    return await run_in_threadpool(_checked, request, site, session, entered)


def _checked(request: Request, site: Site, session: Session, entered: _Entered) -> Response:
    desk, row, do, values, _ = _correction(request, site, session, entered)
    faults = _read(desk, row, do, values)[1]
    form = next((one for one in forms_of(desk.draft, row.item) if one.do == do), None)
    return page(request, "review-faults.html", session, faults=faults, form=form, values=values)


@router.post(PLACE + "/preview")
async def preview_act(request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str) -> Response:
    """What a correction would come to, before it is saved."""
    entered = _Entered(build_id, workflow_id, await request.form())
    return await run_in_threadpool(_previewed, request, site, session, entered)


def _previewed(request: Request, site: Site, session: Session, entered: _Entered) -> Response:
    desk, row, do, values, reason = _correction(request, site, session, entered)
    operation, faults = _read(desk, row, do, values)
    if operation is not None and not reason.strip():
        faults = (Fault("reason", "no-reason", desk.words("review.reason.missing")),)
    if operation is None or faults:
        return _unfit(request, session, desk, row, do, values, faults)
    made = new_decision(
        desk.draft, row.item, "correct", author=session.user.name, reason=reason.strip(), value=operation
    )  # fmt: skip
    trial = site.trials.run(desk.draft, made)
    if trial.faults:
        return _unfit(request, session, desk, row, do, values, trial.faults)
    return page(
        request, "review-preview.html", session, desk=desk, told=told_changes(desk, trial),
        findings=told_findings(desk, trial), operation=operation,
    )  # fmt: skip


@router.post(PLACE + "/correct")
async def correct_act(request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str) -> Response:
    """Save a correction; the draft is made anew with it."""
    entered = _Entered(build_id, workflow_id, await request.form())
    return await run_in_threadpool(_corrected, request, site, session, entered)


def _corrected(request: Request, site: Site, session: Session, entered: _Entered) -> Response:
    desk, row, do, values, reason = _correction(request, site, session, entered)
    operation, faults = _read(desk, row, do, values)
    if operation is None:
        return _unfit(request, session, desk, row, do, values, faults)
    made = new_decision(
        desk.draft, row.item, "correct", author=session.user.name, reason=reason.strip(), value=operation
    )  # fmt: skip
    made = site.trials.take(desk.draft, made)
    try:
        with proving():
            after = decide(desk.draft, made, _revision(entered.form))
    except Conflict as error:
        return _conflict(request, session, desk, row, error, {**values, "do": do, "reason": reason})
    except Refused as error:
        return _unfit(request, session, desk, row, do, values, error.faults)
    note_decisions(site, session, desk, [made])
    said = desk.words("review.told.correct", _short(row.item.title))
    return _answer(request, session, desk, after, "correct", said, done=row)


def _correction(
    request: Request, site: Site, session: Session, entered: _Entered
) -> tuple[Desk, Row, str, dict[str, str], str]:  # fmt: skip
    """What was entered in a form of an operation: the thing, the operation, its fields, the reason."""
    desk = _acting(request, site, session, entered.build_id, entered.workflow_id)
    given = {name: str(value) for name, value in entered.form.items() if isinstance(value, str)}
    values = {name: value for name, value in given.items() if name not in _FIXED}
    return desk, desk.row(given.get("item", "")), given.get("do", ""), values, given.get("reason", "")


def _read(desk: Desk, row: Row, do: str, values: dict[str, str]) -> tuple[AnyOperation | None, tuple[Fault, ...]]:
    try:
        return operation_from(desk.draft, row.item, do, values), ()
    except Refused as error:
        return None, error.faults


def _revision(form: FormData) -> int:
    told = str(form.get("seen", ""))
    if not told.isdecimal():
        raise BadForm("the form does not say which revision of the draft it was made for; load the page again")
    return int(told)


# --- what comes back --------------------------------------------------------------------------------------------------


def _answer(
    request: Request, session: Session, before: Desk, after: ReviewDraft, act: DecisionKind, said: str,
    *, stay: Row | None = None, done: Row | None = None,
) -> Response:  # fmt: skip
    """The next card, and what changed of the queue; the whole page where the draft is another."""
    desk = Desk(before.build, after, before.words)
    kept = next((one for one in desk.rows if stay is not None and one.item.key == stay.item.key), None)
    row = kept or (desk.after(done.item.key) if done is not None else desk.first())
    if after.workflow != before.draft.workflow or after.procedure != before.draft.procedure:
        query = urlencode({"told": act, **({"item": row.item.key} if row else {})})
        return Response(headers={"HX-Redirect": f"{desk.address}?{query}"})
    old = {one.id: one for one in before.rows}
    same = [one.id for one in before.rows] == [one.id for one in desk.rows]
    changed = [one for one in desk.rows if one.state != old[one.id].state] if same else None
    return page(
        request, "review-answer.html", session, said=said, changed=changed,
        head=page_header(after.page, after.workflow.metadata.title or after.workflow.workflow_id),
        **_card_values(desk, row, session),
    )  # fmt: skip


def _card_values(desk: Desk, row: Row | None, session: Session) -> dict[str, Any]:
    card: Card | None = desk.card(row) if row is not None else None
    return {"desk": desk, "row": row, "current": row, "card": card, "may_review": session.user.may(REVIEWER)}


def _refused(request: Request, session: Session, faults: tuple[Fault, ...]) -> Response:
    answer = page(request, "review-refused.html", session, 422, faults=faults)
    answer.headers.update({"HX-Retarget": "#refused", "HX-Reswap": "innerHTML"})
    return answer


def _unfit(
    request: Request, session: Session, desk: Desk, row: Row, do: str, values: dict[str, str],
    faults: tuple[Fault, ...],
) -> Response:  # fmt: skip
    form = next((one for one in forms_of(desk.draft, row.item) if one.do == do), None)
    answer = page(request, "review-faults.html", session, 422, faults=faults, form=form, values=values)
    answer.headers["HX-Reswap"] = "none"
    return answer


def _conflict(
    request: Request, session: Session, desk: Desk, row: Row, error: Conflict, entered: dict[str, str]
) -> Response:  # fmt: skip
    """The thing as it is now, what somebody else decided, and what was entered, which is not lost."""
    with proving():
        again = open_draft(desk.build.out, desk.draft.workflow.workflow_id, reader=desk.draft.reader)
        now = Desk(desk.build, again, desk.words)
    found = next((one for one in now.rows if one.item.key == row.item.key), row)
    return page(
        request, "review-conflict.html", session, 409, other=error.other, entered=entered,
        **_card_values(now, found, session),
    )  # fmt: skip


# --- what all of them need --------------------------------------------------------------------------------------------


def _desk(request: Request, site: Site, session: Session, build_id: str, workflow_id: str) -> Desk:
    """The draft as somebody reviews it: without what others decided, where they review blind."""
    return opened_desk(request, site, build_id, workflow_id, blind_reader(request, session))


def _acting(request: Request, site: Site, session: Session, build_id: str, workflow_id: str) -> Desk:
    session.user.must("decide about a draft", REVIEWER)
    return _desk(request, site, session, build_id, workflow_id)


def _said(desk: Desk, act: str) -> str:
    """What was done last, for a page that is loaded anew after it; nothing where no act is named."""
    decisions = desk.draft.decisions
    return desk.words(f"review.told.{act}", _short(decisions[-1].name)) if act in _TOLD and decisions else ""


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
