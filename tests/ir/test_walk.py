"""The walk: which nodes run, which edges are taken, how the run ends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import records, workflows

from ir.predicate import Always
from ir.walk import Outcome, Walk, topological_order, walk
from ir.workflow import CONTROL_END, Workflow

INPUTS = st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from([0, 1, 2, None]))


def made(nodes: dict[str, Any], edges: list[dict[str, Any]], **rest: Any) -> Workflow:
    """A workflow from short node and edge dictionaries."""
    return Workflow.model_validate(
        {
            "workflow_id": "demo",
            "version": "v1",
            "inputs": {"a": {"type": "integer"}},
            "nodes": {name: {"type": "demo.task", **node} for name, node in nodes.items()},
            "edges": edges,
            "execution_policy": {"risk_level": "low"},
            **rest,
        }
    )


def arrow(source: str, target: str, condition: Any = None, **rest: Any) -> dict[str, Any]:
    """An edge."""
    return {"from": source, "to": target, "condition": condition, **rest}


def end(status: str, reason: str | None = None, **rest: Any) -> dict[str, Any]:
    """A `control.end`."""
    return {"type": CONTROL_END, "status": status, "reason_code": reason, **rest}


def split(*edges: dict[str, Any], kind: str | None = None) -> Workflow:
    """One node `s` with these edges, which lead to nodes of their own."""
    return made({"s": {"split": kind}} | {edge["to"]: {} for edge in edges}, list(edges))


ONE, TWO = {"eq": ["$.inputs.a", 1]}, {"gt": ["$.inputs.a", 1]}
SMALL = {"lt": ["$.outputs.s.v", 5]}


@given(st.data())
def test_a_node_runs_exactly_if_an_edge_into_it_is_taken(data: st.DataObject) -> None:
    """A walk that was not stopped resolves all: a node ran just if it is an entry or an edge into it is taken."""
    workflow = data.draw(workflows())
    taken = walk(workflow, data.draw(INPUTS), data.draw(records(workflow)))
    assert len(set(taken.path)) == len(taken.path)
    stopped = "pending" in taken.nodes.values() or taken.undecided is not None
    for name, state in taken.nodes.items():
        entering = [taken.edges[i] for i, edge in enumerate(workflow.edges) if edge.target == name]
        if state == "pending":
            assert stopped
            assert name not in taken.path
            continue
        assert (not entering or "taken" in entering) == (name in taken.path)
        assert (state == "skipped") == (name not in taken.path)
    if not stopped:
        assert "unresolved" not in taken.edges


@given(st.data())
def test_the_path_follows_the_edges_and_edges_follow_the_states(data: st.DataObject) -> None:
    """Taken edges lead from nodes that ran, error edges from failed ones; the path keeps the topological order."""
    workflow = data.draw(workflows())
    taken = walk(workflow, data.draw(INPUTS), data.draw(records(workflow)))
    order = topological_order(workflow)
    assert list(taken.path) == [name for name in order if name in taken.path]
    for edge, state in zip(workflow.edges, taken.edges, strict=True):
        if state == "taken":
            assert taken.nodes[edge.source] == ("succeeded" if edge.on == "success" else "failed")
        if state == "dead" and isinstance(edge.condition, Always) and edge.on == "success":
            ended = workflow.nodes[edge.source].type == CONTROL_END
            assert ended or taken.nodes[edge.source] in ("failed", "skipped")
    assert (taken.result.status == "undecided") == (taken.undecided is not None)


@given(st.data())
def test_the_same_record_gives_the_same_walk_whatever_the_order_of_edges(data: st.DataObject) -> None:
    """A walk is a function of its arguments, and the order of the edges in the file is of no matter to it."""
    workflow = data.draw(workflows())
    inputs, outputs = data.draw(INPUTS), data.draw(records(workflow))
    first, again = walk(workflow, inputs, outputs), walk(workflow, dict(reversed(inputs.items())), outputs)
    turned = walk(workflow.model_copy(update={"edges": workflow.edges[::-1]}), inputs, outputs)
    assert first == again
    assert (turned.path, turned.nodes, turned.edges[::-1]) == (first.path, first.nodes, first.edges)
    assert turned.result == first.result


@given(st.data())
def test_more_knowledge_never_changes_what_was_decided(data: st.DataObject) -> None:
    """A walk with an unknown input that ends decided ends the same whatever the input turns out to be."""
    workflow = data.draw(workflows())
    outputs = data.draw(records(workflow))
    unknown = walk(workflow, {"a": None, "b": 1}, outputs)
    if unknown.undecided is None:
        known = walk(workflow, {"a": data.draw(st.integers(0, 2)), "b": 1}, outputs)
        overlaps = known.undecided is not None and known.undecided.why == "overlap"
        assert overlaps or (known.path, known.result) == (unknown.path, unknown.result)


def test_the_smallest_priority_wins_and_none_comes_last() -> None:
    """Of two true edges with different priorities only the one with the smaller number is taken."""
    workflow = split(arrow("s", "x", ONE), arrow("s", "y", ONE, priority=2), arrow("s", "z", ONE, priority=1))
    assert walk(workflow, {"a": 1}, {}).path == ("s", "z")


def test_overlap_is_never_settled_silently() -> None:
    """Two true edges of one priority stop the walk and are named."""
    taken = walk(split(arrow("s", "x", ONE), arrow("s", "y", ONE)), {"a": 1}, {})
    assert taken.undecided is not None
    assert (taken.undecided.node, taken.undecided.why, taken.undecided.edges) == ("s", "overlap", (0, 1))
    assert (taken.nodes["s"], taken.nodes["x"], taken.edges) == ("undecided", "pending", ("unresolved", "unresolved"))


def test_an_unknown_edge_hinders_only_where_it_could_win() -> None:
    """Unknown beside the true edge or after it does not matter; before it, it does."""
    beside = split(arrow("s", "x", ONE, priority=1), arrow("s", "y", SMALL, priority=1))
    after = split(arrow("s", "x", ONE, priority=1), arrow("s", "y", SMALL, priority=2))
    before = split(arrow("s", "x", ONE, priority=2), arrow("s", "y", SMALL, priority=1))
    assert walk(beside, {"a": 1}, {}).path == walk(after, {"a": 1}, {}).path == ("s", "x")
    stopped = walk(before, {"a": 1}, {}).undecided
    assert stopped is not None
    assert (stopped.why, stopped.edges, stopped.unknown) == ("unknown", (1,), ("$.outputs.s.v",))


def test_otherwise_is_not_taken_on_unknown() -> None:
    """Unknown is not false: `otherwise` waits, and is taken only when every condition is false."""
    workflow = split(arrow("s", "x", SMALL), arrow("s", "y", "otherwise"))
    assert walk(workflow, {"a": 1}, {}).result.status == "undecided"
    assert walk(workflow, {"a": 1}, {"s": {"v": 7}}).path == ("s", "y")
    assert walk(workflow, {"a": 1}, {"s": {"v": 2}}).path == ("s", "x")


def test_null_is_seen_by_is_null_alone() -> None:
    """An `is_null` edge leads on where a comparison with null could not."""
    workflow = split(arrow("s", "x", {"is_null": "$.outputs.s.v"}, priority=1), arrow("s", "y", SMALL))
    assert walk(workflow, {"a": 1}, {"s": {"v": None}}).path == ("s", "x")
    assert walk(workflow, {"a": 1}, {"s": {"v": 1}}).path == ("s", "y")


def test_inclusive_takes_every_true_edge_and_always_fans_out() -> None:
    """`inclusive` takes all true edges; unconditional edges are taken besides in either split."""
    workflow = split(
        arrow("s", "x", ONE), arrow("s", "y", {"lt": ["$.inputs.a", 5]}), arrow("s", "z"), kind="inclusive"
    )
    assert walk(workflow, {"a": 1}, {}).path == ("s", "x", "y", "z")
    assert walk(workflow, {"a": 9}, {}).path == ("s", "z")
    assert walk(split(arrow("s", "x", ONE), arrow("s", "z")), {"a": 1}, {}).path == ("s", "x", "z")


def test_inclusive_takes_all_true_edges_of_the_smallest_priority() -> None:
    """An edge with a priority goes before those without one; those of one priority are taken together."""
    less = {"lt": ["$.inputs.a", 5]}
    edges = [arrow("s", "x", ONE, priority=1), arrow("s", "y", less, priority=1), arrow("s", "z", less)]
    workflow = split(*edges, kind="inclusive")
    assert walk(workflow, {"a": 1}, {}).path == ("s", "x", "y")
    assert walk(workflow, {"a": 2}, {}).path == ("s", "y")
    late = split(arrow("s", "x", ONE, priority=1), arrow("s", "y", less), kind="inclusive")
    assert walk(late, {"a": 1}, {}).path == ("s", "x")
    assert walk(late, {"a": 2}, {}).path == ("s", "y")


def test_an_unknown_of_the_priority_that_is_taken_leaves_an_inclusive_split_undecided() -> None:
    """What comes later cannot change the choice; what stands beside it or before it can."""
    known, unknown = ONE, {"eq": ["$.outputs.s.v", 1]}
    for first, second, undecided in ((1, 2, False), (1, 1, True), (2, 1, True)):
        edges = (arrow("s", "x", known, priority=first), arrow("s", "y", unknown, priority=second))
        stopped = walk(split(*edges, kind="inclusive"), {"a": 1}, {"s": {"v": None}}).undecided
        assert (stopped is not None) == undecided


def test_no_way_on_is_undecided() -> None:
    """A node all of whose conditional edges are false, with nothing else, leaves the run undecided."""
    stopped = walk(split(arrow("s", "x", ONE), arrow("s", "y", TWO)), {"a": 0}, {}).undecided
    assert stopped is not None
    assert (stopped.why, stopped.node, stopped.unknown) == ("no-way-on", "s", ())


def test_a_join_runs_once_after_its_taken_edges() -> None:
    """Dead edges do not hold up a join, and two taken ones do not run it twice."""
    nodes: dict[str, Any] = {"a": {}, "b": {}, "c": {}, "join": {}}
    edges = [arrow("a", "b", ONE), arrow("a", "c"), arrow("b", "join"), arrow("c", "join")]
    assert walk(made(nodes, edges), {"a": 1}, {}).path == ("a", "b", "c", "join")
    alone = walk(made(nodes, edges), {"a": 2}, {})
    assert (alone.path, alone.nodes["b"]) == (("a", "c", "join"), "skipped")
    assert alone.edges == ("dead", "taken", "dead", "taken")


def test_failure_takes_the_error_edge_or_fails_the_run() -> None:
    """A failed node's success edges die; without an error edge the walk stops as failed with its code."""
    nodes: dict[str, Any] = {"s": {}, "on": {}, "rescue": {}, "later": {}}
    edges = [arrow("s", "on"), arrow("on", "later"), arrow("s", "rescue", on="error")]
    rescued = walk(made(nodes, edges), {"a": 1}, {"s": {"$error": "TIMEOUT"}})
    assert (rescued.path, rescued.nodes["s"], rescued.result.status) == (("s", "rescue"), "failed", "completed")
    failed = walk(made(nodes, edges), {"a": 1}, {"on": Outcome(error="TIMEOUT")})
    assert (failed.result.status, failed.result.reason_code) == ("failed", "TIMEOUT")
    assert (failed.nodes["later"], failed.edges) == ("pending", ("taken", "dead", "dead"))


