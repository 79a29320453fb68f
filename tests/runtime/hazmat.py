"""The first case as a run: its gold, its inputs, what its systems give."""

from pathlib import Path
from typing import Any

from ir.codec import read_form, read_workflow, read_yaml
from ir.scenario import Scenario, Scenarios
from ir.workflow import Workflow

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
INPUTS: dict[str, Any] = {
    "shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity_kg": 5000, "transport_mode": "公路",
}  # fmt: skip


def gold() -> Workflow:
    """The gold workflow."""
    found, faults = read_workflow((CASE / "gold" / "transport-compliance.workflow.json").read_bytes())
    assert found is not None, faults
    return found


def scenario(name: str) -> Scenario:
    """The scenario whose name begins so."""
    raw, faults = read_yaml((CASE / "scenarios.yaml").read_text("utf-8"))
    read, more = read_form(Scenarios, raw)
    assert read is not None, (*faults, *more)
    return next(one for one in read.scenarios if one.name.startswith(name))


NOT_FILED = "class 2 by road, not filed"
