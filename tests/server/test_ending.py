"""`flowc serve` as a process that is asked to end: what is under way ends first, within a bound."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from store.workspace import make_workspace

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def process(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command of flowc, as it is started; killed at last where it is still there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
    found = subprocess.Popen(
        [sys.executable, "-m", "flowc", *words], cwd=folder, text=True, env={**kept, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield found
    finally:
        found.kill()
        found.communicate()


def serving(server: subprocess.Popen[str]) -> str:
    """The address of a server, once it answers."""
    assert server.stdout is not None
    for line in server.stdout:
        at = re.search(r"http://127\.0\.0\.1:\d+", line)
        if at is not None:
            break
    else:
        pytest.fail("it never said where")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            httpx.get(at[0] + "/healthz")
            return at[0]
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail("it never answered")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_well(tmp_path: Path, number: signal.Signals) -> None:
    """Exit status 0, and every line that it logged is an object: of each request one, without what was asked for."""
    make_workspace(tmp_path)
    with process(tmp_path, "serve", "--port", "0", "--log", "json") as server:
        address = serving(server)
        assert httpx.get(address + "/sign-in?token=very-secret").status_code == 200
        server.send_signal(number)
        _, errors = server.communicate(timeout=60)
        assert server.returncode == 0, errors
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [line["event"] for line in lines] == ["serving", "request", "stopped"]
    assert lines[1]["route"] == "/sign-in" and lines[1]["principal"] is None
    assert "secret" not in errors


def test_a_server_waits_for_no_request_longer_than_it_was_told(tmp_path: Path) -> None:
    """Somebody who sends half a form and falls silent holds it up for its grace; nobody else gets in meanwhile."""
    make_workspace(tmp_path)
    with process(tmp_path, "serve", "--port", "0", "--grace", "2") as server:
        address = serving(server)
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as half:
            half.sendall(
                b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
                b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname="
            )
            time.sleep(0.5)
            server.send_signal(signal.SIGTERM)
            began = time.monotonic()
            time.sleep(0.5)
            with pytest.raises(httpx.TransportError):
                httpx.get(address + "/healthz")
            assert server.wait(30) == 0
            assert 1 < time.monotonic() - began < 15
