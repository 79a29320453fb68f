"""Clients and people over HTTP: each a thread with a token, that goes on whatever becomes of the server meanwhile."""

import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from threading import Event, Lock
from typing import Any

import httpx

from evals.crashes.book import Desk
from evals.crashes.shapes import Plan, plan

AGAIN, LOOK = 0.2, 0.1
"""Seconds before a request is sent again that got no answer, and between two looks at a run."""
LONGEST = 60.0
"""Seconds that one answer may take."""


AnswerOf = Callable[[dict[str, Any]], dict[str, Any] | None]
"""What is answered to a task as it is told; None for nothing yet."""


@dataclass
class Measured:
    """What clients saw.

    Args:
        seconds: of each answer, by what was asked for.
        begun: by the run's id what it is to come to.
        keys: by the key of a start the runs that were told under it.
        again: how often something was sent again.
        faults: answers that should not be, each in a sentence.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    begun: dict[str, Plan] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    again: int = 0
    faults: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True)
class Caller:
    """Who asks a server.

    Args:
        address: of the server.
        token: that is brought along.
        stop: is set once no more is begun.
    """

    address: str
    token: str
    measured: Measured
    stop: Event

    @cached_property
    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=f"{self.address}/api/v1", timeout=LONGEST)

    def ask(self, what: str, method: str, path: str, **more: Any) -> httpx.Response:
        """The answer to a request, which is sent again until there is one."""
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        while True:
            begun = time.monotonic()
            try:
                found = self._client.request(method, path, headers=headers, **more)
            except httpx.TransportError:
                found = None
            with self.measured.lock:
                if found is not None and found.status_code < 500:
                    self.measured.seconds[what].append(time.monotonic() - begun)
                    return found
                self.measured.again += 1
            time.sleep(AGAIN)


class Client(Caller):
    """Begins runs one after the other, each under a key of its own, and looks at each until it ends or waits."""

    def work(self, seed: int) -> None:
        """Until it is to stop."""
        rng = Random(seed)  # noqa: S311 - no secret
        while not self.stop.is_set():
            self.one(plan(rng))

    def one(self, drawn: Plan) -> None:
        """One run, from its start."""
        key = uuid.uuid4().hex
        body = {"workflow": drawn.shape, "inputs": {"amount": drawn.amount}}
        begun = self.ask("start a run", "POST", "/runs", json=body, headers={"Idempotency-Key": key})
        if begun.status_code != httpx.codes.CREATED:
            with self.measured.lock:
                self.measured.faults.append(f"a start was answered with {begun.status_code}: {begun.text[:200]}")
            return
        run = str(begun.json()["run"])
        with self.measured.lock:
            self.measured.begun[run] = drawn
            self.measured.keys[key].add(run)
        if drawn.cancelled:
            self.ask("cancel a run", "POST", f"/runs/{run}/cancel", json={"reason": "so it was drawn"})
        while not self.stop.is_set():
            seen = self.ask("see a run", "GET", f"/runs/{run}").json()
            if seen.get("state") not in ("running", None):
                return
            time.sleep(LOOK)


class Person(Caller):
    """Answers the tasks that there are for them."""

    def work(self, answer_of: AnswerOf, done: Event) -> None:
        """Until all is done."""
        while not done.is_set():
            if not self.answer_all(answer_of):
                time.sleep(LOOK)

    def answer_all(self, answer_of: AnswerOf) -> int:
        """Answer what can be answered now; how many were."""
        answered, cursor = 0, None
        while True:
            given = {"limit": 200, **({"cursor": cursor} if cursor else {})}
            page = self.ask("list tasks", "GET", "/tasks", params=given).json()
            for listed in page["items"]:
                answered += self.answer(str(listed["task"]), answer_of)
            cursor = page.get("next_page")
            if not cursor:
                return answered

    def answer(self, task: str, answer_of: AnswerOf) -> bool:
        """Look at a task and answer it; whether it was answered."""
        seen = self.ask("see a task", "GET", f"/tasks/{task}")
        values = answer_of(seen.json()) if seen.status_code == httpx.codes.OK else None
        if values is None:
            return False
        shown = seen.json().get("digest")
        body = {"values": values, **({"shown": shown} if shown else {})}
        told = self.ask("answer a task", "POST", f"/tasks/{task}/answer", json=body)
        return told.status_code == httpx.codes.OK


def approver(measured: Measured) -> AnswerOf:
    """Approves as it was drawn; what nobody answers stays."""

    def answer_of(task: dict[str, Any]) -> dict[str, Any] | None:
        drawn = measured.begun.get(str(task["run"]))
        if task["kind"] != "approval" or drawn is None or drawn.approves is None:
            return None
        return {"approved": drawn.approves}

    return answer_of


def operator(desk: Desk) -> AnswerOf:
    """Says of calls that were cut off what the counting server's book says of them."""

    def answer_of(task: dict[str, Any]) -> dict[str, Any] | None:
        if task["kind"] != "settle":
            return None
        key = task["shown"]["key"]
        number = next((one.number for one in desk.arrivals() if one.key == key and one.number), None)
        return {"what": "not_done"} if number is None else {"what": "done", "outputs": {"number": number}}

    return answer_of
