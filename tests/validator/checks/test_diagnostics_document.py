"""docs/diagnostics.md is complete, in order, and true: its examples are run."""

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from diagnostics_page import BARE, PAGE, sections, table

from catalog.load import load_catalog
from compiler.conformance import ALL_CHECKS, CHECKS, ConformanceInput, validate_with_sources
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import Workflow
from validator.checks import code_of

ROOT = Path(__file__).resolve().parents[3]
CATALOG = load_catalog(ROOT / "fixtures" / "checks" / "catalog")
CODES = sorted(code_of(check) for check in ALL_CHECKS)
BY_CODE = {section.code: section for section in sections()}


def findings(text: str) -> tuple[Diagnostic, ...]:
    """What the validator says of an example."""
    raw = json.loads(text)
    whole = raw if "workflow" in raw else {"workflow": raw}
    return validate_with_sources(
        ConformanceInput(
            Workflow.model_validate(BARE | whole["workflow"]),
            CATALOG,
            tuple(Workflow.model_validate(BARE | item) for item in whole.get("workflows", ())),
            tuple(Procedure.model_validate(item) for item in whole.get("procedures", ())),
            tuple(Document.model_validate(item) for item in whole.get("documents", ())),
            tuple(Decision.model_validate(item) for item in whole.get("decisions", ())),
        )
    )


def test_the_table_lists_every_section(expect_file: Callable[[Path, str], None]) -> None:
    """The table at the top is what the sections say."""
    page = PAGE.read_text(encoding="utf-8")
    made = f"<!-- table -->\n{table()}\n<!-- /table -->"
    expect_file(PAGE, re.sub(r"<!-- table -->\n(.*\n)?<!-- /table -->", lambda _: made, page, flags=re.DOTALL))


def test_sections_stand_in_order_and_once() -> None:
    """The codes are in the order of the alphabet, none twice."""
    codes = [section.code for section in sections()]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("code", CODES)
def test_every_check_has_a_section_that_says_the_same(code: str) -> None:
    """What the section says first is the first line of the check's docstring; all parts are there."""
    check = next(check for check in ALL_CHECKS if code_of(check) == code)
    section = BY_CODE[code]
    assert section.summary == (inspect.getdoc(check) or "").split("\n")[0]
    assert section.finder.startswith("conformance" if check in CHECKS else "validator")
    for part in ("**What:**", "**Why:**", "**Bad**", "**Good**", "**Mend it:**"):
        assert part in section.text


@pytest.mark.parametrize("code", CODES)
def test_examples_are_true(code: str) -> None:
    """Each bad example has the fault, with the severity that the section names; no good one has it."""
    section = BY_CODE[code]
    assert section.examples("Bad") and section.examples("Good")
    for example in section.examples("Bad"):
        own = [diagnostic for diagnostic in findings(example.text) if diagnostic.error_code == code]
        assert own
        assert all(diagnostic.severity.value in section.severity for diagnostic in own)
    for example in section.examples("Good"):
        assert code not in {diagnostic.error_code for diagnostic in findings(example.text)}


@pytest.mark.parametrize("check", ALL_CHECKS, ids=code_of)
def test_a_check_says_what_why_bad_and_good(check: Callable[..., object]) -> None:
    """The docstring of each check has the four parts, in order."""
    text = inspect.getdoc(check) or ""
    assert re.search(r"^What: .*^Why: .*^Bad: .*^Good: ", text, re.DOTALL | re.MULTILINE)
