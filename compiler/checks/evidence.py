"""Does every element stand on the document's words, and is nothing of the document lost?"""

import json
from collections.abc import Iterator

from compiler.check_input import CheckInput, error, warning
from compiler.grounding.literals import unsupported_literals
from compiler.offline.mentions import value_readings
from compiler.place import at_edge, at_node, at_workflow, edge_name
from compiler.suggest import did_you_mean
from ir.diagnostics import Diagnostic, Location
from ir.document import Document
from ir.predicate import AnyCondition, Compare, Literally, Otherwise, Ref, Tree, leaves, references
from ir.source import Evidence, Grounding
from ir.workflow import CONTROL_END, HUMAN_APPROVAL


def unsupported_element(given: CheckInput) -> Iterator[Diagnostic]:
    """A node or edge that is said to come from the document, or a row of a rule pack, has no evidence.

    What: `origin` is `document`, and there is no quote at all; a row needs one unless it says `otherwise`.
    Why: nobody could say where the step or rule comes from, and a model may have invented it.
    Bad: `{"type": "notify.email", "origin": "document"}` without `evidence`.
    Good: `"evidence": [{"doc_id": "policy.pdf", "quote": "…"}]`, or the origin that it really has.
    """
    for name, node in given.workflow.nodes.items():
        if node.origin == "document" and not node.evidence and node.type != CONTROL_END:
            yield _unsupported(f'node "{name}"', at_node(given.workflow, name))
    for index, edge in enumerate(given.workflow.edges):
        if edge.origin == "document" and not edge.evidence:
            yield _unsupported(f"edge {edge_name(edge)}", at_edge(given.workflow, index))
    for name, pack in given.workflow.rule_packs.items():
        for index, rule in enumerate(pack.rules):
            if not rule.evidence and not isinstance(rule.condition, Otherwise):
                place = at_workflow(given.workflow, "rule_packs", name, "rules", index)
                yield _unsupported(f'row {rule.rule_id} of "{name}"', place, "is a rule of the document")


def ungrounded_evidence(given: CheckInput) -> Iterator[Diagnostic]:
    """A quote was not found in its document, or does not stand where it is said to.

    What: the status of a piece of evidence is `ungrounded` or `ambiguous`; or, where the documents are at hand, its
        block does not hold the quote at that place.
    Why: what was not found supports nothing.
    Bad: `{"quote": "within 5 days", "status": "ungrounded"}`
    Good: the words as the document has them.
    """
    documents = {document.doc_id: document for document in given.documents}
    for said, place, items in _evidence(given):
        for evidence in items:
            if fault := _fault(evidence, documents):
                yield warning(
                    "ungrounded-evidence",
                    f"{said}: the quote “{_cut(evidence.quote)}” {fault}, and supports nothing",
                    place,
                    found=evidence.quote,
                    evidence=(evidence,),
                )


def unsupported_value(given: CheckInput) -> Iterator[Diagnostic]:
    """A value in an edge's condition is neither in the edge's evidence nor converted from its words.

    What: a literal of a condition that is said to come from the document does not stand in the quotes that were found;
        or its `converted_from` does not, or gives another value. A literal with the status `default` needs no words,
        nor does a truth value or the outcome of an earlier node.
    Why: a threshold that the document does not have sends runs another way, and looks like the others.
    Bad: the condition `$.inputs.amount > 50000` on the quote “over 5,000 yuan”.
    Good: `5000`, or the quote that says 50,000.
    """
    for index, edge in enumerate(given.workflow.edges):
        if edge.origin != "document" or edge.condition is None or not any(item.supports for item in edge.evidence):
            continue
        units = {f"$.inputs.{name}": spec.unit for name, spec in given.workflow.inputs.items() if spec.unit}
        readings = value_readings(given.catalog)
        outcomes = _outcomes_read(edge.condition)
        for literal in unsupported_literals(edge.condition, edge.evidence, field_units=units, readings=readings):
            if isinstance(literal.value, bool) or (isinstance(literal.value, str) and literal.value in outcomes):
                continue
            shown = json.dumps(literal.value, ensure_ascii=False)
            yield warning(
                "unsupported-value",
                f"edge {edge_name(edge)}: the value {shown} does not stand in the edge's evidence, nor follow from it",
                at_edge(given.workflow, index, "condition"),
                found=literal.value,
                expected="a value of the words quoted, or one marked as converted from them",
                evidence=edge.evidence,
            )


