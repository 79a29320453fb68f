"""Who may do what: users with roles. The first one made owns the workspace."""

import json
import shlex
from dataclasses import dataclass

import sqlalchemy as sa

from store import audit
from store.clock import now
from store.errors import NotAllowed, OutOfScope, UnknownUser, UserExists
from store.tables import SESSIONS, USERS

OWNER, AUTHOR, APPROVER, OPERATOR = "owner", "author", "approver", "operator"
"""May do all; submit drafts; publish; start and steer runs. Any other role is a workflow's own: `safety director`."""
READER, REVIEWER, AGENT = "reader", "reviewer", "agent"
"""Looks at builds and versions; decides what drafts leave open as well; a program that starts what `[agents]` allows,
and steers that alone."""

READ, START, TASK = "read", "start", "task"
"""Scopes of tokens: look at workflows and runs; begin runs and steer them; claim and answer tasks."""
SCOPES = (READ, START, TASK)
ANY = "*"


@dataclass(frozen=True)
class Grant:
    """What a token lets its user do, of what the user may.

    Args:
        token: its id.
        workflows: ids of those that it reaches; `*` for all.
    """

    token: str
    scopes: frozenset[str]
    workflows: frozenset[str]

    def reaches(self, workflow_id: str) -> bool:
        """Whether it is good for a workflow."""
        return not self.workflows.isdisjoint((workflow_id, ANY))


@dataclass(frozen=True)
class User:
    """Somebody who acts.

    Args:
        roles: of the workspace, and those of workflows for whose tasks the user may answer.
        grant: of the token that the user came with; None for who came without one, and may all that the roles say.
    """

    name: str
    roles: frozenset[str]
    grant: Grant | None = None

    def may(self, *roles: str) -> bool:
        """Whether the user has one of the roles, or owns the workspace."""
        return OWNER in self.roles or not self.roles.isdisjoint(roles)

    def must(self, doing: str, *roles: str) -> None:
        """Stop where the user may not.

        Raises:
            NotAllowed: the user has none of the roles.
        """
        if not self.may(*roles):
            raise NotAllowed(
                f"{self.name} may not {doing}; it takes the role {' or '.join(roles)} "
                f"(`flowc users role {shlex.quote(self.name)} --add {shlex.quote(roles[0])}`)"
            )

    def must_hold(self, scope: str, workflow_id: str | None = None) -> None:
        """Stop where the user came with a token that is not good for something.

        Args:
            workflow_id: what it is about; None for no one workflow.

        Raises:
            OutOfScope: so it is.
        """
        if self.grant is None:
            return
        if scope not in self.grant.scopes:
            has = ", ".join(sorted(self.grant.scopes))
            raise OutOfScope(f"the token {self.grant.token} has the scope {has}, and this takes {scope}; make another")
        if workflow_id is not None and not self.grant.reaches(workflow_id):
            raise OutOfScope(f"the token {self.grant.token} does not reach {workflow_id}; make one that does")


def add_user(connection: sa.Connection, name: str, roles: frozenset[str], by: str) -> User:
    """Make a user; the first of all owns the workspace.

    Raises:
        UserExists: there is one of that name; `set_roles` gives other roles.
    """
    if connection.execute(sa.select(USERS.c.name).where(USERS.c.name == name)).first() is not None:
        raise UserExists(f"{name} is there already; `flowc users role {name} --add ROLE` gives more roles")
    first = connection.execute(sa.select(sa.func.count()).select_from(USERS)).scalar_one() == 0
    roles = roles | {OWNER} if first else roles
    connection.execute(
        USERS.insert().values(
            name=name, roles=json.dumps(sorted(roles), ensure_ascii=False), added_at=now(), active=True
        )
    )
    audit.append(connection, "user-added", by or name, {"user": name, "roles": [*sorted(roles)]})
    return User(name, roles)


def set_roles(connection: sa.Connection, name: str, roles: frozenset[str], by: str) -> User:
    """Give a user other roles.

    Raises:
        UnknownUser: nobody of that name.
        NotAllowed: nobody would own the workspace any more.
    """
    user_named(connection, name)
    owners = [one.name for one in users(connection) if OWNER in one.roles]
    if owners == [name] and OWNER not in roles:
        raise NotAllowed(f"{name} is the only owner; make another user an owner first")
    connection.execute(
        USERS.update().where(USERS.c.name == name).values(roles=json.dumps(sorted(roles), ensure_ascii=False))
    )
    audit.append(connection, "user-roles", by, {"user": name, "roles": [*sorted(roles)]})
    return User(name, roles)


def set_password(connection: sa.Connection, name: str, hashed: str, by: str) -> None:
    """Let a user sign in with a password, and with no earlier one: all sessions of theirs end.

    Args:
        hashed: by `store.passwords`.

    Raises:
        UnknownUser: nobody of that name.
    """
    user_named(connection, name)
    connection.execute(USERS.update().where(USERS.c.name == name).values(password=hashed))
    connection.execute(SESSIONS.delete().where(SESSIONS.c.user == name))
    audit.append(connection, "user-password", by, {"user": name})


def password_of(connection: sa.Connection, name: str) -> str | None:
    """The hash of a user's password; None where there is no such user, or one without a password."""
    chosen = sa.select(USERS.c.password).where(USERS.c.name == name, USERS.c.active)
    return connection.execute(chosen).scalar_one_or_none()


def anybody_signs_in(connection: sa.Connection) -> bool:
    """Whether some user has a password."""
    chosen = sa.select(USERS.c.name).where(USERS.c.password.is_not(None), USERS.c.active)
    return connection.execute(chosen.limit(1)).first() is not None


def users(connection: sa.Connection) -> list[User]:
    """All who may act, by name."""
    rows = connection.execute(sa.select(USERS).where(USERS.c.active).order_by(USERS.c.name))
    return [User(row.name, frozenset(json.loads(row.roles))) for row in rows]


def user_named(connection: sa.Connection, name: str | None) -> User:
    """The user of a name; without a name the one user that there is.

    Raises:
        UnknownUser: nobody of that name; or none was named and there are several.
    """
    known = users(connection)
    if name is None and len(known) == 1:
        return known[0]
    found = next((one for one in known if one.name == name), None)
    if found is None:
        told = ", ".join(one.name for one in known) or "nobody yet (`flowc users add NAME`)"
        asked = f"there is no user {name}" if name is not None else "say who acts with --as USER"
        raise UnknownUser(f"{asked}; there is {told}")
    return found
