"""Where webhooks go: `[webhooks]` in flowc.toml, checked whole.

[webhooks.orders]
url = "https://orders.example.org/flows"
secret = "ORDERS_SECRET"                     # an environment variable, as the executor `webhook` has it
events = ["run.ended", "task.opened"]        # without it all
workflows = ["transport-compliance"]         # without it all
# attempts = 8                               # before it is given up
# private = true                             # where it is on this machine or in a private network
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from ir.base import Model
from ir.codec import read_form
from ir.errors import BadSetting
from runtime.executors.http import Url

EventType = Literal["run.ended", "run.waiting", "task.opened", "task.overdue"]
EVENTS: tuple[EventType, ...] = get_args(EventType)
PAUSES = (5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400)
"""Seconds between one attempt and the next: the last is made about 31 hours after the first."""
ALL = "*"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class Endpoint(Model):
    """A system that is told.

    Args:
        secret: the environment variable that holds the secrets.
        workflows: ids of those of whose runs it is told; `*` for all.
        attempts: that are made before one is given up.
        private: an address of this machine or of a private network is meant.
    """

    url: Url
    secret: Annotated[str, Field(min_length=1)]
    events: Annotated[tuple[EventType, ...], Field(min_length=1)] = EVENTS
    workflows: Annotated[tuple[str, ...], Field(min_length=1)] = (ALL,)
    attempts: Annotated[int, Field(ge=1, le=len(PAUSES) + 1)] = len(PAUSES)
    private: bool = False

    def wants(self, event: EventType, workflow_id: str) -> bool:
        """Whether it is told of an event of a workflow's run."""
        return event in self.events and not {ALL, workflow_id}.isdisjoint(self.workflows)


Endpoints = Mapping[str, Endpoint]


def read_webhooks(table: Any) -> Endpoints:
    """What the table `[webhooks]` says, by name.

    Args:
        table: None where there is no such table.

    Raises:
        BadSetting: all that has no legal value.
    """
    given = {} if table is None else table
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        raise BadSetting("webhooks in flowc.toml holds no tables; write [webhooks.NAME]")
    read = {name: _read(name, one) for name, one in given.items()}
    wrong = [f"{name}: {fault}" for name, (_, faults) in read.items() for fault in faults]
    if wrong:
        raise BadSetting("[webhooks] in flowc.toml:\n" + "\n".join(f"- {one}" for one in wrong))
    return {name: endpoint for name, (endpoint, _) in read.items() if endpoint is not None}


def _read(name: str, given: Mapping[str, Any]) -> tuple[Endpoint | None, list[str]]:
    """An endpoint, or all that is wrong with it."""
    if not _NAME.fullmatch(name):
        return None, ["the name takes small letters, digits, - and _, 40 at most"]
    try:
        raw = json.loads(json.dumps(dict(given)))
    except TypeError as error:
        return None, [str(error)]
    read, faults = read_form(Endpoint, raw)
    if read is None:
        return None, [f"{one.location.pointer}: {one.message}".lstrip("/: ") for one in faults]
    in_address = "url: what happened goes in the body of a webhook, not in its address"
    return read, [in_address] if "{" in read.url else []
