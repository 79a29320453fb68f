"""What of a workflow and its procedure rests on which words of a document."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from compiler.text.sentences import Piece
from ir.document import Document
from ir.procedure import Constraint, Gap, Procedure, Step, UnplacedText
from ir.source import Evidence
from ir.workflow import Workflow

Sort = Literal["acts", "told", "asks", "constraint", "unplaced"]
LEAST = 3  # characters of a statement that something must rest on to concern it
ASKS_NOTHING = frozenset({"unmapped_step"})
"""Kinds of gaps that ask which Node Type fits; what the words mean is plain."""


@dataclass(frozen=True)
class Bearer:
    """Something that rests on words.

    Args:
        name: as in `StatementFate.by`.
        sort: `acts` where it takes part in runs, `told` where it is only given to them, and what the procedure has
            besides.
        element: the constraint, gap or unplaced text.
    """

    name: str
    sort: Sort
    start: int
    end: int
    element: Constraint | Gap | UnplacedText | None = None


@dataclass(frozen=True)
class Part:
    """A draft with what it was drawn from; a document may have several."""

    workflow: Workflow
    procedure: Procedure

    @cached_property
    def steps_of(self) -> Mapping[str, tuple[Step, ...]]:
        """The steps that each node carries out."""
        steps = {step.id: step for step in self.procedure.steps}
        return {
            name: tuple(steps[step] for step in node.step_ids if step in steps)
            for name, node in self.workflow.nodes.items()
        }

    def bearers(self, document: Document) -> dict[str, list[Bearer]]:
        """What rests on words of a document, by the block that they stand in."""
        found: dict[str, list[Bearer]] = {}
        for name, sort, quotes, element in self._resting():
            for quote in quotes:
                span = quote.span
                if span is not None and quote.supports and span.doc_id == document.doc_id:
                    found.setdefault(span.block, []).append(Bearer(name, sort, span.start, span.end, element))
        return found

    def _resting(self) -> Iterator[tuple[str, Sort, Iterable[Evidence], Constraint | Gap | UnplacedText | None]]:
        workflow, procedure = self.workflow, self.procedure
        for name, node in workflow.nodes.items():
            yield f"node:{name}", "acts", (*node.evidence, *(node.deadline.evidence if node.deadline else ())), None
        for index, edge in enumerate(workflow.edges):
            yield f"edge:{index}", "acts", edge.evidence, None
        for index, guard in enumerate(workflow.guards):
            yield f"guard:{index}", "acts", guard.evidence, None
        for pack, rules in workflow.rule_packs.items():
            for rule in rules.rules:
                yield f"rule:{pack}/{rule.rule_id}", "acts", rule.quotes, None
        for name, spec in workflow.inputs.items():
            yield f"input:{name}", "told", spec.evidence, None
        for index, trigger in enumerate(workflow.triggers):
            yield f"trigger:{index}", "told", trigger.evidence, None
        for gap in workflow.gaps:
            yield f"gap:{gap.id}", "told" if gap.kind in ASKS_NOTHING else "asks", gap.evidence, gap
        for bound in procedure.constraints:
            yield f"constraint:{bound.id}", "constraint", bound.evidence, bound
        for text in procedure.unplaced:
            yield "unplaced", "unplaced", text.evidence, text

    def acts_in(self, node: str, piece: Piece) -> bool:
        """Whether a verb of a node's steps stands in a piece of text; True where it is not known which verbs it has."""
        verbs = [action.verb for step in self.steps_of[node] for action in step.actions]
        here = [verb for verb in verbs if verb.block == piece.block]
        return not here or any(piece.start <= verb.start < piece.end for verb in here)


def concerns(bearer: Bearer, piece: Piece) -> bool:
    """Whether something rests on words of a statement, more than a letter or two."""
    shared = min(bearer.end, piece.end) - max(bearer.start, piece.start)
    return shared >= min(LEAST, piece.end - piece.start)


def covers(bearer: Bearer, piece: Piece) -> bool:
    """Whether something rests on the better part of a statement."""
    return 2 * (min(bearer.end, piece.end) - max(bearer.start, piece.start)) >= piece.end - piece.start
