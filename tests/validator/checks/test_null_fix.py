"""The fix of null-unguarded: applied as often as needed, it makes a workflow that walks to an end on every null."""

from dataclasses import replace
from typing import Any

import pytest
from test_check_fixtures import FOLDER, read, small_catalog

from ir.diagnostics import Severity
from ir.predicate import Null, Ref, leaves
from ir.walk import walk
from ir.workflow import HUMAN_INPUT, Workflow
from validator.analysis.types import Scope
from validator.checks import CheckInput, validate
from validator.checks.nulls import null_unguarded
from validator.fixes.exception_paths import exception_patch
from validator.fixes.json_patch import apply_patch

FAULTY = sorted((FOLDER / "null-unguarded").glob("err_*.json"))


def mended(given: CheckInput) -> CheckInput:
    """The workflow after all fixes of the check, one after the other."""
    for _ in range(20):
        fix = next((fix for diagnostic in null_unguarded(given) for fix in diagnostic.fixes), None)
        if fix is None:
            break
        workflow = Workflow.model_validate(apply_patch(given.workflow.to_json(), fix.patch))
        given = replace(given, workflow=workflow)
    return given


@pytest.mark.parametrize("path", FAULTY, ids=lambda path: path.stem)
def test_fixes_end(path: Any) -> None:
    """After the fixes nothing is left that has a fix, and no other error has come."""
    given = read(path)
    before = {d.error_code for d in validate(given) if d.severity is Severity.ERROR}
    after = {d.error_code for d in validate(mended(given)) if d.severity is Severity.ERROR}
    offered = any(diagnostic.fixes for diagnostic in null_unguarded(given))
    assert after <= before - ({"null-unguarded"} if offered else set())


def two_readers() -> CheckInput:
    """A node of whose output two fields are needed, in different places, one of which may itself be null."""
    found = "$.outputs.identify.entity"
    raw = {
        "workflow_id": "two_readers",
        "version": "v1",
        "inputs": {"name": {"type": "string"}},
        "nodes": {
            "identify": {"type": "ontology.identify_substance", "inputs": {"substance_name": "$.inputs.name"}},
            "level": {"type": "ontology.lookup_hazard_level", "inputs": {"cas_number": f"{found}.cas_number"}},
            "mail": {"type": "notify.email", "inputs": {"text": f"{found}.un_number"}},
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [
            {"from": "identify", "to": "level"},
            {"from": "identify", "to": "mail"},
            {"from": "level", "to": "done"},
            {"from": "mail", "to": "done"},
        ],
        "execution_policy": {"risk_level": "low"},
    }
    return CheckInput(Workflow.model_validate(raw), small_catalog())


def test_one_person_is_asked_for_all() -> None:
    """The second fix widens the guard of the first: one question for all fields; both ways on become otherwise."""
    workflow = mended(two_readers()).workflow
    asking = [name for name, node in workflow.nodes.items() if node.type == HUMAN_INPUT]
    assert asking == ["ask_cas_number"]
    assert set(workflow.nodes[asking[0]].requested_fields or {}) == {"cas_number", "un_number"}
    (guard,) = (edge for edge in workflow.edges_from("identify") if edge.target == asking[0])
    assert guard.priority == 1
    assert all(isinstance(leaf, Null) for leaf in leaves(guard.condition))
    assert {edge.target for edge in workflow.edges_from("identify")} == {"level", "mail", "ask_cas_number"}


@pytest.mark.parametrize("entity", [None, {"cas_number": "7664-93-9", "un_number": None}])
def test_a_null_returns_the_run(entity: Any) -> None:
    """Walked with a null, the mended workflow ends with what the person supplied."""
    supplied = {"cas_number": "7664-93-9", "un_number": "1830"}
    recorded = {"identify": {"is_hazardous": None, "entity": entity}, "ask_cas_number": supplied}
    result = walk(mended(two_readers()).workflow, {"name": "acid"}, recorded).result
    assert (result.status, result.reason_code, result.details) == ("returned", "FACTS_NOT_FOUND", supplied)


def test_names_do_not_clash() -> None:
    """New nodes take names that are free."""
    given = two_readers()
    raw: Any = given.workflow.to_json()
    raw["nodes"]["ask_cas_number"] = {"type": "human.task", "instruction": "Look it up."}
    scope = Scope(Workflow.model_validate(raw), given.catalog)
    patch = exception_patch(scope, Ref("$.outputs.identify.entity.cas_number"))
    assert [step["path"] for step in patch][:2] == ["/nodes/ask_cas_number_2", "/nodes/returned_for_cas_number"]


def test_an_object_is_asked_for_by_its_parts() -> None:
    """In place of an object the person is asked for its required parts."""
    given = two_readers()
    patch = exception_patch(Scope(given.workflow, given.catalog), Ref("$.outputs.identify.entity"))
    asked: Any = patch[0]["value"]
    assert set(asked["requested_fields"]) == {"cas_number", "un_number"}
