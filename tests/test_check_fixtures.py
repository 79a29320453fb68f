"""Drives `fixtures/checks`: for each code, workflows that have the fault (`err_…`) and some that do not (`ok_…`)."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from catalog.load import Catalog, load_catalog
from compiler.conformance import ALL_CHECKS, ConformanceInput, validate_with_sources
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic, Severity
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import Workflow
from validator.checks import code_of
from validator.fixes.json_patch import apply_patch

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "checks"
FIXTURES = sorted(FOLDER.glob("*/*.json"))
CODES = sorted(code_of(check) for check in ALL_CHECKS)


@cache
def small_catalog() -> Catalog:
    """The catalog of the fixtures, which does not move with the shipped one."""
    return load_catalog(FOLDER / "catalog")


def read(path: Path) -> ConformanceInput:
    """A fixture: a workflow, or an object that holds one with procedures, documents, decisions and other workflows."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    whole = raw if "workflow" in raw else {"workflow": raw}
    return ConformanceInput(
        Workflow.model_validate(whole["workflow"]),
        small_catalog(),
        tuple(Workflow.model_validate(item) for item in whole.get("workflows", ())),
        tuple(Procedure.model_validate(item) for item in whole.get("procedures", ())),
        tuple(Document.model_validate(item) for item in whole.get("documents", ())),
        tuple(Decision.model_validate(item) for item in whole.get("decisions", ())),
    )


@cache
def found_in(path: Path) -> tuple[Diagnostic, ...]:
    """All that is found in a fixture, looked for once; what it was found with (the solver's state) is not kept."""
    return validate_with_sources(read(path))


def lines(diagnostic: Diagnostic) -> Iterator[str]:
    """A diagnostic as the outputs show it."""
    yield str(diagnostic)
    if diagnostic.witness is not None:
        yield "    witness: " + json.dumps(diagnostic.witness, ensure_ascii=False)
    for related in diagnostic.related:
        yield f"    related: {related.location}: {related.message}"
    for fix in diagnostic.fixes:
        yield f"    fix: {fix.title}"
        yield from ("        " + json.dumps(step, ensure_ascii=False) for step in fix.patch)


def render(found: tuple[Diagnostic, ...], code: str) -> str:
    """The findings of one code in full, and which others there are."""
    own = [line for diagnostic in found if diagnostic.error_code == code for line in lines(diagnostic)]
    others = sorted({d.error_code for d in found if d.error_code != code and d.severity is Severity.ERROR})
    return "\n".join([*own, *(["also: " + ", ".join(others)] if others else [])]) + "\n"


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_finds_what_the_fixture_says(path: Path, expect_file: Callable[[Path, str], None]) -> None:
    """An `err_` workflow has the fault it is filed under, an `ok_` workflow has not; the rest is as committed."""
    code = path.parent.name
    found = found_in(path)
    assert (code in {diagnostic.error_code for diagnostic in found}) == path.stem.startswith("err_")
    expect_file(path.with_suffix(".out"), render(found, code))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_fix_mends_its_fault(path: Path) -> None:
    """A fix applies, gives a workflow, and the finding it belongs to is gone."""
    given, found = read(path), found_in(path)
    for diagnostic in found:
        for fix in diagnostic.fixes:
            mended = Workflow.model_validate(apply_patch(given.workflow.to_json(), fix.patch))
            after = validate_with_sources(replace(given, workflow=mended))
            same = [d for d in after if (d.error_code, d.message) == (diagnostic.error_code, diagnostic.message)]
            before = [d for d in found if d.error_code == diagnostic.error_code]
            assert not same or len(same) < len(before), f"{diagnostic}\n{fix.title}"


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_fixtures_of_both_kinds(code: str) -> None:
    """No check without a workflow that has the fault and one that has not."""
    names = [path.stem for path in (FOLDER / code).glob("*.json")]
    assert any(name.startswith("err_") for name in names)
    assert any(name.startswith("ok_") for name in names)


def test_no_fixture_is_left_over() -> None:
    """Every folder is a code, and every output belongs to a fixture."""
    assert {path.parent.name for path in FIXTURES} == set(CODES)
    assert {path.with_suffix(".json") for path in FOLDER.glob("*/*.out")} <= set(FIXTURES)
