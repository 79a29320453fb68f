"""The solver is asked by one request at a time: what it holds may not be given back by another thread meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_TURN = Lock()


@contextmanager
def proving() -> Iterator[None]:
    """Ask what proves, in one thread at a time, and with the collector paused, which runs in any thread.

    It is taken before a transaction, never within one.
    """
    with _TURN:
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                gc.enable()