def lost_step(given: CheckInput) -> Iterator[Diagnostic]:
    """A step of the procedure is carried out by no node.

    What: no node names the step in `step_ids`. Steps that only end the procedure need none.
    Why: a workflow that leaves out what the document demands looks complete and is not.
    Bad: the procedure has steps s1 and s2, the nodes name only s1.
    Good: a node for s2; a `human.task` where no Type fits.
    """
    carried = {step for node in given.workflow.nodes.values() for step in node.step_ids}
    for procedure in given.procedures:
        for step in procedure.steps:
            if step.id not in carried and step.kind != "end":
                yield warning(
                    "lost-step",
                    f"no node carries out step {step.id}, “{_cut(step.text)}”",
                    at_workflow(given.workflow, "nodes"),
                    found=step.id,
                    evidence=step.evidence,
                )


def lost_flow(given: CheckInput) -> Iterator[Diagnostic]:
    """A way of the procedure has a condition that nobody can decide yet, and no edge stands for it.

    What: a flow's condition has no predicate, or reads an outcome that no output of the node tells, and no edge leads
        from the node of its source to that of its target.
    Why: the other ways would be taken in its place: past an approval that is needed in some cases only.
    Bad: `s1→s2` “in important cases”, `s1→s3` otherwise, and a workflow with the edge `s1→s3` alone.
    Good: a condition over facts, in the procedure or on an edge of the workflow.
    """
    nodes = {step: name for name, node in given.workflow.nodes.items() for step in node.step_ids}
    for procedure in given.procedures:
        conditions = {condition.id: condition for condition in procedure.conditions}
        for flow in procedure.flows:
            condition = conditions.get(flow.condition or "")
            fault = _undecided(condition.predicate) if condition is not None else None
            if condition is None or fault is None or _led(given, nodes.get(flow.source), nodes.get(flow.target)):
                continue
            yield error(
                "lost-flow",
                f"no edge leads from {flow.source} to {flow.target}, as the condition “{_cut(condition.text)}” {fault};"
                " the other ways would be taken in its place",
                at_workflow(given.workflow, "edges"),
                found=condition.text,
                expected="a condition over facts or outcomes",
                evidence=condition.evidence,
            )


def _undecided(predicate: Tree | None) -> str | None:
    """Why no edge could have a condition; None where it reads facts alone, which every edge can."""
    if predicate is None:
        return "is not definite"
    steps = dict.fromkeys(str(ref.node) for ref in references(predicate) if ref.root == "steps")
    return f"reads an outcome of {', '.join(steps)} that no output tells" if steps else None


def _led(given: CheckInput, source: str | None, target: str | None) -> bool:
    """Whether a node leads to another, or, where there is no other node, to an end: by an edge, or past added nodes.

    Nodes that no step asks for may stand in between, as the approval that the governance primer puts before what is
    risky; what such an approval rejects is no way of the procedure.
    """
    nodes, met = given.workflow.nodes, set[str]()
    waiting = [source] if source is not None else []
    while waiting:
        at = waiting.pop()
        refuses = at != source and nodes[at].type == HUMAN_APPROVAL
        for name in {edge.target for edge in given.workflow.edges_from(at)} & set(nodes) - met:
            if refuses and nodes[name].status not in (None, "completed"):
                continue
            met.add(name)
            waiting += [] if nodes[name].step_ids else [name]
    return target in met if target else any(nodes[name].type == CONTROL_END for name in met)


