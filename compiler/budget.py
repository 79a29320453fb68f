"""How much time of the processor, and memory, a document's passes may take: no input has a build hang or fill memory.

Time is counted by the system for this process, or for the thread where a model is asked, whatever else the machine
does. It is bounded where the system has such a clock; reading files has a process and limits of its own.
"""

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ir.base import Model

MEBIBYTE = 1024 * 1024
_TIMER: int | None = getattr(signal, "ITIMER_PROF", None)
_AGAIN = 1.0  # seconds after which it is said once more, where the first word came while something was cleaned up


class Budget(Model):
    """What a document may take, growing with its length; a document of 100,000 characters takes 15 seconds at most.

    Args:
        seconds, seconds_a_character: of the processor, for each pass over a document or procedure.
        passes: how many times as much all passes over it may take together.
        memory: bytes that a pass may take besides what the program has.
    """

    seconds: float = 60
    seconds_a_character: float = 0.001
    passes: float = 2
    memory: int = 2048 * MEBIBYTE


class OverBudget(BaseException):
    """A pass took more than its budget; no pass may take it for a fault of its own and go on.

    Args:
        name: of the pass.
        measure: of what it took too much, with how much was allowed.
    """

    def __init__(self, name: str, measure: str) -> None:
        super().__init__(f"{name} took more than {measure}")
        self.name, self.measure = name, measure


@dataclass
class Allowance:
    """What is left of the budget of one document or procedure."""

    a_pass: float
    left: float
    memory: int

    @classmethod
    def of(cls, budget: Budget, characters: int) -> "Allowance":
        """The budget of a document of so many characters."""
        a_pass = budget.seconds + budget.seconds_a_character * characters
        return cls(a_pass, a_pass * budget.passes, budget.memory)

    @contextmanager
    def spend(self, name: str) -> Iterator[None]:
        """Let a pass take its share.

        Raises:
            OverBudget: it took more.
        """
        allowed, begun = min(self.a_pass, self.left), time.thread_time()
        try:
            with _timed(name, allowed), _bounded(self.memory):
                yield
        except MemoryError:
            raise OverBudget(name, f"{self.memory // MEBIBYTE:,} MiB of memory") from None
        finally:
            self.left = max(0.01, self.left - (time.thread_time() - begun))


@contextmanager
def _timed(name: str, seconds: float) -> Iterator[None]:
    in_main = threading.current_thread() is threading.main_thread()
    try:
        with _by_signal(seconds) if in_main else _by_watch(seconds):
            yield
    except _Over:
        raise OverBudget(name, f"{seconds:.3g} seconds of the processor") from None


class _Over(BaseException):
    """The time is over."""


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    """Raise `_Over` after so much time of the processor, amid a search by pattern too."""
    if _TIMER is None:
        yield
        return

    def over(number: int, frame: FrameType | None) -> None:
        raise _Over

    before = signal.signal(signal.SIGPROF, over)
    try:
        signal.setitimer(_TIMER, seconds, _AGAIN)
        yield
    finally:
        try:
            signal.setitimer(_TIMER, 0)
        finally:  # the word may come at the very end, before this much was done
            signal.setitimer(_TIMER, 0)
            signal.signal(signal.SIGPROF, before)


@contextmanager
def _by_watch(seconds: float) -> Iterator[None]:
    """Raise `_Over` in this thread after so much of its time of the processor; signals reach the main thread alone."""
    if not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    own = threading.get_ident()
    clock = time.pthread_getcpuclockid(own)
    until = time.clock_gettime(clock) + seconds
    ended, telling = threading.Event(), threading.Lock()

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            left = until - time.clock_gettime(clock)
            wait = max(left, _AGAIN / 10)
            if left <= 0:
                wait = _AGAIN
                with telling:
                    if not ended.is_set():
                        _raise_in(own, _Over)

    def end() -> None:
        with telling:
            ended.set()

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        try:
            end()
        finally:  # the word may come at the very end, before this much was done
            end()


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have a thread raise an error as soon as it runs again.

    It is not taken back: CPython 3.11 goes in circles in a thread that is profiled after that.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


_bounding, _bounds = threading.Lock(), list[tuple[int, int]]()  # what held before the first of those at work


@contextmanager
def _bounded(memory: int) -> Iterator[None]:
    """Let the process take so much more memory than it has now, where the system can say so.

    Passes that wait for a model beside each other share what the last of them may take.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[5])  # data and stack
    except (ImportError, OSError, ValueError, IndexError):
        yield
        return
    wanted = pages * resource.getpagesize() + memory
    with _bounding:
        _bounds.append(resource.getrlimit(resource.RLIMIT_DATA))
        soft, hard = _bounds[0]
        lower = soft == resource.RLIM_INFINITY or wanted < soft
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (wanted if lower else soft, hard))
    try:
        yield
    finally:
        with _bounding:
            first = _bounds[0]
            _bounds.pop()
            if not _bounds:
                with suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_DATA, first)
