"""Do the words stand where they are said to, do values follow from them, and is nothing of the procedure lost?"""

import json
from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.grounding.literals import unsupported_literals
from compiler.text.mentions import value_readings
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.predicate import AnyCondition, Compare, Literally, Ref, Tree, leaves, references
from ir.source import Evidence, Grounding
from ir.workflow import CONTROL_END, HUMAN_APPROVAL
from validator.analysis.locations import at_edge, at_node, at_workflow, edge_name
from validator.analysis.wording import cut
from validator.check_input import error, warning
from validator.checks.evidence import quoted_evidence
from validator.suggest import did_you_mean


def misplaced_evidence(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A quote does not stand in its document where it is said to.

    What: the documents are at hand, and the block that a piece of evidence names does not hold the quote at that
        place, or there is no such block, or no such document.
    Why: a reviewer who follows the link reads other words than those that the element is said to rest on.
    Bad: `{"block": "p3", "start": 0, "end": 14, "quote": "within 3 days"}` where p3 begins with other words.
    Good: the place where the words stand.
    """
    documents = {document.doc_id: document for document in given.documents}
    for said, place, items in quoted_evidence(given.workflow) if documents else ():
        for evidence in items:
            if fault := _misplaced(evidence, documents):
                yield warning(
                    "misplaced-evidence",
                    f"{said}: the quote “{cut(evidence.quote)}” {fault}, and supports nothing",
                    place,
                    found=evidence.quote,
                    evidence=(evidence,),
                )


def unsupported_value(given: ConformanceInput) -> Iterator[Diagnostic]:
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
        outcomes, told = _outcomes_read(edge.condition), set[str]()
        for literal in unsupported_literals(edge.condition, edge.evidence, field_units=units, readings=readings):
            if isinstance(literal.value, bool) or (isinstance(literal.value, str) and literal.value in outcomes):
                continue
            shown = json.dumps(literal.value, ensure_ascii=False)
            if shown in told:
                continue
            told.add(shown)
            yield warning(
                "unsupported-value",
                f"edge {edge_name(edge)}: the value {shown} does not stand in the edge's evidence, nor follow from it",
                at_edge(given.workflow, index, "condition"),
                found=literal.value,
                expected="a value of the words quoted, or one marked as converted from them",
                evidence=edge.evidence,
            )


def lost_step(given: ConformanceInput) -> Iterator[Diagnostic]:
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
                    f"no node carries out step {step.id}, “{cut(step.text)}”",
                    at_workflow(given.workflow, "nodes"),
                    found=step.id,
                    evidence=step.evidence,
                )


def lost_flow(given: ConformanceInput) -> Iterator[Diagnostic]:
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
            source = nodes.get(flow.source)
            yield error(
                "lost-flow",
                f"no edge leads from {flow.source} to {flow.target}, as the condition “{cut(condition.text)}” {fault};"
                " the other ways would be taken in its place",
                at_node(given.workflow, source) if source is not None else at_workflow(given.workflow, "edges"),
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


def _led(given: ConformanceInput, source: str | None, target: str | None) -> bool:
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


def unknown_step(given: ConformanceInput) -> Iterator[Diagnostic]:
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


def _misplaced(evidence: Evidence, documents: dict[str, Document]) -> str | None:
    if evidence.status in (Grounding.UNGROUNDED, Grounding.AMBIGUOUS):
        return None  # which the validator says
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
        else f"does not stand where it is said to, in {evidence.block}: “{cut(there)}” does"
    )


CHECKS = (misplaced_evidence, unsupported_value, lost_step, lost_flow, unknown_step)
