"""What the checks pass, the walk can walk: random workflows, every combination of values, no surprises."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from typing import Any

import pytest
from effort import drawn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.predicate import Ref, references
from ir.walk import Walk, walk
from ir.workflow import Workflow
from validator.checks import CheckInput, validate
from validator.proofs.runs import Example
from validator.runs.workflow_analysis import Analysis

pytestmark = pytest.mark.slow

GOVERNED = {"branch-overlap", "equal-priority", "incomplete-branch", "null-unguarded", "skipped-read"}
PLAIN: dict[str, Any] = {
    "version": "1.0.0",
    "summary": "For tests",
    "capabilities": {"side_effect": False, "idempotent_default": True, "retryable_default": True},
    "governance": {"risk_level_default": "low"},
}
SOURCE = NodeType.model_validate(
    PLAIN
    | {
        "type": "test.source",
        "category": "io",
        "inputs_schema": {"need": {"type": "boolean", "required": True}, "want": {"type": "boolean", "nullable": True}},
        "outputs_schema": {
            "flag": {"type": "boolean", "required": True, "nullable": True},
            "kind": {"type": "string", "required": True, "enum": ["a", "b"]},
        },
    }
)
END = NodeType.model_validate(
    PLAIN | {"type": "control.end", "category": "control", "inputs_schema": {}, "outputs_schema": {}}
)
CATALOG = Catalog({SOURCE.type: SOURCE, END.type: END}, {})
GUARD = {"condition": {"eq": ["$.inputs.on", True]}, "error_code": "OFF"}
Gone = tuple[Walk, dict[str, Mapping[str, JsonValue]]]
OUTCOMES: list[Mapping[str, JsonValue]] = [
    {"flag": flag, "kind": kind} for flag, kind in product((True, False, None), ("a", "b"))
]


@st.composite
def condition(draw: st.DrawFn, sources: list[str]) -> Any:
    """A condition on the input or on outputs of nodes at or before the edge."""
    refs = ["$.inputs.on", *(f"$.outputs.{name}.{field}" for name in sources for field in ("flag", "kind"))]

    def leaf() -> Any:
        ref = draw(st.sampled_from(refs))
        op = draw(st.sampled_from(["eq", "eq", "eq", "ne", "is_null", "exists"]))
        value = draw(st.sampled_from(["a", "b"])) if ref.endswith("kind") else draw(st.booleans())
        return {op: [ref, value]} if op in ("eq", "ne") else {op: ref}

    shape = draw(st.sampled_from(["leaf", "leaf", "leaf", "and", "or", "not"]))
    if shape == "leaf":
        return leaf()
    return {"not": leaf()} if shape == "not" else {shape: [leaf(), leaf()]}


TWICE: dict[str, Any] = {"from": "first", "to": "next", "condition": {"eq": ["$.inputs.on", False]}}
STANDS_TWICE = Workflow.model_validate(
    {
        "workflow_id": "twice",
        "version": "v1",
        "inputs": {"on": {"type": "boolean"}},
        "nodes": {
            "first": {"type": "test.source", "inputs": {"need": "$.inputs.on"}},
            "next": {"type": "test.source", "inputs": {"need": "$.outputs.first.flag"}},
        },
        "edges": [TWICE, TWICE],
        "execution_policy": {"risk_level": "low"},
    }
)


ENDS_ON_SUCCESS = Workflow.model_validate(
    {
        "workflow_id": "ends",
        "version": "v1",
        "inputs": {"on": {"type": "boolean"}},
        "nodes": {
            name: {"type": "test.source", "inputs": {"need": "$.inputs.on"}} for name in ("first", "other", "next")
        }
        | {"done": {"type": "control.end", "status": "completed"}},
        "edges": [
            {"from": "first", "to": "next", "on": "error"},
            {"from": "other", "to": "next"},
            {"from": "next", "to": "done", "condition": {"eq": ["$.outputs.first.flag", False]}},
        ],
        "execution_policy": {"risk_level": "low"},
    }
)


def _leading_to(name: str, edges: list[dict[str, Any]]) -> set[str]:
    """The nodes from which edges lead to a node."""
    found = {name}
    for edge in reversed(edges):
        found |= {edge["from"]} if edge["to"] in found else set()
    return found - {name}


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Up to four nodes and two ends, in topological order, with edges of every sort."""
    count = draw(st.integers(1, 4))
    names = [f"n{number}" for number in range(count)]
    nodes: dict[str, Any] = {}
    edges: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        before = [other for other in names[:number] if other in _leading_to(name, edges)]
        inputs = {"need": draw(st.sampled_from(["$.inputs.on", *(f"$.outputs.{other}.flag" for other in before)]))}
        nodes[name] = {
            "type": "test.source",
            "inputs": inputs,
            "split": draw(st.sampled_from([None, None, "inclusive"])),
        }
        if draw(st.booleans()):
            guard = {"condition": {"is_null": f"$.outputs.{name}.flag"}, "priority": 1}
            edges += [{"from": name, "to": "back", **guard}] if draw(st.booleans()) else []
            shape = [draw(st.sampled_from(["otherwise", "always"])) if edges else "always"]
            shape += ["tree"] if draw(st.booleans()) else []
        else:
            shape = draw(
                st.lists(st.sampled_from(["always", "otherwise", "tree", "tree", "tree", "error"]), max_size=3)
            )
        for kind in shape:
            target = draw(st.sampled_from([*names[number + 1 :], *names[number + 1 :], "done", "back"]))
            edge: dict[str, Any] = {"from": name, "to": target}
            if kind == "error":
                edge["on"] = "error"
            else:
                edge["condition"] = draw(condition([*before, name])) if kind == "tree" else kind
                edge["priority"] = draw(st.sampled_from([None, None, 1, 2])) if kind == "tree" else None
            edges.append(edge)
    ends = {
        "done": {"type": "control.end", "status": "completed"},
        "back": {"type": "control.end", "status": "returned"},
    }
    return Workflow.model_validate(
        {
            "workflow_id": "random",
            "version": "v1",
            "inputs": {"on": {"type": "boolean"}},
            "guards": draw(st.sampled_from([[], [], [GUARD]])),
            "nodes": nodes | {name: end for name, end in ends.items() if any(e["to"] == name for e in edges)},
            "edges": edges,
            "execution_policy": {"risk_level": "low"},
        }
    )


