"""Kept cases: run again, told where they differ, found again when ids moved, stale when what they name is gone."""

from typing import Any

import pytest
from order_sample import ORDER, order, with_edge

from catalog.load import load_catalog
from ir.kept_case import Judgement, KeptCase, KeptCases
from ir.scenario import ExpectedResult
from ir.workflow import Workflow
from validator.examples.anchors import anchors_of
from validator.examples.cases import cases
from validator.examples.kept import check_kept, in_terms_of, scenario_of


def judged(verdict: str, result: ExpectedResult | None = None) -> Judgement:
    """A judgement."""
    return Judgement.model_validate(
        {"verdict": verdict, "author": "ann", "time": "2026-01-01T00:00:00+00:00", "result": result}
    )


@pytest.fixture(scope="module")
def kept() -> KeptCases:
    """All cases of the order, judged right."""
    made = cases(order(), load_catalog())
    every = tuple(
        KeptCase(
            id=f"c{at}",
            told="",
            point=str(at),
            scenario=scenario_of(one, made.targets, str(at)),
            judgement=judged("right"),
        )
        for at, one in enumerate(made.cases)
    )
    return KeptCases(workflow="order", nodes=anchors_of(order(), order().nodes), cases=every)


def renamed(names: dict[str, str]) -> Workflow:
    """The order with other ids of nodes."""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {names.get(key, key) if key in names else key: moved(one) for key, one in value.items()}
        if isinstance(value, list):
            return [moved(one) for one in value]
        if isinstance(value, str) and value.startswith("$.outputs."):
            head, rest = value.removeprefix("$.outputs.").split(".", 1)
            return f"$.outputs.{names.get(head, head)}.{rest}"
        return names.get(value, value) if isinstance(value, str) else value

    return Workflow.model_validate(moved(ORDER))


def test_right_cases_pass_on_the_same_workflow(kept: KeptCases) -> None:
    """Nothing differs."""
    assert {one.outcome for one in check_kept(kept, order())} == {"passed"}


@pytest.mark.parametrize(
    "edge",
    [
        {"condition": {"and": [{"gte": ["$.inputs.amount", 500]}, {"ne": ["$.outputs.sort.kind", "banned"]}]}},
        {"condition": {"and": [{"gt": ["$.inputs.amount", 501]}, {"ne": ["$.outputs.sort.kind", "banned"]}]}},
        {"to": "pay"},
    ],
    ids=["looser", "higher", "elsewhere"],
)
def test_a_changed_condition_is_found_with_the_edge_that_decides(kept: KeptCases, edge: dict[str, Any]) -> None:
    """The way parts at the node whose edge was changed, and the edge that is taken now is named."""
    changed = with_edge(0, **edge)
    differing = [one for one in check_kept(kept, changed) if one.outcome == "differs"]
    assert differing
    ways = [each for one in differing for each in one.differences if each.what == "way"]
    assert {each.at for each in ways} == {"sort"}
    assert all(changed.edges[index].source == "sort" for each in ways for index in each.edges)


def test_nodes_are_found_again_by_words_and_labels_though_ids_are_exchanged(kept: KeptCases) -> None:
    """An id that another node bears now is not followed."""
    exchanged = renamed({"check": "pay", "pay": "check"})
    assert {one.outcome for one in check_kept(kept, exchanged)} == {"passed"}
    assert {one.outcome for one in check_kept(in_terms_of(kept, exchanged), exchanged)} == {"passed"}


def test_a_case_whose_node_is_gone_is_stale_and_never_passes(kept: KeptCases) -> None:
    """Without the approval, cases that name it are stale; others run."""
    nodes = {name: one for name, one in ORDER["nodes"].items() if name != "check"}
    edges = [one for one in ORDER["edges"] if "check" not in (one["from"], one["to"])]
    found = tuple(check_kept(kept, order(nodes=nodes, edges=edges)))
    stale = [one for one in found if one.outcome == "stale"]
    assert stale and all(one.gone == ("check",) for one in stale)
    assert all("check" in (one.case.scenario.path or ()) or "check" in one.case.scenario.outputs for one in stale)
    assert all(one.outcome in ("stale", "passed") for one in found)


def test_an_input_that_is_gone_makes_a_case_stale(kept: KeptCases) -> None:
    """Goods are no input any more."""
    inputs = {"amount": ORDER["inputs"]["amount"]}
    found = check_kept(kept, order(inputs=inputs))
    assert {one.gone for one in found if one.case.scenario.inputs.get("goods")} == {("$.inputs.goods",)}


def test_a_wrong_case_is_mended_when_the_run_ends_as_it_should(kept: KeptCases) -> None:
    """Until then it is still wrong, and fails nothing."""
    refused = next(one for one in kept.cases if one.scenario.path == ("sort", "pay", "done"))
    wanted = ExpectedResult(status="rejected", reason_code="REFUSED")
    wrong = kept.model_copy(update={"cases": (refused.model_copy(update={"judgement": judged("wrong", wanted)}),)})
    assert [one.outcome for one in check_kept(wrong, order())] == ["still wrong"]
    assert [one.outcome for one in check_kept(wrong, with_edge(2, to="no"))] == ["mended"]


def test_what_should_happen_may_be_a_step_that_runs_or_does_not(kept: KeptCases) -> None:
    """A wrong case is mended once the step runs that should, and the one does not that should not; stale without it."""
    case = next(one for one in kept.cases if "check" in (one.scenario.path or ()))
    wrong = judged("wrong").model_copy(update={"must": ("pay",), "must_not": ("check",)})
    only = kept.model_copy(update={"cases": (case.model_copy(update={"judgement": wrong}),)})
    assert [one.outcome for one in check_kept(only, order())] == ["still wrong"]
    straight = with_edge(0, condition={"gt": ["$.inputs.amount", 10_000]})
    lasting = only.cases[0].model_copy(
        update={"scenario": case.scenario.model_copy(update={"path": None, "outputs": {}})}
    )
    assert [one.outcome for one in check_kept(only.model_copy(update={"cases": (lasting,)}), straight)] == ["mended"]
    moved = in_terms_of(only, renamed({"check": "a1", "pay": "p1"}))
    assert moved.cases[0].judgement is not None and moved.cases[0].judgement.must == ("p1",)
    gone = only.model_copy(update={"nodes": {name: one for name, one in only.nodes.items() if name != "pay"}})
    assert [one.outcome for one in check_kept(gone, order())] == ["stale"]
