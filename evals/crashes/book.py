"""A server that counts: each call that reaches it is written into its book, with whether it did anything.

It fails at times, as systems do: it refuses before it does anything, or does it and breaks off. It also ends workers,
with SIGKILL and just where it is told to: before a call, while it is being made, or after it.
"""

import contextlib
import hashlib
import json
import os
import signal
import threading
import time
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import Any, Literal
from urllib.parse import urlsplit

Moment = Literal["before", "during", "after"]
WORKER = "X-Worker"
REFUSED = {"renew": 0.35, "book": 0.04}
BROKEN_OFF = {"book": 0.04}
"""Shares of the calls, by what is called."""
SLOW, SLOWNESS = 0.1, 1.5
"""The share of the calls whose answer takes a while, and the seconds that it takes."""


@dataclass(frozen=True)
class Arrival:
    """A call that reached the server.

    Args:
        key: of execution, node and attempt.
        what: `look`, `renew` or `book`.
        number: what it gave, if it did anything; the same for the same key.
        worker: the process that made it.
    """

    key: str
    what: str
    number: int | None
    worker: int


@dataclass
class Book:
    """What the server knows, and what it is told to do to workers.

    Args:
        seed: of which call fails.
        aim: at which moment a worker is ended, and how many such moments pass before.
        hits: the workers that were.
    """

    seed: int
    arrivals: list[Arrival] = field(default_factory=list)
    aim: tuple[Moment, int] | None = None
    hits: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def luck(self, text: str) -> float:
        """A number from 0 to 1 that follows from the seed and a text."""
        return int.from_bytes(hashlib.sha256(f"{self.seed} {text}".encode()).digest()[:4]) / 2**32

    def comes(self, moment: Moment, worker: int) -> None:
        """A worker is at such a moment: it is ended if that is aimed at."""
        with self.lock:
            if self.aim is None or self.aim[0] != moment:
                return
            self.aim = (moment, self.aim[1] - 1) if self.aim[1] else None
            if self.aim is None:
                self.hits.append(worker)
                os.kill(worker, signal.SIGKILL)

    def arrives(self, key: str, what: str, worker: int) -> tuple[int, dict[str, Any] | None]:
        """Write a call down; the status of its answer and the answer, None where it breaks off."""
        luck = self.luck(f"fails {key}")
        refused = luck < REFUSED.get(what, 0)
        with self.lock:
            number = next((one.number for one in self.arrivals if one.key == key and one.number), None)
            number = None if refused else number or len(self.arrivals) + 1
            self.arrivals.append(Arrival(key, what, number, worker))
        if refused:
            return 503, {}
        return 200, None if luck > 1 - BROKEN_OFF.get(what, 0) else {"number": number}


def serve(pipe: Connection, seed: int) -> None:
    """Serve until the pipe's other end is closed; tells its port first."""
    book = Book(seed)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            place, what = self.path.strip("/").split("/")
            worker = int(self.headers.get(WORKER) or 0)
            if place == "call":
                key = self.headers["Idempotency-Key"]
                status, answer = book.arrives(key, what, worker)
                book.comes("during", worker)
                time.sleep(SLOWNESS if book.luck(f"slow {key}") < SLOW else 0)
                if answer is None:
                    self.close_connection = True
                else:
                    self._answer(status, answer)
                return
            if place == "notice":
                book.comes(what, worker)  # type: ignore[arg-type]
            elif place == "aim":
                with book.lock:
                    book.aim = (what, json.loads(sent)) if what != "nothing" else None  # type: ignore[assignment]
            self._answer(200, {})

        def do_GET(self) -> None:
            with book.lock:
                told = {"arrivals": [asdict(one) for one in book.arrivals], "hits": book.hits}
            self._answer(200, told)

        def _answer(self, status: int, answer: dict[str, Any]) -> None:
            text = json.dumps(answer).encode()
            with contextlib.suppress(OSError):  # who asked was ended
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, address: object) -> None:
            pass  # who asked was ended

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        pipe.send(server.server_port)
        with contextlib.suppress(EOFError):
            pipe.recv()
        server.shutdown()


@dataclass(frozen=True)
class Desk:
    """Where the server is asked and told.

    Args:
        address: `http://127.0.0.1:PORT`.
    """

    address: str

    def notice(self, moment: Moment) -> None:
        """Say that this process is about to call, or has."""
        self._ask("POST", f"/notice/{moment}")

    def aim(self, moment: Moment | Literal["nothing"], passing: int = 0) -> None:
        """End the worker that comes to such a moment, after so many others did; or nobody any more."""
        self._ask("POST", f"/aim/{moment}", json.dumps(passing))

    def arrivals(self) -> tuple[Arrival, ...]:
        """The book, in its order."""
        return tuple(Arrival(**one) for one in self._ask("GET", "/book")["arrivals"])

    def hits(self) -> list[int]:
        """The workers that were ended."""
        return [*self._ask("GET", "/book")["hits"]]

    def _ask(self, method: str, path: str, body: str = "") -> dict[str, Any]:
        with contextlib.closing(HTTPConnection(urlsplit(self.address).netloc, timeout=60)) as connection:
            connection.request(method, path, body, {WORKER: str(os.getpid())})
            found: dict[str, Any] = json.loads(connection.getresponse().read())
        return found
