"""Who may ask for a page, and who may act on it."""

from typing import Annotated

from fastapi import Depends, Form, Request

from server.errors import SignInNeeded
from server.security import check_origin, check_token
from server.sessions import Session, session_of
from server.site import Site
from store.errors import NotAllowed
from store.users import AGENT, APPROVER, AUTHOR, OPERATOR, READER, REVIEWER, User


def site_of(request: Request) -> Site:
    """What the server shows."""
    site: Site = request.app.state.site
    return site


def signed_in(request: Request) -> Session:
    """The session of a request.

    Raises:
        SignInNeeded: there is none.
    """
    site = site_of(request)
    found = session_of(site.workspace, request.cookies.get(site.cookie))
    if found is None:
        raise SignInNeeded("nobody is signed in here, or it was too long ago; sign in")
    request.state.principal = found.user.name
    return found


def may_read(user: User) -> bool:
    """Whether a user may look at builds, versions and runs."""
    return user.may(READER, AUTHOR, REVIEWER, APPROVER, OPERATOR)


def reading(session: Annotated[Session, Depends(signed_in)]) -> Session:
    """The session of somebody who may look at builds, versions and runs: any role of the workspace but `agent`.

    Raises:
        NotAllowed: the user may not.
    """
    session.user.must("look at this", READER, AUTHOR, REVIEWER, APPROVER, OPERATOR)
    return session


def person(session: Annotated[Session, Depends(signed_in)]) -> Session:
    """The session of somebody who may have tasks: anybody but a program.

    Raises:
        NotAllowed: it is one.
    """
    if AGENT in session.user.roles:
        raise NotAllowed(f"{session.user.name} is an agent; tasks are for people")
    return session


def sent_from_here(request: Request) -> None:
    """Let a form in that a page of this server sent.

    Raises:
        ForeignForm: another did.
    """
    check_origin(request.headers, request.headers.get("host", ""))


def acting(
    request: Request,
    session: Annotated[Session, Depends(signed_in)],
    _: Annotated[None, Depends(sent_from_here)],
    csrf: Annotated[str, Form()] = "",
) -> Session:
    """The session of somebody who acts: the form is of this server and of this session.

    What the user may do, the function asks that does it.

    Raises:
        ForeignForm: it is not.
    """
    check_token(request.headers.get("x-csrf-token") or csrf, session.csrf)
    return session


Shown = Annotated[Site, Depends(site_of)]
Reading = Annotated[Session, Depends(reading)]
Person = Annotated[Session, Depends(person)]
Acting = Annotated[Session, Depends(acting)]
