"""Can what a workflow declares be read, and does it agree with itself?"""

import re
from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Fix, Location
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref, leaves
from ir.workflow import NAME
from validator.analysis.fit import quoted, value_misfit
from validator.analysis.locations import at_node, at_workflow, pointer
from validator.analysis.uses import conditions, rule_conditions
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error, warning
from validator.suggest import did_you_mean, nearest

_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%[^%]*%>")


def unreferable_name(given: CheckInput) -> Iterator[Diagnostic]:
    """An input, a node, a result or a requested field has a name that no reference can name.

    What: names are of letters, digits, `_` and `-` of ASCII and begin with a letter or `_`.
    Why: nothing could ever read it; a name such as `*` or `a.b` looks as if it stood for others.
    Bad: `"inputs": {"*": {"type": "string"}}`
    Good: `"inputs": {"reason": {"type": "string"}}`
    """
    names = [("input", name, at_workflow(given.workflow, "inputs", name)) for name in given.workflow.inputs]
    names += [("result", name, at_workflow(given.workflow, "results", name)) for name in given.workflow.results]
    for node, its in given.workflow.nodes.items():
        names.append(("node", node, at_node(given.workflow, node)))
        asked = its.requested_fields or {}
        names += [("field", name, at_node(given.workflow, node, "requested_fields", name)) for name in asked]
    for what, name, place in names:
        if not re.fullmatch(NAME, name):
            yield error("unreferable-name", f"no reference can name the {what} {quoted(name)}", place, found=name)


def unfit_field_value(given: CheckInput) -> Iterator[Diagnostic]:
    """A default, or a member of an enumeration, does not fit the field that declares it.

    What: of an input, a result or a requested field, `default` is not of its type or not among its `enum`, or a member
        of `enum` is not of its type.
    Why: the value would be there in a run and fit nowhere; a member of another type is never met.
    Bad: `{"type": "integer", "enum": [1, "2"], "default": 3}`
    Good: `{"type": "integer", "enum": [1, 2], "default": 2}`
    """
    for name, spec in given.workflow.inputs.items():
        yield from _unfit(spec, at_workflow(given.workflow, "inputs", name), name)
    for name, result in given.workflow.results.items():
        yield from _unfit(result, at_workflow(given.workflow, "results", name), name)
    for node, its in given.workflow.nodes.items():
        for name, field in (its.requested_fields or {}).items():
            yield from _unfit(field, at_node(given.workflow, node, "requested_fields", name), name)


def constant_comparison(given: CheckInput) -> Iterator[Diagnostic]:
    """A comparison reads nothing.

    What: both sides of a comparison in a condition or a rule are literals.
    Why: it is true or false in every run; mostly one side was meant as a reference and is only a text.
    Bad: `{"eq": ["$env.REGION", "north"]}`
    Good: `{"eq": ["$.inputs.region", "north"]}`
    """
    of_rules = ((condition, place) for _, condition, place in rule_conditions(given.workflow))
    for condition, place in (*conditions(given.workflow), *of_rules):
        for leaf in leaves(condition):
            if isinstance(leaf, Compare) and isinstance(leaf.left, Literally) and isinstance(leaf.right, Literally):
                said = f"{condition_words(leaf)} compares two literals, and is the same in every run"
                yield error("constant-comparison", f"{said}; expected a reference on one side", place)


def placeholder_text(given: CheckInput) -> Iterator[Diagnostic]:
    """A text has a placeholder that nothing fills in.

    What: a literal input of a node holds `{{ … }}`, `${ … }` or `<% … %>`.
    Why: a literal is handed over as it stands; only a reference of its own reads a value.
    Bad: `"text": "{{ previous.number }}"`
    Good: `"text": "$.outputs.number.number"`
    """
    for name, node in given.workflow.nodes.items():
        for field, value in node.inputs.items():
            text = None if isinstance(value, Ref) else value.value
            found = _PLACEHOLDER.search(text) if isinstance(text, str) else None
            if found:
                place = at_node(given.workflow, name, "inputs", field)
                yield warning("placeholder-text", f"nothing fills in {found[0]}; it is handed over as it stands", place)


