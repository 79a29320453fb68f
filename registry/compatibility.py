"""Whether callers of one version can call another: what it takes and gives, held against what was taken and given.

An input may be widened and an output narrowed; the other way breaks callers. Guards, paths and words are no part of
this: `flowc registry diff` tells them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from catalog.load import Catalog
from ir.fields import Fields, FieldSpec
from ir.predicate import Operand, Ref
from ir.workflow import Workflow
from registry.forms import Compatibility, ContractChange, Pin, Side, Version
from registry.publishable import pin_of
from validator.analysis.fit import describe, in_range, quoted, same_value
from validator.analysis.types import Scope, result_fields
from validator.analysis.units import same_unit


@dataclass(frozen=True)
class Untold:
    """An output whose type is not known here.

    Args:
        source: where its value comes from; two of one source are one.
    """

    source: str


Outputs = Mapping[str, FieldSpec | Untold]


@dataclass(frozen=True)
class Contract:
    """What a version takes and gives, with `required` always set."""

    inputs: Fields
    outputs: Outputs


def compatibility(old: Version, new: Version, catalog: Catalog) -> Compatibility:
    """Whether callers of one version can call another, each with its own pins."""
    changes = tuple(
        contract_changes(
            contract_of(old.definition, catalog, old.pins),
            contract_of(new.definition, catalog, new.pins),
        )
    )
    breaking = any(one.breaks for one in changes)
    return Compatibility(against=old.name, verdict="incompatible" if breaking else "compatible", changes=changes)


def breaks_of(held: Compatibility) -> tuple[str, ...]:
    """What breaks callers of the version before, each in a sentence."""
    head = f"callers of {held.against} cannot call it"
    return tuple(
        f"{head}: {one}; keep it as it was, or publish without --compatible" for one in held.changes if one.breaks
    )


def contract_of(workflow: Workflow, catalog: Catalog, pins: Sequence[Pin] = ()) -> Contract:
    """What a workflow takes and gives.

    Args:
        pins: the Types as it uses them; what comes of one that the catalog has otherwise now is not known.
    """
    moved = {pin.type for pin in pins if pin.type in catalog.node_types and pin_of(catalog.node_types[pin.type]) != pin}
    known = {name: one for name, one in catalog.node_types.items() if name not in moved}
    scope = Scope(workflow, Catalog(known, catalog.concepts))
    inputs = {name: spec.model_copy(update={"required": spec.is_required}) for name, spec in workflow.inputs.items()}
    pinned = {pin.type: f"{pin.type} {pin.version} {pin.schema_hash}" for pin in pins}

    def untold(value: Operand) -> Untold:
        if not isinstance(value, Ref):
            return Untold(quoted(value.value))
        node = workflow.nodes.get(value.node or "")
        called = node.call.to_json() if node and node.call else ""
        return Untold(f"{value.text} {called} {pinned.get(node.type, node.type) if node else ''}")

    given = {name: scope.field_of(value) or untold(value) for name, value in workflow.outputs.items()}
    return Contract(dict(inputs), given | result_fields(workflow))


def contract_changes(old: Contract, new: Contract) -> Iterator[ContractChange]:
    """All that callers may notice, breaking or not, in the order of the old version."""
    yield from _fields_changes("input", "", old.inputs, new.inputs)
    for name in dict.fromkeys((*old.outputs, *new.outputs)):
        before, after = old.outputs.get(name), new.outputs.get(name)
        if isinstance(before, Untold) or isinstance(after, Untold):
            if before is None:
                yield ContractChange(side="output", name=name, what="is new", breaks=False)
            elif after is None:
                yield ContractChange(side="output", name=name, what="is not given any more", breaks=True)
            elif before != after:
                words = "what it was or is cannot be told: its Type is not in the catalog in that version"
                yield ContractChange(side="output", name=name, what=words, breaks=True)
            continue
        sides = ({} if one is None else {name: one} for one in (before, after))
        yield from _fields_changes("output", "", *sides)


def field_changes(side: Side, name: str, old: FieldSpec, new: FieldSpec) -> Iterator[ContractChange]:
    """What changed of one field and its parts; words, concepts and defaults are not looked at."""
    given, taken = (old, new) if side == "input" else (new, old)
    if _values(old) != _values(new):
        what = f"was {describe(old)}; is {describe(new)}{_lost(given, taken)}"
        yield ContractChange(side=side, name=name, what=what, breaks=not _is_within(given, taken))
    if old.nullable != new.nullable:
        what = "may be null now" if new.nullable else "may not be null any more"
        yield ContractChange(side=side, name=name, what=what, breaks=given.nullable)
    if old.items is not None and new.items is not None:
        yield from field_changes(side, f"{name}[]", old.items, new.items)
    elif old.type == new.type and (old.items is None) != (new.items is None):
        yield _described(side, name, "members", old.items is None)
    if old.properties is not None and new.properties is not None:
        yield from _fields_changes(side, f"{name}.", old.properties, new.properties)
    elif old.type == new.type and (old.properties is None) != (new.properties is None):
        yield _described(side, name, "parts", old.properties is None)


def _described(side: Side, name: str, what: str, now: bool) -> ContractChange:
    """Members or parts that are described on one side only; what is not described may be anything."""
    words = f"its {what} may not be anything any more" if now else f"its {what} may be anything now"
    return ContractChange(side=side, name=name, what=words, breaks=now == (side == "input"))


def _fields_changes(side: Side, prefix: str, old: Fields, new: Fields) -> Iterator[ContractChange]:
    for name in dict.fromkeys((*old, *new)):
        before, after, at = old.get(name), new.get(name), f"{prefix}{name}"
        if after is None:
            what = "is not taken any more" if side == "input" else "is not given any more"
            yield ContractChange(side=side, name=at, what=what, breaks=True)
        elif before is None:
            required = side == "input" and bool(after.required)
            yield ContractChange(
                side=side, name=at, what="is new, and required" if required else "is new", breaks=required
            )
        else:
            if bool(before.required) != bool(after.required):
                what = "is required now" if after.required else "is not required any more"
                what = what if side == "input" else "is always given now" if after.required else "is not always given"
                breaks = bool(after.required) == (side == "input")
                yield ContractChange(side=side, name=at, what=what, breaks=breaks)
            yield from field_changes(side, at, before, after)


def _values(spec: FieldSpec) -> JsonValue:
    """What says which values a field may have, its parts apart."""
    said: JsonValue = spec.model_dump(mode="json", include={"type", "unit", "enum", "minimum", "maximum"})
    return said


def _domain(spec: FieldSpec) -> tuple[JsonValue, ...] | None:
    """All values but null that a field may have; None where they are not counted."""
    if spec.enum is not None:
        return tuple(value for value in spec.enum if value is not None and in_range(value, spec))
    return (True, False) if spec.type == "boolean" else None


def _is_within(given: FieldSpec, taken: FieldSpec) -> bool:
    """Whether all values of one field are values of another and mean the same there."""
    if given.type != taken.type and (given.type, taken.type) != ("integer", "number"):
        return False
    if given.unit != taken.unit and not (given.unit and taken.unit and same_unit(given.unit, taken.unit)):
        return False
    values = _domain(given)
    if values is not None:
        return not _outside(values, taken)
    low = taken.minimum is None or (given.minimum is not None and given.minimum >= taken.minimum)
    high = taken.maximum is None or (given.maximum is not None and given.maximum <= taken.maximum)
    return taken.enum is None and low and high


def _outside(values: Sequence[JsonValue], taken: FieldSpec) -> list[JsonValue]:
    known = _domain(taken)
    return [
        value
        for value in values
        if not (in_range(value, taken) and (known is None or any(same_value(value, one) for one in known)))
    ]


def _lost(given: FieldSpec, taken: FieldSpec) -> str:
    """The values of an enumeration that no longer fit, where it is only they."""
    values = _domain(given)
    if values is None or given.type != taken.type or given.unit != taken.unit:
        return ""
    lost = _outside(values, taken)
    return f" ({', '.join(quoted(one) for one in lost)})" if lost and taken.enum is not None else ""
