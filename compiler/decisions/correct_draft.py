"""Carries out what people decided about drafts: Types, inputs, rules and policy."""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue, ValidationError

from compiler.context import Context
from compiler.decisions.anchoring import Anchoring
from compiler.decisions.decided import ByHand, Drafted
from compiler.decisions.elements import choose, rules
from compiler.decisions.mark_corrections import mark_corrections
from compiler.decisions.perform import check_was, with_known_sources
from compiler.decisions.texts import condition_of, read_by
from compiler.decisions.unfit import UnfitError
from compiler.draft.alignment import AlignedStep, Alignment, Sources
from ir.decisions.anchor import Mark
from ir.decisions.operation import BindInput, MapType, RuleText, SetPolicy, SetRule
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.infix import to_infix
from ir.predicate import Literally, Ref, Tree, references
from ir.procedure import Procedure
from ir.workflow import HUMAN_TASK, Node, Rule, RulePack, Workflow
from validator.suggest import did_you_mean


def map_types(
    ctx: Context, alignment: Alignment, sources: Sources, by_hand: ByHand
) -> tuple[Alignment, Sources]:  # fmt: skip
    """The alignment with the Types that people chose, on top of what a model had said that is not asked again."""
    mapped = alignment | {step: one for step, one in by_hand.aligned.items() if step in alignment}
    for one in by_hand.drafted:
        if not isinstance(one.operation, MapType):
            continue
        try:
            mapped[one.operation.step.id] = _mapped(ctx, alignment, one, one.operation)
        except UnfitError as error:
            _tell(ctx, one, error)
    return mapped, by_hand.sources or sources


def correct_draft(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...], by_hand: ByHand
) -> Workflow:
    """The draft with the inputs, rules and policy that people set; what is not as it was read is told as theirs."""
    if not (by_hand.drafted or by_hand.read or by_hand.whole):
        return draft
    return mark_corrections(ctx, _corrected(ctx, draft, documents, by_hand.drafted), procedure, documents, by_hand)


def _corrected(
    ctx: Context, draft: Workflow, documents: tuple[Document, ...], drafted: Sequence[Drafted]
) -> Workflow:  # fmt: skip
    for one in drafted:
        try:
            match one.operation:
                case MapType(step=step):
                    draft = _by_person(draft, step.id)
                case BindInput():
                    draft = _bind(ctx, draft, one.operation)
                case SetRule():
                    draft = _set_rule(draft, documents, one.operation)
                case SetPolicy():
                    policy = _validated(draft.execution_policy, one.operation.field, one.operation.value)
                    draft = draft.model_copy(update={"execution_policy": policy})
        except UnfitError as error:
            _tell(ctx, one, error)
    return draft


def _mapped(ctx: Context, alignment: Alignment, one: Drafted, operation: MapType) -> AlignedStep:
    known = alignment.get(operation.step.id)
    if known is None:
        raise UnfitError("step", f"there is no step {operation.step.id!r} in the draft; decide anew")
    reason = f"given by {one.decision.author}: {one.decision.reason}"
    if operation.type is None:
        return known.model_copy(update={"disposition": "human", "type": HUMAN_TASK, "reason": reason})
    if ctx.catalog.resolve(operation.type) is None:
        named = did_you_mean(operation.type, list(ctx.catalog.node_types))
        raise UnfitError("type", f"the catalog has no Node Type {operation.type!r}{named}")
    return known.model_copy(update={"disposition": "mapped", "type": operation.type, "score": 1.0, "reason": reason})


def _bind(ctx: Context, draft: Workflow, operation: BindInput) -> Workflow:
    name, node = _node(draft, operation.step.id)
    node_type = ctx.catalog.resolve(node.type)
    known = list(node_type.inputs_schema) if node_type else []
    if operation.input not in known:
        raise UnfitError(
            "input", f"{node.type} takes no {operation.input!r}{did_you_mean(operation.input, known)}; "
            f"it takes {', '.join(known) or 'nothing'}",
        )  # fmt: skip
    value: Ref | Literally
    if operation.given is not None:
        if operation.given not in draft.inputs:
            there = ", ".join(draft.inputs) or "none"
            raise UnfitError("given", f"the workflow has no input {operation.given!r}; there are {there}")
        value = Ref(f"$.inputs.{operation.given}")
    elif operation.step_of is not None:
        source, giving = _node(draft, operation.step_of.id)
        its_type = ctx.catalog.resolve(giving.type)
        gives = [*(its_type.outputs_schema if its_type else ()), *(giving.requested_fields or ())]
        if operation.output not in gives:
            there = ", ".join(gives) or "nothing"
            raise UnfitError("output", f"{giving.type} gives no {operation.output!r}; it gives {there}")
        value = Ref(f"$.outputs.{source}.{operation.output}")
    else:
        value = Literally(operation.literal)
    before = node.inputs.get(operation.input)
    changed = node.model_copy(update={"inputs": {**node.inputs, operation.input: value}, "origin": "person"})
    draft = draft.model_copy(update={"nodes": {**draft.nodes, name: changed}})
    return _without_unread(draft, before, name) if before != value else draft


