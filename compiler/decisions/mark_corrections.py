"""Marks what a person put into a procedure before it was drafted, so that a reviewer sees whose words they are."""

from compiler.context import Context
from compiler.decisions.decided import ByHand
from compiler.extract.rules.rule_reader import RuleReader
from ir.document import Document
from ir.procedure import DETERMINISTIC, END, START, Flow, Procedure, Step
from ir.workflow import Edge, Workflow


def mark_corrections(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...], by_hand: ByHand
) -> Workflow:
    """The draft of a procedure that a person corrected: what stands for steps, ways and names
    of facts not as they were read is theirs.

    Of a procedure that was put in as a whole, what a model had read is not at hand any more; then only the draft as a
    whole is said to be a person's.
    """
    before = by_hand.read or (_read_before(ctx, procedure, documents) if by_hand.whole else None)
    if before is not None and _bare(before) == _bare(procedure) and not by_hand.drafted:
        return draft
    draft = draft if before is None else _marked(draft, before, procedure)
    authors = [one.author for one in by_hand.decisions if one.kind == "correct"]
    told = {"mode": "person", "author": ", ".join(dict.fromkeys(authors)) if authors else ctx.author}
    made = draft.provenance and draft.provenance.model_copy(update=told)
    return draft.model_copy(update={"provenance": made})


def _marked(draft: Workflow, before: Procedure, procedure: Procedure) -> Workflow:
    changed = {step.id for step in procedure.steps if _step(before, step.id) != step}
    nodes = {
        name: node.model_copy(update={"origin": "person"}) if changed & set(node.step_ids) else node
        for name, node in draft.nodes.items()
    }
    read = {fact.id: fact.name for fact in before.facts}
    renamed = {fact.id for fact in procedure.facts if read.get(fact.id) != fact.name}
    inputs = {
        name: spec.model_copy(update={"origin": "person"}) if name in renamed else spec
        for name, spec in draft.inputs.items()
    }
    known = {_way(before, one) for one in before.flows}
    ways = [one for one in procedure.flows if _way(procedure, one) not in known]
    edges = tuple(
        edge.model_copy(update={"origin": "person"}) if any(_stands_for(draft, edge, one) for one in ways) else edge
        for edge in draft.edges
    )
    return draft.model_copy(update={"nodes": nodes, "edges": edges, "inputs": inputs})


def _stands_for(draft: Workflow, edge: Edge, flow: Flow) -> bool:
    """Whether an edge was drawn from a flow: between the nodes of its steps, on its words where both have some."""
    source, target = (draft.nodes[name].step_ids for name in (edge.source, edge.target))
    between = flow.source in (source or (START,)) and flow.target in (target or (END,))
    return between and (not edge.evidence or not flow.evidence or not {*edge.evidence}.isdisjoint(flow.evidence))


def _way(procedure: Procedure, flow: Flow) -> tuple[str, str, str, str]:
    """What a flow says, whatever its condition is called."""
    tree = next((one.predicate for one in procedure.conditions if one.id == flow.condition), None)
    return flow.source, flow.target, repr(tree) if tree is not None else str(flow.condition), str(flow.ends)


def _read_before(ctx: Context, procedure: Procedure, documents: tuple[Document, ...]) -> Procedure | None:
    """The procedure as the rules read it, bare of all where they read no such one; None where a model did."""
    document = next((one for one in documents if one.doc_id == procedure.doc_id), None)
    if document is None or procedure.method not in DETERMINISTIC:
        return None
    alone = ctx.on(procedure.doc_id)
    alone.model, alone.observers = None, ()
    read = RuleReader(syntax=True).extract_procedures(alone, document)
    nothing = procedure.model_copy(update={"steps": (), "flows": (), "facts": ()})
    return next((_bare(one) for one in read if one.id == procedure.id), nothing)


def _bare(procedure: Procedure) -> Procedure:
    """Without what is found out anew for each build."""
    return procedure.model_copy(update={"unplaced": (), "gaps": (), "method": ""})


def _step(procedure: Procedure, step_id: str) -> Step | None:
    return next((step for step in procedure.steps if step.id == step_id), None)
