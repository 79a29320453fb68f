"""Does the draft hold the approvals that the document's sentences demand?"""

import re
from collections.abc import Iterator, Sequence

from compiler.conformance.conformance_input import ConformanceInput
from compiler.extract.rules.required_approvals import approvals_elsewhere, demanded_approvals, plain_words
from compiler.extract.rules.statements import Statement
from compiler.grounding.coverage import carrying_elements, overlaps, spans_of
from compiler.text.lexicon import lexicon
from ir.decisions.anchor import plain
from ir.decisions.decision import Decision, in_force
from ir.decisions.operation import ChangeStep, RemoveStep
from ir.diagnostics import Diagnostic, Location, Related
from ir.document import Document
from ir.procedure import Procedure, Step
from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK, Node
from validator.analysis.locations import at_workflow
from validator.check_input import error, warning

_DESCRIBED = re.compile(
    r"(?:许可|审批|批准|登记|发证|主管|受理|备案|审查|监管)(?:机关|部门|单位|机构)"
    r"|(?:the )?(?:licensing|competent|approving|issuing|granting|registration|responsible) (?:authority|body|office)",
    re.IGNORECASE,
)
"""Who approves, told by what they do: the document names them in another place."""


def lost_approval(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A sentence says who approves, and a draft that a model or a person made has no such approval, or another's.

    What: the reading from cue words finds an approval in a sentence of which the procedure speaks; no approval step
        rests on that sentence or is by the one whom it names, or its node names nobody or somebody of whom the
        sentence's block does not speak; and no gap asks what the sentence means,
        nor, in a text of rules alone, who sees to it. A warning where a person decided that somebody else approves, or
        took the step out.
    Why: a model that was misled, or in error, leaves out the very step that somebody wants left out.
    Bad: `The director shall approve it.` carried by a step of the kind `task`.
    Good: a step of the kind `approval` by the director that quotes the sentence.
    """
    provenance = given.workflow.provenance
    if provenance is None or provenance.mode == "offline":
        return
    for procedure in given.procedures:
        spoken_of = spans_of((*carrying_elements(procedure), *procedure.unplaced))
        # a text of rules alone has no steps: a rule that nothing enforces is asked about with its words
        gaps = procedure.gaps if procedure.steps else given.workflow.gaps
        asked = spans_of(gap for gap in gaps if gap.kind == "ambiguity" or not procedure.steps)
        approvals = [step for step in procedure.steps if step.kind == "approval"]
        for document in given.documents:
            for said in demanded_approvals(document) if document.doc_id == procedure.doc_id else ():
                taken_out = _taken_out(given, procedure, said)
                spoken = taken_out is not None or overlaps(said.sentence, spoken_of)
                if not spoken or overlaps(said.sentence, asked):
                    continue
                held = [step for step in approvals if overlaps(said.sentence, spans_of([step]))]
                if not any(
                    _approves(given, step.id, said, document)
                    for step in held or approvals_elsewhere(said, approvals, document)
                ):
                    yield _lost(given, said, document, held, _named_by(given, procedure, held) if held else taken_out)


def _approves(given: ConformanceInput, step: str, said: Statement, document: Document) -> bool:
    """Whether a step's node is an approval by somebody of whom the words speak, where they name anybody."""
    nodes = [node for node in given.workflow.nodes.values() if step in node.step_ids and _is_approval(node)]
    if said.actor is None or lexicon(document.language).pattern("speakers").fullmatch(said.actor.text):
        return bool(nodes)
    described = _DESCRIBED.fullmatch(said.actor.text) is not None  # whoever it is stands elsewhere
    places = [p.text for p in document.passages()] if described else [document.text_at(said.sentence.block) or ""]
    around = plain_words(" ".join(places))
    named = [plain_words(who) for node in nodes for who in node.approvers or filter(None, [node.assignee])]
    return any(who and (who in around or plain_words(said.actor.text) in who) for who in named)


def _is_approval(node: Node) -> bool:
    """Whether somebody decides there: yes or no, or one of several outcomes (`favourable with conditions`)."""
    return node.type == HUMAN_APPROVAL or (node.type == HUMAN_TASK and len(node.outcomes or ()) > 1)


def _named_by(given: ConformanceInput, procedure: Procedure, held: Sequence[Step]) -> Decision | None:
    """The decision of a person that named who approves, where all of a sentence's approvals are by whom it names."""
    named = {
        (one.element, str(one.value.value)): one
        for one in in_force(given.decisions)
        if isinstance(one.value, ChangeStep) and one.value.field == "actor" and one.procedure == procedure.id
    }
    by = [named.get((step.id, str(step.actor))) for step in held]
    return by[0] if by and None not in by else None


def _taken_out(given: ConformanceInput, procedure: Procedure, said: Statement) -> Decision | None:
    """The decision of a person that took out the step that rested on a sentence."""
    for one in in_force(given.decisions) if given.decisions else ():
        anchor = one.value.step.anchor if isinstance(one.value, RemoveStep) else None
        if anchor is not None and (one.procedure, anchor.doc_id) == (procedure.id, procedure.doc_id):
            words, sentence = plain(anchor.text), plain(said.sentence.text)
            if words and (words in sentence or sentence in words):
                return one
    return None


def _lost(
    given: ConformanceInput, said: Statement, document: Document, steps: Sequence[Step], decided: Decision | None
) -> Diagnostic:
    """The finding; a warning where a person answers for it that another approves than the words name, or nobody."""
    span = document.span(said.sentence.block, said.sentence.start, said.sentence.end)
    who = f" by “{said.actor.text}”" if said.actor else ""
    ids = ", ".join(step.id for step in steps)
    fault = f"step {ids} does not name them" if steps else "no approval step rests on it"
    if decided is not None:
        did = f"made it one by “{steps[0].actor}”" if steps else "took the step out"
        fault = f"{decided.author} {did}: {decided.reason}"
    place = Location(file=document.doc_id, block=span.block)
    return (error if decided is None else warning)(
        "lost-approval",
        f"“{span.quote}” demands an approval{who}, but {fault}",
        at_workflow(given.workflow, "nodes"),
        evidence=(Evidence.from_span(span),),
        related=(Related(message="the sentence", location=place),),
        expected=f"a human.approval{who}",
    )


CHECKS = (lost_approval,)
