"""Does the workflow answer for the document's duties, and each node for the words of its own steps?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.duty_coverage import evidence_of_step, overlap, uncovered_duties
from ir.diagnostics import Diagnostic, Location, Related
from ir.source import Evidence
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.wording import cut
from validator.check_input import warning


def uncarried_duty(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A sentence says that something must be done or not done, and nothing speaks of it.

    What: a duty sentence stands in a block that the procedure was read from, or that the workflow quotes, and no node,
        edge, input, guard, rule or gap quotes it; nor does the procedure, be it in a step, a condition, a constraint, a
        question or among the texts without a place.
    Why: a duty that disappears without a word is missed by everybody who reviews the workflow instead of the document.
    Bad: “The clerk enters the receipt. The goods must be weighed.”, and a workflow that quotes the first alone.
    Good: a node that carries out the weighing, or a gap that asks about it.
    """
    for document in given.documents:
        for piece in uncovered_duties(given.workflow, given.procedures, document):
            span = document.span(piece.block, piece.start, piece.end)
            place = Location(file=document.doc_id, block=span.block)
            yield warning(
                "uncarried-duty",
                f"“{cut(span.quote)}” ({document.doc_id}, {span.block}) speaks of a duty, and nothing in the workflow "
                "or its procedure rests on it",
                at_workflow(given.workflow, "nodes"),
                evidence=(Evidence.from_span(span),),
                related=(Related(message="the sentence", location=place),),
                expected="a node, edge or rule that carries it, or a gap that asks about it",
            )


def foreign_evidence(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A node quotes no words of the steps that it says it carries out.

    What: `step_ids` names steps of the procedure, and none of the node's evidence stands in a block that theirs stands
        in, or shares a quote with it.
    Why: the step looks carried out and is not: what the node does was taken from somewhere else.
    Bad: `"step_ids": ["s2"]`, where s2 rests on “tell the applicant”, and the node on “enter the receipt”.
    Good: the words of s2; or the step that the words belong to.
    """
    steps = {step.id: step for procedure in given.procedures for step in procedure.steps}
    for name, node in given.workflow.nodes.items():
        named = [steps[step] for step in node.step_ids if step in steps]
        told = [one for step in named for one in evidence_of_step(step)]
        if node.origin != "document" or not told or not node.evidence or overlap(node.evidence, told):
            continue
        steps_named = ", ".join(f"{step.id}, “{cut(step.text)}”" for step in named)
        yield warning(
            "foreign-evidence",
            f'"{name}" says that it carries out {steps_named}, but rests on other words: '
            f"“{cut(node.evidence[0].quote)}”",
            at_node(given.workflow, name, "evidence"),
            evidence=node.evidence,
            expected=[one.quote for one in told],
        )


CHECKS = (uncarried_duty, foreign_evidence)
