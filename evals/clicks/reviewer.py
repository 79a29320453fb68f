"""A reviewer before a draft's page of `flowc serve`: each click as the page's scripts send it, and timed."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx

from store.passwords import hashed
from store.users import OWNER, REVIEWER, add_user, set_password
from store.workspace import make_workspace

NAME, PASSWORD = "ren", "three old horses"
LONGEST = 120.0
"""Seconds until a click counts as not answered."""


@contextmanager
def served(workspace: Path, builds: Sequence[Path]) -> Iterator[str]:
    """A server of builds with one reviewer, as long as this lasts; gives its address."""
    made = make_workspace(workspace)
    with made.transaction() as connection:
        add_user(connection, OWNER, frozenset(), OWNER)
        add_user(connection, NAME, frozenset({REVIEWER}), OWNER)
        set_password(connection, NAME, hashed(PASSWORD), OWNER)
    made.database.close()
    line = [sys.executable, "-m", "flowc", "serve", *map(str, builds), "--workspace", str(workspace), "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
        try:
            assert server.stdout is not None
            told = server.stdout.readline()
            found = re.search(r"http://\S+", told)
            assert found, f"the server said {told!r}"
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)  # as Ctrl-C does


@dataclass(frozen=True)
class Reviewer:
    """Somebody who is signed in, before one draft.

    Args:
        draft: the path of its page.
    """

    client: httpx.Client
    draft: str

    @staticmethod
    def client_at(address: str) -> httpx.Client:
        """A browser of somebody who is signed in."""
        patient = httpx.HTTPTransport(retries=10)  # the address is told a moment before somebody listens at it
        client = httpx.Client(
            base_url=address, headers={"Origin": address}, timeout=LONGEST, follow_redirects=True, transport=patient
        )  # fmt: skip
        client.post("/sign-in", data={"name": NAME, "password": PASSWORD}).raise_for_status()
        return client

    def page(self) -> float:
        """Seconds until the page is there."""
        return self._timed("GET", "")[0]

    def steps(self) -> list[str]:
        """The keys of the steps in the queue."""
        page = self._timed("GET", "")[1]
        return list(dict.fromkeys(unescape(key) for key in re.findall(r'data-item="(step:[^"]*)"', page)))

    def open(self, item: str) -> float:
        """Seconds until a thing is open."""
        return self._timed("GET", "/card", item=item)[0]

    def accept(self, item: str) -> float:
        """Seconds until a thing is accepted, and the next one is there."""
        card = self._timed("GET", "/card", item=item)[1]
        return self._timed("POST", "/decide", **_hidden(card), item=item, kind="accept", reason="it is as it says")[0]

    def try_actor(self, item: str) -> float:
        """Seconds until it is seen what another actor of a step would come to."""
        return self._timed("POST", "/preview", **self._actor(item))[0]

    def correct_as_tried(self, item: str) -> float:
        """Seconds until another actor of a step is saved that was tried, and the page is there anew."""
        entered = self._actor(item, "the guard")
        self._timed("POST", "/preview", **entered)
        return self._timed("POST", "/correct", **entered)[0] + self.page()

    def correct_actor(self, item: str) -> float:
        """Seconds until another actor of a step is saved, and the page is there anew."""
        return self._timed("POST", "/correct", **self._actor(item))[0] + self.page()

    def _actor(self, item: str, actor: str = "the porter") -> dict[str, str]:
        do = "change_step.actor"
        form = self._timed("GET", "/forms", item=item, do=do)[1]
        return _hidden(form) | {"item": item, "do": do, "value": actor, "reason": "as it is done here"}

    def _timed(self, method: str, part: str, **fields: str) -> tuple[float, str]:
        """Send what a click sends: how long the answer took, and what it says."""
        begun = time.perf_counter()
        given = {"params": fields} if method == "GET" else {"data": fields}
        answer = self.client.request(method, self.draft + part, **given)  # type: ignore[arg-type]  # one of both
        took = time.perf_counter() - begun
        answer.raise_for_status()
        return took, answer.text


def _hidden(form: str) -> dict[str, str]:
    """The fields of a form that nobody fills in and that every act needs: its token, and what was looked at."""
    found = dict(re.findall(r'name="(csrf|seen)" value="([^"]*)"', form))
    return {name: unescape(value) for name, value in found.items()}