def _without_unread(draft: Workflow, before: object, node: str) -> Workflow:
    """The draft without an input, and the question for it, that was there for nothing else than what is bound now."""
    if not isinstance(before, Ref) or before.root != "inputs" or before in _read(draft):
        return draft
    spec = draft.inputs.get(before.path[0])
    if spec is None or spec.evidence:
        return draft
    asked = spec.description or before.path[0]
    gaps = tuple(
        gap
        for gap in draft.gaps
        if not (gap.kind == "missing_parameter" and node in gap.about and f"{asked}" in gap.question)
    )
    inputs = {name: one for name, one in draft.inputs.items() if name != before.path[0]}
    return draft.model_copy(update={"inputs": inputs, "gaps": gaps})


def _read(draft: Workflow) -> set[Ref]:
    """Every reference that a draft reads."""
    found = {value for value in draft.outputs.values() if isinstance(value, Ref)}
    for node in draft.nodes.values():
        found |= {*node.references.values()} | {one for one in (node.results or {}).values() if isinstance(one, Ref)}
    for condition in (*(edge.condition for edge in draft.edges), *(guard.condition for guard in draft.guards)):
        found |= set(references(condition))
    for trigger in draft.triggers:
        found |= set(references(trigger.condition)) if trigger.condition is not None else set()
    for pack in draft.rule_packs.values():
        for rule in pack.rules:
            found |= set(references(rule.condition)) | {ref for one in rule.formulas.values() for ref in one.references}
    return found


def _set_rule(draft: Workflow, documents: tuple[Document, ...], operation: SetRule) -> Workflow:
    name, node = _node(draft, operation.step.id)
    pack_id = node.rule_pack or name
    pack = draft.rule_packs.get(pack_id, RulePack(version="1.0.0", rules=()))
    condition = condition_of("condition", operation.condition, {}) if operation.condition else None
    for ref in read_by(condition):
        if ref.root != "inputs" or ref.path[0] not in node.inputs:
            there = ", ".join(f"$.inputs.{one}" for one in node.inputs) or "nothing"
            raise UnfitError("condition", f"{ref.text} is no input of {name}, which takes {there}")
    update: dict[str, Any] = {"outcome": operation.outcome}
    update |= {"condition": condition} if condition is not None else {}
    if operation.rule is None:
        made = Rule(rule_id=f"R{len(pack.rules) + 1}", **update)
        listed = (*pack.rules, made)
    else:
        rule_id = _rule(draft, documents, operation.rule)
        known = next((one for one in pack.rules if f"{pack_id}/{one.rule_id}" == rule_id), None)
        if known is None:
            there = ", ".join(one.rule_id for one in pack.rules) or "none"
            raise UnfitError("rule", f"{name} applies no rule {operation.rule.id!r}; there are {there}")
        before = known.condition if isinstance(known.condition, Tree) else None
        update |= {"condition": with_known_sources(condition, before)} if condition is not None else {}
        made = known.model_copy(update=update)
        check_was("rule", rule_text(known), operation.was, rule_text(made))
        listed = tuple(made if one.rule_id == known.rule_id else one for one in pack.rules)
    packs = {**draft.rule_packs, pack_id: pack.model_copy(update={"rules": listed})}
    changed = node.model_copy(update={"rule_pack": pack_id, "origin": "person"})
    return draft.model_copy(update={"rule_packs": packs, "nodes": {**draft.nodes, name: changed}})


def rule_text(rule: Rule) -> RuleText:
    """What a row says, as operations keep it."""
    condition = to_infix(rule.condition) if isinstance(rule.condition, Tree) else None
    return RuleText(condition=condition, outcome=dict(rule.outcome))


def _rule(draft: Workflow, documents: tuple[Document, ...], mark: Mark) -> str | None:
    """The id of the row that a mark means; by its words where it has any."""
    if mark.anchor is None:
        return mark.id
    document = next((one for one in documents if one.doc_id == mark.anchor.doc_id), None)
    found = Anchoring(document).find(mark.anchor) if document else None
    if found is None or found.span is None or not found.holds:
        return None
    chosen = choose(mark, found.span, [("", one) for one in rules(draft)], "")
    return chosen[1] if chosen else None


def _node(draft: Workflow, step_id: str) -> tuple[str, Node]:
    found = next(((name, node) for name, node in draft.nodes.items() if step_id in node.step_ids), None)
    if found is None:
        raise UnfitError("step", f"no node carries out the step {step_id!r}; decide on one that a node carries out")
    return found


def _by_person(draft: Workflow, step_id: str) -> Workflow:
    name, node = _node(draft, step_id)
    return draft.model_copy(update={"nodes": {**draft.nodes, name: node.model_copy(update={"origin": "person"})}})


def _validated(form: Any, field: str, value: JsonValue) -> Any:
    try:
        return type(form).model_validate(form.model_dump(mode="json") | {field: value})
    except ValidationError as error:
        raise UnfitError("value", f"{field} cannot be {value!r}: {error.errors()[0]['msg']}") from None


def refused_decision(one: Diagnostic) -> str | None:
    """The id of the decision that a finding says was not carried out; None where it says something else."""
    return one.witness.get("decision") if one.witness is not None else None


def _tell(ctx: Context, one: Drafted, error: UnfitError) -> None:
    """Say why an operation was not carried out; `witness` has the id of the decision, by which its fate is told."""
    who = f"{one.operation.do} by {one.decision.author} on {one.decision.time[:10]} ({one.decision.id})"
    diagnostic = Diagnostic(
        error_code=error.code, severity=Severity.WARNING, message=f"{who}: {error.message}",
        location=Location(file=one.decision.document or ctx.subject, field=error.field or None),
        witness={"decision": one.decision.id},
    )  # fmt: skip
    ctx.report(diagnostic)