def unknown_outcome(given: CheckInput) -> Iterator[Diagnostic]:
    """A rule's outcome has a key that no node that applies it gives.

    What: `outcome` or `formulas` of a rule name what is no output of the Type of any node with that `rule_pack`, nor
        one that the pack declares.
    Why: a rule says what a decision node gives and nothing else: not what comes next, nor who is asked.
    Bad: `"outcome": {"passed": false, "next": "approve"}`
    Good: `"outcome": {"passed": false}`, and an edge that reads it.
    """
    scope = given.analysis.scope
    for pack, rules in given.workflow.rule_packs.items():
        known = {key for name in scope.nodes_applying(pack) for key in scope.outputs(name) or {}}
        for index, rule in enumerate(rules.rules if scope.nodes_applying(pack) else ()):
            for key in [key for key in rule.names if key not in known]:
                part = "outcome" if key in rule.outcome else "formulas"
                place = at_workflow(given.workflow, "rule_packs", pack, "rules", index, part, key)
                meant = nearest(key, sorted(known - set(rule.names)))
                path = pointer("rule_packs", pack, "rules", index, part, meant or "")
                patch = {"op": "move", "from": place.pointer, "path": path}
                yield error(
                    "unknown-outcome",
                    f'rule {rule.rule_id} gives "{key}", which is no output of '
                    + " or ".join(scope.nodes_applying(pack))
                    + did_you_mean(key, sorted(known)),
                    place,
                    found=key,
                    expected=sorted(known),
                    fixes=(Fix(title=f'rename it to "{meant}"', patch=(patch,)),) if meant else (),
                )


def unknown_concept(given: CheckInput) -> Iterator[Diagnostic]:
    """A field or a trigger names a concept that the catalog does not have.

    What: `concept` of an input, a result or a requested field, or a member of a trigger's `concepts`, is no concept's
        id.
    Why: concepts align fields across documents and Types; a misspelt one aligns nothing, and nobody is told.
    Bad: `{"type": "number", "concept": "wieght"}`
    Good: `{"type": "number", "concept": "weight"}`
    """
    workflow, known = given.workflow, given.catalog.concepts
    named = [(spec.concept, at_workflow(workflow, "inputs", n, "concept")) for n, spec in workflow.inputs.items()]
    for node, its in workflow.nodes.items():
        for name, field in (its.requested_fields or {}).items():
            named.append((field.concept, at_node(workflow, node, "requested_fields", name, "concept")))
    for index, trigger in enumerate(workflow.triggers):
        named += [
            (c, at_workflow(workflow, "triggers", index, "concepts", at)) for at, c in enumerate(trigger.concepts)
        ]
    for concept, place in named:
        if concept is not None and concept not in known:
            said = f"unknown concept {quoted(concept)}{did_you_mean(concept, sorted(known))}"
            meant = nearest(concept, sorted(known))
            patch = {"op": "replace", "path": place.pointer, "value": meant}
            fixes = (Fix(title=f'name it "{meant}"', patch=(patch,)),) if meant else ()
            yield error("unknown-concept", said, place, found=concept, fixes=fixes)


def missing_outputs(given: CheckInput) -> Iterator[Diagnostic]:
    """A published workflow gives nothing.

    What: `status` is `published`, and `outputs` and `results` are empty.
    Why: what is published is called by people, agents and other workflows; without outputs nobody learns what came
        of it.
    Bad: `"status": "published"` without `outputs`.
    Good: `"outputs": {"allowed": "$.outputs.check.allowed"}`
    """
    if given.workflow.status == "published" and not (given.workflow.outputs or given.workflow.results):
        place = at_workflow(given.workflow, "outputs")
        yield error("missing-outputs", "the workflow is published and has no outputs", place, expected="an output")


def _unfit(spec: FieldSpec, place: Location, name: str) -> Iterator[Diagnostic]:
    """The values that a field, or a part of it, declares and that do not fit it."""
    plain = spec.model_copy(update={"enum": None})
    for value in spec.enum or ():
        if value is not None and (misfit := value_misfit(value, plain)):
            said = f'a member of the enumeration of "{name}" does not fit'
            yield error("unfit-field-value", f"{said}: {misfit}", place, found=value, expected=misfit.expected)
    if spec.default is not None and (misfit := value_misfit(spec.default, spec)):
        said = f'the default of "{name}" does not fit'
        yield error("unfit-field-value", f"{said}: {misfit}", place, found=spec.default, expected=misfit.expected)
    parts = {**(spec.properties or {}), **({"items": spec.items} if spec.items else {})}
    for key, part in parts.items():
        yield from _unfit(part, place, f"{name}.{key}")


CHECKS = (
    unreferable_name,
    unfit_field_value,
    constant_comparison,
    placeholder_text,
    unknown_outcome,
    unknown_concept,
    missing_outputs,
)
