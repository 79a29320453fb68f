"""Gold against itself is all right in every case; a fault planted in it is seen by the metrics that should, alone.

Cases of the split `dev` alone: held-out ones are not looked at.
"""

from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from planted import FAULTS, Gold

import evals.outcome
from catalog.load import Catalog
from compiler.context import Context
from evals.cases import Case, read_suite
from evals.matching.view import View
from evals.metrics import FOUND, METRICS, measure
from evals.outcome import outcome_of_gold, read_documents
from evals.tally import Tally

pytestmark = pytest.mark.slow

pytest_plugins = ("eval_fixtures",)

SUITE = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
CASES = {case.slug: case for case in read_suite(SUITE) if case.file.split == "dev"}
FAMILIES = [metric.__name__ for metric in METRICS]
FAMILY = {"workflow.condition": "conditions", "workflow.mapping": "mapping", "workflow.policy": "policy"}
LEAST_PARSED = 0.9
LEAST_CASES, MOST_CASES = 3, 6

BEHAVIOUR = {"behaviour", "behaviour.decision", "behaviour.path", "behaviour.result", "behaviour.node"}
VALIDITY = {"validity.first", "validity.final"}
# Which metrics must fall for a fault, and which others may; all others stay exactly as they are for gold.
MUST: dict[str, set[str]] = {
    "edge_removed": {"workflow.edge", "workflow.order", "behaviour", "behaviour.path", "behaviour.node"},
    "threshold_shifted": {"workflow.condition", "behaviour", "behaviour.decision"},
    "targets_swapped": {"workflow.condition", "behaviour", "behaviour.decision"},
    "step_dropped": {
        "extraction.step", "workflow.node", "workflow.edge", "workflow.order", "matching.node",
        "behaviour", "behaviour.path", "behaviour.node",
    },
    "quote_altered": {"grounding.exact", "grounding.supported"},
}  # fmt: skip
MAY: dict[str, set[str]] = {
    # What is reached no more decides nothing and ends nothing; the validator sees a way that ends nowhere.
    "edge_removed": BEHAVIOUR | VALIDITY,
    # Another way may have as many steps, or come to the same end.
    "threshold_shifted": BEHAVIOUR,
    # The validator sees a step that then reads what is null on its way.
    "targets_swapped": BEHAVIOUR | VALIDITY,
    # The way goes on to the same end, past no branching.
    "step_dropped": set(),
    "quote_altered": set(),
}


@pytest.fixture(scope="module", autouse=True)
def documents() -> object:
    """Each document is parsed once for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        read: dict[str, object] = {}

        def once(case: Case, ctx: Context) -> object:
            if case.slug not in read:
                read[case.slug] = read_documents(case, ctx)
            return read[case.slug]

        patch.setattr(evals.outcome, "read_documents", once)
        yield


@pytest.fixture(scope="module")
def best(ctx: Context, catalog: Catalog) -> Callable[[str], dict[str, Tally]]:
    """Gold's own figures of a case, measured once."""

    @cache
    def of(slug: str) -> dict[str, Tally]:
        case = CASES[slug]
        return dict(measure(View(case, outcome_of_gold(case, ctx), catalog)))

    return of


def family(metric: str) -> str:
    """Which file of metrics gives a figure."""
    first = metric.split(".")[0]
    return FAMILY.get(metric, "behaviour" if first == "matching" else first)


def planted(case: Case, fault: str) -> tuple[int, Gold] | None:
    """The first procedure of a case that has a place for a fault, and it with its workflow as they are then."""
    for at, procedure in enumerate(case.procedures):
        found = FAULTS[fault](procedure, case.workflows[procedure.id], case.scenarios_of(procedure.id))
        if found is not None:
            return at, found
    return None


def chosen(fault: str) -> dict[str, tuple[int, Gold]]:
    """The smallest cases that have a place for a fault, by their nodes and scenarios, with what it makes of them."""
    size = {
        slug: (sum(len(flow.nodes) for flow in case.workflows.values()) + len(case.scenarios), slug)
        for slug, case in CASES.items()
    }
    places = ((slug, planted(CASES[slug], fault)) for slug in sorted(CASES, key=size.__getitem__))
    return dict(islice(((slug, found) for slug, found in places if found is not None), MOST_CASES))


PLANTED = {fault: chosen(fault) for fault in FAULTS}


def test_every_metric_is_of_a_family(best: Callable[[str], dict[str, Tally]]) -> None:
    """All families but that of refusals apply somewhere, and no figure is of none."""
    names = {family(name) for slug in CASES for name in best(slug)}
    assert names == set(FAMILIES)


@pytest.mark.parametrize("slug", CASES)
@pytest.mark.parametrize("of", FAMILIES)
def test_gold_against_itself_is_all_right(best: Callable[[str], dict[str, Tally]], of: str, slug: str) -> None:
    """Every figure is 1; of parsing, which looks at the parser alone, at least 0.9."""
    least = LEAST_PARSED if of == "parsing" else 1.0
    figures = {name: tally for name, tally in best(slug).items() if family(name) == of}
    assert {name: tally for name, tally in figures.items() if tally.value < least} == {}


@pytest.mark.parametrize(("fault", "slug"), [(fault, slug) for fault, places in PLANTED.items() for slug in places])
def test_a_fault_is_seen_by_its_metrics_alone(
    best: Callable[[str], dict[str, Tally]], ctx: Context, catalog: Catalog, fault: str, slug: str
) -> None:
    """Each that must falls, those that may do not rise, and all others are gold's to the last bit."""
    case = CASES[slug]
    at, (procedure, workflow) = PLANTED[fault][slug]
    procedures = (*case.procedures[:at], procedure, *case.procedures[at + 1 :])
    outcome = outcome_of_gold(case, ctx, procedures, {**case.workflows, procedure.id: workflow})
    gold, figures = best(slug), dict(measure(View(case, outcome, catalog)))
    assert set(figures) == set(gold)
    fell = {name for name in gold if figures[name].value < gold[name].value}
    moved = {name for name in gold if figures[name].value != gold[name].value}
    assert MUST[fault] - fell == set(), "not seen by these"
    assert moved - MUST[fault] - MAY[fault] == set(), "seen by these too"
    assert moved == fell, "rose"
    assert {name for name, tally in figures.items() if tally.wanted != tally.found} <= FOUND, "no plain share"


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_tried_on_three_cases(fault: str) -> None:
    """A fault without a place would show nothing."""
    assert LEAST_CASES <= len(PLANTED[fault]) <= MOST_CASES, list(PLANTED[fault])
