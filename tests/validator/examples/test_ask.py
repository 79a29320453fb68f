"""Questions in the form of facts: yes, no, open with what it hangs on, and the nearest change."""

from typing import Any

from order_sample import order, with_edge

from catalog.load import load_catalog
from ir.predicate import Ref
from ir.workflow import Workflow
from validator.examples.ask import Answer, ask
from validator.examples.play import Facts

AMOUNT, GOODS, APPROVED = Ref("$.inputs.amount"), Ref("$.inputs.goods"), Ref("$.outputs.check.approved")


def asked(workflow: Workflow | None = None, **given: Any) -> Answer:
    """The answer with some facts."""
    refs = {"amount": AMOUNT, "goods": GOODS, "approved": APPROVED}
    facts = Facts({refs[name]: value for name, value in given.items()})
    return ask(workflow or order(), load_catalog(), facts)


def test_an_answer_holds_whatever_is_left_out() -> None:
    """Arms are refused, whatever the amount; yet the amount must be something, or the guard refuses: both are no."""
    answer = asked(goods="arms", amount=700)
    assert (answer.verdict, answer.ending and answer.ending.node) == ("no", "no")


def test_what_is_left_out_and_decides_makes_it_open() -> None:
    """What decides next is named, with how runs can end for each value that was tried."""
    answer = asked(goods="food", amount=700)
    assert (answer.verdict, answer.decides_next) == ("open", APPROVED)
    assert {value: {end.node for end in ends} for value, ends in answer.unless} == {True: {"done"}, False: {"no"}}


def test_a_guard_that_may_refuse_is_asked_first() -> None:
    """Without an amount nothing is certain, even of arms: the run may not be admitted, with another reason."""
    assert asked(goods="arms").decides_next == AMOUNT


def test_the_nearest_change_is_the_smallest_of_one_fact() -> None:
    """Of 501 with a refusal, 500 needs no approval and is paid."""
    answer = asked(goods="food", amount=501, approved=False)
    assert answer.verdict == "no" and answer.change is not None
    assert (dict(answer.change.values), answer.change.verdict) == ({AMOUNT: 500}, "yes")


def test_a_missing_value_is_not_a_null() -> None:
    """A test for null is open where nothing was said, and decided where null was said."""
    inputs = {"amount": {"type": "number", "required": False}, "goods": {"type": "string", "enum": ["food", "arms"]}}
    edges = [
        {"from": "sort", "to": "no", "condition": {"is_null": AMOUNT.text}},
        {"from": "sort", "to": "done", "condition": "otherwise"},
    ]
    nodes = {name: one for name, one in order().to_json()["nodes"].items() if name in ("sort", "no", "done")}
    workflow = order(inputs=inputs, edges=edges, nodes=nodes, guards=[])
    assert asked(workflow, goods="food").decides_next == AMOUNT
    assert asked(workflow, goods="food", amount=None).verdict == "no"


def test_where_the_workflow_does_not_say_how_to_go_on_it_is_the_document_that_is_open() -> None:
    """Two ways hold at once: nothing that could be given decides it."""
    both = with_edge(1, condition={"gt": [AMOUNT.text, 400]})
    answer = asked(both, goods="food", amount=700, approved=True)
    assert (answer.verdict, answer.document_open, answer.decides_next) == ("open", True, None)


def test_what_is_computed_is_not_held_certain_from_a_few_values() -> None:
    """An answer that hangs on a formula over something left out is open, and said not to be exact."""
    pack = {
        "version": "1",
        "outputs": {"double": {"type": "number", "required": True}},
        "rules": [{"rule_id": "R", "formulas": {"double": {"formula": {"mul": [AMOUNT.text, 2]}}}}],
    }
    edges = [
        {"from": "sort", "to": "no", "condition": {"gt": ["$.outputs.sort.double", 1000000]}},
        {"from": "sort", "to": "done", "condition": "otherwise"},
    ]
    nodes = {name: one for name, one in order().to_json()["nodes"].items() if name in ("sort", "no", "done")}
    workflow = order(rule_packs={"classes": pack}, edges=edges, nodes=nodes, guards=[])
    answer = asked(workflow, goods="food")
    assert (answer.verdict, answer.exact, answer.decides_next) == ("open", False, AMOUNT)
