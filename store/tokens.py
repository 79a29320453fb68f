"""Tokens: what programs bring that come over HTTP. Of each the database has a digest, and nobody can read it again."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from pydantic import JsonValue

from ir.errors import BadSetting
from store import audit
from store.clock import moment, now
from store.errors import BadToken, UnknownUser
from store.tables import TOKENS
from store.users import AGENT, APPROVER, AUTHOR, OWNER, REVIEWER, SCOPES, Grant, User, user_named
from store.workspace import Workspace

MOST_DAYS = 366
NOTED = timedelta(minutes=1)
"""Use within this is not written down again."""
NEVER = frozenset({OWNER, AUTHOR, APPROVER, REVIEWER})
"""Roles that no token carries: who brings one publishes nothing, decides no draft and owns no workspace."""
_FORM = re.compile(r"flowc_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class Token:
    """A token that was given out.

    Args:
        revoked_at: None while it is good.
        used_at: about when it was last brought; None for never.
    """

    user: str
    grant: Grant
    made_by: str
    made_at: str
    expires_at: str
    revoked_at: str | None
    used_at: str | None

    @property
    def id(self) -> str:
        """By which it is listed and revoked."""
        return self.grant.token

    @property
    def state(self) -> str:
        """`good`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= now() else "good"


def make_token(
    connection: sa.Connection, user: str, scopes: Collection[str], workflows: Collection[str], days: int, by: str
) -> tuple[str, Token]:
    """Give a token out; its text is told this once.

    Args:
        workflows: ids of those that it reaches; `*` for all.
        days: that it is good for.

    Raises:
        UnknownUser: nobody of that name.
        BadSetting: no such scope, none at all, no workflow, or too many days.
    """
    user_named(connection, user)
    wrong = [f'"{one}" is no scope; there is {", ".join(SCOPES)}' for one in scopes if one not in SCOPES]
    if not scopes:
        wrong.append(f"name a scope; there is {', '.join(SCOPES)}")
    if not workflows:
        wrong.append("name a workflow, or * for all")
    if not 1 <= days <= MOST_DAYS:
        wrong.append(f"{days} days; a token is good for 1 to {MOST_DAYS}")
    if wrong:
        raise BadSetting("; ".join(wrong))
    name, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    expires = moment(datetime.now(UTC) + timedelta(days=days))
    connection.execute(
        TOKENS.insert().values(
            id=name, user=user, key=_key(secret), scopes=json.dumps(sorted(set(scopes))),
            workflows=json.dumps(sorted(set(workflows)), ensure_ascii=False), made_by=by, made_at=now(),
            expires_at=expires,
        )
    )  # fmt: skip
    body: dict[str, JsonValue] = {
        "token": name,
        "user": user,
        "scopes": [*sorted(set(scopes))],
        "workflows": [*sorted(set(workflows))],
    }
    audit.append(connection, "token-made", by, {**body, "expires_at": expires})
    return f"flowc_{name}_{secret}", token_of(connection, name)


def revoke_token(connection: sa.Connection, name: str, by: str) -> Token:
    """Make a token worthless from now on; once is enough.

    Raises:
        BadToken: there is none of that id.
    """
    found = token_of(connection, name)
    if found.revoked_at is None:
        connection.execute(TOKENS.update().where(TOKENS.c.id == name).values(revoked_at=now()))
        audit.append(connection, "token-revoked", by, {"token": name, "user": found.user})
    return token_of(connection, name)


def tokens(connection: sa.Connection) -> list[Token]:
    """All that were given out, the newest first."""
    return [_read(row) for row in connection.execute(sa.select(TOKENS).order_by(TOKENS.c.made_at.desc()))]


def token_of(connection: sa.Connection, name: str) -> Token:
    """The token of an id.

    Raises:
        BadToken: there is none.
    """
    row = connection.execute(sa.select(TOKENS).where(TOKENS.c.id == name)).first()
    if row is None:
        raise BadToken(f"there is no token {name}; `flowc tokens list` has those that were given out")
    return _read(row)


def user_of_token(workspace: Workspace, text: str) -> User:
    """Who comes with a token, with the roles of this moment but those that no token carries.

    Raises:
        BadToken: it is none that was given out, or it expired, was revoked, or its user is no more.
    """
    named = _FORM.fullmatch(text)
    with workspace.database.transaction() as connection:
        chosen = sa.select(TOKENS).where(TOKENS.c.id == (named[1] if named else ""))
        row = connection.execute(chosen).first()
        known = hmac.compare_digest(_key(named[2] if named else ""), row.key if row is not None else _key("nothing"))
        if row is None or not known:
            about = {"token": row.id, "user": row.user, "why": "wrong-secret"} if row is not None else {}
            raise BadToken("the token is none that was given out here; `flowc tokens add USER` makes one", **about)
        found = _read(row)
        if found.state != "good":
            at = found.revoked_at or found.expires_at
            told = f"the token {found.id} is {found.state} since {at}; `flowc tokens add USER` makes another"
            raise BadToken(told, found.id, found.user, found.state)
        try:
            user = user_named(connection, found.user)
        except UnknownUser:
            raise BadToken(f"the user of the token {found.id} is no more", found.id, found.user, "no-user") from None
        if found.used_at is None or found.used_at < moment(datetime.now(UTC) - NOTED):
            connection.execute(TOKENS.update().where(TOKENS.c.id == found.id).values(used_at=now()))
    return User(user.name, user.roles - NEVER, found.grant)


def may_give(by: User, to: str) -> bool:
    """Whether a user may give out and revoke tokens of another: the owner for anybody, people for themselves."""
    return by.grant is None and (OWNER in by.roles or (by.name == to and AGENT not in by.roles))


def _read(row: sa.Row[tuple[object, ...]]) -> Token:
    grant = Grant(row.id, frozenset(json.loads(row.scopes)), frozenset(json.loads(row.workflows)))
    return Token(row.user, grant, row.made_by, row.made_at, row.expires_at, row.revoked_at, row.used_at)


def _key(secret: str) -> str:
    """As it is kept; what is random and long needs no slow hash."""
    return "sha256:" + hashlib.sha256(secret.encode()).hexdigest()
