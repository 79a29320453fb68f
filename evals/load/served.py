"""A server in a process of its own, that is killed and started again on the same port."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent.parent
STARTING = 60.0
"""Seconds for a server to answer."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Served:
    """A process that listens.

    Args:
        words: after `python`; it listens on `port` by them.
        ready: the path that answers with 200 once it does.
        log: where it complains.
    """

    words: tuple[str, ...]
    folder: Path
    port: int
    ready: str
    log: Path
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def address(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Start it and wait until it answers; gives the seconds that this took.

        Raises:
            RuntimeError: it does not.
        """
        begun = time.monotonic()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, *self.words], cwd=self.folder, stdout=out, stderr=out,
                env={**kept, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        while time.monotonic() < begun + STARTING and self.process.poll() is None:
            try:
                if httpx.get(self.address + self.ready, timeout=5).status_code == httpx.codes.OK:
                    return time.monotonic() - begun
            except httpx.TransportError:
                time.sleep(0.05)
        raise RuntimeError(f"the server does not answer; {self.log} says why")

    def kill(self) -> None:
        """End it as a failing machine would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> int:
        """Let it come to its end; gives its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)
