"""A procedure as the compact answer that would give it: the primers' worked examples in the form that is asked for."""

from compiler.extract.model.form import (
    AnsweredDeadline,
    AnsweredFact,
    AnsweredFlow,
    AnsweredGap,
    AnsweredProcedure,
    AnsweredRule,
    AnsweredStep,
    Extraction,
    Quote,
)
from ir.infix import to_infix
from ir.predicate import parse_tree
from ir.procedure import Element, Flow, Procedure
from ir.source import Evidence


def compacted(procedure: Procedure, block: str) -> Extraction:
    """The answer that says what the procedure says.

    Args:
        block: address of the only block of the example's document.
    """
    rules = [
        AnsweredRule(modality=rule.modality, steps=list(rule.steps), at=_quotes(rule, block)[0])
        for rule in procedure.constraints
        if rule.evidence
    ]
    own, general = [r for r in rules if r.steps], [r for r in rules if not r.steps]
    gaps = [
        AnsweredGap.model_validate(
            {"kind": gap.kind, "question": gap.question, "about": list(gap.about), "at": _first(gap, block)}
        )
        for gap in procedure.gaps
    ]
    facts = [
        AnsweredFact.model_validate(
            {
                "id": fact.id, "name": fact.name, "type": fact.type, "unit": fact.unit,
                "values": list(fact.enum) if fact.enum else None, "at": _quotes(fact, block),
            }
        )
        for fact in procedure.facts
    ]  # fmt: skip
    answer = AnsweredProcedure(
        title=procedure.title,
        triggers=[quote for trigger in procedure.triggers for quote in _quotes(trigger, block)],
        facts=facts,
        steps=[_step(procedure, number, block) for number in range(len(procedure.steps))],
        flows=[_flow(procedure, flow, block) for flow in procedure.flows],
        rules=own,
        gaps=gaps,
    )
    return Extraction(procedures=[answer], rules=general)


def _step(procedure: Procedure, number: int, block: str) -> AnsweredStep:
    step = procedure.steps[number]
    by = None
    if step.deadline is not None and step.deadline.evidence:
        at = _quote(step.deadline.evidence[0], block)
        by = AnsweredDeadline(iso=step.deadline.duration, since=step.deadline.start, at=at)
    return AnsweredStep(
        id=step.id, kind=step.kind, actor=step.actor, to=step.recipient, modality=step.modality, by=by,
        outcomes=list(step.outcomes) or None, at=_quotes(step, block),
    )  # fmt: skip


def _flow(procedure: Procedure, flow: Flow, block: str) -> AnsweredFlow:
    condition = next((c for c in procedure.conditions if c.id == flow.condition), None)
    when = flow.condition if condition is None else None
    words = _quotes(flow, block)[:1]
    if condition is not None:
        when = condition.text
        if condition.predicate is not None:
            when = to_infix(parse_tree(condition.predicate)).replace("$.facts.", "").replace("$.steps.", "")
        words = _quotes(condition, block) or words
    return AnsweredFlow(a=flow.source, z=flow.target, when=when, words=words, ends=flow.ends)


def _quotes(element: Element, block: str) -> list[Quote]:
    return [_quote(evidence, block) for evidence in element.evidence]


def _first(element: Element, block: str) -> Quote | None:
    return next(iter(_quotes(element, block)), None)


def _quote(evidence: Evidence, block: str) -> Quote:
    return Quote(b=block, q=evidence.quote)
