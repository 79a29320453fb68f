"""What comes before a step: held against its definition on graphs made at random, and quick on long ones."""

import time
from itertools import pairwise
from random import Random

import pytest

from compiler.draft.earlier import find_earlier
from ir.procedure import START, Flow


def flows_at_random(seed: int) -> tuple[list[str], list[Flow]]:
    """Steps, and flows that lead forward, some of them under a condition; some steps are led to by nothing."""
    rng = Random(seed)
    steps = [f"s{number}" for number in range(rng.randint(1, 9))]
    places = [START, *steps]
    flows = [
        Flow(source=places[a], target=places[b], condition=rng.choice((None, "c1", "otherwise")))
        for a in range(len(places))
        for b in range(a + 1, len(places))
        if rng.random() < rng.choice((0.2, 0.5, 0.9 if b == a + 1 else 0.1))
    ]
    rng.shuffle(flows)
    return steps, flows


def absent_without(step: str, into: dict[str, set[str]], always: set[tuple[str, str]]) -> set[str]:
    """The steps that do not run where one does not, by the definition."""
    gone, known = {step}, set[str]()
    while gone != known:
        known = set(gone)
        gone |= {source for source, target in always if target in known}
        gone |= {name for name, sources in into.items() if sources and sources <= known}
    return known


@pytest.mark.parametrize("seed", range(300))
def test_as_defined(seed: int) -> None:
    """Those before on some path, and those that surely ran, as the definition has them."""
    steps, flows = flows_at_random(seed)
    into: dict[str, set[str]] = {step: set() for step in steps}
    for flow in flows:
        into[flow.target].add(flow.source)
    always = {(flow.source, flow.target) for flow in flows if flow.condition is None}
    some: dict[str, set[str]] = {START: set()}
    for step in steps:
        some[step] = set().union(*(some[one] | {one} for one in into[step])) - {START}
    without = {step: absent_without(step, into, always) for step in steps}
    found = find_earlier({step: f"n_{step}" for step in steps}, steps, flows)
    for step in steps:
        possibly = {one for one in steps if found.holds(found.before(f"n_{step}"), f"n_{one}")}
        surely = {one for one in steps if found.holds(found.before(f"n_{step}", surely=True), f"n_{one}")}
        assert possibly == some[step]
        assert surely == {one for one in some[step] if START in without[one] or step in without[one]}


def test_last_of_some() -> None:
    """The nearest is the one that stands last among the steps."""
    found = find_earlier(
        {"a": "x", "b": "y", "c": "z"}, ["a", "b", "c"], [Flow(source="a", target="c"), Flow(source="b", target="c")]
    )
    assert (found.last(found.before("z")), found.last(found.before("x"))) == ("y", None)


@pytest.mark.parametrize("condition", [None, "c1"])
def test_a_long_chain_is_quick(condition: str | None) -> None:
    """Four thousand steps one behind the other, also where only some runs come to the first."""
    steps = [f"s{number}" for number in range(4000)]
    flows = [Flow(source=START, target="s0", condition=condition)]
    flows += [Flow(source=one, target=other) for one, other in pairwise(steps)]
    begun = time.process_time()
    found = find_earlier({step: step for step in steps}, steps, flows)
    assert time.process_time() - begun < 2  # a tenth of a second; comparing all with all took minutes
    assert found.holds(found.before("s3999", surely=True), "s0")
