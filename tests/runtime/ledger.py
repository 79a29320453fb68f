"""A workspace whose runs call a slow ledger on this machine, worked on by `flowc worker` as it is started."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from evals.crashes.shapes import FOLDER, TYPES, catalog
from evals.crashes.trial import publish_all
from runtime.executors.registry import executors_from
from runtime.host import Host
from store.workspace import Workspace, make_workspace

ROOT = Path(__file__).resolve().parents[2]


class Ledger(ThreadingHTTPServer):
    """A system that looks, renews and books.

    Attributes:
        seconds: by what it is asked for, how long it takes; at once where nothing is said.
        asked: the keys of the calls that came, each as `EXECUTION:NODE:ATTEMPT`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.seconds: dict[str, float] = {}
        self.asked: list[str] = []
        self.over = threading.Event()

    @property
    def nodes(self) -> list[str]:
        """The nodes that called, in their order."""
        return [key.split(":")[1] for key in self.asked]


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Note the call, and answer after a while."""
        ledger = self.server
        assert isinstance(ledger, Ledger)
        self.rfile.read(int(self.headers["Content-Length"]))
        ledger.asked.append(self.headers["Idempotency-Key"])
        ledger.over.wait(ledger.seconds.get(self.path.strip("/"), 0.0))
        body = json.dumps({"number": len(ledger.asked)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def ledger() -> Iterator[Ledger]:
    """A ledger that listens."""
    with Ledger() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join()


def executors(port: int) -> dict[str, Any]:
    """What binds the ledger's Types to it."""
    return {
        name: {"kind": "http", "url": f"http://127.0.0.1:{port}/{name.partition('.')[2]}", "private": True}
        for name in TYPES
    }


def host_of(workspace: Workspace, port: int) -> Host:
    """The workspace with the ledger's Types bound to it."""
    types = catalog()
    found = executors_from(executors(port), root=workspace.folder.parent, types=types.node_types)
    return Host(workspace, types, found)


def plant(root: Path, port: int, url: str | None = None) -> Host:
    """A workspace with users and published versions, whose `flowc.toml` binds the ledger's Types."""
    root.mkdir(parents=True, exist_ok=True)
    lines = [f'catalog = ["{FOLDER}", "builtin"]']
    for name, given in executors(port).items():
        lines += [f'[executors."{name}"]', *(f"{key} = {json.dumps(value)}" for key, value in given.items())]
    (root / "flowc.toml").write_text("\n".join(lines) + "\n", "utf-8")
    host = host_of(make_workspace(root, url), port)
    publish_all(host)
    return host


@contextmanager
def worker(root: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`flowc worker` in a folder, which logs as JSON; killed at last where it is still there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
    found = subprocess.Popen(
        [sys.executable, "-m", "flowc", "worker", "--log", "json", *words], cwd=root, text=True,
        env={**kept, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert found.stderr is not None
    try:
        first = found.stderr.readline()
        assert '"working"' in first, first + found.stderr.read()
        yield found
    finally:
        found.kill()
        found.communicate()


def ended(process: subprocess.Popen[str], number: int, seconds: float = 60) -> list[dict[str, Any]]:
    """Ask a worker to end, and see that it ends well; gives what it logged until then."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=seconds)
    assert process.returncode == 0, errors
    return [json.loads(line) for line in errors.splitlines()]
