"""Faults planted in gold workflows are found, and gold as it is has none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.conformance import ConformanceInput, conflicts, duties
from evals.cases import Case, read_case
from ir.diagnostics import Diagnostic
from ir.procedure import Procedure
from ir.workflow import Workflow
from validator.checks import rules, tables

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"
HAZMAT = read_case(CASES / "hazmat-transport")
SLUGS = ("capital-expenditure-approval", "customer-review-aml", "hazmat-transport", "laboratory-waste")
CHECKS = (*duties.CHECKS, *rules.CHECKS, *tables.CHECKS, *conflicts.CHECKS)
Raw = dict[str, Any]


def found(raw: Raw, procedures: tuple[Procedure, ...]) -> tuple[Diagnostic, ...]:
    """What the checks of sources and rules say of a workflow."""
    given = ConformanceInput(Workflow.model_validate(raw), load_catalog(), procedures=procedures)
    return tuple(diagnostic for check in CHECKS for diagnostic in check(given))


def rows(raw: Raw) -> list[Raw]:
    """The rows of the one rule pack of `hazmat-transport`: three prohibitions, and `otherwise`."""
    (pack,) = raw["rule_packs"].values()
    return list(pack["rules"])


def put(raw: Raw, changed: list[Raw]) -> None:
    """Give the pack other rows."""
    (pack,) = raw["rule_packs"].values()
    pack["rules"] = changed


def forget_the_rest(raw: Raw) -> None:
    """No row for what is not forbidden."""
    put(raw, rows(raw)[:3])


def allow_always(raw: Raw) -> None:
    """The row for what is not forbidden holds always."""
    put(raw, [*rows(raw)[:3], rows(raw)[3] | {"condition": "always"}])


def say_a_row_twice(raw: Raw) -> None:
    """A prohibition stands twice under two ids."""
    put(raw, [*rows(raw), rows(raw)[0] | {"rule_id": "AGAIN"}])


def allow_part_of_it(raw: Raw) -> None:
    """A row allows more than 400 kg of class 2 by air, of which more than 500 kg is forbidden."""
    condition = {"and": [*rows(raw)[1]["condition"]["and"][:2], {"gt": ["$.inputs.quantity_kg", 400]}]}
    put(raw, [*rows(raw), rows(raw)[1] | {"rule_id": "MORE", "condition": condition, "outcome": {"allowed": True}}])


def ask_for_two_classes(raw: Raw) -> None:
    """A row asks for a substance that is of two classes."""
    condition = {"and": [rows(raw)[0]["condition"]["and"][0], rows(raw)[1]["condition"]["and"][0]]}
    put(raw, [rows(raw)[0] | {"condition": condition}, *rows(raw)[1:]])


def put_a_row_on_an_edge(raw: Raw) -> None:
    """The edge that reads the judgement repeats a prohibition."""
    row = rows(raw)[0]
    edge = next(one for one in raw["edges"] if one["from"] == "mode_check" and one["condition"] != "otherwise")
    edge |= {"condition": row["condition"], "evidence": row["evidence"]}


@pytest.mark.parametrize(
    ("plant", "code"),
    [
        (forget_the_rest, "incomplete-table"),
        (allow_always, "conflicting-rules"),
        (say_a_row_twice, "rule-encoded-twice"),
        (allow_part_of_it, "conflicting-rules"),
        (ask_for_two_classes, "unreachable-row"),
        (put_a_row_on_an_edge, "rule-encoded-twice"),
    ],
)
def test_a_fault_in_a_rule_pack_is_found(plant: Callable[[Raw], None], code: str) -> None:
    """Each fault has its code, and no other code is reported for it."""
    (workflow,) = HAZMAT.workflows.values()
    raw = workflow.to_json()
    plant(raw)
    assert {diagnostic.error_code for diagnostic in found(raw, HAZMAT.procedures)} == {code}


def test_the_witness_of_a_contradiction_is_where_both_rows_hold() -> None:
    """Between two limits it names a quantity beyond the larger one, and quotes both rows."""
    (workflow,) = HAZMAT.workflows.values()
    raw = workflow.to_json()
    allow_part_of_it(raw)
    (conflict,) = found(raw, HAZMAT.procedures)
    assert conflict.witness is not None
    assert conflict.witness["$.outputs.level.hazard_level"] == 2
    assert conflict.witness["$.inputs.quantity_kg"] > 500
    assert len(conflict.evidence) == 2


@pytest.mark.parametrize("case", [read_case(CASES / slug) for slug in SLUGS], ids=SLUGS)
def test_swapped_evidence_is_found(case: Case) -> None:
    """Two nodes with each other's words are both reported; gold as it is has no finding."""
    for procedure in case.procedures:
        raw = case.workflows[procedure.id].to_json()
        assert found(raw, (procedure,)) == ()
        named = [name for name, node in raw["nodes"].items() if node.get("step_ids") and node.get("evidence")]
        one, other = raw["nodes"][named[0]], raw["nodes"][named[-1]]
        one["evidence"], other["evidence"] = other["evidence"], one["evidence"]
        reported = found(raw, (procedure,))
        assert [(diagnostic.error_code, diagnostic.location.node) for diagnostic in reported] == [
            ("foreign-evidence", named[0]),
            ("foreign-evidence", named[-1]),
        ]
