"""Programs that come over HTTP: who they are by the token that they bring, never by a cookie."""

from typing import Annotated

from fastapi import Depends, Request

from server.access import site_of
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
    if not given.lower().startswith(SCHEME):
        raise BadToken("this takes a token: send the header `Authorization: Bearer TOKEN` (`flowc tokens add USER`)")
    user = user_of_token(site.workspace, given[len(SCHEME) :].strip())
    site.rates.take(user.name)
    return user


Calling = Annotated[User, Depends(caller)]
