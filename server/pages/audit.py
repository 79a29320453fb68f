"""The audit: what was done, the newest first; whether its chain is whole; its heads, to be kept elsewhere."""

from dataclasses import dataclass
from datetime import date
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from runtime.exporting import latest
from server.access import Acting, Shown, signed_in
from server.errors import BadForm, Busy
from server.rendering import page
from server.sessions import Session
from server.site import Site
from store import audit
from store.audit import Chosen, Fault
from store.users import APPROVER, OPERATOR

router = APIRouter()
MOST_ROWS = 100
"""Events on a page."""
Text = Annotated[str, Query(max_length=200)]
FILTERS = ("kind", "run", "principal", "since", "until")
_VERIFYING = Lock()


@dataclass(frozen=True)
class Verified:
    """What a verification came to.

    Args:
        events, heads: how many were looked at.
        unchained: events that are not in the chain yet, and so are not covered.
    """

    events: int
    heads: int
    unchained: int
    faults: tuple[Fault, ...]


def overseeing(session: Annotated[Session, Depends(signed_in)]) -> Session:
    """The session of somebody who may look at what others did.

    Raises:
        NotAllowed: the user may not.
    """
    session.user.must("look at the audit", APPROVER, OPERATOR)
    return session


Overseeing = Annotated[Session, Depends(overseeing)]


@router.get("/audit")
def trail(
    request: Request,
    site: Shown,
    session: Overseeing,
    kind: Text = "",
    run: Text = "",
    principal: Text = "",
    since: Text = "",
    until: Text = "",
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    """Events, the newest first, a page at a time: of a kind, a run, somebody, some days. What is hidden is masked."""
    given = {"kind": kind, "run": run.strip(), "principal": principal.strip(), "since": since, "until": until}
    return _shown(request, site, session, given, before)


@router.post("/audit/verify")
def verify(request: Request, site: Shown, session: Acting) -> Response:
    """Hold the chain against itself and against the heads of this workspace."""
    session.user.must("verify the audit", APPROVER, OPERATOR)
    if not _VERIFYING.acquire(blocking=False):
        raise Busy("the audit is being verified already; look again in a minute")
    try:
        heads = _heads(site)
        with site.workspace.database.transaction() as connection:
            faults = audit.verify(connection, heads, site.workspace.key.public)
            beside = audit.unchained(connection)
            newest = audit.latest(connection, Chosen(), most=1)
    finally:
        _VERIFYING.release()
    count = newest[0].sequence if newest else 0
    found = Verified(count - beside, len(heads.splitlines()), beside, tuple(faults))
    return _shown(request, site, session, dict.fromkeys(FILTERS, ""), None, found)


@router.get("/audit/heads")
def heads_file(site: Shown, session: Overseeing) -> Response:
    """The signed heads, as `flowc audit verify --heads` takes a copy of them."""
    named = {"Content-Disposition": 'attachment; filename="audit-heads.jsonl"'}
    return Response(_heads(site), media_type="application/jsonl; charset=utf-8", headers=named)


@router.post("/audit/head")
def sign(site: Shown, session: Acting) -> Response:
    """Sign where the audit stands now."""
    session.user.must("sign a head of the audit", APPROVER, OPERATOR)
    site.workspace.seal()
    with site.workspace.database.transaction() as connection:
        audit.write_head(connection, site.workspace.key, site.workspace.heads, least=1)
    return RedirectResponse("/audit", 303)


def _shown(
    request: Request,
    site: Site,
    session: Session,
    given: dict[str, str],
    before: int | None,
    verified: Verified | None = None,
) -> Response:
    calendar = site.host.calendar
    chosen = Chosen(
        kind=given["kind"] or None,
        execution=given["run"] or None,
        principal=given["principal"] or None,
        since=calendar.midnight(_day(given["since"])),
        until=calendar.midnight(_day(given["until"]), after=1),
    )
    rows = latest(site.host, chosen, before=before, most=MOST_ROWS + 1)
    with site.workspace.database.transaction() as connection:
        kinds = audit.kinds(connection)
    return page(
        request, "audit.html", session, rows=rows[:MOST_ROWS], kinds=kinds, chosen=given, before=before,
        older=rows[MOST_ROWS - 1].sequence if len(rows) > MOST_ROWS else None, verified=verified,
        heads=_heads(site).count("\n"),
    )  # fmt: skip


def _heads(site: Site) -> str:
    file = site.workspace.heads
    return file.read_text("utf-8") if file.is_file() else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadForm(f"{text[:40]}: expected a day as 2026-05-04") from None
