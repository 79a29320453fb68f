"""A procedure in the terms of PET: verbs, objects, actors, gateways and conditions as mentions, and their relations.

PET's conventions: an activity is its verb alone; a flow runs from activity to gateway to condition to activity; of the
gateways of one choice only the first is led to, and each is `same gateway` with the next; what a step is done into or
to what purpose is its further specification.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from evals.pet.read import Annotation, Mention, MentionType, Record, Relation, RelationType
from ir.procedure import Flow, Procedure
from ir.source import Span

_GATEWAYS = (MentionType.XOR_GATEWAY, MentionType.AND_GATEWAY)


def annotate(procedure: Procedure, record: Record) -> Annotation:
    """The mentions and relations that a procedure of a record's text amounts to."""
    return _Adapter(procedure, record).annotation()


def tokens_of(span: Span, tokens: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """The indices of the tokens that a span touches.

    >>> tokens_of(Span(doc_id="a", block="p1", start=4, end=9, quote="files"), ((0, 3), (4, 9), (10, 13)))
    (1,)
    """
    return tuple(at for at, (start, end) in enumerate(tokens) if start < span.end and span.start < end)


class _Adapter:
    def __init__(self, procedure: Procedure, record: Record) -> None:
        self.procedure, self.record = procedure, record
        self.mentions: dict[Mention, int] = {}
        self.relations: dict[Relation, None] = {}
        self.activity: dict[str, int] = {}
        self.ordered: tuple[Mention, ...] = ()  # the mentions by their indices, once all are known

    def annotation(self) -> Annotation:
        self._steps()
        self._manners()
        self._flows()
        return Annotation(tuple(self.mentions), tuple(self.relations))

    def _mention(self, kind: MentionType, span: Span) -> int:
        """The index of a mention; the same words as the same thing are one."""
        mention = Mention(kind, tokens_of(span, self.record.tokens))
        return self.mentions.setdefault(mention, len(self.mentions))

    def _relate(self, kind: RelationType, head: int, tail: int) -> None:
        self.relations[Relation(kind, head, tail)] = None

    def _steps(self) -> None:
        for step in self.procedure.steps:
            for action in step.actions:
                verb = self._mention(MentionType.ACTIVITY, action.verb)
                self.activity.setdefault(step.id, verb)
                if action.object:
                    self._relate(RelationType.USES, verb, self._mention(MentionType.ACTIVITY_DATA, action.object))
                if action.actor:
                    self._relate(RelationType.PERFORMER, verb, self._mention(MentionType.ACTOR, action.actor))
                if action.recipient:
                    self._relate(RelationType.RECIPIENT, verb, self._mention(MentionType.ACTOR, action.recipient))

    def _manners(self) -> None:
        for constraint in self.procedure.constraints:
            for evidence in constraint.evidence:
                if evidence.span is None:
                    continue
                further = self._mention(MentionType.FURTHER, evidence.span)
                for step in constraint.steps:
                    self._relate(RelationType.FURTHER, self.activity[step], further)

    def _flows(self) -> None:
        ways: dict[str, list[tuple[int, ...]]] = {}
        for flow in self.procedure.flows:
            ways.setdefault(flow.source, []).append(tuple(self._chain(flow)))
        self.ordered = tuple(self.mentions)
        for source, chains in ways.items():
            self._lead(self.activity.get(source), chains)

    def _lead(self, head: int | None, chains: Sequence[tuple[int, ...]]) -> None:
        """Relate a mention to what comes next on its ways, and so on along them; None for the start."""
        onward: dict[int, list[tuple[int, ...]]] = {}
        for chain in chains:
            if chain:
                onward.setdefault(chain[0], []).append(chain[1:])
        gateways = sorted((one for one in onward if self._type(one) in _GATEWAYS), key=lambda one: self._place(one))
        for one, rest in onward.items():
            if head is not None and one not in gateways[1:]:
                self._relate(RelationType.FLOW, head, one)
            self._lead(one, rest)
        choices = [one for one in gateways if self._type(one) is MentionType.XOR_GATEWAY]
        for first, then in pairwise(choices):
            self._relate(RelationType.SAME_GATEWAY, first, then)

    def _type(self, mention: int) -> MentionType:
        return self.ordered[mention].type

    def _place(self, mention: int) -> tuple[int, ...]:
        return self.ordered[mention].tokens

    def _chain(self, flow: Flow) -> Iterator[int]:
        """The mentions that a flow runs through, from its first gateway to its target.

        Each condition stands after the gateway that comes before it in the text, or after the first.
        """
        after: list[list[Span]] = [[] for _ in (flow.cue or (None,))]
        least = 0
        for span in self._conditions(flow):
            before = [at for at in range(least, len(flow.cue)) if flow.cue[at].start < span.start]
            least = max(before, key=lambda at: flow.cue[at].start, default=least)
            after[least].append(span)
        for at, spans in enumerate(after):
            if flow.cue:
                beside = flow.kind == "parallel" and not spans
                kind = MentionType.AND_GATEWAY if beside else MentionType.XOR_GATEWAY
                yield self._mention(kind, flow.cue[at])
            for span in spans:
                yield self._mention(MentionType.CONDITION, span)
        if flow.target in self.activity:
            yield self.activity[flow.target]

    def _conditions(self, flow: Flow) -> list[Span]:
        condition = next((one for one in self.procedure.conditions if one.id == flow.condition), None)
        return [span for evidence in (condition.evidence if condition else ()) if (span := evidence.span) is not None]