def walks(workflow: Workflow) -> Iterator[Gone]:
    """Every walk: all inputs, all outputs, and failures where an edge leads on from one."""
    sources = [name for name, node in workflow.nodes.items() if node.type == "test.source"]
    failing = {edge.source for edge in workflow.edges if edge.on == "error"}
    records = [[*OUTCOMES, *([{"$error": "TIMEOUT"}] if name in failing else [])] for name in sources]
    for on in (True, False):
        for outputs in product(*records):
            recorded = dict(zip(sources, outputs, strict=True))
            yield walk(workflow, {"on": on}, recorded), recorded


def surprises(workflow: Workflow) -> Iterator[str]:
    """What goes wrong in some walk: the way is undecided, or a node runs without a value that it requires."""
    for taken, recorded in walks(workflow):
        if taken.undecided:
            yield f"{taken.undecided} with {recorded}"
        for name in taken.path:
            need = workflow.nodes[name].inputs.get("need")
            if isinstance(need, Ref) and need.node:
                given_ = recorded[need.node] if taken.nodes[need.node] == "succeeded" else {}
                if given_.get("flag") is None:
                    yield f"{name} lacks {need.text} with {recorded}"


@settings(max_examples=drawn(37, 150))
@given(workflows())
def test_what_passes_walks_to_an_end(workflow: Workflow) -> None:
    """A workflow without findings of branches and nulls is decided for all values, and no required input is null."""
    found = validate(CheckInput(workflow, CATALOG))
    if GOVERNED & {diagnostic.error_code for diagnostic in found}:
        return
    if {"reference-not-upstream", "unreachable-node", "duplicate-edge"} & {
        diagnostic.error_code for diagnostic in found
    }:
        return
    assert not next(surprises(workflow), None)


@settings(max_examples=drawn(37, 150))
@given(workflows())
def test_no_node_that_walks_reach_is_called_unreachable(workflow: Workflow) -> None:
    """The nodes found unreachable are in no walk."""
    found = validate(CheckInput(workflow, CATALOG))
    shut = {diagnostic.location.node for diagnostic in found if diagnostic.error_code == "unreachable-node"}
    assert not any(shut & set(taken.path) for taken, _ in walks(workflow)) if shut else True


