"""What a node can do: the coarse answer never leaves out what the exact one has."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import validator.analysis.enumeration
from ir.fields import FieldSpec
from ir.workflow import Edge, Workflow
from validator.analysis.branch_outcomes import BranchOutcomes, Choice, _branch_outcomes, branch_outcomes
from validator.analysis.graph import Link, graph_of, shortest_cycle
from validator.analysis.semver import admits
from validator.runs.workflow_analysis import CompatibleEdges

SPEC = FieldSpec(type="string", enum=("a", "b", "c"))
condition = st.one_of(
    st.sampled_from(["always", "otherwise"]),
    st.tuples(st.sampled_from(["eq", "ne"]), st.sampled_from("xy"), st.sampled_from("abc")).map(
        lambda item: {item[0]: [f"$.inputs.{item[1]}", item[2]]}
    ),
    st.sampled_from([{"is_null": "$.inputs.x"}, {"in": ["$.inputs.y", ["a", "b", "c"]]}]),
)
edges = st.lists(st.tuples(condition, st.sampled_from([None, 1, 2])), min_size=1, max_size=4)


def links(some: list[tuple[Any, int | None]]) -> tuple[Link, ...]:
    """The edges of one node, each to a node of its own."""
    made = [
        Edge.model_validate({"from": "n", "to": f"t{i}", "condition": c, "priority": p})
        for i, (c, p) in enumerate(some)
    ]
    return tuple(Link(index, edge) for index, edge in enumerate(made))


def pairs(ways: BranchOutcomes) -> set[tuple[int, int]]:
    """Edges that can be taken together."""
    return {(a, b) for choice in ways.choices for a in choice.taken for b in choice.taken}


@given(edges, st.sampled_from(["exclusive", "inclusive"]), st.booleans())
def test_coarse_covers_exact(some: list[tuple[Any, int | None]], split: Any, nulls: bool) -> None:
    """With no combination tried as a whole, every pair of edges and every way of being stuck is still there."""
    exact = _branch_outcomes(links(some), split, lambda ref: SPEC, {}, lambda ref: [ref] if nulls else [])
    limit = validator.analysis.enumeration.LIMIT
    try:
        validator.analysis.enumeration.LIMIT = 3 + nulls  # one reference at a time
        coarse = _branch_outcomes(links(some), split, lambda ref: SPEC, {}, lambda ref: [ref] if nulls else [])
    finally:
        validator.analysis.enumeration.LIMIT = limit
    assert pairs(exact) <= pairs(coarse)
    assert {case.why for case in exact.stuck} <= {case.why for case in coarse.stuck}


def test_failure_is_a_choice_of_its_own() -> None:
    """Error edges are taken together, and never with those for success."""
    some = [Edge.model_validate({"from": "n", "to": to, "on": on}) for to, on in (("a", "success"), ("b", "error"))]
    ways = branch_outcomes(
        tuple(Link(i, edge) for i, edge in enumerate(some)), "exclusive", lambda ref: None, {}, lambda ref: []
    )
    assert set(ways.choices) == {Choice(frozenset({0})), Choice(frozenset({1}), failed=True)}


def workflow(*some: tuple[str, str]) -> Workflow:
    """A bare workflow with these edges."""
    names = dict.fromkeys(name for pair in some for name in pair if name != "?")
    return Workflow.model_validate(
        {
            "workflow_id": "w",
            "version": "v1",
            "inputs": {},
            "nodes": {name: {"type": "record.log"} for name in names},
            "edges": [{"from": a, "to": b} for a, b in some],
            "execution_policy": {"risk_level": "low"},
        }
    )


def test_the_graph_leaves_out_what_would_mislead() -> None:
    """Dangling edges, self-loops and back edges are not in it; the order is topological."""
    graph = graph_of(workflow(("a", "b"), ("b", "b"), ("b", "c"), ("c", "a"), ("c", "?"), ("b", "d")))
    assert [(link.source, link.target) for link in graph.links] == [("a", "b"), ("b", "c"), ("b", "d")]
    assert [(link.source, link.target) for link in graph.back] == [("b", "b"), ("c", "a")]
    assert graph.order == ("a", "b", "c", "d")
    assert graph.ancestors["d"] == {"a", "b"}


def test_the_shortest_cycle_is_shown() -> None:
    """Of several ways round, the one with the fewest nodes."""
    whole = workflow(("a", "b"), ("b", "c"), ("c", "d"), ("b", "d"), ("d", "a"))
    (back,) = graph_of(whole).back
    assert shortest_cycle(whole, back) == ("a", "b", "d", "a")


def test_edges_of_parallel_branches_meet_and_alternatives_do_not() -> None:
    """A fork's branches run together, whatever they choose within; the ways out of one choice do not."""
    whole = workflow(("s", "a"), ("s", "b"), ("a", "x"), ("a", "y"), ("b", "z"))
    graph = graph_of(whole)
    index = {(link.source, link.target): link.index for link in graph.links}
    choices = {node: (Choice(frozenset(link.index for link in graph.out[node])),) for node in graph.order}
    choices["a"] = tuple(Choice(frozenset({index["a", target]})) for target in "xy")
    together = CompatibleEdges.from_choices(graph, choices)
    assert together.compatible(index["a", "x"], index["b", "z"])
    assert together.compatible(index["b", "z"], index["a", "y"])
    assert not together.compatible(index["a", "x"], index["a", "y"])


@pytest.mark.parametrize(
    ("wanted", "version", "verdict"),
    [
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2.4", False),
        ("=1.2.3", "1.2.3", True),
        ("^0.2.3", "0.2.9", True),
        ("^0.2.3", "0.3.0", False),
        ("^0.0.3", "0.0.4", False),
        ("^1", "1.99.0", True),
        ("~1.2.3", "1.2.9", True),
        ("~1.2.3", "1.3.0", False),
        ("~1", "1.9.0", True),
        (">=1.0.0,<1.5", "1.5.0", False),
        (">= 1.0", "3.0.0", True),
        ("*", "9.9.9", True),
        ("", "1.0.0", None),
        ("^x", "1.0.0", None),
    ],
)
def test_version_ranges(wanted: str, version: str, verdict: bool | None) -> None:
    """Ranges as package managers read them."""
    assert admits(wanted, version) is verdict
