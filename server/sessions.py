"""Who is signed in: sessions in the workspace's database, of which the browser holds a random id and nothing else."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from store import audit
from store.clock import moment, now
from store.errors import UnknownUser
from store.tables import SESSIONS
from store.users import User, user_named
from store.workspace import Workspace

IDLE, LONGEST = timedelta(hours=1), timedelta(hours=12)
"""How long a session lasts that is not used, and any session."""
NOTED = timedelta(minutes=1)
"""Use within this is not written down again."""


@dataclass(frozen=True)
class Session:
    """Somebody who is signed in.

    Args:
        csrf: what every form of theirs has to bring along.
    """

    user: User
    csrf: str


def begin(connection: sa.Connection, user: str, earlier: str | None = None) -> str:
    """Sign a user in; gives the id for the cookie, which is new whatever the browser had.

    Args:
        earlier: the id that the browser had; it is worth nothing any more.
    """
    old = moment(datetime.now(UTC) - LONGEST)
    connection.execute(SESSIONS.delete().where(sa.or_(SESSIONS.c.began_at < old, SESSIONS.c.key == _key(earlier))))
    made, at = secrets.token_urlsafe(32), now()
    connection.execute(
        SESSIONS.insert().values(
            key=_key(made), user=user, csrf=secrets.token_urlsafe(32), began_at=at, used_at=at
        )
    )  # fmt: skip
    audit.append(connection, "signed-in", user, {})
    return made


def session_of(workspace: Workspace, cookie: str | None) -> Session | None:
    """The session of a cookie with the roles that its user has now; None where there is none, or it has ended."""
    if not cookie:
        return None
    with workspace.database.transaction() as connection:
        row = connection.execute(sa.select(SESSIONS).where(SESSIONS.c.key == _key(cookie))).first()
        if row is None:
            return None
        time = datetime.now(UTC)
        if row.used_at < moment(time - IDLE) or row.began_at < moment(time - LONGEST):
            connection.execute(SESSIONS.delete().where(SESSIONS.c.key == row.key))
            return None
        if row.used_at < moment(time - NOTED):
            connection.execute(SESSIONS.update().where(SESSIONS.c.key == row.key).values(used_at=now()))
        try:
            return Session(user_named(connection, row.user), row.csrf)
        except UnknownUser:  # taken away meanwhile
            return None


def end(connection: sa.Connection, user: str, cookie: str | None) -> None:
    """Sign a user out."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.key == _key(cookie)))
    audit.append(connection, "signed-out", user, {})


def _key(cookie: str | None) -> str:
    """The id as it is kept: who reads the database cannot sign in with it."""
    return "sha256:" + hashlib.sha256((cookie or "").encode()).hexdigest()
