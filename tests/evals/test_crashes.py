"""Workers that are killed, audits that are tampered with: a sample of both, and faults that the judges have to see."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from effort import drawn

from evals.crashes.__main__ import report
from evals.crashes.book import Arrival
from evals.crashes.oracle import CHECKS, judged
from evals.crashes.record import Ran, Record
from evals.crashes.tamper import Found, sealed, tampered
from evals.crashes.tampering import TAMPERINGS
from evals.crashes.trial import Trial, Tried, tried
from store.audit import Event

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Tried:
    """A small trial on SQLite."""
    return tried(Trial(drawn(10, 30), drawn(4, 20), 1, tmp_path_factory.mktemp("trial", numbered=True)))


def test_killed_at_random_and_just_where_it_hurts(found: Tried) -> None:
    """Nothing is done twice or lost, and every run ends or waits for a person."""
    assert found.rested and not found.stopped and sum(found.kills.values()) == drawn(4, 20)
    verdicts = judged(found.record)
    assert [one.faults for one in verdicts] == [()] * len(CHECKS)
    assert all(one.of for one in verdicts), verdicts


def once(record: Record) -> Arrival:
    """The first call that had an effect and must not be made twice."""
    return next(one for one in record.arrivals if one.what == "book" and one.number is not None)


def without(record: Record, kind: str, key: str) -> Record:
    """The record without the events of a kind that name a call."""
    kept = tuple(one for one in record.events if one.kind != kind or one.body["key"] != key)
    assert len(kept) < len(record.events)
    return replace(record, events=kept)


def answered(record: Record) -> Event:
    """The first event of a call that was answered with outputs, in a run that was not cancelled."""
    told = [one for one in record.events if one.kind == "call-answered" and "output" in one.body]
    return next(one for one in told if ends(record, one) != "cancelled")


def ends(record: Record, event: Event) -> str:
    """What the run of an event came to."""
    return record.runs[str(event.execution)].end


def with_run(record: Record, **changed: object) -> Record:
    """The record with one run that ended otherwise than it did."""
    name, run = next((name, run) for name, run in record.runs.items() if run.status == "completed")
    other: Ran = replace(run, **changed)  # type: ignore[arg-type]
    return replace(record, runs={**record.runs, name: other})


def with_arrivals(record: Record, *arrivals: Arrival) -> Record:
    """The record with more calls in the book."""
    return replace(record, arrivals=(*record.arrivals, *arrivals))


def again(record: Record) -> Record:
    """A call that must not be made twice is in the book twice."""
    return with_arrivals(record, once(record))


def under_another_key(record: Record) -> Record:
    """What must not be done twice was done a second time as another attempt."""
    first = once(record)
    return with_arrivals(record, replace(first, key=first.key.rsplit(":", 1)[0] + ":9", number=999))


def more_often_than_told(record: Record) -> Record:
    """A call that may be made twice came more often than the audit says."""
    first = next(one for one in record.arrivals if one.what == "look")
    repeats = [one for one in record.events if one.kind == "call-repeated" and one.body["key"] == first.key]
    return with_arrivals(record, first, *[first] * len(repeats))


def lost(record: Record) -> Record:
    """What a node gave was never done."""
    return replace(record, arrivals=tuple(one for one in record.arrivals if one.what != "look"))


def untold(record: Record) -> Record:
    """A call that the audit does not know."""
    return with_arrivals(record, Arrival("e-0:book:1", "book", 999, 1))


def unanswered(record: Record) -> Record:
    """What became of a call is not in the audit."""
    return without(record, "call-answered", answered(record).body["key"])


def hanging(record: Record) -> Record:
    """A run goes on for ever."""
    return with_run(record, status="running", end="running")


def wrongly_ended(record: Record) -> Record:
    """A run came to an end that it has not."""
    return with_run(record, end="failed")


def with_open_task(record: Record) -> Record:
    """A run ended, and somebody is asked something."""
    return with_run(record, tasks=("settle",))


PLANTED: dict[Callable[[Record], Record], str] = {
    again: "a call that must not be made twice came once",
    under_another_key: "what must not be done twice was done once",
    more_often_than_told: "another call came again as often as the audit says",
    lost: "what a node gave is in the book",
    untold: "a call in the book is in the audit, with its end",
    unanswered: "a call that was intended came to an end",
    hanging: "a run ended or waits as it may",
    wrongly_ended: "a run ended or waits as it may",
    with_open_task: "a run ended or waits as it may",
    lambda record: with_run(record, differences=("path: another",)): "a run replays to the same path and result",
    lambda record: replace(record, verified=("event 3 is missing",)): "the audit is whole",
}


@pytest.mark.parametrize(("plant", "check"), PLANTED.items())
def test_a_planted_fault_is_seen(found: Tried, plant: Callable[[Record], Record], check: str) -> None:
    """By the check that is for it, and the report shows it."""
    verdicts = judged(plant(found.record))
    seen = {one.name: one.faults for one in verdicts if one.faults}
    assert len(seen.get(check, ())) >= 1, seen
    assert any(seen[check][0] in line for line in report(found, verdicts))


def test_each_check_sees_a_fault() -> None:
    """None is there that no planted fault needs."""
    assert set(PLANTED.values()) == set(CHECKS)


def test_tampering_is_found_as_the_manual_says(tmp_path: Path) -> None:
    """All of it up to the last head; after it, what does not leave a chain that is whole in itself."""
    place = sealed(tmp_path / "place", 1, runs=12)
    found = tampered(place, drawn(40, 400), 1, tmp_path)
    assert 50 < place.covered < place.events - 50
    assert sum(found.made.values()) == drawn(40, 400) and {kind for kind, _ in found.made} == {*TAMPERINGS}
    assert found.holds, found.found


@pytest.mark.parametrize(
    ("kind", "covered", "seen", "holds"),
    [
        ("removed", False, 1, True),
        ("removed", False, 0, False),
        ("cut off", True, 0, False),
        ("cut off", False, 0, True),
        ("cut off", False, 1, False),
    ],
)
def test_what_is_not_found_or_cannot_be_is_no_success(kind: str, covered: bool, seen: int, holds: bool) -> None:
    """A tampering that has to be found and is not, or one that by its nature is not and is."""
    assert Found(Counter({(kind, covered): 1}), Counter({(kind, covered): seen})).holds is holds
