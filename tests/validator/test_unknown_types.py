"""A Node Type that the catalog does not have."""

from catalog.load import load_catalog
from ir.workflow import Provenance, Workflow
from validator.check_input import CheckInput
from validator.checks.references import unknown_node_type

CATALOG = load_catalog()


def workflow(node_type: str, catalog: str | None) -> Workflow:
    """One with a node of a Type, compiled with a catalog of some digest."""
    made = Provenance(compiler="flowc", mode="offline", method="rules", catalog=catalog, primers=())
    return Workflow.model_validate({
        "workflow_id": "loans", "version": "v1", "inputs": {}, "metadata": {"title": "Loans"},
        "nodes": {"a": {"type": node_type}},
        "edges": [], "execution_policy": {"risk_level": "low", "allow_auto": False}, "provenance": made,
    })  # fmt: skip


def test_a_type_of_another_catalog_is_not_said_to_be_misspelt() -> None:
    """Whoever forgot to name their own catalog is told so, and offered no other Type."""
    (found,) = unknown_node_type(CheckInput(workflow("tool_library.record_loan", "sha256:other"), CATALOG))
    assert "--catalog" in found.message and not found.fixes


def test_a_type_of_this_catalog_is() -> None:
    """A slip of the pen in what flowc ships, or a workflow made with this catalog, is met with the nearest name."""
    for name, digest in (("notify.mesage", "sha256:other"), ("tool_library.record_loan", CATALOG.digest)):
        (found,) = unknown_node_type(CheckInput(workflow(name, digest), CATALOG))
        assert "--catalog" not in found.message