def test_the_worst_end_decides_and_keeps_its_reason_and_details() -> None:
    """Of several ends the gravest counts, with its reason code and the value of its input `details`."""
    nodes = {
        "s": {},
        "x": end("completed"),
        "y": end("returned", "INCOMPLETE", inputs={"details": "$.outputs.s"}),
    }
    result = walk(made(nodes, [arrow("s", "x"), arrow("s", "y")]), {"a": 1}, {"s": {"v": 3}}).result
    assert (result.status, result.reason_code, result.details) == ("returned", "INCOMPLETE", {"v": 3})


def test_guards_come_before_everything() -> None:
    """A false guard rejects with its code, an unknown one leaves the run undecided; nothing runs in either case."""
    guards = [{"condition": {"gt": ["$.inputs.a", 0]}, "error_code": "NO_AMOUNT"}]
    workflow = made({"s": {}}, [], guards=guards)
    rejected = walk(workflow, {"a": 0}, {})
    assert (rejected.path, rejected.result.status, rejected.result.reason_code) == ((), "rejected", "NO_AMOUNT")
    open_guard = walk(workflow, {}, {})
    assert open_guard.undecided is not None
    assert (open_guard.undecided.guard, open_guard.undecided.unknown) == (0, ("$.inputs.a",))
    assert open_guard.missing_inputs == ("a",)
    assert walk(workflow, {"a": 1}, {}).path == ("s",)


