"""Conditions over the sample, worked out by hand: 6 edges leave a node that branches (check, enter, approve)."""

import pytest
from eval_samples import Drafted, changed_edge, changed_node, changed_nodes, edge, quoted, workflow

from evals.metrics.conditions import conditions
from evals.tally import Tally, share
from ir.predicate import parse_condition
from ir.workflow import InputSpec, Node, Workflow

pytest_plugins = ("eval_fixtures",)

WORTH = "$.inputs.worth"


def with_worth(condition: object, rest: object = "otherwise") -> Workflow:
    """Gold with other conditions at the limit."""
    changed = changed_edge(workflow(), "enter", "approve", condition=parse_condition(condition))
    return changed_edge(changed, "enter", "hand_over", condition=parse_condition(rest))


def test_gold_itself_is_all_right(drafted: Drafted) -> None:
    """6 of 6."""
    assert conditions(drafted()) == {"workflow.condition": share(6, 6)}


@pytest.mark.parametrize(
    "condition",
    [{"gt": [WORTH, 6000]}, {"gt": [WORTH, 4999.5]}, {"gte": [WORTH, 5000]}, {"lt": [WORTH, 5000]}],
)
def test_another_limit_is_wrong_for_both_ways(drafted: Drafted, condition: object) -> None:
    """Both edges of the node are taken for other values than gold's: 4 of 6."""
    assert conditions(drafted(None, with_worth(condition)))["workflow.condition"] == share(4, 6)


@pytest.mark.parametrize(
    ("condition", "rest"),
    [
        ({"not": [{"lte": [WORTH, 5000]}]}, "otherwise"),
        ({"gt": [WORTH, 5000]}, {"lte": [WORTH, 5000]}),
        ({"or": [{"gt": [WORTH, 9000]}, {"gt": [WORTH, 5000]}]}, "otherwise"),
        ("otherwise", {"lte": [WORTH, 5000]}),
    ],
)
def test_the_same_meaning_in_other_words_is_right(drafted: Drafted, condition: object, rest: object) -> None:
    """Negated, spelt out, redundant, or the other way round."""
    assert conditions(drafted(None, with_worth(condition, rest)))["workflow.condition"] == share(6, 6)


def test_two_ways_exchanged(drafted: Drafted) -> None:
    """What is complete is given back and what is not is entered: 4 of 6."""
    gold = workflow()
    one, other = gold.edges[1], gold.edges[2]
    edges = (
        *gold.edges[:1], one.model_copy(update={"target": other.target}),
        other.model_copy(update={"target": one.target}), *gold.edges[3:],
    )  # fmt: skip
    flow = gold.model_copy(update={"edges": edges})
    assert conditions(drafted(None, flow))["workflow.condition"] == share(4, 6)


def test_labels_in_other_words_are_translated(drafted: Drafted) -> None:
    """The draft says «in order» and «not in order», told apart by the words that its edges rest on: 6 of 6."""
    flow = changed_node(workflow(), "check", outcomes=("in order", "not in order"))
    outcome = "$.outputs.check.outcome"
    flow = changed_edge(flow, "check", "enter", condition=parse_condition({"eq": [outcome, "in order"]}))
    flow = changed_edge(flow, "check", "give_back", condition=parse_condition({"eq": [outcome, "not in order"]}))
    assert conditions(drafted(None, flow))["workflow.condition"] == share(6, 6)


def test_a_fact_without_a_partner_is_wrong(drafted: Drafted) -> None:
    """The draft asks for a fact that gold does not know: neither edge of the node is right."""
    urgent = InputSpec(type="boolean", evidence=quoted("Loan of Measuring Equipment"))
    flow = with_worth({"eq": ["$.inputs.urgent", True]})
    flow = flow.model_copy(update={"inputs": {**flow.inputs, "urgent": urgent}})
    flow = changed_edge(flow, "enter", "approve", evidence=())
    assert conditions(drafted(None, flow))["workflow.condition"] == share(4, 6)


def test_an_edge_that_one_side_lacks_is_not_asked_about(drafted: Drafted) -> None:
    """Without approve → hand_over 5 edges are in both; that to refuse is wrong still, as nothing is taken else."""
    gold = workflow()
    edges = tuple(e for e in gold.edges if (e.source, e.target) != ("approve", "hand_over"))
    found = conditions(drafted(None, gold.model_copy(update={"edges": edges})))
    assert found["workflow.condition"] == Tally(right=4, wanted=5, found=5)


@pytest.mark.parametrize("name", ["give_back", "another"])
def test_a_node_of_the_same_name_is_no_partner(drafted: Drafted, name: str) -> None:
    """The draft's own node in the place of give_back rests on other words: 5 edges are in both, whatever its name."""
    own = Node(type="human.task", assignee="clerk", evidence=quoted("Loan of Measuring Equipment"))
    gold = changed_nodes(workflow(), give_back=None)
    onward = (
        edge("check", name, {"eq": ["$.outputs.check.outcome", "incomplete"]}, "If anything is missing"),
        edge(name, "given_back"),
    )  # fmt: skip
    flow = gold.model_copy(update={"nodes": {**gold.nodes, name: own}, "edges": (*gold.edges, *onward)})
    view = drafted(None, flow)
    matching = view.pairs[0].matching
    assert matching is not None and "give_back" not in matching.nodes
    assert conditions(view)["workflow.condition"] == share(5, 5)
