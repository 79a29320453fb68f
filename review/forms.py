"""What may be done with an item, as forms with fields, and operations made of what was entered in them."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import ValidationError

from compiler.decisions.texts import names_of
from compiler.decisions.unfit import UnfitError
from ir.decisions import operation as ops
from ir.decisions.decision import DecisionKind
from ir.decisions.operation import OPERATION, AnyOperation
from ir.fields import FieldType
from ir.infix import to_infix
from ir.predicate import Tree
from ir.procedure import END, START, EndStatus, Fact, Flow, Modality, Procedure, Result, Step, StepKind
from review.draft import ReviewDraft
from review.entries import Entry, rule_of
from review.errors import Fault, Refused
from review.queue import Item
from review.wording import flow_condition, shown_condition, shown_duration, shown_formula

FieldKind = Literal["text", "choice", "infix", "duration", "formula", "type", "json"]
Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Args:
        choices: what may be chosen, as (value, what it is called).
        value: what stands there now.
        required: it may not be left empty.
    """

    name: str
    kind: FieldKind
    choices: Choices = ()
    value: str = ""
    required: bool = True


@dataclass(frozen=True)
class Form:
    """An operation that may be made on an item; `do` is what it is called in `operation_from`."""

    do: str
    fields: tuple[Field, ...] = ()


_RULINGS: Mapping[str, tuple[DecisionKind, ...]] = {
    "question": ("accept", "answer", "reject", "comment"),
    "prohibition": ("accept", "declare", "reject", "comment"),
    "statement": ("declare", "reject", "comment"),
    "text": ("declare", "reject", "comment"),
}


def kinds_of(item: Item) -> tuple[DecisionKind, ...]:
    """The kinds of decisions that an item lets be taken without an operation."""
    return _RULINGS.get(item.subject, ("accept", "reject", "comment"))


def forms_of(draft: ReviewDraft, item: Item) -> tuple[Form, ...]:
    """The operations that may be made on an item, each with its fields as they are now."""
    return tuple(_forms(draft, item))


def _forms(draft: ReviewDraft, item: Item) -> Iterator[Form]:
    element = draft.elements.get((item.subject, item.id))
    form = element.form if element is not None else None
    match item.subject:
        case "step" if isinstance(form, Step):
            yield from _step_forms(draft, form)
        case "edge" if isinstance(form, Flow):
            yield from _edge_forms(draft, form)
        case "condition" | "constraint":
            tree = getattr(form, "predicate", None)
            yield Form("set_condition", (Field("text", "infix", value=shown_condition(tree, draft.procedure)),))
        case "fact" if isinstance(form, Fact):
            yield from _fact_forms(form)
        case "result" if isinstance(form, Result):
            yield from _row_forms(form, draft.procedure)
        case "rule":
            rule = rule_of(draft, item.id)
            if rule is not None:
                when = to_infix(rule.condition) if isinstance(rule.condition, Tree) else ""
                yield Form("set_rule", (Field("condition", "infix", value=when, required=False),
                                        Field("outcome", "json", value=_json(rule.outcome))))  # fmt: skip
        case "text":
            at = tuple((f"{one.kind}:{one.id}", one.name) for one in draft.elements.values()
                       if one.kind in ("step", "constraint"))  # fmt: skip
            yield Form("place_text", (Field("at", "choice", at),))
            yield Form("add_step", _new_step(draft.procedure))
        case "workflow" | "question" | "prohibition" | "statement":
            yield Form("add_step", _new_step(draft.procedure))
            yield Form("add_edge", _new_edge(draft.procedure))
            yield Form("add_fact", _new_fact())
            yield Form("set_policy", _policy_fields(draft))
            yield Form("set_title", (Field("value", "text", value=draft.procedure.title),))


