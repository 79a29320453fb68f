"""Fixtures for the tests of the evaluation: the catalog, a context, and the sample with drafts of it.

A plugin that test modules name, not a conftest: tests/cli imports names from its own by that name.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from eval_samples import Drafted, Figures, sample_case

from catalog.index import NodeIndex
from catalog.load import Catalog, load_catalog
from compiler.context import Context
from evals.cases import Case
from evals.matching.view import View
from evals.metrics import measure
from evals.outcome import outcome_of_gold
from ir.procedure import Procedure
from ir.workflow import Workflow
from primers.load import load_primers


def _no_index() -> NodeIndex:
    raise AssertionError("nothing here searches")


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The catalog that comes with flowc."""
    return load_catalog()


@pytest.fixture(scope="session")
def ctx(catalog: Catalog) -> Context:
    """A context that cannot search."""
    return Context(catalog, load_primers(), _no_index)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """The tiny case of `eval_samples`."""
    return sample_case(tmp_path_factory.mktemp("suite"))


@pytest.fixture
def drafted(sample: Case, ctx: Context, catalog: Catalog) -> Drafted:
    """Makes a view of a case, the sample's by default, and a draft that takes the place of gold."""

    def make(
        procedure: Procedure | None = None, workflow: Workflow | None = None, *, case: Case = sample, **fields: object
    ) -> View:
        gold = case.procedures[0]
        found = {gold.id: workflow} if workflow else None
        outcome = outcome_of_gold(case, ctx, (procedure or gold,), found)
        drafts = tuple(replace(draft, **fields) for draft in outcome.drafts)
        return View(case, replace(outcome, drafts=drafts), catalog)

    return make


@pytest.fixture
def figures(drafted: Drafted) -> Callable[..., Figures]:
    """Measures a draft of the sample: all metrics by name."""
    return lambda *args, **fields: dict(measure(drafted(*args, **fields)))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """An empty folder for cases."""
    return tmp_path / "cases"
