"""What is said of a run: the states of its nodes and edges, what is ready, where it stopped, how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from ir.procedure import EndStatus
from ir.source import Evidence
from ir.walk.choice import Why
from ir.walk.outcome import Outcome

NodeState = Literal["succeeded", "failed", "skipped", "undecided", "pending"]
EdgeState = Literal["taken", "dead", "unresolved"]
RunStatus = Literal[EndStatus, "undecided"]
Performer = Literal["person", "rules", "workflow", "nobody", "system"]
GRAVITY: dict[RunStatus, int] = {"completed": 0, "returned": 1, "rejected": 2, "cancelled": 3, "failed": 4}
"""Of several ends the one with the largest number decides."""


@dataclass(frozen=True)
class Undecided:
    """Where the run stopped, and why.

    Args:
        node: the node whose way out is open; None where a guard is (then `guard` is its index).
        why: `unknown` values matter, edges `overlap`, or there is `no-way-on`.
        edges: indexes of the edges that are unknown, that overlap, or that are all false.
        unknown: the references without a value that the unknown conditions read.
    """

    node: str | None
    why: Why
    edges: tuple[int, ...] = ()
    guard: int | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """What a run gives under one name, and why.

    Args:
        by: an `end` to which the run came, the workflow's `output` of that name, or the `default` that the text tells.
        nodes: those ends, or the node that the output reads.
        evidence: the words that name it, and those that these nodes and the way to them rest on.
    """

    value: JsonValue
    by: Literal["end", "output", "default"]
    nodes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class WalkResult:
    """How the run ended: the worst end reached, the first of equals.

    Args:
        reason_code: of that end, of the guard that rejected, or the error code of the node that failed.
        outputs: the workflow's outputs and results; null where what they refer to has no value.
        details: the value of that end's input `details`.
        node: that end, or the node that failed or led no further; None where a guard decided or nothing ran.
        evidence: the words that this rests on: the guard's, or those of that node and of the edges by which the run
            came to it.
        given: by name each output with where it comes from.
    """

    status: RunStatus
    reason_code: str | None = None
    outputs: Mapping[str, JsonValue] = field(default_factory=dict)
    details: JsonValue = None
    node: str | None = None
    evidence: tuple[Evidence, ...] = ()
    given: Mapping[str, Given] = field(default_factory=dict)


@dataclass(frozen=True)
class Ready:
    """A node that waits for its outcome.

    Args:
        inputs: what the node is given: null where what it refers to has no value.
        performer: who carries it out: a `person`, the `rules` of its pack, a `workflow` that it calls, a `system` by
            its Node Type, or `nobody`, where there is nothing to do.
    """

    node: str
    type: str
    inputs: Mapping[str, JsonValue]
    performer: Performer


@dataclass(frozen=True)
class Step:
    """A node that a run came to, for those who ask why.

    Args:
        came_by: the edges by which, by index; none for one that no edge enters.
        outcome: None where there is none: it is ready, or an end.
        took: the edges that lead on, by index.
        evidence: the words that the node, and the edges by which the run came to it, rest on.
    """

    node: str
    state: NodeState
    came_by: tuple[int, ...]
    outcome: Outcome | None
    took: tuple[int, ...]
    evidence: tuple[Evidence, ...]
