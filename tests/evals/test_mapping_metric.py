"""Input mapping over the sample, worked out by hand: enter has 2 inputs, refuse 2, remind 3."""

import pytest
from eval_samples import Drafted, changed_node, one_missing_one_invented, workflow

from evals.metrics.mapping import mapping, same_operand
from evals.tally import Tally, share
from ir.predicate import Literally, Operand, Ref
from ir.workflow import Workflow

pytest_plugins = ("eval_fixtures",)

NAME = "workflow.mapping"


def with_input(node: str, **inputs: Operand) -> Workflow:
    """Gold with some inputs of a node put in or changed."""
    flow = workflow()
    return changed_node(flow, node, inputs={**flow.nodes[node].inputs, **inputs})


def test_gold_itself_is_all_right(drafted: Drafted) -> None:
    """7 of 7."""
    assert mapping(drafted()) == {NAME: share(7, 7)}


@pytest.mark.parametrize(
    ("node", "inputs"),
    [
        ("enter", {"register": Literally("visitor register")}),
        ("enter", {"record_data": Ref("$.inputs.return_date")}),
        ("remind", {"due_date": Literally("2026-05-04")}),
        ("refuse", {"message_body": Ref("$.outputs.approve.comment")}),
    ],
)
def test_another_literal_or_reference_is_wrong(drafted: Drafted, node: str, inputs: dict[str, Operand]) -> None:
    """One of 7 says something else."""
    assert mapping(drafted(None, with_input(node, **inputs)))[NAME] == share(6, 7)


def test_inputs_left_out_and_put_in_both_cost(drafted: Drafted) -> None:
    """refuse lacks its recipient and has a telephone number: 6 right, 7 wanted, 7 found; with both 7, 7, 8."""
    flow = workflow()
    phone = {"contact_phone": Literally("123")}
    without = {"message_body": flow.nodes["refuse"].inputs["message_body"], **phone}
    other = changed_node(flow, "refuse", inputs=without)
    assert mapping(drafted(None, other))[NAME] == Tally(right=6, wanted=7, found=7)
    assert mapping(drafted(None, with_input("refuse", **phone)))[NAME] == Tally(right=7, wanted=7, found=8)


def test_nodes_of_another_type_or_without_a_partner_are_not_looked_at(drafted: Drafted) -> None:
    """refuse is an e-mail: the 5 of enter and remind; the reminder is missing: the 4 of enter and refuse."""
    mailed = changed_node(workflow(), "refuse", type="notify.email")
    assert mapping(drafted(None, mailed))[NAME] == share(5, 5)
    assert mapping(drafted(*one_missing_one_invented()))[NAME] == share(4, 4)


def test_an_input_of_another_name_is_the_same_fact(drafted: Drafted) -> None:
    """The draft calls the request `papers`: still 7 of 7."""
    flow = with_input("enter", record_data=Ref("$.inputs.papers"))
    inputs = {("papers" if name == "request" else name): spec for name, spec in flow.inputs.items()}
    assert mapping(drafted(None, flow.model_copy(update={"inputs": inputs})))[NAME] == share(7, 7)


def test_an_output_is_right_where_the_partner_gives_it(drafted: Drafted) -> None:
    """The same field of the partner is right, another field or another node is not."""
    matching = drafted().pairs[0].matching
    gold = Ref("$.outputs.enter.record_id")
    assert same_operand(gold, gold, matching)
    assert not same_operand(gold, Ref("$.outputs.enter.registered_at"), matching)
    assert not same_operand(gold, Ref("$.outputs.check.record_id"), matching)


def test_an_input_is_not_the_output_of_a_node_without_a_partner(drafted: Drafted) -> None:
    """Gold reads the reminder's number, the draft, which has no reminder, a field of the request."""
    matching = drafted(*one_missing_one_invented()).pairs[0].matching
    assert matching is not None and "remind" not in matching.nodes
    gold, draft = Ref("$.outputs.remind.reminder_id"), Ref("$.inputs.request.reminder_id")
    assert not same_operand(gold, draft, matching)
