"""What one server shows, and how it was started."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Protocol

from starlette.types import Receive, Scope, Send

from agents.acts import Search
from catalog.embedders.cache import VectorCache
from catalog.embedders.lexical import LexicalEmbedder
from registry.forms import Version
from registry.search import FoundWorkflow, WorkflowIndex
from runtime.governance.rates import OnceAMinute, Rates
from runtime.host import Host
from server.builds.compiling import Compiling
from server.builds.folders import Builds
from server.builds.trials import Trials
from server.searches import Searches
from server.security import Attempts
from store.users import User
from store.workspace import Workspace


class Tools(Protocol):
    """What answers agents by the protocol that they speak; `agents.http` does."""

    def serving(self) -> AbstractAsyncContextManager[None]:
        """They are answered meanwhile."""

    async def answer(self, user: User, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a user whose token is good.

        Raises:
            CompilerError: the user may not ask here.
        """


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
        tools: answer agents; None where they are not served.
        told: what the audit was told lately of programs that were not let in.
        search: ranks versions for a task; None for by their letters alone, which needs no model.
        working: whether what carries runs out in this server is alive; None where nothing does.
        stopping: is set once the server is to end; what waits or streams for long ends then.
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
    tools: Tools | None = None
    told: OnceAMinute = field(default_factory=OnceAMinute)
    search: Search | None = None

    working: Callable[[], bool] | None = None
    stopping: Event = field(default_factory=Event)

    @cached_property
    def rates(self) -> Rates:
        """How often programs called."""
        return Rates(self.host.agency.calls_a_minute)

    def find(self, known: Sequence[Version], task: str, limit: int) -> tuple[FoundWorkflow, ...]:
        """The versions that a task may be for, best first."""
        if self.search is not None:
            return self.search(known, task, limit)
        index = WorkflowIndex(known, self.host.catalog, LexicalEmbedder(), VectorCache(None))
        return index.search(task, limit)

    @property
    def workspace(self) -> Workspace:
        """The workspace."""
        return self.host.workspace


def setup_token() -> str:
    """A word that nobody guesses."""
    return secrets.token_urlsafe(24)


STATIC = Path(__file__).resolve().parent / "static"
