"""`flowc tokens`: what programs bring that come over HTTP: given out, listed, revoked."""

from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_workspace, print_table

if TYPE_CHECKING:
    from store.tokens import Token

tokens_app = typer.Typer(
    name="tokens", help="Give out tokens to programs that come over HTTP.", no_args_is_help=True, rich_markup_mode=None
)


@tokens_app.command("add")
def add_command(
    name: Annotated[str, typer.Argument(metavar="USER", help="For whom the program acts.")],
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="SCOPE", help="read, start (begin and steer runs), task (answer tasks)."),
    ] = None,
    workflow: Annotated[
        list[str] | None, typer.Option("--workflow", metavar="ID", help="Which it reaches; without, all that USER may.")
    ] = None,
    days: Annotated[int, typer.Option("--days", help="That it is good for, at most 366.")] = 30,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Give out a token for a user; its text is told this once and kept nowhere.

    It lets a program do what its scopes say of what the user may; nothing that takes the roles owner, author, approver
    or reviewer. Whoever owns the workspace may for anybody, people for themselves.
    """
    found = open_workspace(workspace)
    from store.errors import NotAllowed
    from store.tokens import make_token, may_give
    from store.users import ANY

    by = found.user(user)
    if not may_give(by, name):
        raise NotAllowed(f"{by.name} may give out no token for {name}; who owns the workspace may")
    with found.transaction() as connection:
        text, made = make_token(connection, name, scope or (), workflow or (ANY,), days, by.name)
    if as_json:
        terminal.print_json({**_told(made), "text": text})
        return
    terminal.print_line(text)
    terminal.print_notice(f"{made.id} for {name} until {made.expires_at[:10]}; this is the only time that it is shown")


@tokens_app.command("list")
def list_command(workspace: WorkspaceFolder = None, as_json: AsJson = False) -> None:
    """List the tokens that were given out, the newest first; their texts are kept nowhere."""
    found = open_workspace(workspace)
    from store.tokens import tokens

    with found.database.transaction() as connection:
        known = tokens(connection)
    if as_json:
        terminal.print_json([_told(one) for one in known])
        return
    print_table(
        [
            (one.id, one.user, one.state, ", ".join(sorted(one.grant.scopes)), ", ".join(sorted(one.grant.workflows)),
             f"until {one.expires_at[:10]}", f"used {one.used_at[:16]}" if one.used_at else "not used")
            for one in known
        ]
    )  # fmt: skip


@tokens_app.command("revoke")
def revoke_command(
    token: Annotated[str, typer.Argument(metavar="ID", help="As `flowc tokens list` tells it.")],
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Make a token worthless from now on."""
    found = open_workspace(workspace)
    from store.errors import NotAllowed
    from store.tokens import may_give, revoke_token, token_of

    by = found.user(user)
    with found.transaction() as connection:
        of = token_of(connection, token).user
        if not may_give(by, of):
            raise NotAllowed(f"{by.name} may revoke no token of {of}; who owns the workspace may")
        made = revoke_token(connection, token, by.name)
    terminal.print_line(f"{made.id} of {made.user}: revoked")


def _told(token: "Token") -> dict[str, object]:
    return {
        "token": token.id,
        "user": token.user,
        "state": token.state,
        "scopes": sorted(token.grant.scopes),
        "workflows": sorted(token.grant.workflows),
        "made_by": token.made_by,
        "made_at": token.made_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "used_at": token.used_at,
    }
