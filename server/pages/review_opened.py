"""A draft opened for a page of its review, and what the audit is told of decisions about it."""

from collections.abc import Sequence
from urllib.parse import quote

from fastapi import Request
from pydantic import JsonValue

from ir.decisions.decision import Decision
from review.draft import open_draft
from server.builds.folders import BuildFolder
from server.errors import UnknownPlace
from server.pages.review_desk import Desk
from server.proving import proving
from server.rendering import language_of
from server.sessions import Session
from server.site import Site
from server.words import Words
from store import audit

BLIND = "flowc_blind"
"""The cookie of somebody who reviews blind: it names them, so that it is nobody else's who signs in here."""


def cookie_of(session: Session) -> str:
    """The value of the cookie for the user of a session."""
    return quote(session.user.name, safe="")


def blind_reader(request: Request, session: Session) -> str | None:
    """Who is signed in, where they do not want to see what others decided; else None."""
    return session.user.name if request.cookies.get(BLIND) == cookie_of(session) else None


def opened_desk(request: Request, site: Site, build_id: str, workflow_id: str, reader: str | None = None) -> Desk:
    """The draft with all that was decided until now.

    Args:
        reader: who is not to see what others decided; None for all of it.

    Raises:
        UnknownPlace, BadInputFile: there is no such draft, or it cannot be opened.
    """
    build: BuildFolder = site.builds.build(build_id)
    if not build.is_made:
        raise UnknownPlace(f"the build {build.title} has nothing to show yet; its page says how far it is")
    with proving():
        return Desk(build, open_draft(build.out, workflow_id, reader=reader), Words(language_of(request)))


def note_decisions(site: Site, session: Session, desk: Desk, made: Sequence[Decision]) -> None:
    """Have the audit say who decided, and which lines of the file of decisions say what."""
    body: dict[str, JsonValue] = {
        "build": desk.build.id, "workflow": desk.draft.workflow.workflow_id,
        "decisions": [f"{one.kind} {one.subject} {one.id}" for one in made],
    }  # fmt: skip
    with site.workspace.transaction() as connection:
        audit.append(connection, "draft-decided", session.user.name, body)
