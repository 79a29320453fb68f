"""The stepper: what is ready, what an outcome leads to, how a run ends, and how it is stored and resumed."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_walk import INPUTS, ONE, arrow, end, made
from trees import records, workflows

from ir.codec import read_form, read_json, write_json
from ir.walk import Outcome, Run, RunState, StateMismatch, resume, start, state_of, walk
from ir.workflow import Workflow

QUOTE = [{"doc_id": "d.md", "quote": "words"}]


def driven(run: Run, outputs: dict[str, Any], order: Random) -> Run:
    """The run at its end, whichever of the ready nodes gives its outcome first."""
    while run.ready:
        name = order.choice(run.ready).node
        run = run.take(name, Outcome.read(outputs.get(name, {})))
    return run


def parallel() -> Workflow:
    """`s` leads to `x` and `y` beside each other, both to `join`, which leads to an end; `x` may be skipped."""
    nodes: dict[str, Any] = {"s": {}, "x": {}, "y": {}, "join": {"inputs": {"v": "$.outputs.x.v", "w": 3}}}
    nodes["done"] = end("completed", inputs={"details": "$.outputs.y"})
    edges = [arrow("s", "x", ONE), arrow("s", "y"), arrow("x", "join"), arrow("y", "join"), arrow("join", "done")]
    return made(nodes, edges, outputs={"v": "$.outputs.x.v"})


@given(st.data())
def test_the_order_of_outcomes_is_of_no_matter(data: st.DataObject) -> None:
    """A run that comes to its end ends as the walk does, whichever of several ready nodes gives its outcome first."""
    workflow, inputs = data.draw(workflows()), data.draw(INPUTS)
    outputs = data.draw(records(workflow))
    known, run = walk(workflow, inputs, outputs), start(workflow, inputs)
    run = driven(run, outputs, data.draw(st.randoms(use_true_random=False)))
    if not run.stopped and "pending" not in known.nodes.values():
        assert (run.path, run.nodes, run.edges, run.ending) == (known.path, known.nodes, known.edges, known.result)


@given(st.data())
def test_what_is_ready_has_its_predecessors_behind_it(data: st.DataObject) -> None:
    """Edges into ready nodes are all settled and one is taken; nothing is ready twice, something is until the end."""
    workflow = data.draw(workflows())
    outputs, run, seen = data.draw(records(workflow)), start(workflow, data.draw(INPUTS)), set[str]()
    while run.ready:
        assert run.ending is None
        for ready in run.ready:
            entering = [run.edges[i] for i, edge in enumerate(workflow.edges) if edge.target == ready.node]
            assert "unresolved" not in entering
            assert not entering or "taken" in entering
        name = data.draw(st.sampled_from(run.ready)).node
        assert name not in seen
        seen.add(name)
        run = run.take(name, Outcome.read(outputs.get(name, {})))
    assert run.stopped or "pending" not in run.nodes.values()


@given(st.data())
def test_a_stored_run_goes_on_as_if_it_had_not_been_stored(data: st.DataObject) -> None:
    """Anywhere on its way a run can be written as JSON and read again, and is the same run."""
    workflow = data.draw(workflows())
    outputs, run = data.draw(records(workflow)), start(workflow, data.draw(INPUTS))
    for _ in range(data.draw(st.integers(0, 4))):
        if run.ready:
            name = data.draw(st.sampled_from(run.ready)).node
            run = run.take(name, Outcome.read(outputs.get(name, {})))
    raw, faults = read_json(write_json(state_of(run)))
    state, more = read_form(RunState, raw)
    assert (faults, more) == ((), ())
    assert state is not None
    again = resume(workflow, state)
    assert (again.ready, again.nodes, again.edges, again.result) == (run.ready, run.nodes, run.edges, run.result)
    assert state_of(again) == state


def test_what_is_ready_says_what_it_is_given_and_by_whom_it_is_done() -> None:
    """Inputs are resolved, null where nothing gave a value; people, rules, calls and systems are told apart."""
    run = start(parallel(), {"a": 1})
    assert [one.node for one in run.ready] == ["s"]
    run = run.take("s", Outcome())
    assert [one.node for one in run.ready] == ["x", "y"]
    run = run.take("y", Outcome()).take("x", Outcome(output={"v": 7}))
    assert [(one.node, one.inputs) for one in run.ready] == [("join", {"v": 7, "w": 3})]
    kinds: dict[str, Any] = {
        "a": {"type": "human.task"},
        "b": {"rule_pack": "p"},
        "c": {"type": "control.call", "call": {"workflow_id": "w", "version": "v1"}},
        "d": {"type": "control.start"},
        "e": {},
    }
    found = start(made(kinds, []), {"a": 1}).ready
    assert [one.performer for one in found] == ["person", "rules", "workflow", "nobody", "system"]


def test_a_skipped_node_holds_nothing_up() -> None:
    """What a choice skips is skipped at once, and what waited for it alone besides is ready."""
    run = start(parallel(), {"a": 2}).take("s", Outcome())
    assert ([one.node for one in run.ready], run.nodes["x"]) == (["y"], "skipped")
    run = run.take("y", Outcome(output={"u": 1}))
    assert [(one.node, one.inputs["v"]) for one in run.ready] == [("join", None)]
    done = run.take("join", Outcome()).ending
    assert done is not None
    assert (done.status, done.node, done.details, done.outputs) == ("completed", "done", {"u": 1}, {"v": None})


def test_only_what_waits_takes_an_outcome() -> None:
    """An outcome for a node that is not ready, or had its own, is refused, and the run stays as it was."""
    run = start(parallel(), {"a": 1})
    with pytest.raises(ValueError, match="'join' waits for no outcome; what does: s"):
        run.take("join", Outcome())
    after = run.take("s", Outcome())
    with pytest.raises(ValueError, match="'s' waits for no outcome; what does: x, y"):
        after.take("s", Outcome())
    assert [one.node for one in run.ready] == ["s"]


def test_what_is_under_way_when_a_run_stops_may_end_and_leads_nowhere() -> None:
    """A failure without an error edge stops a run; the outcome of what ran beside is kept."""
    run = start(parallel(), {"a": 1}).take("s", Outcome()).take("x", Outcome(error="DOWN", message="no answer"))
    assert (run.ready, run.under_way, run.stopped) == ((), ("y",), True)
    late = run.take("y", Outcome(output={"u": 1}))
    assert (late.nodes["y"], late.nodes["join"], late.under_way) == ("succeeded", "pending", ())
    assert late.ending is not None
    assert (late.ending.status, late.ending.reason_code, late.ending.node) == ("failed", "DOWN", "x")
    assert resume(late.workflow, state_of(late)).nodes == late.nodes


def test_steps_say_how_a_run_came_to_them_and_on_what_words() -> None:
    """For each node reached: its state, the edges taken to and from it, its outcome, the quotes of both."""
    nodes = {"s": {"evidence": QUOTE}, "x": end("returned", "R", evidence=QUOTE)}
    workflow = made(nodes, [arrow("s", "x", ONE, evidence=QUOTE), arrow("s", "x", "otherwise")])
    run = start(workflow, {"a": 1}).take("s", Outcome(answered_by="clerk"))
    first, last = run.steps
    assert (first.node, first.came_by, first.took, first.outcome) == ("s", (), (0,), Outcome(answered_by="clerk"))
    assert (last.state, last.came_by, len(last.evidence)) == ("succeeded", (0,), 2)
    assert run.ending is not None
    assert run.ending.evidence == last.evidence


def test_a_guard_that_does_not_hold_is_the_end_with_its_words() -> None:
    """Nothing is ready then, and the result bears the guard's code and quote."""
    guards = [{"condition": {"gt": ["$.inputs.a", 0]}, "error_code": "NO_AMOUNT", "evidence": QUOTE}]
    run = start(made({"s": {}}, [], guards=guards), {"a": 0})
    assert (run.ready, run.steps) == ((), ())
    assert run.ending is not None
    assert (run.ending.reason_code, run.ending.evidence[0].quote) == ("NO_AMOUNT", "words")


def test_a_run_stays_with_its_version_and_a_changed_record_is_refused() -> None:
    """A stored run is not resumed with another workflow, nor with outcomes that it could not have taken."""
    workflow = parallel()
    state = state_of(start(workflow, {"a": 1}).take("s", Outcome()))
    other = workflow.model_copy(update={"version": "v2"})
    with pytest.raises(StateMismatch, match=r"demo v1 .* found demo v2"):
        resume(other, state)
    raw = json.loads(write_json(state))
    raw["taken"][0]["node"] = "join"
    with pytest.raises(StateMismatch, match='an outcome of "join", where s could have one'):
        resume(workflow, RunState.model_validate(raw))


def test_a_long_run_takes_time_in_proportion() -> None:
    """Two thousand nodes in a row are walked; each outcome costs one look at its own edges."""
    nodes: dict[str, Any] = {f"n{i}": {} for i in range(2000)}
    run = walk(made(nodes, [arrow(f"n{i}", f"n{i + 1}") for i in range(1999)]), {"a": 1}, {})
    assert len(run.path) == 2000