def unknown_step(given: CheckInput) -> Iterator[Diagnostic]:
    """A node names a step that the procedure does not have.

    What: `step_ids` holds an id of no step.
    Why: the node would be reviewed against words that are not there.
    Bad: `"step_ids": ["s9"]` where the procedure ends with s8.
    Good: the id of the step that the node carries out.
    """
    known = [step.id for procedure in given.procedures for step in procedure.steps]
    for name, node in given.workflow.nodes.items() if given.procedures else ():
        for step in node.step_ids:
            if step not in known:
                yield warning(
                    "unknown-step",
                    f'"{name}" names the step "{step}", which the procedure does not have{did_you_mean(step, known)}',
                    at_node(given.workflow, name, "step_ids"),
                    found=step,
                    expected=known,
                )


def _outcomes_read(condition: AnyCondition) -> set[str]:
    """The words with which a condition compares what earlier nodes gave: outcomes, which documents word freely."""
    compared = [leaf for leaf in leaves(condition) if isinstance(leaf, Compare)]
    sides = [(leaf.left, leaf.right) for leaf in compared if isinstance(leaf.left, Ref) and leaf.left.root == "outputs"]
    return {side.value for _, side in sides if isinstance(side, Literally) and isinstance(side.value, str)}


def _unsupported(said: str, place: Location, claim: str = "has the origin document") -> Diagnostic:
    return warning(
        "unsupported-element",
        f"{said} {claim}, but no evidence says which words it comes from",
        place,
        expected="evidence",
    )


def _evidence(given: CheckInput) -> Iterator[tuple[str, Location, tuple[Evidence, ...]]]:
    workflow = given.workflow
    for name, spec in workflow.inputs.items():
        yield f'input "{name}"', at_workflow(workflow, "inputs", name, "evidence"), spec.evidence
    for index, trigger in enumerate(workflow.triggers):
        yield f"trigger {index + 1}", at_workflow(workflow, "triggers", index, "evidence"), trigger.evidence
    for index, guard in enumerate(workflow.guards):
        yield f"guard {index + 1}", at_workflow(workflow, "guards", index, "evidence"), guard.evidence
    for name, node in workflow.nodes.items():
        yield f'node "{name}"', at_node(workflow, name, "evidence"), node.evidence
        if node.deadline:
            place = at_node(workflow, name, "deadline", "evidence")
            yield f'the deadline of node "{name}"', place, node.deadline.evidence
    for index, edge in enumerate(workflow.edges):
        yield f"edge {edge_name(edge)}", at_edge(workflow, index, "evidence"), edge.evidence
    for pack, rules in workflow.rule_packs.items():
        for index, rule in enumerate(rules.rules):
            place = at_workflow(workflow, "rule_packs", pack, "rules", index, "evidence")
            yield f"rule {rule.rule_id}", place, rule.evidence


def _fault(evidence: Evidence, documents: dict[str, Document]) -> str | None:
    if evidence.status is Grounding.UNGROUNDED:
        return f"was not found in {evidence.doc_id}"
    if evidence.status is Grounding.AMBIGUOUS:
        return f"stands more than once in {evidence.doc_id}"
    if not documents:
        return None
    document = documents.get(evidence.doc_id)
    if document is None:
        return f"is from {evidence.doc_id}, which is not among the documents"
    if evidence.span is None:
        return None
    text = document.text_at(evidence.block or "")
    if text is None:
        return f"is said to stand in {evidence.block}, which {evidence.doc_id} does not have"
    there = text[evidence.start : evidence.end]
    return (
        None
        if there == evidence.quote
        else f"does not stand where it is said to, in {evidence.block}: “{_cut(there)}” does"
    )


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


CHECKS = (unsupported_element, ungrounded_evidence, unsupported_value, lost_step, lost_flow, unknown_step)
