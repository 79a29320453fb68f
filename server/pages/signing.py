"""Signing in and out, the first password, and the language of the pages."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from server.access import Acting, Person, Shown, may_read, sent_from_here
from server.errors import ForeignForm, SignInRefused
from server.rendering import LANGUAGE, page
from server.security import within
from server.sessions import LONGEST, begin, end, session_of
from server.site import Site
from store import audit
from store.errors import BadPassword, NotAllowed
from store.passwords import hashed, matches
from store.users import OWNER, add_user, anybody_signs_in, password_of, set_password, users

router = APIRouter()
FromHere = Annotated[None, Depends(sent_from_here)]
Text = Annotated[str, Form(max_length=200)]


@router.get("/")
def home(site: Shown, session: Person) -> Response:
    """Where a browser goes that asks for nothing particular: to tasks, where somebody may see nothing else."""
    return RedirectResponse(site.first if may_read(session.user) else "/tasks", 303)


@router.get("/sign-in")
def sign_in_page(request: Request, site: Shown, next: str = "/") -> Response:  # noqa: A002 - as the address has it
    """The form; whoever is signed in goes on."""
    if session_of(site.workspace, request.cookies.get(site.cookie)) is not None:
        return RedirectResponse(within(next), 303)
    return page(request, "sign-in.html", next=within(next), failed=None)


@router.post("/sign-in")
def sign_in(request: Request, site: Shown, _: FromHere, name: Text, password: Text, next: Text = "/") -> Response:  # noqa: A002
    """Begin a session under a new id, where name and password go together."""
    site.attempts.check(name)
    with site.workspace.database.transaction() as connection:
        kept = password_of(connection, name)
    with site.attempts.checking:
        right = matches(password, kept)
    if not right:
        site.attempts.failed(name)
        if kept is not None:
            with site.workspace.transaction() as connection:
                audit.append(connection, "sign-in-refused", name, {})
        failed = SignInRefused("name and password do not go together")
        return page(request, "sign-in.html", status=401, next=within(next), failed=failed.code)
    return _welcome(request, site, name, within(next))


@router.post("/sign-out")
def sign_out(request: Request, site: Shown, session: Acting) -> Response:
    """End the session."""
    with site.workspace.transaction() as connection:
        end(connection, session.user.name, request.cookies.get(site.cookie))
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(site.cookie)
    return answer


@router.get("/setup")
def setup_page(request: Request, site: Shown, token: str = "") -> Response:
    """The form for the first password, for whoever has the address that the terminal printed."""
    _check_setup(site, token)
    return page(request, "setup.html", token=token, name=_owner(site))


@router.post("/setup")
def setup(
    request: Request, site: Shown, _: FromHere, token: Text, name: Text, password: Text, again: Text
) -> Response:  # fmt: skip
    """Give the owner of the workspace a password, once; where there is no user yet, this is the one."""
    _check_setup(site, token)
    if password != again:
        raise BadPassword("the two passwords differ; type the same one twice")
    kept = hashed(password)
    with site.workspace.transaction() as connection:
        known = users(connection)
        if anybody_signs_in(connection):
            raise NotAllowed("somebody has a password already; sign in, or use `flowc users password`")
        if not known:
            add_user(connection, name.strip() or OWNER, frozenset(), "setup")
        elif name not in [one.name for one in known if OWNER in one.roles]:
            raise NotAllowed(f"{name} does not own this workspace; name an owner (`flowc users list` shows who does)")
        set_password(connection, name.strip() or OWNER, kept, "setup")
    return _welcome(request, site, name.strip() or OWNER, "/")


@router.get("/language/{code}")
def language(site: Shown, code: str, next: str = "/") -> Response:  # noqa: A002
    """Show the pages in another language from now on."""
    answer = RedirectResponse(within(next), 303)
    if code in ("zh", "en"):
        answer.set_cookie(
            LANGUAGE, code, max_age=365 * 86_400, httponly=True, secure=site.secure, samesite="strict"
        )  # fmt: skip
    return answer


def _welcome(request: Request, site: Site, name: str, target: str) -> Response:
    with site.workspace.transaction() as connection:
        made = begin(connection, name, request.cookies.get(site.cookie))
    answer = RedirectResponse(target, 303)
    answer.set_cookie(
        site.cookie, made, max_age=int(LONGEST.total_seconds()), httponly=True, secure=site.secure, samesite="strict"
    )  # fmt: skip
    return answer


def _check_setup(site: Site, token: str) -> None:
    """Let in whoever has the address, while nobody can sign in.

    Raises:
        ForeignForm: the token is another.
        NotAllowed: somebody can.
    """
    if site.setup is None or not hmac.compare_digest(token.encode(), site.setup.encode()):
        raise ForeignForm("this address is not the one that the server printed when it started; copy it from there")
    with site.workspace.database.transaction() as connection:
        if anybody_signs_in(connection):
            raise NotAllowed("somebody has a password already; sign in, or use `flowc users password`")


def _owner(site: Site) -> str:
    with site.workspace.database.transaction() as connection:
        return next((one.name for one in users(connection) if OWNER in one.roles), OWNER)
