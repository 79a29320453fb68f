"""The workflows that are run, and how each run of them may end.

Three Types call the counting server: `ledger.look` changes nothing, `ledger.renew` may be done twice and fails at
times, `ledger.book` must not be done twice.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from catalog.load import Catalog, load_catalog
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Workflow

Json = dict[str, Any]
FOLDER = Path(__file__).resolve().parent / "types"
TYPES = ("ledger.look", "ledger.renew", "ledger.book")
ONCE = "book"
"""What is called where a call must not be made twice."""
LARGE = 500
LEFT, CANCELLED = 0.06, 0.04
"""Shares of the approvals that nobody answers, and of the runs that somebody cancels."""


@dataclass(frozen=True)
class Plan:
    """A run that is to be made.

    Args:
        approves: what the approver says; None where nobody ever does.
        cancelled: somebody cancels it at some moment.
    """

    shape: str
    amount: int
    approves: bool | None
    cancelled: bool

    @property
    def ends(self) -> frozenset[str]:
        """What its walk may come to; with one that is cancelled nobody knows how far it came."""
        if self.shape == "approval" and self.approves is None:
            found = {"waiting"}
        elif self.shape == "approval" and not self.approves:
            found = {"rejected"}
        elif self.shape == "retry" or (self.shape == "choice" and self.amount < LARGE):
            found = {"completed", "returned"}  # as the attempts go
        else:
            found = {"completed"}
        return frozenset(found | ({"cancelled"} if self.cancelled else set()))


def plan(rng: Random) -> Plan:
    """A run drawn at random."""
    return Plan(
        shape=rng.choice([*SHAPES]),
        amount=rng.randint(1, 2 * LARGE),
        approves=None if rng.random() < LEFT else rng.random() < 0.7,
        cancelled=rng.random() < CANCELLED,
    )


def catalog() -> Catalog:
    """The three Types, and those that come with flowc."""
    builtin = load_catalog()
    return Catalog({**builtin.node_types, **load_catalog(FOLDER).node_types}, dict(builtin.concepts))


def workflows() -> list[Workflow]:
    """One of each shape."""
    return [_workflow(name, nodes, edges) for name, (nodes, edges) in SHAPES.items()]


def _call(what: str, **policy: Any) -> Json:
    called = {"type": f"ledger.{what}", "type_version": "^1.0.0", "inputs": {"amount": "$.inputs.amount"}}
    return called | ({"policy": policy} if policy else {})


def _end(status: str) -> Json:
    return {"type": CONTROL_END, "status": status} | ({} if status == "completed" else {"reason_code": "SO_IT_WAS"})


def _edge(source: str, target: str, condition: Json | None = None, on: str = "success") -> Json:
    return {"from": source, "to": target, "on": on} | ({"condition": condition} if condition else {})


_RENEW = _call("renew", max_attempts=3, backoff="PT1S")
_APPROVAL = {"type": HUMAN_APPROVAL, "approvers": ["approver"], "question": "May it be booked?"}
_SAID = "$.outputs.approval.approved"

SHAPES: dict[str, tuple[dict[str, Json], list[Json]]] = {
    "line": (
        {"look": _call("look"), "book": _call("book"), "more": _call("book"), "done": _end("completed")},
        [_edge("look", "book"), _edge("book", "more"), _edge("more", "done")],
    ),
    "choice": (
        {"look": _call("look"), "book": _call("book"), "renew": _RENEW,
         "done": _end("completed"), "back": _end("returned")},
        [_edge("look", "book", {"gte": ["$.inputs.amount", LARGE]}),
         _edge("look", "renew", {"lt": ["$.inputs.amount", LARGE]}),
         _edge("book", "done"), _edge("renew", "done"), _edge("renew", "back", on="error")],
    ),
    "parallel": (
        {"look": _call("look"), "one": _call("book"), "two": _call("book"), "three": _call("look"),
         "last": _call("book"), "done": _end("completed")},
        [*(_edge("look", name) for name in ("one", "two", "three")),
         *(_edge(name, "last") for name in ("one", "two", "three")), _edge("last", "done")],
    ),
    "approval": (
        {"book": _call("book"), "approval": _APPROVAL, "more": _call("book"),
         "done": _end("completed"), "refused": _end("rejected")},
        [_edge("book", "approval"), _edge("approval", "more", {"eq": [_SAID, True]}),
         _edge("approval", "refused", {"eq": [_SAID, False]}), _edge("more", "done")],
    ),
    "retry": (
        {"renew": _RENEW, "book": _call("book"), "done": _end("completed"), "back": _end("returned")},
        [_edge("renew", "book"), _edge("renew", "back", on="error"), _edge("book", "done")],
    ),
}  # fmt: skip
"""By name the nodes and the edges."""


def _workflow(name: str, nodes: dict[str, Json], edges: list[Json]) -> Workflow:
    return Workflow.model_validate(
        {
            "workflow_id": name,
            "version": "v1",
            "inputs": {"amount": {"type": "integer"}},
            "outputs": {"number": f"$.outputs.{next(iter(nodes))}.number"},
            "nodes": {key: node | {"label": key, "origin": "person"} for key, node in nodes.items()},
            "edges": [edge | {"origin": "person"} for edge in edges],
            "execution_policy": {"risk_level": "low", "allow_auto": True, "require_approval": name == "approval"},
        }
    )
