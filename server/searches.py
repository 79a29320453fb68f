"""Searches for cases that go on beside the requests, and what was counted for cases that did not change since."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic
from typing import TypeVar

from ir.errors import CompilerError
from server.errors import Busy
from server.proving import proving

MOST_WAITING = 4
MOST_KEPT = 32
Found = TypeVar("Found")


@dataclass(frozen=True)
class Search:
    """A search that goes on, or came to nothing.

    Args:
        began: by the monotonic clock, in seconds.
        fault: why it came to nothing; None while it goes on.
    """

    began: float
    fault: str | None = None

    @property
    def seconds(self) -> int:
        """How long it goes on."""
        return int(monotonic() - self.began)


class Searches:
    """The searches of one server, one for each file of cases; one after the other asks the solver."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._searches: dict[str, Search] = {}
        self._kept: OrderedDict[str, object] = OrderedDict()

    def begin(self, key: str, work: Callable[[], None]) -> None:
        """Begin one in a thread of its own, where none of this key goes on.

        Raises:
            Busy: too many go on already.
        """
        with self._lock:
            going = [name for name, one in self._searches.items() if one.fault is None]
            if key in going:
                return
            if len(going) >= MOST_WAITING:
                raise Busy(f"{MOST_WAITING} searches for cases go on already; try again in a minute")
            self._searches[key] = Search(monotonic())
        Thread(target=self._run, args=(key, work), daemon=True, name=f"search {key}").start()

    def state(self, key: str) -> Search | None:
        """The search of a key; None where it came to an end, or none was begun."""
        with self._lock:
            return self._searches.get(key)

    def counted(self, key: str, count: Callable[[], Found]) -> Found:
        """What was counted under a key, which says all that it was counted from.

        What is counted holds nothing of the solver's.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]  # type: ignore[return-value]
        found = count()
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    def _run(self, key: str, work: Callable[[], None]) -> None:
        fault = None
        try:
            with proving():
                work()
        except (CompilerError, ValueError, OSError) as error:
            fault = str(error)
        except BaseException as error:
            fault = f"{type(error).__name__}: this is a bug of flowc; the terminal of the server has the trace"
            raise
        finally:
            with self._lock:
                if fault is None:
                    del self._searches[key]
                else:
                    self._searches[key] = Search(self._searches[key].began, fault)
