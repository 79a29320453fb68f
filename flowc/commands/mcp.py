"""`flowc mcp`: published workflows as tools for an agent, by the Model Context Protocol over stdio."""

import signal
from contextlib import nullcontext
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import EmbedderName
from flowc.commands.runs.running import WorkspaceFolder, open_host, working
from flowc.commands.searching import Search
from flowc.extras import need_agents
from flowc.stopping import Stop


def mcp_command(
    user: Annotated[
        str | None, typer.Option("--as", metavar="AGENT", help="Who acts: a user with the role agent.")
    ] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Carry nothing out here; `flowc worker` does.")
    ] = False,
    embedder: EmbedderName = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Offer published workflows to an agent as tools (MCP, standard input and output), until the input ends."""
    if user is None:
        raise Stop("say which agent acts: flowc mcp --as AGENT", "bad-setting")
    need_agents()
    host = open_host(workspace)
    from agents.desk import Desk
    from agents.server import serve
    from ir.version import VERSION

    desk = Desk(host, user, Search(host, embedder))
    desk.agent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a signal ends it at once, as any worker may end; input is being read
    with nullcontext() if no_worker else working(host):
        terminal.print_notice(f"{user} is served on standard input and output")
        serve(desk, VERSION)
