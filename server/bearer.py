"""Programs that come over HTTP: who they are by the token that they bring, never by a cookie.

The audit tells of tokens that are not good, and of who calls too often: once a minute each, since that costs a program
nothing. Those that were never given out are told as one.
"""

from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Request

from runtime.errors import TooManyCalls
from server.access import site_of
from server.errors import SignInNeeded
from server.site import Site
from store import audit
from store.errors import BadToken
from store.tokens import user_of_token
from store.users import User

SCHEME = "bearer "


def caller(request: Request) -> User:
    """Who calls.

    Raises:
        BadToken: there is no token, or none that is good.
        TooManyCalls: there were as many calls within the last minute as there may be.
    """
    site = site_of(request)
    given = request.headers.get("authorization", "")
    try:
        if not given.lower().startswith(SCHEME):
            told = "this takes a token: send the header `Authorization: Bearer TOKEN` (`flowc tokens add USER`)"
            raise BadToken(told, why="none")
        user = user_of_token(site.workspace, given[len(SCHEME) :].strip())
    except BadToken as error:
        if site.told.due(f"token-refused {error.token or error.why}"):
            with site.workspace.transaction() as connection:
                audit.append(connection, "token-refused", error.user, {"token": error.token, "why": error.why})
        raise
    request.state.principal = user.name
    try:
        site.rates.take(user.name)
    except TooManyCalls as error:
        if site.told.due(f"{error.code} {user.name}"):
            tell_refused(site, user, error.code)
        raise
    return user


def tell_astray(request: Request) -> None:
    """Have the audit tell of a program that asks for a page, where its token gets it nothing."""
    if not request.headers.get("authorization", "").lower().startswith(SCHEME):
        return
    with suppress(BadToken, TooManyCalls):
        tell_refused(site_of(request), caller(request), SignInNeeded.code)


def tell_refused(site: Site, user: User, code: str) -> None:
    """Have the audit tell of a call that was refused before it was known what it is."""
    with site.workspace.transaction() as connection:
        token = user.grant.token if user.grant is not None else None
        audit.append(connection, "call-refused", user.name, {"token": token, "code": code})


Calling = Annotated[User, Depends(caller)]