@settings(max_examples=drawn(25, 100))
@given(workflows())
def test_one_node_alone_is_decided_exactly(workflow: Workflow) -> None:
    """For the first node, which every walk comes to, a branch finding is there if and only if some walk shows it."""
    first = next(iter(workflow.nodes))
    found = validate(CheckInput(workflow, CATALOG))
    told = {d.error_code for d in found if first in (d.location.node, (d.location.edge or "").split("->")[0])}
    whys = {taken.undecided.why for taken, _ in walks(workflow) if taken.undecided and taken.undecided.node == first}
    assert ("overlap" in whys) <= bool(told & {"branch-overlap", "equal-priority", "duplicate-edge"})
    assert ("no-way-on" in whys) <= ("incomplete-branch" in told)
    assert ("unknown" in whys) == ("null-unguarded" in told)


@settings(max_examples=drawn(25, 100))
@given(workflows())
def test_edges_that_no_run_takes_are_those_that_no_walk_takes(workflow: Workflow) -> None:
    """What is proved never to be taken is in no walk; and where walks do not stop on the way, nothing else is missed.

    Conditions that read nodes beside the way are left out of the second half: there an edge may count as possible.
    """
    analysis = Analysis(workflow, CATALOG)
    never = analysis.proofs.never_taken
    gone = [taken for taken, _ in walks(workflow)]
    taken = {index for one in gone for index, state in enumerate(one.edges) if state == "taken"}
    assert not never & taken
    beside = any(
        ref.node is not None and ref.node not in analysis.dominators[edge.source]
        for edge in workflow.edges
        for ref in references(edge.condition)
    )
    if not beside and not any(one.undecided or one.result.status == "failed" for one in gone):
        assert never == set(range(len(workflow.edges))) - taken


@settings(max_examples=drawn(25, 100))
@given(workflows())
@example(ENDS_ON_SUCCESS)
def test_two_nodes_run_together_just_where_a_walk_comes_to_both(workflow: Workflow) -> None:
    """That both run is proved or shown as all walks have it that stop nowhere on the way."""
    proofs = Analysis(workflow, CATALOG).proofs
    gone = [set(taken.path) for taken, _ in walks(workflow) if not taken.undecided]
    for pair in combinations(workflow.nodes, 2):
        run = proofs.all_can_run(pair)
        met = any(set(pair) <= path for path in gone)
        assert not (met and run is False)
        assert not isinstance(run, Example) or set(pair) <= set(run.path)


@settings(max_examples=drawn(25, 100))
@given(workflows())
@example(ENDS_ON_SUCCESS)
def test_no_question_is_denied_that_a_walk_affirms(workflow: Workflow) -> None:
    """What never happens by the proofs, that a node runs or is stuck without a value, happens in no walk.

    Only runs are asked for that no node before brings to a halt.
    """
    proofs = Analysis(workflow, CATALOG).proofs
    gone = list(walks(workflow))
    sources = [name for name, node in workflow.nodes.items() if node.type == "test.source"]
    for at, name in product(workflow.nodes, sources):
        field = Ref(f"$.outputs.{name}.flag")
        passed = [one for one in gone if not one[0].undecided and at in one[0].path]
        stuck = [one for one in gone if (stop := one[0].undecided) and (stop.node, stop.why) == (at, "unknown")]
        read = any(
            ref.node == name for edge in workflow.edges if edge.source == at for ref in references(edge.condition)
        )
        assert not any(map(_absent(name), passed)) or proofs.reached_without(at, name) is not False
        assert not any(map(_null(name), passed)) or proofs.reached_with_null(at, field) is not False
        assert not (read and any(map(_null(name), stuck))) or proofs.stuck_on_null(at, field) is not False
        assert not (read and any(map(_absent(name), stuck))) or proofs.stuck_without(at, name) is not False


def _absent(name: str) -> Callable[[Gone], bool]:
    return lambda one: one[0].nodes[name] not in ("succeeded", "undecided")


def _null(name: str) -> Callable[[Gone], bool]:
    return lambda one: not _absent(name)(one) and one[1][name].get("flag") is None


@settings(max_examples=drawn(37, 150))
@given(workflows())
@example(STANDS_TWICE)
def test_every_example_replays(workflow: Workflow) -> None:
    """The walk confirms each run that the solver gives; else it would be told as a bug."""
    assert "internal-error" not in {diagnostic.error_code for diagnostic in validate(CheckInput(workflow, CATALOG))}
