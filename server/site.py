"""What one server shows, and how it was started."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore

from runtime.host import Host
from server.builds.compiling import Compiling
from server.builds.folders import Builds
from server.builds.trials import Trials
from server.searches import Searches
from server.security import Attempts
from store.workspace import Workspace

FOLLOWED = 100
"""Pages of runs that are followed at a time."""


@dataclass(frozen=True, eq=False)
class Site:
    """What one server shows.

    Args:
        host: the workspace with its catalog and executors.
        builds: those of the workspace, and those that were named when the server was started.
        compiling: makes the workspace's builds.
        model: the language model that is configured, for those who want their documents read by it; None for none.
        names: by which it is reached; requests to others are refused.
        secure: whether TLS is in front, so that cookies go nowhere without it.
        cookie: the name of the session's cookie; servers on several ports of one machine share cookies.
        setup: by which the first user sets a password, once; None where somebody has one.
        first: where a browser goes that asks for nothing particular.
        searches: for cases, that go on, and what was counted of those that were found.
        trials: tries corrections of drafts.
        followed: has room for each run that a page follows.
    """

    host: Host
    builds: Builds
    compiling: Compiling
    model: str | None = None
    names: tuple[str, ...] = ("127.0.0.1", "localhost")
    secure: bool = False
    cookie: str = "flowc"
    setup: str | None = None
    first: str = "/builds"
    attempts: Attempts = field(default_factory=Attempts)
    searches: Searches = field(default_factory=Searches)
    trials: Trials = field(default_factory=Trials)
    followed: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(FOLLOWED))

    @property
    def workspace(self) -> Workspace:
        """The workspace."""
        return self.host.workspace


def setup_token() -> str:
    """A word that nobody guesses."""
    return secrets.token_urlsafe(24)


STATIC = Path(__file__).resolve().parent / "static"
