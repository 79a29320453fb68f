"""Does every element say which words it stands on, and were those words found?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Location
from ir.predicate import Literally, Otherwise
from ir.source import Evidence, Grounding
from ir.workflow import CONTROL_END, Workflow
from validator.analysis.locations import at_edge, at_node, at_workflow, edge_name
from validator.analysis.wording import cut
from validator.check_input import CheckInput, warning

_FAULTS = {Grounding.UNGROUNDED: "was not found in", Grounding.AMBIGUOUS: "stands more than once in"}


def unsupported_element(given: CheckInput) -> Iterator[Diagnostic]:
    """A node or edge that is said to come from the document, a row of a rule pack or a result has no evidence.

    What: `origin` is `document`, and there is no quote at all; a row needs one unless it says `otherwise`, and a result
        unless each end gives its own status for it.
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
    for name, result in given.workflow.results.items():
        if not result.evidence and not _tells_how_it_ended(given.workflow, name):
            place = at_workflow(given.workflow, "results", name)
            yield _unsupported(f'result "{name}"', place, "is what the document names")
    for name, pack in given.workflow.rule_packs.items():
        for index, rule in enumerate(pack.rules):
            if not rule.quotes and not isinstance(rule.condition, Otherwise):
                place = at_workflow(given.workflow, "rule_packs", name, "rules", index)
                yield _unsupported(f'row {rule.rule_id} of "{name}"', place, "is a rule of the document")


def _tells_how_it_ended(workflow: Workflow, result: str) -> bool:
    """Whether a result is the status of the end that a run comes to, which no words of a document have to name."""
    ends = [node for node in workflow.nodes.values() if node.type == CONTROL_END]
    return bool(ends) and all((one.results or {}).get(result) == Literally(one.status) for one in ends)


def ungrounded_evidence(given: CheckInput) -> Iterator[Diagnostic]:
    """A quote was not found in its document, or in several places of it.

    What: the status of a piece of evidence is `ungrounded` or `ambiguous`.
    Why: what was not found supports nothing.
    Bad: `{"quote": "within 5 days", "status": "ungrounded"}`
    Good: the words as the document has them.
    """
    for said, place, items in quoted_evidence(given.workflow):
        for evidence in items:
            if fault := _FAULTS.get(evidence.status or Grounding.EXACT):
                yield warning(
                    "ungrounded-evidence",
                    f"{said}: the quote “{cut(evidence.quote)}” {fault} {evidence.doc_id}, and supports nothing",
                    place,
                    found=evidence.quote,
                    evidence=(evidence,),
                )


def quoted_evidence(workflow: Workflow) -> Iterator[tuple[str, Location, tuple[Evidence, ...]]]:
    """All evidence of a workflow: what it is of, for people; its place; and the quotes."""
    for name, spec in workflow.inputs.items():
        yield f'input "{name}"', at_workflow(workflow, "inputs", name, "evidence"), spec.evidence
    for name, result in workflow.results.items():
        yield f'result "{name}"', at_workflow(workflow, "results", name, "evidence"), result.evidence
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
            for name, formula in rule.formulas.items():
                place = at_workflow(workflow, "rule_packs", pack, "rules", index, "formulas", name, "evidence")
                yield f'the formula of "{name}" in rule {rule.rule_id}', place, formula.evidence


def _unsupported(said: str, place: Location, claim: str = "has the origin document") -> Diagnostic:
    return warning(
        "unsupported-element",
        f"{said} {claim}, but no evidence says which words it comes from",
        place,
        expected="evidence",
    )


CHECKS = (unsupported_element, ungrounded_evidence)
