"""A worker in a process of its own, as `flowc worker` is one, whose calls are told to the counting server."""

import contextlib
import os
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from pydantic import JsonValue

from evals.crashes.book import WORKER, Desk
from evals.crashes.shapes import TYPES, catalog
from runtime.executors.contract import Call
from runtime.executors.http import HttpExecutor
from runtime.executors.registry import Executors
from runtime.host import Host
from runtime.worker import Worker, only_worker
from store.workspace import Workspace, find_workspace

NAMED = "EVALS_WORKER"  # environment variable with the number of the process, which goes with each call as a header

LOG = "worker.log"


@dataclass(frozen=True)
class NoticedCalls:
    """Calls over HTTP, each told to the server just before and just after, so that it can end the process there."""

    desk: Desk

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        self.desk.notice("before")
        try:
            return HttpExecutor().carry_out(call)
        finally:
            self.desk.notice("after")


def host_in(workspace: Workspace, address: str) -> Host:
    """The workspace with the three Types, bound to the counting server."""
    types = catalog()
    bound = {
        name: {
            "kind": "noticed",
            "url": f"{address}/call/{name.partition('.')[2]}",
            "private": True,
            "headers": {WORKER: NAMED},
        }
        for name in TYPES
    }
    return Host(workspace, types, Executors(bound, {"noticed": NoticedCalls(Desk(address))}))


def work(pipe: Connection, root: Path, address: str) -> None:
    """Work until the pipe's other end is closed; says when it begins to. Its complaints are in `worker.log`."""
    with (root / LOG).open("a") as out:
        os.dup2(out.fileno(), 2)
    os.environ[NAMED] = str(os.getpid())
    host = host_in(find_workspace(root), address)
    lock = only_worker(host.workspace.folder) if host.workspace.database.is_sqlite else contextlib.nullcontext()
    with lock, Worker(host):
        with contextlib.suppress(OSError):
            pipe.send("begun")
        with contextlib.suppress(EOFError, OSError):
            pipe.recv()
