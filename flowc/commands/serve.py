"""`flowc serve`: builds, drafts in review, the registry, tasks and runs, in a browser."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import settings
from flowc.commands.runs.running import WorkspaceFolder, open_host, working
from flowc.extras import need_serving
from flowc.stopping import Stop, existing_path

if TYPE_CHECKING:
    import socket

    from runtime.host import Host
    from server.demo import Demo
    from server.site import Site

LOOPBACK = frozenset({"127.0.0.1", "localhost"})
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
        site = _site(folder, builds or [], names, listening.getsockname()[1], secure=allow_remote)
        at = f"https://{names[0]}" if allow_remote else _address(host, listening.getsockname()[1])
        site = replace(site, first=made.first if made else site.first, host=telling_pages(site.host, at))
        with nullcontext() if no_worker else _working(site):
            _serve(site, made, host, listening)


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

    terminal.print_notice("compiling the first case, which takes some seconds")
    return make_demo(workspace)


def _site(
    folder: Path | None, builds: list[Path], names: tuple[str, ...], port: int, *, secure: bool
) -> "Site":  # fmt: skip
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
        terminal.print_notice(f"{made.folder}: a new workspace")
        host = open_host(folder or Path())
    with host.workspace.database.transaction() as connection:
        setup = None if anybody_signs_in(connection) else setup_token()
    shown = Builds(host.workspace.folder, builds)
    first = f"/builds/{next(iter(shown.named))}" if shown.named else "/builds"
    compiling = Compiling(host.workspace.folder.resolve().parent)
    return Site(
        host, shown, compiling, settings(quiet=True).text("model"), names, secure, f"flowc-{port}", setup, first
    )  # fmt: skip


def telling_pages(host: "Host", address: str) -> "Host":
    """The host whose agents are told of the pages of tasks here, unless flowc.toml names others."""
    from dataclasses import replace

    agency = host.agency
    return host if agency.address else replace(host, agency=replace(agency, address=f"{address}/tasks/{{task}}"))


@contextmanager
def _working(site: "Site") -> Iterator[None]:
    """Carry runs out while the server serves, unless another process does."""
    with working(site.host) as worker:
        if worker is None:
            terminal.print_notice(
                "another process carries out the runs of this workspace; once it ends, start this anew"
            )
        yield


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


def _serve(site: "Site", demo: "Demo | None", host: str, listening: "socket.socket") -> None:
    """Say where, and serve until it is ended."""
    import uvicorn

    from server.app import make_app

    address = _address(host, listening.getsockname()[1])
    for line in _told(site, demo, address):
        terminal.print_line(line)
    app = make_app(site)
    config = uvicorn.Config(app, log_level="warning", server_header=False, proxy_headers=False, access_log=False)
    server = uvicorn.Server(config)
    app.state.ending = lambda: server.should_exit
    server.run([listening])


def _address(host: str, port: int) -> str:
    return f"http://{'127.0.0.1' if host in ANY else host}:{port}"


def _told(site: "Site", demo: "Demo | None", address: str) -> list[str]:
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
