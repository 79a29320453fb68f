"""Contraction: a workflow without the nodes that no document asked for."""

import pytest
from eval_samples import QUOTES, Drafted, changed_nodes, edge, end, quoted, workflow

from evals.matching.contraction import contract, unasked
from evals.matching.nodes import match
from ir.predicate import parse_tree
from ir.workflow import Node, Workflow

pytest_plugins = ("eval_fixtures",)


def governed(approved: object = None, otherwise: object = None) -> Workflow:
    """The sample with an approval between hand_over and remind, and a question where the register fails."""
    gold = workflow()
    nodes = {
        **gold.nodes,
        "dean": Node(type="human.approval", approvers=("dean",), origin="primer:governance@1.0.0"),
        "ask": Node(type="human.input", origin="primer:exception-paths@1.0.0"),
        "tell": Node(type="human.task", assignee="clerk"),
        "stopped": end("rejected"),
    }
    edges = [e for e in gold.edges if e.source != "hand_over"]
    edges += [edge("hand_over", "dean"), edge("dean", "remind", approved), edge("dean", "stopped", otherwise)]
    edges += [edge("enter", "ask", on="error"), edge("ask", "tell"), edge("tell", "stopped")]
    return gold.model_copy(update={"nodes": nodes, "edges": tuple(edges)})


@pytest.mark.parametrize(
    ("approved", "otherwise"),
    [
        ({"eq": ["$.outputs.dean.approved", True]}, {"eq": ["$.outputs.dean.approved", False]}),
        ({"eq": ["$.outputs.dean.approved", True]}, "otherwise"),
        ("otherwise", {"eq": ["$.outputs.dean.approved", False]}),
        ("otherwise", {"not": [{"eq": ["$.outputs.dean.approved", True]}]}),
    ],
)
def test_an_unasked_approval_is_taken_as_granted(approved: object, otherwise: object) -> None:
    """What leads to it leads on to where the granted one leads; the exception path goes, with all beyond it."""
    found = contract(governed(approved, otherwise))
    assert list(found.nodes) == list(workflow().nodes)
    arcs = {(e.source, e.target) for e in found.edges}
    assert arcs == {(e.source, e.target) for e in workflow().edges}


def test_the_way_into_an_approval_keeps_its_condition() -> None:
    """The approval stands on a conditional edge, which then leads on under the same condition."""
    gold = workflow()
    limit = gold.edges[4]
    dean = Node(type="human.approval", approvers=("dean",), origin="primer:governance@1.0.0")
    edges = (
        *(e for e in gold.edges if e is not limit), limit.model_copy(update={"target": "dean"}),
        edge("dean", "approve", {"eq": ["$.outputs.dean.approved", True]}), edge("dean", "refuse", "otherwise"),
    )  # fmt: skip
    found = contract(gold.model_copy(update={"nodes": {**gold.nodes, "dean": dean}, "edges": edges}))
    assert limit in found.edges and "dean" not in found.nodes and len(found.edges) == 11


def test_an_approval_at_the_start_leaves_the_next_step_as_the_start() -> None:
    """Nothing leads to submit any more, and it is there."""
    gold = workflow()
    dean = Node(type="human.approval", approvers=("dean",), origin="primer:governance@1.0.0")
    edges = (*gold.edges, edge("dean", "submit", {"eq": ["$.outputs.dean.approved", True]}))
    assert contract(gold.model_copy(update={"nodes": {"dean": dean, **gold.nodes}, "edges": edges})) == gold


def test_what_the_document_asks_for_stays() -> None:
    """An approval of the document, an end that a primer put in; a person's node too."""
    gold = workflow()
    assert contract(gold) == gold
    assert not unasked(end("returned").model_copy(update={"origin": "primer:exception-paths@1.0.0"}))
    assert not unasked(Node(type="human.approval", origin="person"))
    assert unasked(Node(type="human.input", origin="repair"))


def test_a_cycle_is_refused() -> None:
    """There is no order in which to take the nodes."""
    gold = workflow()
    with pytest.raises(ValueError, match="cycle"):
        contract(gold.model_copy(update={"edges": (*gold.edges, edge("check", "submit"))}))


def test_a_node_that_only_governance_leads_to_is_not_matched(drafted: Drafted) -> None:
    """The task behind the question rests on a step's words, and goes all the same."""
    draft = governed({"eq": ["$.outputs.dean.approved", True]}, "otherwise")
    draft = changed_nodes(draft, tell=draft.nodes["tell"].model_copy(update={"evidence": quoted(QUOTES["submit"])}))
    view = drafted()
    assert match(workflow(), draft, view.places, view.catalog).nodes["submit"] == "submit"


def computing() -> Workflow:
    """Two steps with a node between them that computes, on whose value the ways part."""
    pack = {
        "version": "1.0.0",
        "outputs": {"risk": {"type": "number"}},
        "rules": [{"rule_id": "R1", "outcome": {"risk": 1}}],
    }
    above = {"gt": ["$.outputs.sum.risk", 4]}
    raw = {
        "workflow_id": "demo", "version": "v1", "inputs": {},
        "nodes": {
            "score": {"type": "human.task", "step_ids": ["s1"]},
            "sum": {"type": "control.compute", "rule_pack": "sum"},
            "review": {"type": "human.task", "step_ids": ["s2"]},
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [
            {"from": "score", "to": "sum"}, {"from": "sum", "to": "review", "condition": above},
            {"from": "sum", "to": "done", "condition": "otherwise"}, {"from": "review", "to": "done"},
        ],
        "rule_packs": {"sum": pack}, "execution_policy": {"risk_level": "low"},
    }  # fmt: skip
    return Workflow.model_validate(raw)


def test_what_only_computes_is_looked_through() -> None:
    """The step before leads on in each way, in its case; what was computed is read as given."""
    found = contract(computing())
    assert set(found.nodes) == {"score", "review", "done"}
    assert {(one.source, one.target) for one in found.edges} == {
        ("score", "review"),
        ("score", "done"),
        ("review", "done"),
    }
    (parting,) = [one for one in found.edges if one.target == "review"]
    assert parting.condition == parse_tree({"gt": ["$.inputs.risk", 4]})
    assert "risk" in found.inputs


def test_a_step_that_computes_stays() -> None:
    """It is the document's."""
    given = computing()
    carried = given.nodes["sum"].model_copy(update={"step_ids": ("s3",)})
    assert "sum" in contract(given.model_copy(update={"nodes": {**given.nodes, "sum": carried}})).nodes
