"""`flowc mcp`: published workflows as tools for an agent, by the Model Context Protocol over stdio."""

import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import EmbedderName, loaded_embedder, settings
from flowc.commands.runs.running import WorkspaceFolder, open_host, working
from flowc.extras import need_agents
from flowc.stopping import Stop, setup_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.forms import Version
    from registry.search import FoundWorkflow
    from runtime.host import Host


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

    desk = Desk(host, user, _Search(host, embedder))
    desk.agent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a signal ends it at once, as any worker may end; input is being read
    with nullcontext() if no_worker else working(host):
        terminal.print_notice(f"{user} is served on standard input and output")
        serve(desk, VERSION)


class _Search:
    """Search by an embedder that is loaded when something is searched.

    Args:
        embedder: its name; None for what the settings say.
    """

    def __init__(self, host: "Host", embedder: str | None) -> None:
        self._host, self._configuration = host, settings(embedder=embedder)

    def __call__(self, known: "Sequence[Version]", task: str, limit: int) -> "tuple[FoundWorkflow, ...]":
        from registry.search import WorkflowIndex

        with setup_faults(self._configuration):
            found = loaded_embedder(self._configuration).embedder
            return WorkflowIndex(known, self._host.catalog, found).search(task, limit)