def test_inputs_take_their_defaults_and_outputs_are_resolved() -> None:
    """Absent inputs take the default; outputs read nodes that succeeded, and are null for the others."""
    workflow = made(
        {"s": {}, "x": {}},
        [arrow("s", "x", {"eq": ["$.inputs.b", 2]})],
        inputs={"b": {"type": "integer", "default": 1}},
        outputs={"v": "$.outputs.s.deep.v", "skipped": "$.outputs.x.v", "said": "yes", "b": "$.inputs.b"},
    )
    stopped = walk(workflow, {}, {"s": {"deep": {"v": 4}}, "x": {"v": 9}})
    assert stopped.undecided is not None
    done = walk(workflow.model_copy(update={"edges": ()}), {}, {"s": {"deep": {"v": 4}}, "x": {"$error": "E"}})
    assert dict(done.result.outputs) == {"v": 4, "skipped": None, "said": "yes", "b": 1}
    assert (done.missing_inputs, stopped.result.outputs["v"]) == ((), 4)


def test_what_the_workflow_does_not_declare_is_reported_and_not_read() -> None:
    """An undeclared input or a record of no node is named, and no condition can see it."""
    workflow = made({"s": {}, "x": {}}, [arrow("s", "x", {"exists": "$.inputs.zzz"}), arrow("s", "x", "otherwise")])
    taken = walk(workflow, {"a": 1, "zzz": 1}, {"ghost": {}})
    assert taken.undeclared == ("$.inputs.zzz", "$.outputs.ghost")
    assert taken.edges == ("dead", "taken")


