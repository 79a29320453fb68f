"""How many calls a program may make: counted by user within the last minute, in memory, by each process for itself."""

import time
from collections import deque
from dataclasses import dataclass, field
from threading import Lock

from runtime.errors import TooManyCalls

MINUTE = 60.0


@dataclass(eq=False)
class Rates:
    """What was called in the last minute, by user.

    Args:
        most: that a user may call in a minute.
    """

    most: int
    _calls: dict[str, deque[float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, user: str) -> None:
        """Count a call; one that is refused does not count.

        Raises:
            TooManyCalls: there were as many as there may be.
        """
        at = time.monotonic()
        with self._lock:
            for other in [one for one, calls in self._calls.items() if calls[-1] < at - MINUTE]:
                del self._calls[other]
            calls = self._calls.setdefault(user, deque())
            while calls and calls[0] < at - MINUTE:
                calls.popleft()
            if len(calls) >= self.most:
                wait = int(calls[0] + MINUTE - at) + 1
                raise TooManyCalls(f"{user} called {self.most} times within a minute; call again in {wait} s", wait)
            calls.append(at)


@dataclass(eq=False)
class OnceAMinute:
    """What was told within the last minute, by what it is about: so that who tries again and again fills no audit."""

    _told: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def due(self, about: str) -> bool:
        """Whether it is to be told; then it is not within a minute."""
        at = time.monotonic()
        with self._lock:
            self._told = {one: then for one, then in self._told.items() if then >= at - MINUTE}
            return self._told.setdefault(about, at) == at
