"""Carries operations of a procedure out: each gives another procedure, or says why it does not fit."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue, ValidationError

from compiler.decisions.elements import edge_id
from compiler.decisions.flows import ending_at, guarded, put_after, put_on, with_condition, without
from compiler.decisions.texts import condition_of, formula_of, read_by, unknown_names
from compiler.decisions.unfit import UnfitError
from ir.base import Model, canonical_json
from ir.decisions import operation as forms
from ir.decisions.anchor import Anchor
from ir.decisions.operation import ProcedureOperation
from ir.formula import Expression
from ir.formulas.infix import to_formula
from ir.infix import to_infix
from ir.predicate import Literally, Tree, with_literals
from ir.procedure import (
    END,
    START,
    ConditionText,
    Constraint,
    Deadline,
    Fact,
    Flow,
    Procedure,
    Result,
    ResultRow,
    Step,
)
from ir.source import Evidence
from validator.analysis.implication import OUTCOMES

Quotes = Mapping[Anchor, Evidence]
"""Where the words that operations quote stand now."""


def perform(procedure: Procedure, operation: ProcedureOperation, quotes: Quotes) -> Procedure:
    """The procedure after an operation whose marks have the ids that things have now.

    Raises:
        UnfitError: it does not fit; `contradicted-decision` where what it changes is neither what it was when it was
            decided nor what it is to become.
    """
    match operation:
        case forms.AddStep():
            return _add_step(procedure, operation, quotes)
        case forms.ChangeStep():
            return _change_step(procedure, operation)
        case forms.RemoveStep():
            return _remove_step(procedure, operation)
        case forms.MoveStep():
            return _move_step(procedure, operation)
        case forms.SetDeadline():
            return _set_deadline(procedure, operation)
        case forms.SetCondition():
            return _set_condition(procedure, operation)
        case forms.AddEdge():
            return _add_edge(procedure, operation)
        case forms.ChangeEdge():
            return _change_edge(procedure, operation)
        case forms.RemoveEdge():
            gone = _edge(procedure, operation)
            return procedure.model_copy(update={"flows": tuple(one for one in procedure.flows if one != gone)})
        case forms.AddFact():
            return _add_fact(procedure, operation, quotes)
        case forms.ChangeFact():
            return _change_fact(procedure, operation)
        case forms.RemoveFact():
            return _remove_fact(procedure, operation)
        case forms.SetRow():
            return _set_row(procedure, operation)
        case forms.PlaceText():
            return _place_text(procedure, operation)
        case forms.SetTitle():
            check_was("title", procedure.title, operation.was, operation.value)
            return procedure.model_copy(update={"title": operation.value})


def check_was(field: str, found: object, was: object, value: object) -> None:
    """Refuse to change what has changed since it was decided.

    Raises:
        UnfitError: it is neither what it was nor what it is to become.
    """
    if found not in (was, value):
        message = f"{field} is {found!r} now; it was {was!r} when it was decided to make it {value!r}; decide anew"
        raise UnfitError(field, message, "contradicted-decision")


# --- steps ------------------------------------------------------------------------------------------------------------


def _add_step(procedure: Procedure, op: forms.AddStep, quotes: Quotes) -> Procedure:
    _is_new("id", op.id, [one.id for one in procedure.steps])
    if op.after.id != START:
        _step(procedure, op.after.id, "after")
    evidence: tuple[Evidence, ...] = (quotes[op.quote],) if op.quote is not None else ()
    unplaced = procedure.unplaced
    if op.places is not None:
        number = _number(op.places.id, len(unplaced), "places")
        evidence = evidence or unplaced[number].evidence
        unplaced = (*unplaced[:number], *unplaced[number + 1 :])
    step = Step(id=op.id, text=op.text, kind=op.kind, actor=op.actor, evidence=evidence)
    at = next((n for n, one in enumerate(procedure.steps, 1) if one.id == op.after.id), 0)
    steps = (*procedure.steps[:at], step, *procedure.steps[at:])
    if op.condition is None:
        procedure = put_after(procedure, op.id, op.after.id)
    else:
        ways = _ways_under(procedure, op.after.id, op.condition)
        procedure = procedure.model_copy(update={"flows": put_on(procedure.flows, op.id, ways)})
    return procedure.model_copy(update={"steps": steps, "unplaced": unplaced})


def _ways_under(procedure: Procedure, source: str, condition: str) -> list[Flow]:
    """The ways that a step has under a condition."""
    text = condition if condition == "otherwise" else to_infix(_tree(procedure, "condition", condition))
    own = [one for one in procedure.flows if one.source == source]
    found = [one for one in own if condition_text(procedure, one) == text]
    if not found:
        there = "; ".join(condition_text(procedure, one) or "always" for one in own) or "none"
        raise UnfitError("condition", f"{source} has no way with the condition {text}; it has {there}: add_edge first")
    return found


def _change_step(procedure: Procedure, op: forms.ChangeStep) -> Procedure:
    step = _step(procedure, op.step.id, "step")
    check_was(op.field, step.model_dump(mode="json")[op.field], op.was, op.value)
    changed = _validated(step, op.field, op.value)
    if op.field == "ends":
        procedure = procedure.model_copy(update={"flows": ending_at(procedure.flows, step.id, changed.ends)})
    if op.field == "kind":
        return _of_kind(procedure, step, changed)
    return _with_step(procedure, changed)


def _of_kind(procedure: Procedure, step: Step, changed: Step) -> Procedure:
    """The procedure with a step of another kind: an approval grants or refuses; what hung on that hangs on it still.

    What an approval guards without a condition on its ways is guarded by one where somebody judges in its place; where
    nobody does, `dropped-guard` tells so.
    """
    verdicts = OUTCOMES[0]
    if changed.kind == "approval" and not step.outcomes:
        return _with_step(procedure, changed.model_copy(update={"outcomes": verdicts}))
    own = [one for one in procedure.flows if one.source == step.id]
    if step.kind != "approval" or step.outcomes not in ((), verdicts) or changed.kind == "approval":
        return _with_step(procedure, changed)
    if any(_reads(one.predicate, "steps", step.id) for one in procedure.conditions):
        return _with_step(procedure, changed.model_copy(update={"outcomes": verdicts}))
    if changed.kind not in ("check", "decision") or any(one.condition for one in own):
        return _with_step(procedure, changed.model_copy(update={"outcomes": ()}))
    procedure = guarded(procedure, step.id, verdicts[0])
    return _with_step(procedure, changed.model_copy(update={"outcomes": verdicts}))


def _remove_step(procedure: Procedure, op: forms.RemoveStep) -> Procedure:
    step = _step(procedure, op.step.id, "step")
    reading = [one.text for one in procedure.conditions if _reads(one.predicate, "steps", step.id)]
    reading += [one.name for one in procedure.results if one.step == step.id]
    if reading:
        raise UnfitError("step", f"{', '.join(reading)} rests on {step.id}; change that first, then take the step out")
    constraints = tuple(
        one.model_copy(update={"steps": tuple(name for name in one.steps if name != step.id)})
        for one in procedure.constraints
    )
    changes = {
        "steps": tuple(one for one in procedure.steps if one.id != step.id),
        "flows": without(procedure, step.id, "step"),
        "constraints": constraints,
        "agreed": None if procedure.agreed is None else tuple(one for one in procedure.agreed if one != step.id),
    }
    return procedure.model_copy(update=changes)


def _move_step(procedure: Procedure, op: forms.MoveStep) -> Procedure:
    step = _step(procedure, op.step.id, "step")
    if op.after.id == step.id:
        raise UnfitError("after", f"{step.id} cannot come after itself; name another step, or start")
    if op.after.id != START:
        _step(procedure, op.after.id, "after")
    if any(one.source == op.after.id and one.target == step.id for one in procedure.flows):
        return procedure
    others = [one for one in procedure.steps if one.id != step.id]
    at = next((n for n, one in enumerate(others, 1) if one.id == op.after.id), 0)
    rest = procedure.model_copy(update={"flows": without(procedure, step.id, "step")})
    return put_after(rest, step.id, op.after.id).model_copy(update={"steps": (*others[:at], step, *others[at:])})


def _set_deadline(procedure: Procedure, op: forms.SetDeadline) -> Procedure:
    step = _step(procedure, op.step.id, "step")
    known = step.deadline
    check_was("duration", known.duration if known else None, op.was, op.duration)
    if op.duration is None:
        return _with_step(procedure, step.model_copy(update={"deadline": None}))
    start = op.start if op.start is not None else known.start if known else None
    told = Deadline(
        duration=op.duration, start=start, calendar=known.calendar if known else None,
        evidence=known.evidence if known else (),
    )  # fmt: skip
    return _with_step(procedure, step.model_copy(update={"deadline": told}))


# --- conditions and ways ----------------------------------------------------------------------------------------------


def _set_condition(procedure: Procedure, op: forms.SetCondition) -> Procedure:
    tree = _tree(procedure, "text", op.text)
    kind = "conditions" if op.on.kind == "condition" else "constraints"
    held: tuple[ConditionText | Constraint, ...] = getattr(procedure, kind)
    known = next((one for one in held if one.id == op.on.id), None)
    if known is None:
        raise UnfitError("on", f"there is no {op.on.kind} {op.on.id!r}; choose one that is there")
    check_was("text", _text(known.predicate), op.was, to_infix(tree))
    changed = known.model_copy(update={"predicate": with_known_sources(tree, known.predicate)})
    return procedure.model_copy(update={kind: tuple(changed if one.id == known.id else one for one in held)})


def _add_edge(procedure: Procedure, op: forms.AddEdge) -> Procedure:
    _ends_are_there(procedure, op.source.id, op.target.id)
    procedure, condition = _with_condition(procedure, "condition", op.condition)
    kind = "branch" if condition is not None and op.kind == "sequence" else op.kind
    flow = Flow(
        source=op.source.id, target=op.target.id, kind=kind, condition=condition, priority=op.priority, ends=op.ends
    )
    if edge_id(flow) in map(edge_id, procedure.flows):
        raise UnfitError("to", f"there is a way {edge_id(flow)} already; change that one")
    at = max((n for n, one in enumerate(procedure.flows, 1) if one.source == flow.source), default=len(procedure.flows))
    return procedure.model_copy(update={"flows": (*procedure.flows[:at], flow, *procedure.flows[at:])})


def _change_edge(procedure: Procedure, op: forms.ChangeEdge) -> Procedure:
    known = _edge(procedure, op)
    update: dict[str, Any]
    if op.field == "condition":
        words = None if op.value is None else str(op.value)
        tree = None if words in (None, "otherwise") else _tree(procedure, "value", str(words))
        check_was("condition", condition_text(procedure, known), op.was, words if tree is None else to_infix(tree))
        procedure, condition = _with_condition(procedure, "value", words)
        update = {"condition": condition, "kind": "branch" if condition and known.kind == "sequence" else known.kind}
    elif op.field == "to":
        _ends_are_there(procedure, known.source, str(op.value))
        check_was("to", known.target, op.was, op.value)
        update = {"target": str(op.value)}
    else:
        check_was(op.field, known.model_dump(mode="json")[op.field], op.was, op.value)
        return _with_flow(procedure, known, _validated(known, op.field, op.value))
    return _with_flow(procedure, known, known.model_copy(update=update))


def _with_condition(procedure: Procedure, field: str, text: str | None) -> tuple[Procedure, str | None]:
    """The procedure with a condition of that text, and its id; one that is there already is used."""
    if text is None or text == "otherwise":
        return procedure, text
    _tree(procedure, field, text)
    return with_condition(procedure, text)


def _edge(procedure: Procedure, op: forms.ChangeEdge | forms.RemoveEdge) -> Flow:
    between = [one for one in procedure.flows if (one.source, one.target) == (op.source.id, op.target.id)]
    known = next((one for one in between if edge_id(one) == op.edge.id), between[0] if len(between) == 1 else None)
    if known is None:
        there = ", ".join(map(edge_id, procedure.flows)) or "none"
        raise UnfitError("edge", f"there is no way {op.source.id}->{op.target.id}; there are {there}")
    return known


def condition_text(procedure: Procedure, flow: Flow) -> str | None:
    """The condition of a flow as operations keep it: text, `otherwise`, or None for always or what is not definite."""
    if flow.condition in (None, "otherwise"):
        return flow.condition
    return _text(next((one.predicate for one in procedure.conditions if one.id == flow.condition), None))


def _ends_are_there(procedure: Procedure, source: str, target: str) -> None:
    if source != START:
        _step(procedure, source, "from")
    if target != END:
        _step(procedure, target, "to")


# --- facts, results, texts --------------------------------------------------------------------------------------------


def _add_fact(procedure: Procedure, op: forms.AddFact, quotes: Quotes) -> Procedure:
    _is_new("id", op.id, [one.id for one in procedure.facts])
    fact = Fact(
        id=op.id, name=op.name, type=op.type, concept=op.concept, unit=op.unit, enum=op.enum, required=op.required,
        evidence=(quotes[op.quote],) if op.quote is not None else (),
    )  # fmt: skip
    return procedure.model_copy(update={"facts": (*procedure.facts, fact)})


def _change_fact(procedure: Procedure, op: forms.ChangeFact) -> Procedure:
    fact = _fact(procedure, op.fact.id)
    check_was(op.field, fact.model_dump(mode="json")[op.field], op.was, op.value)
    changed = _validated(fact, op.field, op.value)
    return procedure.model_copy(
        update={"facts": tuple(changed if one.id == fact.id else one for one in procedure.facts)}
    )


def _remove_fact(procedure: Procedure, op: forms.RemoveFact) -> Procedure:
    fact = _fact(procedure, op.fact.id)
    trees: list[tuple[str, Tree | Expression | None]] = [(one.text, one.predicate) for one in procedure.conditions]
    trees += [(one.text, one.predicate) for one in procedure.constraints]
    trees += [(one.text, one.condition) for one in procedure.triggers]
    for result in procedure.results:
        trees += [(result.name, part) for row in result.rows for part in (row.formula, row.condition)]
    reading = dict.fromkeys(text for text, tree in trees if _reads(tree, "facts", fact.id))
    if reading:
        raise UnfitError("fact", f"{', '.join(reading)} reads {fact.id}; change that first, then take the fact out")
    return procedure.model_copy(update={"facts": tuple(one for one in procedure.facts if one.id != fact.id)})


def _set_row(procedure: Procedure, op: forms.SetRow) -> Procedure:
    known = next((one for one in procedure.results if one.id == op.result.id), None)
    if known is None:
        there = ", ".join(one.id for one in procedure.results) or "none"
        raise UnfitError("result", f"there is no result {op.result.id!r}; there are {there}")
    if op.row > len(known.rows):
        raise UnfitError("row", f"there are {len(known.rows)} rows; the next one is number {len(known.rows)}")
    row = known.rows[op.row] if op.row < len(known.rows) else None
    made = None
    if op.formula is not None:
        formula = formula_of("formula", op.formula, {})
        _known_names(procedure, "formula", formula)
        condition = _tree(procedure, "condition", op.condition) if op.condition else None
        quotes = row.evidence if row else ()
        made = ResultRow(text=row.text if row else op.formula, formula=formula, condition=condition, evidence=quotes)
    check_was("row", row_text(row), op.was, row_text(made))
    rows = (*known.rows[: op.row], *([made] if made else []), *known.rows[op.row + 1 :])
    changed: Result = known.model_copy(update={"rows": rows})
    return procedure.model_copy(
        update={"results": tuple(changed if one.id == known.id else one for one in procedure.results)}
    )


def row_text(row: ResultRow | None) -> forms.RowText | None:
    """What a row says, as operations keep it."""
    if row is None:
        return None
    formula = to_formula(row.formula) if row.formula is not None else None
    return forms.RowText(formula=formula, condition=_text(row.condition))


def _place_text(procedure: Procedure, op: forms.PlaceText) -> Procedure:
    number = _number(op.text.id, len(procedure.unplaced), "text")
    quotes = procedure.unplaced[number].evidence
    unplaced = (*procedure.unplaced[:number], *procedure.unplaced[number + 1 :])
    kind = "steps" if op.at.kind == "step" else "constraints"
    held: tuple[Step | Constraint, ...] = getattr(procedure, kind)
    known = next((one for one in held if one.id == op.at.id), None)
    if known is None:
        raise UnfitError("at", f"there is no {op.at.kind} {op.at.id!r}; choose a step or a constraint that is there")
    changed = known.model_copy(update={"evidence": (*known.evidence, *quotes)})
    placed = tuple(changed if one.id == known.id else one for one in held)
    return procedure.model_copy(update={kind: placed, "unplaced": unplaced})


# --- what all of them need --------------------------------------------------------------------------------------------


def _step(procedure: Procedure, step_id: str, field: str) -> Step:
    found = next((one for one in procedure.steps if one.id == step_id), None)
    if found is None:
        there = ", ".join(one.id for one in procedure.steps) or "none"
        raise UnfitError(field, f"there is no step {step_id!r}; there are {there}")
    return found


def _fact(procedure: Procedure, fact_id: str) -> Fact:
    found = next((one for one in procedure.facts if one.id == fact_id), None)
    if found is None:
        there = ", ".join(one.id for one in procedure.facts) or "none"
        raise UnfitError("fact", f"there is no fact {fact_id!r}; there are {there}")
    return found


def _is_new(field: str, name: str, taken: list[str]) -> None:
    if name in (*taken, START, END):
        raise UnfitError(field, f"{name!r} is taken; choose an id that none of {', '.join(taken)} is")


def _number(text_id: str, count: int, field: str) -> int:
    number = int(text_id.removeprefix("u")) if text_id.removeprefix("u").isdecimal() else count
    if number >= count:
        raise UnfitError(field, f"there is no text {text_id!r} without a place; there are {count}")
    return number


def _validated(form: Model, field: str, value: JsonValue) -> Any:
    """A form with another value of a field, which has to be one of it."""
    try:
        return type(form).model_validate(form.model_dump(mode="json", by_alias=True) | {field: value})
    except ValidationError as error:
        raise UnfitError("value", f"{field} cannot be {value!r}: {error.errors()[0]['msg']}") from None


def _with_step(procedure: Procedure, step: Step) -> Procedure:
    return procedure.model_copy(update={"steps": tuple(step if one.id == step.id else one for one in procedure.steps)})


def _with_flow(procedure: Procedure, known: Flow, changed: Flow) -> Procedure:
    return procedure.model_copy(update={"flows": tuple(changed if one == known else one for one in procedure.flows)})


def _tree(procedure: Procedure, field: str, text: str) -> Tree:
    tree = condition_of(field, text, {})
    _known_names(procedure, field, tree)
    return tree


def _known_names(procedure: Procedure, field: str, tree: Tree | Expression) -> None:
    if unknown := unknown_names(procedure, read_by(tree)):
        there = ", ".join((*(f"$.facts.{one.id}" for one in procedure.facts), *(f"$.results.{one.id}" for one in
                           procedure.results), *(f"$.steps.{one.id}.outcome" for one in procedure.steps)))  # fmt: skip
        raise UnfitError(field, f"{', '.join(unknown)} is not there; there are {there or 'none'}")


def _reads(tree: Tree | Expression | None, root: str, name: str) -> bool:
    return any(ref.root == root and ref.path[0] == name for ref in read_by(tree))


def with_known_sources(tree: Tree, before: Tree | None) -> Tree:
    """A condition whose literals are from the same words as those of before that say the same."""
    if before is None:
        return tree
    known: dict[tuple[str, str], Literally] = {}

    def keep(literal: Literally, ref: str) -> Literally:
        known[ref, canonical_json(literal.value)] = literal
        return literal

    with_literals(before, keep)
    return with_literals(tree, lambda literal, ref: known.get((ref, canonical_json(literal.value)), literal))


def _text(tree: Tree | None) -> str | None:
    return to_infix(tree) if tree is not None else None
