"""What is remembered is what would be found anew."""

from random import Random

import pytest

from catalog.load import load_catalog
from evals.generate.workflows import valid_workflow
from ir.diagnostics import Diagnostic
from ir.workflow import Workflow
from validator.analysis import branch_outcomes
from validator.analysis.remembered import Remembered
from validator.checks import CheckInput, validate


def test_it_is_found_anew_where_an_answer_is_another() -> None:
    """What was not asked about may change; what was asked may not."""
    kept, runs, values = Remembered[int](), [0], {"a": 1, "b": 2}

    def find(ask: object) -> int:
        runs[0] += 1
        return 10 * ask("a")  # type: ignore[operator, no-any-return]

    assert kept.get("k", find, values.__getitem__) == 10
    values["b"] = 3
    assert kept.get("k", find, values.__getitem__) == 10 and runs == [1]
    values["a"] = 4
    assert kept.get("k", find, values.__getitem__) == 40 and runs == [2]
    values["a"] = True
    assert kept.get("k", find, values.__getitem__) == 10 and runs == [3]  # True is not 1
    assert kept.get("other", find, values.__getitem__) == 10 and runs == [4]


def test_the_oldest_go() -> None:
    """No more keys are kept than are wanted, and of each no more cases."""
    kept = Remembered[int](most=2, cases=1)
    for key in "abc":
        assert kept.get(key, lambda ask: ask(0), lambda _: 1) == 1
    assert list(kept._kept) == ["b", "c"]
    assert kept.get("c", lambda ask: ask(0) + 1, lambda _: 2) == 3
    assert kept.get("c", lambda ask: 9, lambda _: 1) == 9


def _changed(workflow: Workflow, rng: Random) -> Workflow:
    """A workflow as a correction leaves it: edges elsewhere in the list, one gone, a field that may be null now."""
    edges = list(workflow.edges)
    edges.insert(0, edges.pop(rng.randrange(len(edges))))
    if rng.random() < 0.5:
        edges.pop(rng.randrange(len(edges)))
    inputs = dict(workflow.inputs)
    name = rng.choice(sorted(inputs)) if inputs else None
    if name is not None:
        inputs[name] = inputs[name].model_copy(update={"nullable": not inputs[name].nullable})
    return workflow.model_copy(update={"edges": tuple(edges), "inputs": inputs})


@pytest.mark.parametrize("seed", range(6))
def test_findings_are_those_of_a_fresh_start(seed: int) -> None:
    """Whatever was validated before, version after version."""
    rng, catalog = Random(seed), load_catalog()
    versions = [valid_workflow(seed, catalog, stages=4)]
    versions += [_changed(rng.choice(versions), rng) for _ in range(4)]

    def found(workflow: Workflow) -> tuple[Diagnostic, ...]:
        return validate(CheckInput(workflow, catalog))

    warm = [found(one) for one in versions]
    assert any(warm)
    for workflow, before in zip(versions, warm, strict=True):
        branch_outcomes._KNOWN.clear()
        assert found(workflow) == before
