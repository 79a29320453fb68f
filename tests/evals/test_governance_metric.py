"""Governance over the sample with two nodes that a primer put in: a question after a failure, a second approval."""

from dataclasses import replace

import pytest
from eval_samples import Drafted, changed_node, changed_nodes, edge, end, workflow

from evals.cases import Case
from evals.matching.view import View
from evals.metrics.governance import governance
from evals.tally import Tally, share
from ir.workflow import Edge, Node, Workflow

pytest_plugins = ("eval_fixtures",)

NAME = "governance.node"


def governed(name: str = "sign_off", before: str = "hand_over", after: str = "remind") -> Workflow:
    """Gold with an approval between two steps, and a question where the register fails."""
    gold = workflow()
    nodes = {
        **gold.nodes,
        name: Node(type="human.approval", approvers=("dean",), origin="primer:governance@1.0.0"),
        "ask": Node(type="human.input", origin="primer:exception-paths@1.0.0"),
        "unclear": end("returned"),
    }
    approved = {"eq": [f"$.outputs.{name}.approved", True]}
    edges: list[Edge] = [e for e in gold.edges if (e.source, e.target) != (before, after)]
    edges += [edge(before, name), edge(name, after, approved), edge(name, "unclear", "otherwise")]
    edges += [edge("enter", "ask", on="error"), edge("ask", "unclear")]
    return gold.model_copy(update={"nodes": nodes, "edges": tuple(edges)})


@pytest.fixture
def case(sample: Case) -> Case:
    """The sample with governed gold."""
    gold = governed()
    return replace(sample, workflows={gold.workflow_id: gold})


def test_gold_itself_is_all_right(drafted: Drafted, case: Case) -> None:
    """Both nodes, whatever they are called."""
    assert governance(drafted(None, governed(), case=case)) == {NAME: share(2, 2)}
    assert governance(drafted(None, governed("boss"), case=case)) == {NAME: share(2, 2)}


def test_a_node_left_out(drafted: Drafted, case: Case) -> None:
    """Without the question 1 of 2 is found."""
    flow = changed_nodes(governed(), ask=None)
    assert governance(drafted(None, flow, case=case)) == {NAME: Tally(right=1, wanted=2, found=1)}


def test_a_node_at_another_place_is_another(drafted: Drafted, case: Case) -> None:
    """The approval stands between submit and check: missed there, invented here."""
    flow = governed(before="submit", after="check")
    assert governance(drafted(None, flow, case=case)) == {NAME: Tally(right=1, wanted=2, found=2)}


def test_a_node_of_another_type_is_another(drafted: Drafted, case: Case) -> None:
    """A message in place of the question."""
    flow = changed_node(governed(), "ask", type="notify.message")
    assert governance(drafted(None, flow, case=case)) == {NAME: Tally(right=1, wanted=2, found=2)}


def test_one_too_many(drafted: Drafted, case: Case) -> None:
    """A second question after another step."""
    flow = governed()
    more = {**flow.nodes, "ask_too": Node(type="human.input", origin="primer:exception-paths@1.0.0")}
    edges = (*flow.edges, edge("refuse", "ask_too", on="error"), edge("ask_too", "unclear"))
    flow = flow.model_copy(update={"nodes": more, "edges": edges})
    assert governance(drafted(None, flow, case=case)) == {NAME: Tally(right=2, wanted=2, found=3)}


def test_a_node_that_the_document_asks_for_is_no_governance(drafted: Drafted, case: Case) -> None:
    """An approval of the same place whose origin is the document does not count."""
    flow = changed_node(governed(), "sign_off", origin="document")
    assert governance(drafted(None, flow, case=case)) == {NAME: Tally(right=1, wanted=2, found=1)}


def test_gold_without_such_nodes_is_silent(drafted: Drafted) -> None:
    """Nothing is counted, however many the draft has."""
    found = governance(drafted(None, governed()))
    assert found == {NAME: Tally()} and not found[NAME].applies


def test_no_draft_misses_both(drafted: Drafted, case: Case) -> None:
    """2 wanted."""
    view = drafted(None, governed(), case=case)
    none = View(case, replace(view.outcome, drafts=()), view.catalog)
    assert governance(none) == {NAME: Tally(wanted=2)}
