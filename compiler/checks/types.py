"""Does each node get what its Type asks for, in the type, enumeration and unit it asks for?"""

from collections.abc import Iterator

from pydantic import JsonValue

from compiler.check_input import CheckInput, error, warning
from compiler.fitting import Misfit, field_misfit, quoted, value_misfit
from compiler.place import at_node, pointer
from compiler.reads import conditions
from compiler.suggest import did_you_mean, nearest
from compiler.wording import condition_words
from ir.diagnostics import Diagnostic, Fix, Location
from ir.fields import Fields, FieldSpec
from ir.predicate import Compare, Literally, Operand, Ref, leaves
from ir.workflow import CONTROL_CALL

_ORDERED = ("integer", "number", "date", "datetime", "duration")


def missing_required_input(given: CheckInput) -> Iterator[Diagnostic]:
    """A required input of the Node Type is not mapped.

    What: `inputs` of the node has no entry for an input that the Type requires; for a `control.call`, one that the
        called workflow requires, where that is at hand.
    Why: a node reads only what it is handed; nothing is taken from elsewhere.
    Bad: `{"type": "ontology.lookup_hazard_level", "inputs": {}}`
    Good: `"inputs": {"cas_number": "$.outputs.identify.entity.cas_number"}`
    """
    for name, taker, fields in _takers(given):
        node = given.workflow.nodes[name]
        for field, spec in fields.items():
            if not spec.required or spec.default is not None or field in node.inputs:
                continue
            sources = tuple(_sources(given, name, spec))
            path = pointer("nodes", name, "inputs", field)
            value: JsonValue = sources[0] if sources else None
            if not node.inputs:
                path, value = pointer("nodes", name, "inputs"), {field: value}
            fix = {"op": "add", "path": path, "value": value}
            yield error(
                "missing-required-input",
                f'"{name}" ({taker}) is not given its required input "{field}"',
                at_node(given.workflow, name, "inputs"),
                expected=field,
                fixes=(Fix(title=f"read {sources[0]}", patch=(fix,)),) if len(sources) == 1 else (),
            )


def unexpected_input(given: CheckInput) -> Iterator[Diagnostic]:
    """An input is mapped that the Node Type does not have.

    What: `inputs` of the node has an entry that the Type does not declare; for a `control.call`, one that the
        called workflow does not, where that is at hand.
    Why: the value would be dropped; mostly the name is misspelt.
    Bad: `"inputs": {"cas": …}` where the Type has `cas_number`.
    Good: `"inputs": {"cas_number": …}`
    """
    for name, taker, known in _takers(given):
        node = given.workflow.nodes[name]
        for field in node.inputs:
            if field in known:
                continue
            place = at_node(given.workflow, name, "inputs", field)
            meant = nearest(field, [other for other in known if other not in node.inputs])
            patch = {"op": "remove", "path": place.pointer}
            if meant:
                patch = {"op": "move", "from": place.pointer, "path": pointer("nodes", name, "inputs", meant)}
            yield error(
                "unexpected-input",
                f'{taker} has no input "{field}"{did_you_mean(field, known)}',
                place,
                found=field,
                expected=list(known),
                fixes=(Fix(title=f'rename it to "{meant}"' if meant else "remove it", patch=(patch,)),),
            )


def type_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A value is of another type, enumeration or unit than the place where it is used.

    What: a reference or literal handed to an input, or compared in a condition, can never (error) or not always
        (warning) be what is expected there.
    Why: 5 tonnes read as 5 kilograms, or a comparison that no value can make true, is wrong in silence.
    Bad: `{"eq": ["$.outputs.level.hazard_level", "2"]}` where the level is an integer.
    Good: `{"eq": ["$.outputs.level.hazard_level", 2]}`
    """
    yield from _mapped_misfits(given)
    for condition, place in conditions(given.workflow):
        for leaf in leaves(condition):
            if isinstance(leaf, Compare) and (misfit := _compared(given, leaf)):
                yield _mismatch(f"in {condition_words(leaf)}", misfit, place)


def concept_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A field of one concept is read where another concept is expected.

    What: both fields name a concept, the concepts differ, and neither is the broader of the other.
    Why: an order number fits where a CAS number belongs as far as types go, and is wrong all the same.
    Bad: `"cas_number": "$.inputs.un_number"`
    Good: `"cas_number": "$.outputs.identify.entity.cas_number"`
    """
    for name, taker, fields in _takers(given):
        for field, ref in given.workflow.nodes[name].references.items():
            expected = fields.get(field)
            wanted, held = expected.concept if expected else None, _held(given, ref)
            if wanted and held and not any(_related(given, wanted, concept) for concept in held):
                yield warning(
                    "concept-mismatch",
                    f'"{field}" of {taker} holds {wanted}, and {ref.text} holds {" or ".join(held)}',
                    at_node(given.workflow, name, "inputs", field),
                    found=list(held),
                    expected=wanted,
                )


def _takers(given: CheckInput) -> Iterator[tuple[str, str, Fields]]:
    """The nodes of which it is known what they take: each with the name of its Type, or of the workflow it calls."""
    for name, node in given.workflow.nodes.items():
        fields = given.analysis.scope.inputs(name)
        if fields is None:
            continue
        if node.type == CONTROL_CALL and node.call:
            yield name, f"{node.call.workflow_id} {node.call.version}", fields
        else:
            yield name, (given.catalog.resolve(node.type) or node).type, fields


