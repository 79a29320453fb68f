"""Threads that take turns: one works, while the others wait for answers.

Passes share caches, a solver and a reading process that are made for one thread at a time, and Python runs one thread
at a time anyway. So a thread of a build works only while it has the turn, and gives it up where it waits.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

Out = TypeVar("Out")
_mine = threading.local()  # the turn that this thread has


class TurnOver(BaseException):
    """The build has ended while a thread of it was waiting; only that thread is told."""


class Turn:
    """What one thread of a build has at a time."""

    def __init__(self) -> None:
        self._lock, self._over = threading.Lock(), False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._over:
            self._lock.release()
            raise TurnOver
        _mine.turn = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if getattr(_mine, "turn", None) is self:  # else it was over when it should have come back
            _mine.turn = None
            self._lock.release()

    def end(self) -> None:
        """Let no thread have it again."""
        self._over = True


@contextmanager
def waiting() -> Iterator[None]:
    """Give up the turn, where this thread has one, for as long as it waits for something outside.

    Raises:
        TurnOver: the build ended meanwhile.
    """
    turn: Turn | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    turn.__exit__(None, None, None)
    try:
        yield
    finally:
        turn.__enter__()


class Threads:
    """So many threads, which do what is begun in the order in which it comes.

    They do not keep the program from ending, whatever they wait for.
    """

    def __init__(self, number: int) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._number = number
        for _ in range(number):
            threading.Thread(target=self._serve, daemon=True).start()

    def begin(self, work: Callable[[], Out]) -> "Future[Out]":
        """Have something done; the future has what it gives or raises."""
        future: Future[Out] = Future()

        def do() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever asks for the result is told
                future.set_exception(error)

        self._work.put(do)
        return future

    def end(self, *, drop: bool = False) -> None:
        """Let the threads go when all is done, or (`drop`) without beginning anything more."""
        while drop and not self._work.empty():
            self._work.get()
        for _ in range(self._number):
            self._work.put(None)

    def _serve(self) -> None:
        while (do := self._work.get()) is not None:
            do()
