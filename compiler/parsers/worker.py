"""Reading in a process of its own, which can be ended: no document hangs, exhausts memory or takes others down with it.

The process is started with the first document and kept for the next; one that was ended is started anew. It speaks in
pickled messages, each behind its length, over its standard input and output.
"""

import atexit
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from compiler.parsers import DEFAULT_LIMITS, Limits, Parsed, faults, parse
from compiler.parsers.limits import MEBIBYTE
from ir.diagnostics import Diagnostic

_LENGTH = struct.Struct(">Q")


class Worker:
    """A process that reads documents one after another; for one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def parse(self, data: bytes, path: str, limits: Limits = DEFAULT_LIMITS) -> Parsed:
        """As `compiler.parsers.parse`, but ended when it takes longer, or more memory, than the limits allow."""
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        replies: queue.Queue[bytes] = queue.Queue()
        reader = threading.Thread(target=lambda: replies.put(_receive(process.stdout)), daemon=True)
        reader.start()
        allowed = limits.seconds_for(len(data))
        try:
            _send(process.stdin, pickle.dumps((data, path, limits)))
            reply = replies.get(timeout=allowed)
        except queue.Empty:
            self.end()
            return _refused(faults.oversize(path, "seconds of reading", allowed, allowed))
        except OSError:  # it ended before it had taken the document in
            reply = b""
        if not reply:
            process.wait()
            status = process.returncode
            self.end()
            return _refused(faults.unreadable(path, "document", f"its reader ended with status {status}"))
        answer = pickle.loads(reply)  # noqa: S301 - our own process wrote it
        assert isinstance(answer, Parsed)
        return answer

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
            command = [sys.executable, "-m", "compiler.parsers.worker"]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._process


def _refused(diagnostic: Diagnostic) -> Parsed:
    return Parsed(document=None, diagnostics=(diagnostic,))


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> bytes:
    """The next message, empty where the other side has ended."""
    head = pipe.read(_LENGTH.size) if pipe is not None else b""
    if pipe is None or len(head) < _LENGTH.size:
        return b""
    (length,) = _LENGTH.unpack(head)
    message = pipe.read(length)
    return message if len(message) == length else b""


# --- the other side ---------------------------------------------------------------------------------------------------


def _serve() -> None:
    """Read documents until the input ends."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no message
    bounded = 0
    while message := _receive(sys.stdin.buffer):
        data, path, limits = pickle.loads(message)  # noqa: S301 - the process that started this one wrote it
        if limits.memory != bounded:
            _bound(limits.memory)
            bounded = limits.memory
        _send(out, pickle.dumps(_answer(data, path, limits)))


def _answer(data: bytes, path: str, limits: Limits) -> Parsed:
    try:
        return parse(data, path, limits)
    except MemoryError:
        allowed = limits.memory / MEBIBYTE
        return _refused(faults.oversize(path, "MiB of memory to be read", allowed, allowed))
    except Exception as error:  # noqa: BLE001 - whatever a reader fails at costs this document alone
        return _refused(faults.unreadable(path, "document", f"its reader failed: {type(error).__name__}"))


def _bound(memory: int) -> None:
    """Let the process take so much more memory than it has now, where the system can say so."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        now = pages * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, hard))


WORKER = Worker()
atexit.register(WORKER.end)


def parse_apart(data: bytes, path: str, limits: Limits = DEFAULT_LIMITS) -> Parsed:
    """Read a document in this process's worker."""
    return WORKER.parse(data, path, limits)


if __name__ == "__main__":
    _serve()
