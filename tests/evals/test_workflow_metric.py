"""Nodes, edges and order over the sample, worked out by hand: gold has 8 nodes, 11 edges, 21 ordered pairs."""

from dataclasses import replace

from eval_samples import Drafted, changed_node, changed_nodes, edge, end, one_missing_one_invented, workflow

from evals.cases import Case
from evals.matching.view import View
from evals.metrics.workflow import agreement, arcs, closure
from evals.metrics.workflow import workflow as measured
from evals.outcome import Draft
from evals.tally import Tally, share
from ir.workflow import Node

pytest_plugins = ("eval_fixtures",)


def test_gold_itself_is_all_right(drafted: Drafted) -> None:
    """8 nodes; 11 edges; of order 7 after submit, 6 after check, 4 after enter, 3 after approve, 1 after hand_over."""
    assert measured(drafted()) == {
        "workflow.node": share(8, 8),
        "workflow.edge": share(11, 11),
        "workflow.order": share(21, 21),
    }


def test_a_node_missing_and_one_invented_both_cost(drafted: Drafted) -> None:
    """The reminder's 2 edges and 5 pairs are missed; the invented node has as many, none of them right."""
    assert measured(drafted(*one_missing_one_invented())) == {
        "workflow.node": Tally(right=7, wanted=8, found=8),
        "workflow.edge": Tally(right=9, wanted=11, found=11),
        "workflow.order": Tally(right=16, wanted=21, found=21),
    }


def test_an_edge_missing(drafted: Drafted) -> None:
    """Without approve → hand_over 10 edges; only approve → hand_over and approve → remind are lost in the order."""
    gold = workflow()
    edges = tuple(e for e in gold.edges if (e.source, e.target) != ("approve", "hand_over"))
    assert measured(drafted(None, gold.model_copy(update={"edges": edges}))) == {
        "workflow.node": share(8, 8),
        "workflow.edge": Tally(right=10, wanted=11, found=10),
        "workflow.order": Tally(right=19, wanted=21, found=19),
    }


def test_a_detour_keeps_the_order(drafted: Drafted) -> None:
    """A node put in between hand_over and remind: one edge is lost and two are found, the order of gold's nodes holds.

    In the draft 6 pairs more: submit, check, enter, approve, hand_over before the new node, and it before remind.
    """
    gold = workflow()
    node = Node(type="human.task", assignee="clerk", evidence=())
    edges = [e for e in gold.edges if (e.source, e.target) != ("hand_over", "remind")]
    flow = changed_nodes(gold, between=node)
    more = (*edges, edge("hand_over", "between"), edge("between", "remind"))
    assert measured(drafted(None, flow.model_copy(update={"edges": more}))) == {
        "workflow.node": Tally(right=8, wanted=8, found=9),
        "workflow.edge": Tally(right=10, wanted=11, found=12),
        "workflow.order": Tally(right=21, wanted=21, found=27),
    }


def test_ends_are_known_by_their_status_alone(drafted: Drafted) -> None:
    """An end of another name is the same, one of another status is not."""
    gold = workflow()
    renamed = gold.model_copy(
        update={
            "nodes": {("over" if name == "done" else name): node for name, node in gold.nodes.items()},
            "edges": tuple(e.model_copy(update={"target": "over"}) if e.target == "done" else e for e in gold.edges),
        }
    )
    assert measured(drafted(None, renamed))["workflow.edge"] == share(11, 11)
    other = changed_node(gold, "refused", status="cancelled")
    assert measured(drafted(None, other))["workflow.edge"] == share(10, 11)


def test_what_no_document_asked_for_is_left_out(drafted: Drafted) -> None:
    """An approval and an exception path that a primer put in cost nothing."""
    gold = workflow()
    sign_off = Node(type="human.approval", approvers=("dean",), origin="primer:governance@1.0.0")
    ask = Node(type="human.input", origin="primer:exception-paths@1.0.0")
    edges = [e for e in gold.edges if (e.source, e.target) != ("hand_over", "remind")]
    approved = {"eq": ["$.outputs.sign_off.approved", True]}
    more = (
        *edges, edge("hand_over", "sign_off"), edge("sign_off", "remind", approved),
        edge("sign_off", "stopped", "otherwise"), edge("enter", "ask", on="error"), edge("ask", "unclear"),
    )  # fmt: skip
    nodes = {**gold.nodes, "sign_off": sign_off, "ask": ask, "stopped": end("rejected"), "unclear": end("returned")}
    governed = gold.model_copy(update={"nodes": nodes, "edges": more})
    assert measured(drafted(None, governed)) == measured(drafted())


def test_a_draft_that_stands_for_nothing_is_found_too_much(drafted: Drafted) -> None:
    """A second draft of two nodes, one edge and one ordered pair beside gold's own."""
    view = drafted()
    task = Node(type="human.task", assignee="somebody")
    flow = workflow().model_copy(
        update={"workflow_id": "other", "nodes": {"a": task, "b": task}, "edges": (edge("a", "b"),)}
    )
    (own,) = view.outcome.drafts
    extra = Draft(own.procedure.model_copy(update={"id": "other", "steps": ()}), flow, {}, True, True)
    more = View(view.case, replace(view.outcome, drafts=(own, extra)), view.catalog)
    assert measured(more) == {
        "workflow.node": Tally(right=8, wanted=8, found=10),
        "workflow.edge": Tally(right=11, wanted=11, found=12),
        "workflow.order": Tally(right=21, wanted=21, found=22),
    }


def test_no_draft_at_all_misses_everything(sample: Case, drafted: Drafted) -> None:
    """Gold's counts are wanted, nothing is found."""
    view = drafted()
    none = View(sample, replace(view.outcome, drafts=()), view.catalog)
    assert measured(none) == {
        "workflow.node": Tally(wanted=8),
        "workflow.edge": Tally(wanted=11),
        "workflow.order": Tally(wanted=21),
    }


def test_arcs_and_closure_of_gold() -> None:
    """Edges as pairs with ends by status; pairs of steps over any number of edges."""
    gold = workflow()
    assert ("refuse", "end:rejected") in arcs(gold) and ("remind", "end:completed") in arcs(gold)
    assert {b for a, b in closure(gold) if a == "approve"} == {"refuse", "hand_over", "remind"}
    assert not [pair for pair in closure(gold) if pair[0] == "give_back"]


def test_nodes_without_partners_carry_no_arcs() -> None:
    """Two arcs of gold whose ends have no partner are not found, whatever the draft has."""
    gold = {("a", "b"), ("c", "d"), ("a", "end:failed")}
    assert agreement(gold, {("x", "y"), ("c", "d")}, {"a": "x", "b": "y"}) == Tally(right=1, wanted=3, found=2)
