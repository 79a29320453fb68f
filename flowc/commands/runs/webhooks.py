"""`flowc webhooks`: what other systems were told, and what did not reach them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_workspace, print_table
from flowc.stopping import Stop

if TYPE_CHECKING:
    from runtime.webhooks.deliveries import Delivery

webhooks_app = typer.Typer(
    name="webhooks", help="See webhooks, and have them tried again.", no_args_is_help=True, rich_markup_mode=None
)
STATES = ("waiting", "delivered", "given-up")


@webhooks_app.command("list")
def list_command(
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="waiting, delivered or given-up.")
    ] = None,
    endpoint: Annotated[str | None, typer.Option("--endpoint", metavar="NAME", help="As flowc.toml has it.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many are told.")] = 100,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """List webhooks with what their attempts came to, the last to be made first."""
    if state is not None and state not in STATES:
        raise Stop(f'"{state}" is no state; there is {", ".join(STATES)}', "bad-setting")
    found = open_workspace(workspace)
    from runtime.webhooks.deliveries import deliveries

    with found.database.transaction() as connection:
        known = deliveries(connection, state=state, endpoint=endpoint, most=most)
    _print(known, as_json)


@webhooks_app.command("retry")
def retry_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="ID", help="As `flowc webhooks list` tells it.")] = None,
    given_up: Annotated[bool, typer.Option("--given-up", help="All that were given up.")] = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
    as_json: AsJson = False,
) -> None:
    """Have webhooks tried again that were given up, or at once those that wait; a worker sends them."""
    if bool(names) == given_up:
        raise Stop("name webhooks, or say --given-up", "bad-setting")
    found = open_workspace(workspace)
    from runtime.webhooks.deliveries import retry, with_state

    by = found.user(user)
    if given_up:
        with found.database.transaction() as connection:
            names = with_state(connection, "given-up")
    _print(retry(found, by, names or []), as_json)


def _print(known: "list[Delivery]", as_json: bool) -> None:
    if as_json:
        terminal.print_json([_told(one) for one in known])
        return
    print_table(
        [(one.id, one.endpoint, one.event, one.execution, one.state, _last(one), one.made_at[:19]) for one in known]
    )


def _last(one: "Delivery") -> str:
    """What the last attempt came to."""
    return f"{len(one.attempts)}: {one.attempts[-1].code}" if one.attempts else "not tried yet"


def _told(one: "Delivery") -> dict[str, Any]:
    import json
    from dataclasses import asdict

    return {**asdict(one), "body": json.loads(one.body)}
