"""Two readers of a draft: who judged how much, how far they agree once both are done, and what settles the rest."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import JsonValue

from ir.base import Model
from ir.decisions.anchor import Mark
from ir.decisions.decision import Decision
from review.agreement import FEWEST, Agreement, Disagreement, agreement, readers, settle
from review.decide import decide, new_decision
from review.draft import ReviewDraft
from review.errors import Conflict, Refused
from server.access import Acting, Reading, Shown
from server.errors import BadForm, UnknownPlace
from server.pages.review_desk import Desk, Row, row_id
from server.pages.review_opened import BLIND, blind_reader, cookie_of, note_decisions, opened_desk
from server.proving import proving
from server.rendering import page
from server.sessions import Session
from store import audit
from store.errors import NotAllowed
from store.users import APPROVER, REVIEWER, User

router = APIRouter()
DRAFT = "/drafts/{build_id}/{workflow_id}"
PLACE = DRAFT + "/agreement"
Take = Literal["first", "second", "comment"]
Entered = Annotated[str, Form(max_length=2000)]
_UNTOLD = frozenset({"do", "field", "was", "names"})


@dataclass(frozen=True)
class Difference:
    """A difference as the page has it.

    Args:
        key: of what they judge differently, as in the queue.
        row: its line in the queue; None where a correction took it out of the draft.
        comments: what people said about it, in their order.
    """

    found: Disagreement
    key: str
    row: Row | None
    comments: tuple[Decision, ...]

    @property
    def id(self) -> str:
        """For the page."""
        return row_id(self.key)

    @property
    def stamp(self) -> str:
        """A digest of all that it rests on: another one tells that somebody judged or settled it meanwhile."""
        by = self.found.settled_by
        ids = [one.id for side in (self.found.first, self.found.second) for one in side.decisions]
        return hashlib.sha256(json.dumps([ids, by.id if by else None]).encode()).hexdigest()


@dataclass(frozen=True)
class Compared:
    """What there is to see of two readers.

    Args:
        left: of each reader how many they have not judged.
        shown: whether figures and differences are.
        hidden: whether they are not because who looks reviews blind and is none of the two.
        unfinished: whether they were asked for before both are done.
        differences: empty as long as they are not shown.
    """

    found: Agreement
    left: tuple[tuple[str, int], ...]
    shown: bool
    hidden: bool
    unfinished: bool
    differences: tuple[Difference, ...]

    @property
    def open(self) -> int:
        """How many differences nobody settled."""
        return sum(one.found.settled_by is None for one in self.differences)

    @property
    def query(self) -> str:
        """The part of the address that names the readers."""
        asked = [("by", name) for name in self.found.readers] + [("unfinished", "1")] * self.unfinished
        return urlencode(asked)


@dataclass(frozen=True)
class Unsettled:
    """What somebody entered to settle a difference and was not taken: it stands in the form again.

    Args:
        messages: why.
    """

    status: int
    messages: tuple[str, ...]
    key: str
    take: Take
    reason: str


@router.get(PLACE)
def agreement_page(
    request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str,
    by: Annotated[list[str] | None, Query(max_length=2)] = None, unfinished: bool = False, done: str = "",
) -> Response:  # fmt: skip
    """Who judged how much; of two readers the figures and the differences, once both are done."""
    desk = opened_desk(request, site, build_id, workflow_id)
    named = by or [name for name, _ in readers(desk.draft)[:2]]
    compared = _compared(request, desk, session, named, unfinished=unfinished) if by or len(named) == 2 else None
    return _page(request, session, desk, compared, done=done)


@router.post(PLACE + "/settle")
def settle_act(
    request: Request, site: Shown, session: Acting, build_id: str, workflow_id: str,
    by: Annotated[list[str], Form(max_length=2)], item: Entered, take: Annotated[Take, Form()], stamp: Entered,
    reason: Entered = "", unfinished: Annotated[bool, Form()] = False,
) -> Response:  # fmt: skip
    """Settle a difference by a decision that names both readers, or comment on it, which leaves it open."""
    _check_settles(session.user, by)
    desk = opened_desk(request, site, build_id, workflow_id)
    compared = _compared(request, desk, session, by, unfinished=unfinished)
    if not compared.shown:
        raise NotAllowed("a difference is settled when both readers are done, and by nobody who reviews blind")
    entered = Unsettled(409, (desk.words("agreement.meanwhile"),), item, take, reason.strip())
    difference = next((one for one in compared.differences if one.key == item), None)
    if difference is None or difference.stamp != stamp:
        return _page(request, session, desk, compared, entered)
    if not entered.reason:
        missing = Unsettled(422, (desk.words("review.reason.missing"),), item, take, "")
        return _page(request, session, desk, compared, missing)
    try:
        with proving():
            after = _settled(desk, difference, compared.found, entered, session.user.name)
    except Conflict:
        again = opened_desk(request, site, build_id, workflow_id)
        return _page(request, session, again, _compared(request, again, session, by, unfinished=unfinished), entered)
    except Refused as error:
        told = tuple(f"{one.message} [{one.code}]" for one in error.faults)
        return _page(request, session, desk, compared, Unsettled(422, told, item, take, entered.reason))
    known, author = {one.id for one in desk.draft.decisions}, session.user.name
    made = [one for one in after.decisions if one.id not in known and one.author == author]
    note_decisions(site, session, desk, made)
    target = f"{quote(desk.address)}/agreement?{compared.query}&{urlencode({'done': item})}#{difference.id}"
    return RedirectResponse(target, 303)


@router.post(DRAFT + "/blind")
def blind_act(
    site: Shown, session: Acting, build_id: str, workflow_id: str, on: Annotated[bool, Form()] = False
) -> Response:  # fmt: skip
    """Hide what others decided from who asks for it, or show it again."""
    session.user.must("review blind", REVIEWER)
    build = site.builds.build(build_id)
    if build.read().draft(workflow_id) is None:
        raise UnknownPlace(f"the build {build.title} has no draft {workflow_id}; its page lists those that it has")
    with site.workspace.transaction() as connection:
        body: dict[str, JsonValue] = {"build": build.id, "workflow": workflow_id, "on": on}
        audit.append(connection, "review-blind", session.user.name, body)
    answer = RedirectResponse(f"/drafts/{quote(build.id, safe='')}/{quote(workflow_id, safe='')}", 303)
    if on:
        answer.set_cookie(
            BLIND, cookie_of(session), max_age=365 * 86_400, httponly=True, secure=site.secure, samesite="strict"
        )  # fmt: skip
    else:
        answer.delete_cookie(BLIND)
    return answer


def _settled(desk: Desk, difference: Difference, found: Agreement, entered: Unsettled, author: str) -> ReviewDraft:
    """The draft with a difference settled, or commented on."""
    if entered.take != "comment":
        taken = found.readers[0 if entered.take == "first" else 1]
        return settle(desk.draft, difference.found, taken, author, entered.reason)
    if difference.row is None:
        raise BadForm(f"{difference.key} is not in the draft as it is now; settle the difference")
    made = new_decision(desk.draft, difference.row.item, "comment", author=author, reason=entered.reason)
    return decide(desk.draft, made)


def _compared(
    request: Request, desk: Desk, session: Session, named: list[str], *, unfinished: bool
) -> Compared:  # fmt: skip
    """Two readers, as far as the session may see them.

    Raises:
        BadForm: it is not two that are named.
        UnknownPlace: one of them judged nothing.
        NotAllowed: figures are asked for before both are done, by somebody who may not.
    """
    if len(set(named)) != 2:
        raise BadForm("agreement is between two readers; choose two different ones")
    judged = dict(readers(desk.draft))
    for name in named:
        if name not in judged:
            raise UnknownPlace(f"{name} judged no step, edge or condition of this draft; its page lists who did")
    if unfinished:
        session.user.must("see differences before both readers are done", APPROVER)
    found = agreement((desk.draft,), named[0], named[1])
    counts = zip(named, (found.whole.first, found.whole.second), strict=True)
    hidden = blind_reader(request, session) is not None and session.user.name not in named
    shown = (found.done or unfinished) and not hidden
    return Compared(
        found=found,
        left=tuple((name, found.whole.elements - count) for name, count in counts),
        shown=shown,
        hidden=hidden,
        unfinished=unfinished and not found.done,
        differences=tuple(_difference(desk, one) for one in found.differences) if shown else (),
    )


def _difference(desk: Desk, found: Disagreement) -> Difference:
    kind, name = found.element.kind, found.element.id
    row = next((one for one in desk.rows if (one.item.subject, one.item.id) == (kind, name)), None)
    comments = (one for one in desk.draft.in_force.values() if one.kind == "comment")
    about = tuple(one for one in comments if (one.subject, one.element) == (kind, name))
    return Difference(found, row.item.key if row else f"{kind}:{name}", row, about)


def _may_settle(user: User, named: Sequence[str]) -> bool:
    """Approvers and owners may, and reviewers who are none of the two readers."""
    return user.may(APPROVER) or (user.may(REVIEWER) and user.name not in named)


def _check_settles(user: User, named: list[str]) -> None:
    user.must("settle differences", REVIEWER, APPROVER)
    if not _may_settle(user, named):
        raise NotAllowed(f"{user.name} is one of the two readers; another reviewer settles it, or an approver")


def wanted(decision: Decision) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """What a correction wants: the key of its name in the words, and its fields with their values; None of others."""
    operation = decision.value
    if operation is None or isinstance(operation, str):
        return None
    shown: list[tuple[str, str]] = []
    for field, form in type(operation).model_fields.items():
        value, name = getattr(operation, field), form.alias or field
        if name in _UNTOLD or (value is None and not form.is_required()):
            continue
        if not isinstance(value, Mark):
            told = value.to_json() if isinstance(value, Model) else value
            shown.append((name, told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)))
        elif (value.kind, value.id) != (decision.subject, decision.element):
            shown.append((name, value.name or value.id))
    parts = (operation.do, getattr(operation, "field", None))
    return "do." + ".".join(part for part in parts if part), tuple(shown)


def _page(
    request: Request,
    session: Session,
    desk: Desk,
    compared: Compared | None,
    unsettled: Unsettled | None = None,
    done: str = "",
) -> Response:
    settled = next((one for one in compared.differences if one.key == done), None) if compared else None
    return page(
        request, "agreement.html", session, unsettled.status if unsettled else 200, desk=desk, compared=compared,
        unsettled=unsettled, done=settled, judged=readers(desk.draft), fewest=FEWEST, wanted=wanted,
        may_look=session.user.may(APPROVER),
        may_settle=compared is not None and _may_settle(session.user, compared.found.readers),
    )  # fmt: skip