def _sources(given: CheckInput, name: str, wanted: FieldSpec) -> Iterator[str]:
    """What of the same concept is at hand: inputs of the workflow, and outputs of the nodes before."""
    if wanted.concept is None:
        return
    fields: list[tuple[str, FieldSpec]] = [(f"$.inputs.{key}", spec) for key, spec in given.workflow.inputs.items()]
    for node in sorted(given.analysis.graph.ancestors.get(name, ())):
        fields += [
            (f"$.outputs.{node}.{key}", spec) for key, spec in (given.analysis.scope.outputs(node) or {}).items()
        ]
    while fields:
        text, spec = fields.pop(0)
        if spec.concept == wanted.concept and not field_misfit(spec, wanted):
            yield text
        fields += [(f"{text}.{key}", below) for key, below in (spec.properties or {}).items()]


def _held(given: CheckInput, ref: Ref) -> tuple[str, ...]:
    """The concepts that a reference holds: its field's, or for a whole node those that its Type establishes."""
    if ref.node is not None and len(ref.path) == 1:
        found = given.analysis.scope.type_of(ref.node)
        return found.concepts if found else ()
    spec = given.analysis.scope.spec(ref)
    return (spec.concept,) if spec and spec.concept else ()


def _related(given: CheckInput, left: str, right: str) -> bool:
    return left in _broader(given, right) or right in _broader(given, left)


def _broader(given: CheckInput, concept: str) -> list[str]:
    """A concept and all that are broader."""
    chain = [concept]
    while (known := given.catalog.concepts.get(chain[-1])) and known.broader and known.broader not in chain:
        chain.append(known.broader)
    return chain


def _mapped_misfits(given: CheckInput) -> Iterator[Diagnostic]:
    for name, taker, fields in _takers(given):
        for field, value in given.workflow.nodes[name].inputs.items():
            expected = fields.get(field)
            if expected is None:
                continue
            if isinstance(value, Literally):
                optional = expected.nullable or not expected.required
                misfit, said = value_misfit(value.value, expected, null_fits=optional), f'"{field}" of {taker}'
            else:
                found = given.analysis.scope.spec(value)
                misfit = field_misfit(found, expected) if found else None
                said = f'"{field}" of {taker} reads {value.text}'
            if misfit:
                yield _mismatch(said, misfit, at_node(given.workflow, name, "inputs", field))


def _mismatch(said: str, misfit: Misfit, place: Location) -> Diagnostic:
    make, found = (error, "found") if misfit.certain else (warning, "it may not fit: found")
    message = f"{said}: {found} {misfit.found}, expected {misfit.expected}"
    return make("type-mismatch", message, place, found=misfit.found, expected=misfit.expected)


def _compared(given: CheckInput, leaf: Compare) -> Misfit | None:
    """Why two sides cannot be compared; null literals are left to `null-comparison`."""
    left, right = _side(given, leaf.left), _side(given, leaf.right)
    if left is None or right is None:
        return None
    if leaf.op in ("in", "contains"):
        item, group = (left, right) if leaf.op == "in" else (right, left)
        return _membership(item, group)
    if isinstance(left, FieldSpec) and isinstance(right, FieldSpec):
        return _alike(left, right, ordered=leaf.op not in ("eq", "ne"))
    spec, literal = (left, right) if isinstance(left, FieldSpec) else (right, left)
    if not isinstance(spec, FieldSpec) or not isinstance(literal, Literally):
        return None
    return _comparable(spec, literal, ordered=leaf.op not in ("eq", "ne"))


def _side(given: CheckInput, operand: Operand) -> FieldSpec | Literally | None:
    """The field that is read, or the literal; None for what is unknown and for null."""
    if isinstance(operand, Ref):
        return given.analysis.scope.spec(operand)
    return None if operand.value is None else operand


def _comparable(spec: FieldSpec, literal: Literally, *, ordered: bool) -> Misfit | None:
    if ordered:
        if spec.type not in _ORDERED:
            return Misfit(f"{spec.type}, which has no order", "integer, number, date, datetime or duration")
        wider = "number" if spec.type == "integer" else spec.type
        return value_misfit(literal.value, FieldSpec(type=wider, unit=spec.unit))
    return value_misfit(literal.value, spec)


def _alike(left: FieldSpec, right: FieldSpec, *, ordered: bool) -> Misfit | None:
    if ordered and left.type not in _ORDERED:
        return Misfit(f"{left.type}, which has no order", "integer, number, date, datetime or duration")
    plain = [spec.model_copy(update={"enum": None}) for spec in (left, right)]
    if plain[0].type == "number":
        plain.reverse()
    return field_misfit(*plain)


def _membership(item: FieldSpec | Literally, group: FieldSpec | Literally) -> Misfit | None:
    if isinstance(group, Literally):
        if not isinstance(group.value, list):
            return Misfit(quoted(group.value), "a list")
        if not isinstance(item, FieldSpec):
            return None
        members = [Literally(value) for value in group.value if value is not None]
        return next((misfit for member in members if (misfit := _comparable(item, member, ordered=False))), None)
    if group.type != "array":
        return Misfit(group.type, "array")
    if group.items is None:
        return None
    return (
        _alike(item, group.items, ordered=False)
        if isinstance(item, FieldSpec)
        else _comparable(group.items, item, ordered=False)
    )


CHECKS = (missing_required_input, unexpected_input, type_mismatch, concept_mismatch)
