"""Outputs that a node of an older form declares itself, held against those of its Node Type."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from catalog.load import Catalog
from ir.codec import read_form
from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.workflow import Workflow
from validator.analysis.locations import at_node
from validator.check_input import error
from validator.suggest import did_you_mean


def differing_outputs(
    workflow: Workflow, catalog: Catalog, declared: Mapping[str, JsonValue]
) -> tuple[Diagnostic, ...]:
    """Where outputs that nodes declared themselves, and that were dropped, are not those of their Types.

    Args:
        declared: by node id, as `ir.normalise.declared_outputs` gives them.
    """
    return tuple(one for name, outputs in declared.items() for one in _differing(workflow, catalog, name, outputs))


def _differing(workflow: Workflow, catalog: Catalog, name: str, outputs: JsonValue) -> Iterator[Diagnostic]:
    node = workflow.nodes.get(name)
    node_type = catalog.resolve(node.type) if node is not None else None
    if node_type is None or not isinstance(outputs, dict):
        return
    known = node_type.outputs_schema
    for field, said in outputs.items():
        spec = known.get(field)
        unknown = f'the Type gives no "{field}"{did_you_mean(field, known)}'
        fault = unknown if spec is None else _fault(said, spec)
        if fault is None:
            continue
        yield error(
            "outputs-differ",
            f'"{name}" declares outputs that are not those of {node_type.type}: {fault}',
            at_node(workflow, name, "outputs", field),
            found=said,
            expected=spec.to_json() if spec is not None else list(known),
        )


def _fault(said: JsonValue, spec: FieldSpec) -> str | None:
    """What a declared field has otherwise than the Type's; None where it only says less."""
    named: JsonValue = {"type": said} if isinstance(said, str) else said
    own, _ = read_form(FieldSpec, named)
    if own is None:
        return f"{named!r} declares no field"
    for key in sorted(own.model_fields_set - {"description", "properties", "items"}):
        mine, theirs = getattr(own, key), getattr(spec, key)
        if mine != theirs:
            return f'"{key}" is {mine!r} there and {theirs!r} in the Type'
    return None
