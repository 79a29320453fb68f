"""Workflows that are valid by construction: the validator finds no error in them, and sees what is then broken."""

import pytest

from catalog.load import load_catalog
from evals.generate.workflows import valid_workflow
from evals.growth import big_workflow
from evals.mutation.judge import judge
from evals.mutation.subject import Subject
from ir.diagnostics import Severity
from ir.predicate import Compare, Null, Otherwise, Ref, Tree, leaves
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, Workflow
from validator.checks import CheckInput, validate

CATALOG = load_catalog()
SEEDS = range(20)


def errors(workflow: Workflow) -> list[str]:
    """What the validator calls an error."""
    return [str(d) for d in validate(CheckInput(workflow, CATALOG)) if d.severity is Severity.ERROR]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_false_alarm(seed: int) -> None:
    """The validator finds no error in a workflow that has none."""
    assert errors(valid_workflow(seed, CATALOG)) == []


def test_generated_workflows_hold_every_feature() -> None:
    """Null tests, references against references, priorities, inclusive splits, nested references, people, failures."""
    workflows = [valid_workflow(seed, CATALOG) for seed in range(60)]
    edges = [edge for workflow in workflows for edge in workflow.edges]
    nodes = [node for workflow in workflows for node in workflow.nodes.values()]
    read = [leaf for edge in edges if isinstance(edge.condition, Tree) for leaf in leaves(edge.condition)]
    compared = [leaf for leaf in read if isinstance(leaf, Compare)]
    assert any(isinstance(leaf, Null) for leaf in read)
    assert any(isinstance(leaf.left, Ref) and isinstance(leaf.right, Ref) for leaf in compared)
    assert any(isinstance(leaf.left, Ref) and leaf.left.root == "inputs" and leaf.left.path[1:] for leaf in compared)
    assert {leaf.op for leaf in compared} == {"eq", "lt", "lte", "gt", "gte", "in", "contains"}
    assert any(edge.priority is not None for edge in edges) and any(edge.on == "error" for edge in edges)
    assert any(isinstance(edge.condition, Otherwise) for edge in edges)
    assert any(node.split == "inclusive" for node in nodes)
    assert {HUMAN_APPROVAL, HUMAN_INPUT} <= {node.type for node in nodes}
    assert any(node.references for node in nodes) and any(workflow.guards for workflow in workflows)


def test_same_seed_same_workflow() -> None:
    """A seed always gives the same workflow."""
    one, other = (valid_workflow(7, CATALOG) for _ in range(2))
    assert one == other != valid_workflow(8, CATALOG)


def test_a_case_lost_from_a_partition_is_seen() -> None:
    """Without its `otherwise`, or without its case for null, a generated split is no longer accepted."""
    subject = Subject(valid_workflow(3, CATALOG), CATALOG)
    found = list(judge(subject, ("otherwise_removed", "null_guard_removed")))
    assert found
    assert [(one.kind, one.mutant.what) for one in found if one.verdict == "survived"] == []


def test_big_workflow_is_as_big_as_asked_and_valid() -> None:
    """As many nodes, about twice as many edges, and no error."""
    workflow = big_workflow(120, 240, seed=1)
    assert len(workflow.nodes) == 120
    assert 0.9 * 240 <= len(workflow.edges) <= 1.2 * 240
    assert errors(workflow) == []
