"""Puts in what the document seldom says and the primers demand: exception paths, approvals, the execution policy."""

from compiler.context import Context
from ir.diagnostics import Fix
from ir.predicate import Null, Ref, leaves
from ir.procedure import Procedure
from ir.workflow import HUMAN_APPROVAL, RiskLevel, Workflow
from primers.params import (
    ExitParams,
    OutcomeParams,
    PolicyParams,
    RiskWordParams,
    fill,
    in_language,
)
from validator.analysis.policy import has_side_effects, highest_risk, needs_allowlist, node_risk, unmapped_tasks
from validator.analysis.types import Scope
from validator.check_input import CheckInput
from validator.checks.nulls import null_unguarded
from validator.fixes.approval_paths import ApprovalInsertion
from validator.fixes.approvals_in_turn import ask_in_turn
from validator.fixes.exception_paths import exception_patch
from validator.fixes.patched import patched

ROUNDS = 50


def complete_draft(ctx: Context, workflow: Workflow, procedure: Procedure) -> Workflow:
    """The draft with what the exception and governance primers demand; what is there already is left as it is.

    But for approvals that a split would ask beside each other: they are asked one after the other.
    """
    workflow = _exception_paths(ctx, workflow)
    return _governed(ctx, workflow, procedure)


# --- exception paths --------------------------------------------------------------------------------------------------


def _exception_paths(ctx: Context, workflow: Workflow) -> Workflow:
    """Guard every null that is needed somewhere, then the principal result of the nodes of which nothing is needed."""
    for _ in range(ROUNDS):
        found = next((fix for d in null_unguarded(CheckInput(workflow, ctx.catalog)) for fix in d.fixes), None)
        if found is None:
            break
        workflow = _applied(ctx, workflow, found)
    for name in list(workflow.nodes):
        field = _principal(ctx, workflow, name)
        if field is not None:
            patch = exception_patch(Scope(workflow, ctx.catalog), field)
            workflow = _applied(ctx, workflow, Fix(title=f"ask a person where {field.text} is null", patch=patch))
    return workflow


def _principal(ctx: Context, workflow: Workflow, name: str) -> Ref | None:
    """The first output of a node that is always given and may be null, unless a null of the node is guarded already."""
    node_type = ctx.catalog.resolve(workflow.nodes[name].type)
    if node_type is None or node_type.category in ("human", "control") or not workflow.edges_from(name):
        return None
    if not node_type.capabilities.deterministic:
        return None  # what a model gives may not steer an edge, not even by being null
    guarded = any(isinstance(leaf, Null) for edge in workflow.edges_from(name) for leaf in leaves(edge.condition))
    first = next((key for key, spec in node_type.outputs_schema.items() if spec.required and spec.nullable), None)
    return None if guarded or first is None else Ref(f"$.outputs.{name}.{first}")


def _applied(ctx: Context, workflow: Workflow, fix: Fix) -> Workflow:
    """The workflow with a fix applied, its new nodes in the primer's words."""
    after = patched(workflow, fix.patch)
    primer = ctx.primers.primer("exception-paths")
    outcomes, leaving = primer.params(OutcomeParams), primer.params(ExitParams)
    language = workflow.metadata.language or "en"
    nodes = dict(after.nodes)
    for name in [name for name in nodes if name not in workflow.nodes]:
        node = nodes[name]
        source = next((edge.source for edge in after.edges_to(name)), None)
        changes: dict[str, object] = {"origin": primer.origin, "type_version": "^1.0.0"}
        asked = after.nodes[source] if source else None
        category = getattr(ctx.catalog.resolve(asked.type), "category", "") if asked else ""
        found = outcomes.outcome_of(category)
        if node.requested_fields and found and asked:
            _, outcome = found
            fields = "、" if language == "zh" else ", "
            named = fields.join(_name(ctx, key, spec.concept, language) for key, spec in node.requested_fields.items())
            changes["question"] = fill(
                in_language(outcome.question, language), step=asked.label or source or "", fields=named
            )
            changes["label"] = in_language(outcome.label, language)
        elif node.status:
            before = next((e.source for e in after.edges_to(source or "")), "")
            kind = getattr(ctx.catalog.resolve(after.nodes[before].type), "category", "") if before else ""
            ending = outcomes.outcome_of(kind)
            changes["label"] = in_language(leaving.label, language)
            changes["status"] = leaving.status
            changes["inputs"] = dict(zip([leaving.input], node.inputs.values(), strict=True))
            changes["reason_code"] = ending[1].reason_code if ending else node.reason_code
        nodes[name] = node.model_copy(update=changes)
    edges = tuple(
        e.model_copy(update={"origin": primer.origin}) if e.target not in workflow.nodes else e for e in after.edges
    )
    return after.model_copy(update={"nodes": nodes, "edges": edges})


def _name(ctx: Context, key: str, concept: str | None, language: str) -> str:
    known = ctx.catalog.concepts.get(concept or "")
    return known.labels.get(language, key) if known else key


# --- governance -------------------------------------------------------------------------------------------------------


def _governed(ctx: Context, workflow: Workflow, procedure: Procedure) -> Workflow:
    risk = _risk(ctx, workflow, procedure)
    policy = ctx.primers.primer("governance").params(PolicyParams).policies[risk]
    completing = ApprovalInsertion(ctx.primers, ctx.catalog, workflow)
    for name in list(workflow.nodes):
        node_type = ctx.catalog.resolve(workflow.nodes[name].type)
        places = set(policy.approval_before)
        risky = "high_risk_node" in places and node_risk(workflow.nodes[name], node_type) == "high"
        acts = has_side_effects(node_type) and needs_allowlist(workflow.nodes[name], node_type)
        if risky or ("allowlisted_side_effect" in places and acts):
            completing.approve_before(name)
    if "completing_end" in policy.approval_before:
        told = {step.id for step in procedure.steps if step.kind in ("notify", "record")}
        closing = {name for name, node in workflow.nodes.items() if node.step_ids and told.issuperset(node.step_ids)}
        completing.approve_completion(closing)
    completing.read_decisions()
    changed = ask_in_turn(completing.workflow, ctx.catalog, ctx.primers.primer("governance").origin)
    effects = any(has_side_effects(ctx.catalog.resolve(node.type)) for node in changed.nodes.values())
    auto = policy.allow_auto == "always" or (policy.allow_auto == "without_side_effects" and not effects)
    approval = policy.require_approval or any(node.type == HUMAN_APPROVAL for node in changed.nodes.values())
    known = changed.execution_policy
    settled = known.model_copy(update={"risk_level": risk, "allow_auto": auto, "require_approval": approval})
    return changed.model_copy(update={"execution_policy": settled})


def _risk(ctx: Context, workflow: Workflow, procedure: Procedure) -> RiskLevel:
    """The highest effective risk of the nodes, raised by the document's own words, never lowered."""
    words = ctx.primers.primer("governance").params(RiskWordParams)
    risks: list[RiskLevel] = [workflow.execution_policy.risk_level]
    unmapped = unmapped_tasks(workflow)
    for name, node in workflow.nodes.items():
        risks.append(node_risk(node, ctx.catalog.resolve(node.type)))
        if name in unmapped:
            risks.append(words.unmapped)
    said = [procedure.title, *(step.text for step in procedure.steps), *(c.text for c in procedure.conditions)]
    found = words.found("\n".join(said))
    return highest_risk([*risks, found[0]] if found else risks)
