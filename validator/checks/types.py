"""Does each node get what its Type asks for, in the type, enumeration and unit it asks for?"""

from collections.abc import Iterator

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Location
from ir.fields import Fields, FieldSpec
from ir.predicate import AnyCondition, Compare, Literally, Ref, leaves, references
from ir.workflow import CONTROL_CALL
from validator.analysis.comparability import SpecOf, compared_fields, comparison_misfit
from validator.analysis.fit import Misfit, field_misfit, quoted, value_misfit
from validator.analysis.locations import at_node, at_workflow, pointer
from validator.analysis.units import CONVERT_UNIT, conversion_words, unconvertible
from validator.analysis.uses import conditions, rule_conditions
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error, warning
from validator.fixes.conversion import comparison_fix, input_fix
from validator.suggest import did_you_mean, nearest


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

    What: a reference or literal handed to an input, compared in a condition or a rule, or given as a rule's outcome,
        can never (error) or not always (warning) be what is expected there; or a literal is another amount than its
        own words say.
    Why: 5 tonnes read as 5 kilograms, or a comparison that no value can make true, is wrong in silence.
    Bad: `{"eq": ["$.outputs.level.hazard_level", "2"]}` where the level is an integer.
    Good: `{"eq": ["$.outputs.level.hazard_level", 2]}`
    """
    yield from _mapped_misfits(given)
    scope, edges = given.analysis.scope, len(given.workflow.edges)
    compared = tuple(conditions(given.workflow))
    for at, (condition, place) in enumerate(compared, edges - len(compared)):
        for leaf in _comparisons(condition):
            if misfit := comparison_misfit(leaf, scope.spec):
                fixes = comparison_fix(given.analysis, at, leaf) if at >= 0 else ()
                yield _mismatch(f"in {condition_words(leaf)}", misfit, place, fixes)
    for pack, condition, place in rule_conditions(given.workflow):
        for leaf in _comparisons(condition):
            if misfit := _in_every_reading(leaf, scope.rule_specs(pack)):
                yield _mismatch(f"in {condition_words(leaf)}", misfit, place)
    yield from _outcome_misfits(given)


def concept_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A field of one concept is read where another concept is expected.

    What: an input is given, or a condition compares, a field of another concept; both fields name a concept, the
        concepts differ, and neither is the broader of the other.
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
    for condition, place in conditions(given.workflow):
        for leaf in _comparisons(condition):
            sides = [spec.concept for spec in compared_fields(leaf, given.analysis.scope.spec) or () if spec.concept]
            if len(sides) == 2 and not _related(given, *sides):
                said = f"{condition_words(leaf)} compares {sides[0]} with {sides[1]}"
                yield warning("concept-mismatch", said, place, found=list(sides))


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
                fixes = input_fix(given.analysis, name, field, expected.unit) if isinstance(value, Ref) else ()
                yield _mismatch(said, misfit, at_node(given.workflow, name, "inputs", field), fixes)
        node = given.workflow.nodes[name]
        if node.type == CONVERT_UNIT and (pair := unconvertible(node)):
            misfit = Misfit(quoted(pair[1]), f"a unit into which {pair[0]} converts", note=conversion_words(*pair))
            yield _mismatch(f'"to_unit" of {taker}', misfit, at_node(given.workflow, name, "inputs", "to_unit"))


def _comparisons(condition: AnyCondition) -> Iterator[Compare]:
    return (leaf for leaf in leaves(condition) if isinstance(leaf, Compare))


def _in_every_reading(leaf: Compare, readings: tuple[SpecOf, ...]) -> Misfit | None:
    """Why two sides of a rule cannot be compared, whichever fields are meant: those that can be told all say so."""
    refs = tuple(references(leaf))
    known = [reading for reading in readings if all(reading(ref) for ref in refs)]
    misfits = [comparison_misfit(leaf, reading) for reading in known]
    return misfits[0] if misfits and all(misfits) else None


def _outcome_misfits(given: CheckInput) -> Iterator[Diagnostic]:
    """Values of rules that no node that applies them may give."""
    scope = given.analysis.scope
    for pack, rules in given.workflow.rule_packs.items():
        outputs = [scope.outputs(name) or {} for name in scope.nodes_applying(pack)]
        for index, rule in enumerate(rules.rules):
            for key, value in rule.outcome.items():
                misfits = [value_misfit(value, fields[key]) for fields in outputs if key in fields]
                if misfits and misfits[0] and all(misfits):
                    place = at_workflow(given.workflow, "rule_packs", pack, "rules", index, "outcome", key)
                    yield _mismatch(f'"{key}" of rule {rule.rule_id}', misfits[0], place)


def _mismatch(said: str, misfit: Misfit, place: Location, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    make = error if misfit.certain else warning
    return make("type-mismatch", f"{said}: {misfit}", place, found=misfit.found, expected=misfit.expected, fixes=fixes)


CHECKS = (missing_required_input, unexpected_input, type_mismatch, concept_mismatch)