@pytest.mark.parametrize(
    "edges", [[arrow("s", "x"), arrow("x", "s")], [arrow("s", "s")], [arrow("s", "nowhere")]], ids=str
)
def test_a_cycle_or_a_loose_edge_is_refused(edges: list[dict[str, Any]]) -> None:
    """Such graphs are the validator's to report; the walk raises."""
    with pytest.raises(ValueError, match=r"cycle|no node"):
        walk(made({"s": {}, "x": {}}, edges), {}, {})


@pytest.mark.parametrize("record", [{"$error": "E", "v": 1}, {"$error": 1}])
def test_a_malformed_record_is_refused(record: dict[str, Any]) -> None:
    """`$error` is a code and stands alone."""
    with pytest.raises(ValueError, match="error code"):
        walk(made({"s": {}}, []), {}, {"s": record})


def test_ties_are_broken_by_the_order_in_the_file() -> None:
    """Nodes that could run at the same time run in the order in which the file has them."""
    nodes: dict[str, Any] = {"z": {}, "b": {}, "a": {}, "end": {}}
    workflow = made(nodes, [arrow("z", "end"), arrow("a", "end"), arrow("b", "end")])
    taken: Walk = walk(workflow, {"a": 1}, {})
    assert taken.path == ("z", "b", "a", "end")
