"""The validator as a whole: its order, its codes, and that nothing brings it down."""

from typing import Any

import pytest
from effort import drawn
from hypothesis import given, settings
from hypothesis import strategies as st
from test_check_fixtures import FIXTURES, read, small_catalog

from ir.diagnostics import Severity
from ir.predicate import evaluate
from ir.walk import OpenChoice, choose
from ir.workflow import Workflow
from validator.checks import CHECKS, CheckInput, code_of, validate
from validator.explain.explanation import explain
from validator.explain.text import render_text

SHOWN_BY = {"branch-overlap": "overlap", "equal-priority": "overlap", "incomplete-branch": "no-way-on"}
NAMES = ["a", "b", "c", "nowhere"]
TYPES = [*small_catalog().node_types, "no.such_type"]
REFS = [
    "$.inputs.amount",
    "$.inputs.nothing",
    "$.facts.x",
    *(
        f"$.outputs.{name}{field}"
        for name in NAMES
        for field in ("", ".level", ".entity.cas_number", ".approved", ".no")
    ),
]
literals = st.sampled_from([None, True, 1, 2.5, "high", "P3D", [], [1, None], ["high"]])
operands = st.one_of(st.sampled_from(REFS), st.sampled_from(REFS), literals)
leaf = st.one_of(
    st.tuples(st.sampled_from(["eq", "ne", "lt", "gte", "in", "contains"]), operands, operands).map(
        lambda item: {item[0]: [item[1], item[2]]}
    ),
    st.tuples(st.sampled_from(["is_null", "exists"]), st.sampled_from(REFS)).map(lambda item: {item[0]: item[1]}),
)
trees = st.recursive(
    leaf,
    lambda inner: st.one_of(
        inner.map(lambda item: {"not": item}),
        st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda item: {item[0]: item[1]}
        ),
    ),
    max_leaves=4,
)
nodes = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "id": st.sampled_from(NAMES[:3]),
        "type_version": st.sampled_from(["^1.0.0", "2", "?"]),
        "inputs": st.dictionaries(st.sampled_from(["amount", "text", "cas_number", "note", "x"]), operands, max_size=2),
        "split": st.sampled_from(["inclusive", "exclusive"]),
        "rule_pack": st.just("rules"),
        "status": st.sampled_from(["completed", "rejected"]),
        "outcomes": st.just(["done", "failed"]),
        "requested_fields": st.just({"level": {"type": "integer", "enum": [1, 2]}}),
        "policy": st.sampled_from([{"max_attempts": 2}, {"risk_level": "low"}, {"requires_allowlist": False}]),
        "step_ids": st.just(["s1"]),
    },
)
edges = st.fixed_dictionaries(
    {"from": st.sampled_from(NAMES), "to": st.sampled_from(NAMES)},
    optional={
        "condition": st.one_of(st.sampled_from(["always", "otherwise"]), trees),
        "priority": st.integers(1, 2),
        "on": st.sampled_from(["success", "error"]),
    },
)
policies = st.fixed_dictionaries(
    {"risk_level": st.sampled_from(["low", "medium", "high"])},
    optional={"allow_auto": st.booleans(), "require_approval": st.booleans()},
)
workflows = st.fixed_dictionaries(
    {
        "workflow_id": st.just("any"),
        "version": st.just("v1"),
        "inputs": st.sampled_from([{}, {"amount": {"type": "number", "required": False}}]),
        "outputs": st.dictionaries(st.just("out"), st.sampled_from(REFS), max_size=1),
        "nodes": st.dictionaries(st.sampled_from(NAMES[:3]), nodes, max_size=3),
        "edges": st.lists(edges, max_size=6),
        "execution_policy": policies,
        "guards": st.lists(trees.map(lambda tree: {"condition": tree, "error_code": "E"}), max_size=1),
    }
)


@settings(max_examples=drawn(75, 300))
@given(workflows)
def test_any_workflow_is_judged_and_explained(raw: dict[str, Any]) -> None:
    """Cycles, unknown types, dangling edges and mixed-up types in any combination bring nothing down."""
    workflow = Workflow.model_validate(raw)
    validate(CheckInput(workflow, small_catalog()))
    assert render_text(explain(workflow, small_catalog())).endswith("\n")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_check_reports_its_own_code(path: Any) -> None:
    """Each check's name says the code that it reports, and it reports no other."""
    given_ = read(path)
    for check in CHECKS:
        assert {diagnostic.error_code for diagnostic in check(given_)} <= {code_of(check)}


@pytest.mark.parametrize("path", [p for p in FIXTURES if p.parent.name in SHOWN_BY], ids=lambda path: path.stem)
def test_a_witness_shows_the_fault(path: Any) -> None:
    """With the values of the witness, the edges of the node are chosen as the finding says."""
    given_ = read(path)
    for diagnostic in validate(given_):
        if diagnostic.error_code in SHOWN_BY and diagnostic.witness is not None:
            place = diagnostic.location
            name = place.node or (place.edge or "").split("->")[0]
            edges_ = {i: e for i, e in enumerate(given_.workflow.edges) if e.source == name and e.on == "success"}
            values = diagnostic.witness
            outcome = choose(
                edges_,
                given_.workflow.nodes[name].split or "exclusive",
                lambda tree: evaluate(tree, lambda ref: values[ref.text]),  # noqa: B023 - used at once
            )
            assert isinstance(outcome, OpenChoice)
            assert outcome.why == SHOWN_BY[diagnostic.error_code]


def test_errors_come_first_then_the_order_of_the_file() -> None:
    """Findings are sorted by severity, then by place, indexes as numbers."""
    raw: dict[str, Any] = {
        "workflow_id": "many",
        "version": "v1",
        "inputs": {},
        "nodes": {"a": {"type": "no.such"}, "b": {"type": "record.log"}},
        "edges": [{"from": "a", "to": f"gone{number}"} for number in range(11)],
        "execution_policy": {"risk_level": "low"},
    }
    found = validate(CheckInput(Workflow.model_validate(raw), small_catalog()))
    severities = [diagnostic.severity for diagnostic in found]
    assert severities == sorted(severities, key=[Severity.ERROR, Severity.WARNING].index)
    dangling = [d.location.pointer for d in found if d.error_code == "dangling-edge"]
    assert dangling == [f"/edges/{number}/to" for number in range(11)]


def test_the_same_workflow_gives_the_same_findings() -> None:
    """Two runs over equal workflows agree to the letter."""
    for path in FIXTURES[:40]:
        assert validate(read(path)) == validate(read(path))
