"""What of a procedure can be decided on, each element with the id, the name and the words by which it is found."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from compiler.decisions.anchoring import Anchored, Anchoring
from ir.base import Model
from ir.codec import digest
from ir.decisions.anchor import Mark, Subject
from ir.infix import to_infix
from ir.predicate import Tree
from ir.procedure import END, START, Flow, Procedure
from ir.source import Evidence, Span
from ir.workflow import Workflow

OF_WORDS: frozenset[Subject] = frozenset({"prohibition", "statement", "question", "rule", "workflow"})
"""What is no element of a procedure, or is made anew for each draft, so that only its words tell it."""


@dataclass(frozen=True)
class Element:
    """One element.

    Args:
        id, name: as in `Mark`.
        form: as it stands; None for what is a part of the text alone.
    """

    kind: Subject
    id: str
    name: str
    evidence: tuple[Evidence, ...]
    form: Model | None = None

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where its words stand."""
        return tuple(span for one in self.evidence if one.supports and (span := one.span) is not None)

    @cached_property
    def digest(self) -> str:
        """Of what it says, wherever its words stand."""
        return digest(self.form) if self.form is not None else digest(self.name)

    def mark(self, anchoring: Anchoring) -> Mark:
        """How it is found again."""
        doc_id = anchoring.document.doc_id
        span = next((one for one in self.spans if one.doc_id == doc_id), None)
        return Mark(kind=self.kind, id=self.id, name=self.name, anchor=anchoring.anchor(span) if span else None)


@dataclass(frozen=True)
class Resolved:
    """What a mark means now.

    Args:
        procedure: id of the procedure that has it; None for what is in none.
        id: its id now; None where there is no such element.
    """

    anchored: Anchored
    procedure: str | None = None
    id: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the element is there, and its words say what they said."""
        return self.anchored.holds and self.id is not None


def edge_id(flow: Flow) -> str:
    """The id of a flow, which has none of its own.

    >>> edge_id(Flow(source="s1", target="s2", condition="c1"))
    's1->s2?c1'
    """
    return f"{flow.source}->{flow.target}" + (f"?{flow.condition}" if flow.condition else "")


def elements(procedure: Procedure) -> Iterator[Element]:
    """Everything of a procedure that can be decided on, in its order."""
    texts = {START: START, END: END} | {step.id: step.text for step in procedure.steps}
    said = {one.id: one.text for one in procedure.conditions}
    for step in procedure.steps:
        yield Element("step", step.id, step.text, step.evidence, step)
    for flow in procedure.flows:
        when = f" [{said.get(flow.condition, flow.condition)}]" if flow.condition else ""
        name = f"{texts.get(flow.source, flow.source)} → {texts.get(flow.target, flow.target)}{when}"
        yield Element("edge", edge_id(flow), name, flow.evidence, flow)
    for condition in procedure.conditions:
        yield Element("condition", condition.id, condition.text, condition.evidence, condition)
    for fact in procedure.facts:
        yield Element("fact", fact.id, fact.name, fact.evidence, fact)
    for result in procedure.results:
        yield Element("result", result.id, result.name, result.evidence, result)
    for bound in procedure.constraints:
        yield Element("constraint", bound.id, bound.text, bound.evidence, bound)
    for number, text in enumerate(procedure.unplaced):
        yield Element("text", f"u{number}", text.text, text.evidence, text)
    yield from questions(procedure)


def questions(of: Procedure | Workflow) -> Iterator[Element]:
    """What is asked."""
    for gap in of.gaps:
        yield Element("question", gap.id, gap.question, gap.evidence, gap)


def rules(workflow: Workflow) -> Iterator[Element]:
    """The rows of a workflow's rule packs."""
    for pack, held in workflow.rule_packs.items():
        for rule in held.rules:
            when = to_infix(rule.condition) if isinstance(rule.condition, Tree) else "always"
            told = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in rule.outcome.items()]
            given = ", ".join((*told, *rule.formulas))
            yield Element("rule", f"{pack}/{rule.rule_id}", f"{when} → {given}", rule.quotes, rule)


def resolve(mark: Mark, procedures: Iterable[Procedure], anchoring: Anchoring, home: str | None = None) -> Resolved:
    """The element that a mark means.

    Args:
        home: id of the procedure that it was in; what rests on no words is looked for there alone.
    """
    listed = tuple(procedures)
    known = home if any(one.id == home for one in listed) else None
    if mark.kind == "step" and mark.id in (START, END) and mark.anchor is None:
        return Resolved(Anchored("unchanged", 1.0), known, mark.id)
    if mark.kind in OF_WORDS:
        return _of_words(mark, known, anchoring)
    there = [(p.id, one) for p in listed for one in elements(p) if one.kind == mark.kind]
    if mark.anchor is None:
        return _of_name(mark, [pair for pair in there if known is None or pair[0] == known])
    found = anchoring.find(mark.anchor)
    if found.span is None:
        return Resolved(found, known)
    chosen = choose(mark, found.span, there, home)
    if chosen is None:
        return Resolved(replace(found, state="orphaned"))
    return Resolved(found, *chosen)


def _of_words(mark: Mark, home: str | None, anchoring: Anchoring) -> Resolved:
    """What is known by its words alone, wherever they stand."""
    if mark.anchor is None:
        return Resolved(Anchored("unchanged", 1.0) if home else Anchored("orphaned", 0.0), home, mark.id)
    found = anchoring.find(mark.anchor)
    return Resolved(replace(found, state="moved") if found.several else found, home, mark.id)


def _of_name(mark: Mark, there: Sequence[tuple[str, Element]]) -> Resolved:
    """What rests on no words, by what it is called; the same id decides among several."""
    named = [(p, one) for p, one in there if not one.spans and one.name == mark.name]
    chosen = next((pair for pair in named if pair[1].id == mark.id), named[0] if len(named) == 1 else None)
    if chosen is None:
        return Resolved(Anchored("orphaned", 0.0))
    return Resolved(Anchored("unchanged", 1.0), chosen[0], chosen[1].id)


def choose(
    mark: Mark, span: Span, there: Iterable[tuple[str, Element]], home: str | None
) -> tuple[str, str] | None:  # fmt: skip
    """Which of the elements that rest on words is meant, as (procedure, id); None where none rests on them."""
    near = [(procedure, one) for procedure, one in there if any(_shares(span, own) for own in one.spans)]
    if not near:
        return None

    def rank(pair: tuple[str, Element]) -> tuple[bool, bool, int, bool, bool]:
        procedure, one = pair
        exact = span in one.spans
        return (
            exact,
            one.name == mark.name,
            max(_overlap(span, own) for own in one.spans),
            one.id == mark.id,
            (procedure == home),
        )

    procedure, one = max(near, key=rank)
    return procedure, one.id


def _shares(one: Span, other: Span) -> bool:
    """Whether two spans have the better part of the shorter one in common."""
    return 2 * _overlap(one, other) >= max(1, min(one.end - one.start, other.end - other.start))


def _overlap(one: Span, other: Span) -> int:
    """How many characters two spans have in common."""
    if (one.doc_id, one.block) != (other.doc_id, other.block):
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))
