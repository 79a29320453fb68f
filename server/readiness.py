"""Whether the server can do what it is there for: its database, its disk, its worker."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

import anyio
from anyio.to_thread import run_sync

from server.site import Site
from store.database import revisions

LONGEST, FRESH, MOST_THREADS = 3.0, 1.0, 4
"""Seconds that one check may take, and for which what was found is told again; checks that may hang at a time."""


@dataclass(eq=False)
class Readiness:
    """Looks, and keeps what it found for a moment: anybody may ask, and asking must cost little.

    Args:
        longest: seconds that one check may take.
    """

    site: Site
    longest: float = LONGEST
    _found: dict[str, bool] = field(default_factory=dict)
    _at: float = float("-inf")
    _turn: anyio.Lock = field(default_factory=anyio.Lock)
    _threads: anyio.CapacityLimiter | None = None

    async def found(self) -> dict[str, bool]:
        """What holds, by name: `database`, `schema`, `disk`, and `worker` where this server has one."""
        async with self._turn:
            if monotonic() - self._at > FRESH:
                revision = await self._looked(lambda: self.site.workspace.database.revision() or "none")
                self._found = {
                    "database": revision is not None,
                    "schema": revision == revisions()[0],
                    "disk": await self._looked(self._written) is not None,
                }
                if self.site.working is not None:
                    self._found["worker"] = self.site.working()
                self._at = monotonic()
            return self._found

    def _written(self) -> str:
        with tempfile.TemporaryFile(dir=self.site.workspace.folder) as file:
            file.write(bytes(4096))
            file.flush()
        return "written"

    async def _looked(self, look: Callable[[], str]) -> str | None:
        """What a look gave; None where it failed, or took too long. A thread that hangs is left behind."""
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(MOST_THREADS)
        with anyio.move_on_after(self.longest):
            try:
                return await run_sync(look, abandon_on_cancel=True, limiter=self._threads)
            except Exception:  # noqa: BLE001 - whatever it is, strangers are told that it failed, and no more
                return None
        return None
