"""What a workflow asks of whoever runs it: its inputs, and what its steps find out that steers it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from catalog.load import Catalog
from evals.matching.nodes import steps_of
from ir.fields import FieldSpec
from ir.predicate import Always, Otherwise, Ref, references
from ir.workflow import Workflow
from runtime import values
from validator.analysis.types import Scope


@dataclass(frozen=True)
class Question:
    """One field to be filled in.

    Args:
        ref: where its value goes.
        words: what is asked, as a form would say it.
        spec: None where the type is not known; any value fits.
    """

    ref: Ref
    words: str
    spec: FieldSpec | None


def questions_of(workflow: Workflow, catalog: Catalog) -> tuple[Question, ...]:
    """The fields of a run, in the order in which the workflow lists them.

    Of what a step gives only that is asked which a condition, a guard or a row of rules reads.
    """
    scope = Scope(workflow, catalog)
    asked = [
        Question(Ref(f"$.inputs.{name}"), spec.description or name.replace("_", " "), spec)
        for name, spec in workflow.inputs.items()
    ]
    read = tuple(dict.fromkeys(_read(workflow)))
    for name in steps_of(workflow):
        node = workflow.nodes[name]
        told = f"{node.label or name}; {node.instruction}" if node.instruction else node.label or name
        who = node.actor or node.assignee or ", ".join(node.approvers or ())
        for ref in read:
            if ref.node != name:
                continue
            spec = scope.spec(ref)
            what = ".".join(ref.path[1:]).replace("_", " ")
            said = f": {spec.description}" if spec is not None and spec.description else ""
            words = f"what comes of the step «{told}»{f' ({who})' if who else ''}: {what}{said}"
            asked.append(Question(ref, words, spec))
    return tuple(asked)


def _read(workflow: Workflow) -> Iterator[Ref]:
    conditions = [edge.condition for edge in workflow.edges]
    conditions += [guard.condition for guard in workflow.guards]
    conditions += [rule.condition for pack in workflow.rule_packs.values() for rule in pack.rules]
    for condition in conditions:
        if not isinstance(condition, Always | Otherwise):
            yield from (ref for ref in references(condition) if ref.root == "outputs" and len(ref.path) > 1)
    applied = {node.rule_pack for node in workflow.nodes.values()}
    rules = (rule for name, pack in workflow.rule_packs.items() if name in applied for rule in pack.rules)
    for formula in (one for rule in rules for one in rule.formulas.values()):
        yield from (ref for ref in formula.references if ref.root == "outputs" and len(ref.path) > 1)


def form_text(questions: tuple[Question, ...]) -> str:
    """The form: a line for each question, numbered from 1."""
    return "\n".join(f"{n}. {one.words} [{_kind(one.spec)}]" for n, one in enumerate(questions, 1))


def _kind(spec: FieldSpec | None) -> str:
    if spec is None:
        return "any value"
    if spec.enum is not None:
        return "one of: " + " | ".join(str(value) for value in spec.enum if value is not None)
    kinds = {
        "boolean": "true or false", "number": "a number", "integer": "a whole number", "string": "text",
        "date": "a date as 2026-01-31", "datetime": "a time as 2026-01-31T09:00:00",
        "duration": "a length of time in ISO 8601, as P3D, PT4H, P5BD for business days", "array": "a list",
        "object": "true where it is there",
    }  # fmt: skip
    inner = f" of {_kind(spec.items)}" if spec.type == "array" and spec.items is not None else ""
    return kinds[spec.type] + inner + (f", in {spec.unit}" if spec.unit else "")


def filled_in(
    questions: tuple[Question, ...], answers: Mapping[int, JsonValue]
) -> tuple[dict[str, JsonValue], dict[str, dict[str, JsonValue]]]:
    """Inputs and records of a run; what was left open has no value, nor has what its field would refuse.

    Args:
        answers: by the number of the question.
    """
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, dict[str, JsonValue]] = {}
    for n, question in enumerate(questions, 1):
        value = answers.get(n)
        if value is True and question.spec is not None and question.spec.type == "object":
            value = {}
        if value is None or not fits(value, question.spec):
            continue
        ref = question.ref
        if ref.root == "inputs":
            inputs[ref.path[0]] = value
            continue
        record = outputs.setdefault(str(ref.node), {})
        for key in ref.path[1:-1]:
            below = record.setdefault(key, {})
            record = below if isinstance(below, dict) else {}
        record[ref.path[-1]] = value
    return inputs, outputs


def fits(value: JsonValue, spec: FieldSpec | None) -> bool:
    """Whether a field takes a value, as it would in a run; one of unknown type takes any."""
    if spec is None:
        return True
    inside = value if isinstance(value, list) and spec.type == "array" else []
    return values.fits(value, spec) and all(fits(one, spec.items) for one in inside)