def _step_forms(draft: ReviewDraft, step: Step) -> Iterator[Form]:
    kinds, modalities = _choices(get_args(StepKind)), _choices(get_args(Modality))
    ends = (("", "–"), *_choices(get_args(EndStatus)))
    fields = {
        "actor": Field("value", "text", value=step.actor or "", required=False),
        "text": Field("value", "text", value=step.text),
        "kind": Field("value", "choice", kinds, step.kind),
        "object": Field("value", "text", value=step.object or "", required=False),
        "recipient": Field("value", "text", value=step.recipient or "", required=False),
        "modality": Field("value", "choice", modalities, step.modality),
        "outcomes": Field("value", "text", value=", ".join(step.outcomes), required=False),
        "ends": Field("value", "choice", ends, step.ends or "", required=False),
    }
    for name, field in fields.items():
        yield Form(f"change_step.{name}", (field,))
    known = step.deadline
    within = shown_duration(known.duration, draft.document.language) if known else ""
    start = (known.start or "") if known else ""
    counted = Field("from", "text", value=start, required=False)
    yield Form("set_deadline", (Field("duration", "duration", value=within, required=False), counted))
    yield Form("move_step", (Field("after", "choice", _steps(draft.procedure, START, but=step.id)),))
    yield Form("remove_step")
    yield Form("add_step", _new_step(draft.procedure, step.id))
    yield Form("add_edge", _new_edge(draft.procedure, step.id))
    node = next((one for one in draft.workflow.nodes.values() if step.id in one.step_ids), None)
    types = (("", "a person"), *((name, one.summary) for name, one in draft.catalog.node_types.items()))
    yield Form("map_type", (Field("type", "type", types, node.type if node else "", required=False),))
    node_type = draft.catalog.resolve(node.type) if node else None
    if node_type is not None and node_type.inputs_schema:
        inputs = _choices(tuple(node_type.inputs_schema))
        given = (
            ("", "–"),
            *((f"input:{name}", spec.description or name) for name, spec in draft.workflow.inputs.items()),
        )
        outputs = tuple(_outputs(draft, step.id))
        yield Form("bind_input", (Field("input", "choice", inputs), Field("source", "choice", (*given, *outputs),
                                  required=False), Field("literal", "json", required=False)))  # fmt: skip
    if node_type is not None and node_type.category == "decision":
        yield Form("set_rule", (Field("condition", "infix", required=False), Field("outcome", "json")))


def _outputs(draft: ReviewDraft, but: str) -> Iterator[tuple[str, str]]:
    for name, node in draft.workflow.nodes.items():
        node_type = draft.catalog.resolve(node.type)
        for step in node.step_ids[:1] if but not in node.step_ids else ():
            for field in (*(node_type.outputs_schema if node_type else ()), *(node.requested_fields or ())):
                yield f"step:{step}:{field}", f"{node.label or name} · {field}"


def _edge_forms(draft: ReviewDraft, flow: Flow) -> Iterator[Form]:
    condition = flow_condition(flow, draft.procedure)
    yield Form("change_edge.condition", (Field("value", "infix", value=condition, required=False),))
    yield Form(
        "change_edge.to", (Field("value", "choice", _steps(draft.procedure, END, but=flow.source), flow.target),)
    )
    ends = (("", "–"), *_choices(get_args(EndStatus)))
    yield Form("change_edge.ends", (Field("value", "choice", ends, flow.ends or "", required=False),))
    priority = "" if flow.priority is None else str(flow.priority)
    yield Form("change_edge.priority", (Field("value", "json", value=priority, required=False),))
    yield Form("remove_edge")


def _fact_forms(fact: Fact) -> Iterator[Form]:
    types = _choices(get_args(FieldType))
    yield Form("change_fact.name", (Field("value", "text", value=fact.name),))
    yield Form("change_fact.type", (Field("value", "choice", types, fact.type),))
    yield Form("change_fact.unit", (Field("value", "text", value=fact.unit or "", required=False),))
    yield Form("change_fact.concept", (Field("value", "text", value=fact.concept or "", required=False),))
    enum = ", ".join(map(str, fact.enum or ()))
    yield Form("change_fact.enum", (Field("value", "text", value=enum, required=False),))
    yield Form("change_fact.required", (Field("value", "choice", _choices(("true", "false")), _json(fact.required)),))
    yield Form("remove_fact")


def _row_forms(result: Result, procedure: Procedure) -> Iterator[Form]:
    numbers = (*((str(n), row.text) for n, row in enumerate(result.rows)), (str(len(result.rows)), "+"))
    first = result.rows[0] if result.rows else None
    formula = shown_formula(first.formula, procedure) if first else ""
    condition = shown_condition(first.condition, procedure) if first else ""
    worked_out = Field("formula", "formula", value=formula, required=False)
    when = Field("condition", "infix", value=condition, required=False)
    yield Form("set_row", (Field("row", "choice", numbers, "0"), worked_out, when))


def _new_step(procedure: Procedure, after: str = START) -> tuple[Field, ...]:
    return (
        Field("id", "text", value=_free("p", [one.id for one in procedure.steps])),
        Field("text", "text"),
        Field("kind", "choice", _choices(get_args(StepKind)), "task"),
        Field("actor", "text", required=False),
        Field("after", "choice", _steps(procedure, START), after),
        Field("condition", "infix", required=False),
    )


def _new_edge(procedure: Procedure, source: str = START) -> tuple[Field, ...]:
    return (
        Field("from", "choice", _steps(procedure, START), source),
        Field("to", "choice", _steps(procedure, END), END),
        Field("condition", "infix", required=False),
        Field("ends", "choice", (("", "–"), *_choices(get_args(EndStatus))), required=False),
    )


