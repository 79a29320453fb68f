"""Which cases a change of a workflow changes: those whose runs are others, whatever was judged of them."""

import pytest
from order_sample import ORDER, order, with_edge

from catalog.load import load_catalog
from ir.kept_case import KeptCase, KeptCases
from ir.workflow import Workflow
from validator.examples.anchors import anchors_of
from validator.examples.cases import cases
from validator.examples.changed import changed_cases
from validator.examples.kept import rows_of_run, scenario_of
from validator.examples.play import play_recorded


@pytest.fixture(scope="module")
def kept() -> KeptCases:
    """All cases of the order, judged by nobody."""
    made = cases(order(), load_catalog())
    every = tuple(
        KeptCase(id=f"c{at}", told="", point=str(at), scenario=scenario_of(one, made.targets, str(at)),
                 by_rows=rows_of_run(one.run))
        for at, one in enumerate(made.cases)
    )  # fmt: skip
    return KeptCases(workflow="order", nodes=anchors_of(order(), order().nodes), cases=every)


def test_nothing_changes_where_the_workflow_stays(kept: KeptCases) -> None:
    """The same workflow, and one that differs in words alone, change no case."""
    assert changed_cases(order(), order(), kept) == ()


def test_exactly_the_cases_change_whose_run_does(kept: KeptCases) -> None:
    """What is named is what an independent play of both workflows finds; each says in what it is another run."""
    after = with_edge(0, condition={"gt": ["$.inputs.amount", 10_000]})
    found = changed_cases(order(), after, kept)
    ways = {
        one.id: [play_recorded(flow, one.scenario.inputs, one.scenario.outputs).path for flow in (order(), after)]
        for one in kept.cases
    }
    assert {one.after.case.id for one in found} == {name for name, (was, now) in ways.items() if was != now} != set()
    assert all(one.differences and not one.gone for one in found)


def test_a_change_is_seen_against_the_run_before_not_against_what_was_judged(kept: KeptCases) -> None:
    """A case that differed before and goes on the same way does not change; taking the change back changes it."""
    after = with_edge(0, condition={"gt": ["$.inputs.amount", 10_000]})
    assert changed_cases(after, after, kept) == ()
    there, back = changed_cases(order(), after, kept), changed_cases(after, order(), kept)
    assert [one.after.case.id for one in there] == [one.after.case.id for one in back]


def test_a_step_that_is_gone_is_told(kept: KeptCases) -> None:
    """Cases whose run went through it say so."""
    raw = {**ORDER, "nodes": {name: dict(node) for name, node in ORDER["nodes"].items()}}
    raw["nodes"]["check"] = {**raw["nodes"]["check"], "label": "something else", "evidence": []}
    found = changed_cases(order(), Workflow.model_validate(raw), kept)
    through = {one.id for one in kept.cases if "check" in (one.scenario.path or ())}
    assert {one.after.case.id for one in found} >= through
