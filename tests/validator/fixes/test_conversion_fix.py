"""The fixes of values in the wrong unit: what they put in converts, and nothing else comes to be at fault."""

from dataclasses import replace
from typing import Any

import pytest
from test_check_fixtures import FOLDER, read

from ir.diagnostics import Diagnostic
from ir.walk import walk
from ir.workflow import Workflow
from validator.analysis.units import CONVERT_UNIT
from validator.checks import CheckInput, validate
from validator.fixes.json_patch import apply_patch

FIXED = {
    path.stem: read(path)
    for path in sorted((FOLDER / "type-mismatch").glob("err_*.json"))
    if any(d.error_code == "type-mismatch" and d.fixes for d in validate(read(path)))
}


def mended(given: CheckInput) -> CheckInput:
    """The workflow with the first fix of each finding applied, one after the other."""
    for _ in range(5):
        fix = next((fix for d in validate(given) if d.error_code == "type-mismatch" for fix in d.fixes), None)
        if fix is None:
            return given
        workflow = Workflow.model_validate(apply_patch(given.workflow.to_json(), fix.patch))
        given = replace(given, workflow=workflow)
    raise AssertionError("the fixes do not end")


def said(diagnostic: Diagnostic) -> tuple[str, str]:
    """Code and severity of a finding."""
    return diagnostic.error_code, diagnostic.severity.value


@pytest.mark.parametrize("name", FIXED)
def test_after_the_fixes_nothing_new_is_wrong(name: str) -> None:
    """What had a fix is gone, and no code has come that was not there."""
    before, after = ({said(d) for d in validate(each)} for each in (FIXED[name], mended(FIXED[name])))
    assert after <= before
    assert not any(d.error_code == "type-mismatch" and d.fixes for d in validate(mended(FIXED[name])))


def test_every_way_to_the_reader_leads_through_the_conversion() -> None:
    """The reader has two ways in; both are led through the one new node, before which they meet."""
    workflow = mended(FIXED["err_between_branches"]).workflow
    (name,) = (name for name, node in workflow.nodes.items() if node.type == CONVERT_UNIT)
    assert [edge.source for edge in workflow.edges_to("risk")] == [name]
    assert {edge.source for edge in workflow.edges_to(name)} == {"first", "log"}
    for passed, way in ((True, ["first", "log", name, "risk", "done"]), (False, ["first", name, "risk", "done"])):
        given: Any = {"amount": 1, "load": 5}
        assert list(walk(workflow, given, {"first": {"level": "low", "score": 1, "passed": passed}}).path) == way


def test_only_the_comparison_at_fault_is_changed() -> None:
    """The other comparison of the condition still reads the value as it was."""
    workflow = mended(FIXED["err_references_in_other_units"]).workflow
    condition: Any = workflow.to_json()
    assert condition["edges"][0]["condition"] == {
        "and": [{"gt": ["$.inputs.load", "$.outputs.limit_in_kg.result"]}, {"gt": ["$.inputs.load", 1]}]
    }