def _new_fact() -> tuple[Field, ...]:
    return (
        Field("id", "text"), Field("name", "text"), Field("type", "choice", _choices(get_args(FieldType)), "string"),
        Field("unit", "text", required=False), Field("enum", "text", required=False),
    )  # fmt: skip


def _policy_fields(draft: ReviewDraft) -> tuple[Field, ...]:
    policy = draft.workflow.execution_policy
    return (Field("field", "choice", _choices(get_args(ops.PolicyField)), "risk_level"),
            Field("value", "text", value=policy.risk_level))  # fmt: skip


# --- operations of what was entered -----------------------------------------------------------------------------------


def operation_from(draft: ReviewDraft, item: Item, do: str, values: Mapping[str, str]) -> AnyOperation:
    """The operation that was entered in a form.

    Args:
        do: of the form, as `change_step.actor`.
        values: by field, as entered; empty where nothing was.

    Raises:
        Refused: something is missing or malformed; each fault names its field.
    """
    form = next((one for one in forms_of(draft, item) if one.do == do), None)
    if form is None:
        there = ", ".join(one.do for one in forms_of(draft, item))
        close = difflib.get_close_matches(do, [one.do for one in forms_of(draft, item)], 1)
        meant = f"; did you mean {close[0]}?" if close else f"; there are {there}"
        raise Refused((Fault("do", "unknown-operation", f"{item.subject} {item.id} has no {do!r}{meant}"),))
    entered = {field.name: values.get(field.name, "").strip() for field in form.fields}
    faults = tuple(_missing(form, entered, values))
    if faults:
        raise Refused(faults)
    try:
        raw = Entry(draft, item, do, entered).raw()
    except UnfitError as error:
        raise Refused((Fault(error.field, error.code, error.message),)) from None
    try:
        return OPERATION.validate_python(raw)
    except ValidationError as error:
        told = error.errors()
        raise Refused(tuple(_fault(one["loc"], str(one["msg"])) for one in told)) from None


def _missing(form: Form, entered: Mapping[str, str], values: Mapping[str, str]) -> Iterator[Fault]:
    known = [field.name for field in form.fields]
    for name in values:
        if name not in known:
            yield Fault(name, "unknown-field", f"{form.do} has no field {name!r}; it has {', '.join(known) or 'none'}")
    for field in form.fields:
        value = entered[field.name]
        if field.required and not value:
            yield Fault(field.name, "missing-value", f"{field.name} is empty; enter {_wanted(field)}")
        elif value and field.kind in ("choice", "type") and value not in {one for one, _ in field.choices}:
            close = difflib.get_close_matches(value, [one for one, _ in field.choices], 1)
            meant = f"; did you mean {close[0]}?" if close else f"; enter {_wanted(field)}"
            yield Fault(field.name, "unknown-choice", f"{field.name} cannot be {value!r}{meant}")


def _wanted(field: Field) -> str:
    shown = [value for value, _ in field.choices if value][:12]
    return f"one of {', '.join(shown)}" if shown else f"a {field.kind}"


def _fault(loc: Sequence[int | str], message: str) -> Fault:
    named = [str(one) for one in loc if not str(one).startswith(("Add", "Change"))]
    return Fault(named[-1] if named else "", "bad-value", message)


# --- names in conditions ----------------------------------------------------------------------------------------------


def completions(draft: ReviewDraft, text: str, at: int) -> tuple[str, ...]:
    """Names that may stand where the cursor is in a condition, the likeliest first.

    Args:
        at: code points before the cursor.
    """
    typed = re.search(r"[\w.$-]*$", text[:at])
    begun = typed[0].casefold() if typed else ""
    named = names_of(draft.procedure)
    outcomes = [f"{one.id}.outcome" for one in draft.procedure.steps if one.outcomes]
    values = [json.dumps(value, ensure_ascii=False) for fact in draft.procedure.facts
              if re.search(rf"(?:{re.escape(fact.name)}|\b{re.escape(fact.id)})\s*(?:[=!]=|in)\s*\S*$", text[:at])
              for value in fact.enum or ()]  # fmt: skip
    known = list(dict.fromkeys((*values, *named, *outcomes)))
    first = [name for name in known if name.casefold().startswith(begun)]
    return tuple(first + [name for name in known if begun and begun in name.casefold() and name not in first])


# --- small parts ----------------------------------------------------------------------------------------------------


def _steps(procedure: Procedure, terminal: str, but: str = "") -> Choices:
    return ((terminal, terminal), *((one.id, one.text) for one in procedure.steps if one.id != but))


def _choices(values: Sequence[str]) -> Choices:
    return tuple((one, one) for one in values)


def _free(letter: str, taken: Sequence[str]) -> str:
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
