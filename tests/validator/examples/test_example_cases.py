"""Cases show all that a run can show, each with the values that matter, and say what no run shows."""

import pytest
from order_sample import order, with_edge

from catalog.load import Catalog, load_catalog
from ir.predicate import Compare, Literally, Ref
from validator.examples.cases import Limits, cases
from validator.examples.play import Facts, play
from validator.examples.targets import Target, Targets
from validator.runs.workflow_analysis import Analysis

AMOUNT = Ref("$.inputs.amount")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The catalog that comes with flowc."""
    return load_catalog()


def test_every_reachable_target_is_shown_and_each_case_shows_its_point(catalog: Catalog) -> None:
    """Sides, rows, the guard, the failure, both decisions, all ends."""
    made = cases(order(), catalog)
    shown = {target for case in made.cases for target in case.shows}
    assert made.not_found == ()
    assert shown | set(made.unreachable) == set(made.targets.all)
    assert all(made.targets.shows(play(order(), case.facts), case.point) for case in made.cases)
    kinds = {target.kind for target in shown}
    assert kinds == {"guard", "side", "error", "row", "value", "outcome", "end"}


def test_borders_are_shown_at_and_on_both_sides(catalog: Catalog) -> None:
    """500, 499 and 501 for `> 500`, and 0 and 1 for the guard `> 0`; nothing below nothing."""
    made = cases(order(), catalog)
    wishes = [one.wish for one in made.targets.all if isinstance(one.wish, Compare) and one.wish.left == AMOUNT]
    assert {one.right.value for one in wishes if isinstance(one.right, Literally)} == {0, 1, 499, 500, 501}
    assert {499, 500, 501} <= {case.facts.values[AMOUNT] for case in made.cases}


def test_what_does_not_decide_is_left_out(catalog: Catalog) -> None:
    """Of arms the amount does not matter; of food it does."""
    made = cases(order(), catalog)
    arms = next(
        case
        for case in made.cases
        if case.run.result.node == "no" and case.facts.values[Ref("$.inputs.goods")] == "arms"
    )
    border = next(case for case in made.cases if case.facts.values[AMOUNT] == 500)
    assert Ref("$.inputs.goods") in arms.deciding
    assert AMOUNT in border.deciding


def test_what_no_run_shows_is_told_apart_from_what_was_not_found(catalog: Catalog) -> None:
    """A contradictory edge is proved unreachable; with no question allowed it is only not found."""
    never = {"and": [{"gt": [AMOUNT.text, 500]}, {"lt": [AMOUNT.text, 100]}]}
    workflow = with_edge(0, condition=never)
    side = Target("side", "sort", 0)
    assert side in cases(workflow, catalog).unreachable
    assert side in cases(workflow, catalog, Limits(questions=0)).not_found


def test_the_same_cases_are_made_each_time(catalog: Catalog) -> None:
    """Nothing hangs on the order in which sets are gone through."""
    first, second = cases(order(), catalog), cases(order(), catalog)
    assert [(one.point.key, one.facts.values) for one in first.cases] == [
        (one.point.key, one.facts.values) for one in second.cases
    ]


def test_a_comparison_that_another_overrules_does_not_decide(catalog: Catalog) -> None:
    """With banned goods `> 500` decides nothing, so that such a run does not show its border."""
    targets = Targets(Analysis(order(), catalog))
    at = Target("value", "sort", 0, "edge", 0, Compare("eq", AMOUNT, Literally(501)))
    for goods, shown in (("food", True), ("arms", False)):
        run = play(order(), Facts({AMOUNT: 501, Ref("$.inputs.goods"): goods, Ref("$.outputs.check.approved"): True}))
        assert targets.shows(run, at) is shown


def test_rows_are_applied_whatever_is_recorded() -> None:
    """What rows give stands in the place of a recorded output; what is recorded beside it stays."""
    facts = {AMOUNT: 5, Ref("$.inputs.goods"): "arms", Ref("$.outputs.sort.kind"): "free"}
    assert play(order(), Facts(facts)).result.node == "no"


def test_computed_numbers_are_aimed_at(catalog: Catalog) -> None:
    """Where a formula stands before a border, inputs are found with which it is met exactly."""
    pack = {
        "version": "1",
        "outputs": {"share": {"type": "number", "required": True}},
        "rules": [
            {"rule_id": "R1", "formulas": {"share": {"formula": {"div": ["$.inputs.amount", "$.inputs.whole"]}}}}
        ],
    }
    edges = [
        {"from": "sort", "to": "no", "condition": {"gt": ["$.outputs.sort.share", 4]}},
        {"from": "sort", "to": "done", "condition": "otherwise"},
    ]
    inputs = {name: {"type": "number", "minimum": 1} for name in ("amount", "whole")}
    nodes = {name: one for name, one in order().to_json()["nodes"].items() if name in ("sort", "no", "done")}
    workflow = order(rule_packs={"classes": pack}, edges=edges, inputs=inputs, guards=[], nodes=nodes)
    made = cases(workflow, catalog)
    assert made.not_found == ()
    shares = [play(workflow, case.facts).lookup(Ref("$.outputs.sort.share")) for case in made.cases]
    assert {3, 4, 5} <= set(shares)
