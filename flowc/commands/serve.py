"""`flowc serve`: builds, drafts in review, the registry, tasks and runs, in a browser."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import Grace, Log, settings
from flowc.commands.runs.running import WorkspaceFolder, open_host, working
from flowc.commands.searching import Search
from flowc.extras import need_serving
from flowc.log_lines import LogForm, begin_log, tell
from flowc.stopping import Stop, existing_path

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from runtime.host import Host
    from server.demo import Demo
    from server.site import Site

LOOPBACK = frozenset({"127.0.0.1", "localhost"})
CONNECTIONS = 256
"""Connections at a time; more are answered that the server is busy."""
ANY = frozenset({"0.0.0.0", "::"})  # noqa: S104 - told apart, not bound to


def serve_command(
    builds: Annotated[
        list[Path] | None, typer.Argument(metavar="BUILD", help="Folders of `flowc compile -o`, to be shown as well.")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="A workspace of its own with the first case, two users, and its draft.")
    ] = False,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="P", min=0, max=65_535, help="0 for any that is free.")
    ] = 8_650,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let others in, over TLS that something in front of it speaks.")
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="A name by which browsers reach it from elsewhere."),
    ] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave carrying out runs to `flowc worker` or to commands.")
    ] = False,
    workspace: WorkspaceFolder = None,
    grace: Grace = 30,
    log: Log = LogForm.text,
) -> None:
    """Work in a browser: compile documents, look at drafts with their source, submit, review, publish, run.

    Only this machine reaches it, unless told otherwise. Ctrl-C ends it.
    """
    need_serving()
    from dataclasses import replace

    from server.builds.folders import must_be_a_build

    names = _names(host, allow_remote, name or [])
    if demo and builds:
        raise Stop("--demo shows the first case; leave the folders out, or --demo", "bad-setting")
    for path in builds or ():
        must_be_a_build(existing_path(path))
    with _listening(host, port) as listening:
        made = _demo(workspace) if demo else None
        folder = made.folder if made else workspace
        at = f"https://{names[0]}" if allow_remote else _address(host, listening.getsockname()[1])
        site = _site(folder, builds or [], names, listening.getsockname()[1], at, secure=allow_remote)
        site = replace(site, first=made.first if made else site.first)
        begin_log(log)
        with nullcontext(site) if no_worker else _working(site, grace) as served:
            _serve(served, made, host, listening, grace)


def _names(host: str, allow_remote: bool, names: list[str]) -> tuple[str, ...]:
    """The names by which requests may come.

    Raises:
        Stop: others would be let in, and nobody said that they may.
    """
    if host in LOOPBACK and not allow_remote:
        if names:
            raise Stop("--name is for browsers elsewhere; add --allow-remote, or leave it out", "bad-setting")
        return tuple(LOOPBACK)
    if not allow_remote:
        raise Stop(
            f"--host {host} lets other machines in; add --allow-remote if they should be, and have something in front "
            "of it that speaks TLS",
            "bad-setting",
        )
    if not names and (host in ANY or host in LOOPBACK):
        raise Stop("say by which name browsers reach it: --name flowc.example.org", "bad-setting")
    return (*(names or [host]), *LOOPBACK)


def _demo(workspace: Path | None) -> "Demo":
    from server.demo import make_demo

    terminal.print_line("compiling the first case, which takes some seconds")
    return make_demo(workspace)


def _site(
    folder: Path | None, builds: list[Path], names: tuple[str, ...], port: int, address: str, *, secure: bool
) -> "Site":  # fmt: skip
    from agents.http import ToolEndpoint
    from ir.version import VERSION
    from server.builds.compiling import Compiling
    from server.builds.folders import Builds
    from server.site import Site, setup_token
    from store.errors import NoWorkspace
    from store.users import anybody_signs_in
    from store.workspace import make_workspace

    try:
        host = open_host(folder)
    except NoWorkspace:
        made = make_workspace(folder or Path())
        terminal.print_line(f"{made.folder}: a new workspace")
        host = open_host(folder or Path())
    host = telling_pages(host, address)
    with host.workspace.database.transaction() as connection:
        setup = None if anybody_signs_in(connection) else setup_token()
    shown = Builds(host.workspace.folder, builds)
    first = f"/builds/{next(iter(shown.named))}" if shown.named else "/builds"
    search = Search(host, None)
    model = settings(quiet=True, at=host.workspace.folder.parent).text("model")
    compiling = Compiling(host.workspace.folder.resolve().parent)
    return Site(
        host, shown, compiling, model, names, secure, f"flowc-{port}", setup, first,
        tools=ToolEndpoint(host, search, VERSION), search=search,
    )  # fmt: skip


def telling_pages(host: "Host", address: str) -> "Host":
    """The host whose agents are told of the pages of tasks here, unless flowc.toml names others."""
    from dataclasses import replace

    agency = host.agency
    return host if agency.address else replace(host, agency=replace(agency, address=f"{address}/tasks/{{task}}"))


@contextmanager
def _working(site: "Site", grace: int) -> Iterator["Site"]:
    """Carry runs out while the server serves, unless another process does; gives the site that says so.

    Args:
        grace: seconds that calls have that are under way at the end; what takes longer is cut off, as by a kill.
    """
    import os
    import sys
    from dataclasses import replace

    with working(site.host, grace) as worker:
        if worker is None:
            terminal.print_notice(
                "another process carries out the runs of this workspace; once it ends, start this anew"
            )
        yield site if worker is None else replace(site, working=lambda: worker.alive)
    if worker is not None and worker.cut_off:
        tell("stopped", cut_off=worker.cut_off)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # its threads are in calls that nothing ends


def _listening(host: str, port: int) -> "socket.socket":
    """The port, taken before anything is made.

    Raises:
        Stop: it is not free.
    """
    import socket

    taken = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        taken.close()
        raise Stop(f"{host}:{port}: {error.strerror}; name another with --port, 0 for any", "bad-setting") from error
    return taken


def _serve(site: "Site", demo: "Demo | None", host: str, listening: "socket.socket", grace: int) -> None:
    """Say where, and serve until it is ended.

    Args:
        grace: seconds that requests which are being answered have to end.
    """
    import signal

    import uvicorn

    from server.app import make_app

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: "FrameType | None") -> None:
            site.stopping.set()
            super().handle_exit(sig, frame)

    address = _address(host, listening.getsockname()[1])
    for line in _lines(site, demo, address):
        terminal.print_line(line)
    config = uvicorn.Config(
        make_app(site), log_config=None, log_level="warning", server_header=False, proxy_headers=False,
        access_log=False, timeout_graceful_shutdown=grace, limit_concurrency=CONNECTIONS,
    )  # fmt: skip
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: site.stopping.set())  # it is raised once more when all has ended
    tell("serving", port=listening.getsockname()[1])
    Server(config).run([listening])
    tell("stopped")


def _address(host: str, port: int) -> str:
    return f"http://{'127.0.0.1' if host in ANY else host}:{port}"


def _lines(site: "Site", demo: "Demo | None", address: str) -> list[str]:
    told = [f"flowc serves {site.workspace.folder.parent} at {address} (Ctrl-C ends it)"]
    if demo is not None:
        told += [f"Sign in as {name} with the password {word}: {what}" for name, word, what in demo.people]
    elif site.setup is not None:
        told.append(f"Nobody can sign in yet. Set the first password, once: {address}/setup?token={site.setup}")
    else:
        where = shlex.quote(str(site.workspace.folder.parent))
        told.append(f"Who has no password yet gets one with: flowc users password NAME --workspace {where} --as OWNER")
    if site.secure:
        told.append("Others may come in: have TLS in front of it, with the names that were given, and nothing else")
    return told
