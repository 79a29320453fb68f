"""`flowc users`: who may do what in a workspace, and with which password they sign in."""

import sys
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_workspace, print_table
from flowc.extras import need_serving

users_app = typer.Typer(
    name="users", help="Say who may do what in a workspace.", no_args_is_help=True, rich_markup_mode=None
)
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="reader, author, reviewer, approver, operator, agent, or a workflow's own.",
    ),
]


@users_app.command("add")
def add_command(
    name: Annotated[str, typer.Argument(metavar="NAME")], role: Roles = None, workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:  # fmt: skip
    """Add a user with roles."""
    found = open_workspace(workspace)
    from store.users import OWNER, add_user

    by = found.user(user)
    by.must("add users", OWNER)
    with found.transaction() as connection:
        made = add_user(connection, name, frozenset(role or ()), by.name)
    terminal.print_line(f"{made.name}: {', '.join(sorted(made.roles)) or 'no roles'}")


@users_app.command("role")
def role_command(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    add: Annotated[list[str] | None, typer.Option("--add", metavar="ROLE")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", metavar="ROLE")] = None,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Give roles to a user, or take them."""
    found = open_workspace(workspace)
    from store.users import OWNER, set_roles, user_named

    by = found.user(user)
    by.must("change roles", OWNER)
    with found.transaction() as connection:
        roles = (user_named(connection, name).roles | set(add or ())) - set(remove or ())
        made = set_roles(connection, name, frozenset(roles), by.name)
    terminal.print_line(f"{made.name}: {', '.join(sorted(made.roles)) or 'no roles'}")


@users_app.command("list")
def list_command(workspace: WorkspaceFolder = None, as_json: AsJson = False) -> None:
    """List users and their roles."""
    found = open_workspace(workspace)
    from store.users import users

    with found.transaction() as connection:
        known = users(connection)
    if as_json:
        terminal.print_json([{"user": one.name, "roles": sorted(one.roles)} for one in known])
        return
    print_table([(one.name, ", ".join(sorted(one.roles))) for one in known])


@users_app.command("password")
def password_command(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    stdin: Annotated[bool, typer.Option("--stdin", help="Read it from standard input, one line.")] = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Give a user a password to sign in with (`flowc serve`); it is asked for, and not shown.

    Whoever owns the workspace may for anybody, others for themselves. Sessions that the user has end.
    """
    need_serving()
    found = open_workspace(workspace)
    from store.passwords import hashed
    from store.users import OWNER, set_password

    by = found.user(user)
    if by.name != name:
        by.must("set another user's password", OWNER)
    typed = sys.stdin.readline().rstrip("\r\n") if stdin else _asked(name)
    kept = hashed(typed)
    with found.transaction() as connection:
        set_password(connection, name, kept, by.name)
    terminal.print_line(f"{name}: signs in with the new password; sessions of before have ended")


def _asked(name: str) -> str:
    """The password as it is typed, twice."""
    return str(typer.prompt(f"Password of {name}", hide_input=True, confirmation_prompt=True, err=True))
