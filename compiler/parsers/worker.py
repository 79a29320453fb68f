"""Reading in a process of its own, which can be ended: no document hangs, exhausts memory or takes others down with it.

How long reading may take is counted in seconds of the processor, by the process itself, so that a busy machine refuses
nothing; by the clock it is waited for many times as long, for what waits without working.

The process is started with the first document and kept for the next; one that was ended is started anew. It takes in
what to read (JSON, and the bytes), and answers with the number of pages and what became of the document (JSON), each
behind its length, over its standard input and output.
"""

import atexit
import json
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO

from compiler.parsers import DEFAULT_LIMITS, Limits, Parsed, faults, parse
from compiler.parsers.limits import MEBIBYTE, Revisions
from compiler.parsers.page_counts import listen
from compiler.processes import end_with_parent
from ir.base import Model
from ir.diagnostics import Diagnostic

_LENGTH = struct.Struct(">Q")
_TIMER: int | None = getattr(signal, "ITIMER_PROF", None)  # counts time of the processor; Windows has none
_OVERTIME = (-signal.SIGPROF,) if _TIMER is not None else ()  # how a process ends whose time is up


class Answer(Model):
    """What became of a document, and the processor seconds that it took."""

    parsed: Parsed
    processor: float


Reply = Answer | int | None  # before the answer comes the number of pages; None at the end


class Worker:
    """A process that reads documents one after another; for one thread at a time.

    `processor` is how many seconds of the processor its documents took so far.
    """

    def __init__(self) -> None:
        self.processor = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._replies: queue.Queue[Reply] = queue.Queue()

    def parse(
        self, data: bytes, path: str, limits: Limits = DEFAULT_LIMITS, revisions: Revisions = "accepted"
    ) -> Parsed:
        """As `compiler.parsers.parse`, but ended when it takes longer, or more memory, than the limits allow."""
        process = self.start()
        assert process.stdin is not None
        allowed = limits.seconds_for(len(data))
        begun = time.monotonic()
        try:
            asked = {"path": path, "limits": limits.model_dump(), "revisions": revisions}
            _send(process.stdin, json.dumps(asked).encode(), data)
            answer = self._replies.get(timeout=allowed * limits.patience)
            while isinstance(answer, int):  # the number of its pages, before they are read
                allowed += answer * limits.seconds_a_page
                answer = self._replies.get(timeout=max(0.0, begun + allowed * limits.patience - time.monotonic()))
        except queue.Empty:
            self.end()
            return _refused(faults.exhausted(path, "seconds by the clock", allowed * limits.patience))
        except OSError:  # it ended before it had taken the document in
            answer = None
        if isinstance(answer, Answer):
            self.processor += answer.processor
            return answer.parsed
        process.wait()
        self.end()
        if process.returncode in _OVERTIME:
            self.processor += allowed
            return _refused(faults.exhausted(path, "seconds of the processor", allowed))
        return _refused(faults.unreadable(path, "document", f"its reader ended with status {process.returncode}"))

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, where it does not run yet, so that it is ready when the first document comes."""
        if self._owner != os.getpid():  # a process that was forked has none of its own yet
            self._process, self._owner = None, os.getpid()
        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            self._replies = queue.Queue()
            started = Future[subprocess.Popen[bytes]]()
            threading.Thread(target=_run, args=(started, self._replies), daemon=True).start()
            self._process = started.result()
        return self._process


def _refused(diagnostic: Diagnostic) -> Parsed:
    return Parsed(document=None, diagnostics=(diagnostic,))


def _run(started: "Future[subprocess.Popen[bytes]]", replies: "queue.Queue[Reply]") -> None:
    """Start a process, and put what it says into a queue, None at its end.

    One thread does both, since the process ends with the thread that started it.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "compiler.parsers.worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        started.set_exception(error)
        return
    started.set_result(process)
    while process.stdout is not None:
        said = _receive(process.stdout)
        if said is None:
            replies.put(None)
            return
        replies.put(int(said) if said.isdigit() else Answer.model_validate_json(said))


def _send(pipe: IO[bytes], *messages: bytes) -> None:
    for message in messages:
        pipe.write(_LENGTH.pack(len(message)))
        pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next message, None where the other side has ended."""
    with suppress(OSError, ValueError):
        head = pipe.read(_LENGTH.size)
        if len(head) == _LENGTH.size:
            (length,) = _LENGTH.unpack(head)
            data = pipe.read(length)
            if len(data) == length:
                return data
    return None


# --- the other side ---------------------------------------------------------------------------------------------------


def _serve() -> None:
    """Read documents until the input ends."""
    end_with_parent(int(sys.argv[1]))
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no message
    bounded = 0
    allowed = _Allowance()
    listen(lambda pages: allowed.extend(pages))
    listen(lambda pages: _send(out, str(pages).encode()))
    while (asked := _receive(sys.stdin.buffer)) and (data := _receive(sys.stdin.buffer)) is not None:
        about = json.loads(asked)
        limits = Limits.model_validate(about["limits"])
        if limits.memory != bounded:
            _bound(limits.memory)
            bounded = limits.memory
        begun = time.process_time()
        allowed.begin(limits, len(data))
        parsed = _answer(data, about["path"], limits, about["revisions"])
        allowed.end()
        _send(out, Answer(parsed=parsed, processor=time.process_time() - begun).model_dump_json().encode())


def _answer(data: bytes, path: str, limits: Limits, revisions: Revisions) -> Parsed:
    try:
        return parse(data, path, limits, revisions)
    except MemoryError:
        return _refused(faults.exhausted(path, "MiB of memory", limits.memory / MEBIBYTE))
    except Exception as error:  # noqa: BLE001 - whatever a reader fails at costs this document alone
        return _refused(faults.unreadable(path, "document", f"its reader failed: {type(error).__name__}"))


class _Allowance:
    """The processor seconds that this process may take for a document; at their end the system ends the process."""

    def __init__(self) -> None:
        self._a_page = 0.0

    def begin(self, limits: Limits, size: int) -> None:
        """Allow what a file of so many bytes may take."""
        self._a_page = limits.seconds_a_page
        self._set(limits.seconds_for(size))

    def extend(self, pages: int) -> None:
        """Allow more, for so many pages."""
        if _TIMER is not None:
            self._set(signal.getitimer(_TIMER)[0] + pages * self._a_page)

    def end(self) -> None:
        """No longer count."""
        self._set(0.0)

    def _set(self, seconds: float) -> None:
        if _TIMER is not None:
            signal.setitimer(_TIMER, seconds)


def _bound(memory: int) -> None:
    """Let the process take so much more memory than it has now, where the system can say so."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError, IndexError):
        pages = int(
            Path("/proc/self/statm").read_text("ascii").split()[5]
        )  # data and stack, without what is only mapped
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (pages * resource.getpagesize() + memory, hard))


WORKER = Worker()
atexit.register(WORKER.end)


def parse_apart(data: bytes, path: str, limits: Limits = DEFAULT_LIMITS, revisions: Revisions = "accepted") -> Parsed:
    """Read a document in this process's worker."""
    return WORKER.parse(data, path, limits, revisions)


if __name__ == "__main__":
    _serve()
