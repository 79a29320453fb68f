"""What must hold of runs whose workers were killed, judged from the server's book and the workspace alone."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evals.crashes.book import Arrival
from evals.crashes.record import Record
from evals.crashes.shapes import ONCE
from runtime.forms import ENDED


@dataclass(frozen=True)
class Verdict:
    """What came of one check.

    Args:
        of: how many things were looked at.
        faults: each in a sentence.
    """

    name: str
    of: int
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """A record, with what several checks look up in it."""

    record: Record

    def keys(self, kind: str) -> Counter[str]:
        """How often each key of a call is in events of a kind."""
        return Counter(one.body["key"] for one in self.record.events if one.kind == kind)

    @cached_property
    def arrivals(self) -> dict[str, list[Arrival]]:
        """The calls that reached the server, by their keys."""
        found: dict[str, list[Arrival]] = {}
        for one in self.record.arrivals:
            found.setdefault(one.key, []).append(one)
        return found

    @cached_property
    def done(self) -> dict[tuple[str, str], set[int]]:
        """By run and node the numbers of what the server did for it."""
        found: dict[tuple[str, str], set[int]] = {}
        for one in self.record.arrivals:
            if one.number is not None:
                execution, node, _ = one.key.split(":")
                found.setdefault((execution, node), set()).add(one.number)
        return found

    @cached_property
    def answered(self) -> list[tuple[str, str, Any]]:
        """The nodes that a system carried out: run, node and number given."""
        told = [one for one in self.record.events if one.kind == "node-succeeded" and "number" in one.body["output"]]
        return [(str(one.execution), one.body["node"], one.body["output"]["number"]) for one in told]


def _once(found: Evidence) -> Iterator[str | None]:
    for key, came in found.arrivals.items():
        if came[0].what == ONCE:
            yield None if len(came) == 1 else f"{key} reached the server {len(came)} times"


def _effect(found: Evidence) -> Iterator[str | None]:
    once = {one.key.rsplit(":", 1)[0] for one in found.record.arrivals if one.what == ONCE}
    for (execution, node), numbers in found.done.items():
        if f"{execution}:{node}" in once:
            yield None if len(numbers) == 1 else f"{execution}:{node} was done {len(numbers)} times"


def _repeated(found: Evidence) -> Iterator[str | None]:
    repeats = found.keys("call-repeated")
    for key, came in found.arrivals.items():
        if came[0].what != ONCE:
            told = 1 + repeats[key]
            yield None if len(came) <= told else f"{key} came {len(came)} times, and the audit tells of {told}"


def _lost(found: Evidence) -> Iterator[str | None]:
    for execution, node, number in found.answered:
        done = number in found.done.get((execution, node), set())
        yield None if done else f"{execution}:{node} gave {number}, and the book does not have it"


def _told(found: Evidence) -> Iterator[str | None]:
    intended, told = found.keys("call-intended"), found.keys("call-answered") + found.keys("call-parked")
    for key in found.arrivals:
        if key not in intended:
            yield f"{key} is in the book, and the audit knows of no such call"
        elif key not in told and _end(found, key) != "cancelled":
            yield f"{key} is in the book, and neither its answer nor that it was parked is in the audit"
        else:
            yield None


def _settled(found: Evidence) -> Iterator[str | None]:
    told = found.keys("call-answered") + found.keys("call-parked")
    for key in found.keys("call-intended"):
        yield (
            None if key in told or _end(found, key) == "cancelled" else f"{key} was intended, and nothing became of it"
        )


def _end(found: Evidence, key: str) -> str:
    run = found.record.runs.get(key.split(":")[0])
    return run.end if run else "unknown"


def _ended(found: Evidence) -> Iterator[str | None]:
    for name, run in found.record.runs.items():
        waits = run.status == "waiting_human"
        tasks = ("approval",) if waits else ()
        if run.status not in (*ENDED, "waiting_human"):
            yield f"{name} ({run.plan.shape}) is {run.status}"
        elif run.end not in run.plan.ends:
            yield f"{name} ({run.plan.shape}) came to {run.end}, and may come to {', '.join(sorted(run.plan.ends))}"
        elif run.tasks != tasks:
            yield f"{name} ({run.plan.shape}) is {run.status}, and has open tasks: {', '.join(run.tasks) or 'none'}"
        else:
            yield None


def _replayed(found: Evidence) -> Iterator[str | None]:
    for name, run in found.record.runs.items():
        if run.status in ENDED:
            yield f"{name}: {'; '.join(run.differences)}" if run.differences else None


def _whole(found: Evidence) -> Iterator[str | None]:
    yield from found.record.verified
    yield from [None] * (len(found.record.events) - len(found.record.verified))


CHECKS: dict[str, Callable[[Evidence], Iterator[str | None]]] = {
    "a call that must not be made twice came once": _once,
    "what must not be done twice was done once": _effect,
    "another call came again as often as the audit says": _repeated,
    "what a node gave is in the book": _lost,
    "a call in the book is in the audit, with its end": _told,
    "a call that was intended came to an end": _settled,
    "a run ended or waits as it may": _ended,
    "a run replays to the same path and result": _replayed,
    "the audit is whole": _whole,
}
"""Each gives, for each thing that it looks at, what is wrong with it."""


SHOWN = 5
"""Faults of a check that are told."""


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Of each check how many things it looked at and how many are not so, with the first of these."""
    width = max(len(one.name) for one in verdicts)
    yield f"{'':{width}}  looked at  not so"
    for one in verdicts:
        yield f"{one.name:{width}}  {one.of:9}  {len(one.faults):6}"
        yield from (f"  {fault}" for fault in one.faults[:SHOWN])


def judged(record: Record) -> list[Verdict]:
    """What comes of each check."""
    found = Evidence(record)
    verdicts = []
    for name, check in CHECKS.items():
        looked = list(check(found))
        verdicts.append(Verdict(name, len(looked), tuple(fault for fault in looked if fault is not None)))
    return verdicts
