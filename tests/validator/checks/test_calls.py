"""Calls between workflows: rings, long chains, and the types that calls hand on."""

from test_check_fixtures import small_catalog

from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.predicate import Ref
from ir.workflow import ResultSpec, Workflow
from validator.checks import CheckInput, validate


def calling(name: str, other: str | None) -> Workflow:
    """A workflow that calls another and hands on what it gives; the last logs and gives a number in kg."""
    last = {"type": "decision.assess_risk", "inputs": {"amount": 1}}
    call = {"type": "control.call", "call": {"workflow_id": other, "version": "v1"}}
    raw = {
        "workflow_id": name,
        "version": "v1",
        "inputs": {},
        "outputs": {"level": "$.outputs.step.level"},
        "nodes": {"step": call if other else last, "done": {"type": "control.end", "status": "completed"}},
        "edges": [{"from": "step", "to": "done"}],
        "execution_policy": {"risk_level": "medium"},
    }
    return Workflow.model_validate(raw)


def errors(workflow: Workflow, *others: Workflow) -> list[Diagnostic]:
    """The errors of a workflow checked with others."""
    found = validate(CheckInput(workflow, small_catalog(), workflows=others))
    return [one for one in found if one.severity == "error"]


def test_a_ring_is_seen_from_each() -> None:
    """Checked together, each workflow of a ring has the error, and no type is guessed."""
    ring = [calling("a", "b"), calling("b", "c"), calling("c", "a")]
    for at, workflow in enumerate(ring):
        (found,) = errors(workflow, *ring[:at], *ring[at + 1 :])
        assert found.error_code == "call-cycle"
        assert len(found.found) == 4 if isinstance(found.found, list) else False


def test_types_come_through_a_long_chain() -> None:
    """Three hundred workflows that call each other in a row: the first knows what the last gives."""
    chain = [calling(f"w{n}", f"w{n + 1}" if n < 299 else None) for n in range(300)]
    given = CheckInput(chain[0], small_catalog(), workflows=tuple(chain[1:]))
    assert errors(chain[0], *chain[1:]) == []
    spec = given.analysis.scope.spec(Ref("$.outputs.step.level"))
    assert spec is not None and spec.enum == ("low", "medium", "high")


def test_a_call_gives_the_results_of_the_called_workflow() -> None:
    """With their types; one that may be missing is nullable, one with a default is not."""
    inner = calling("inner", None)
    text = FieldSpec(type="string", enum=("A", "B"))
    results = {
        "always": ResultSpec(**dict(text)),
        "perhaps": ResultSpec(**dict(text), report="file").model_copy(update={"required": False}),
        "presumed": ResultSpec(**dict(text)).model_copy(update={"required": False, "default": "A"}),
    }
    inner = inner.model_copy(update={"results": results})
    outer = calling("outer", "inner")
    scope = CheckInput(outer, small_catalog(), workflows=(inner,)).analysis.scope
    found = {name: scope.spec(Ref(f"$.outputs.step.{name}")) for name in results}
    assert {name: spec.nullable for name, spec in found.items() if spec} == {
        "always": False, "perhaps": True, "presumed": False
    }  # fmt: skip
    assert all(spec is not None and spec.enum == ("A", "B") for spec in found.values())
