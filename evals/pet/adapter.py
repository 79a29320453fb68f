"""A procedure in the terms of PET: verbs, objects, actors, gateways and conditions as mentions, and their relations.

PET's conventions: an activity is its verb alone; a flow runs from activity to gateway to condition to activity; of the
gateways of one choice only the first is led to, and each is `same gateway` with the next; what a step is done into or
to what purpose is its further specification.
"""

from collections.abc import Iterator
from itertools import pairwise

from evals.pet.read import Annotation, Mention, MentionType, Record, Relation, RelationType
from ir.procedure import Flow, Procedure
from ir.source import Span


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
        led: dict[str, list[Span]] = {}  # the gateways of each step, in order of the text
        for flow in self.procedure.flows:
            if flow.cue and flow.source in self.activity:
                led.setdefault(flow.source, []).append(flow.cue[0])
        for source, cues in led.items():
            led[source] = sorted(dict.fromkeys(cues), key=lambda cue: cue.start)
        for flow in self.procedure.flows:
            chain = list(self._chain(flow))
            first = led.get(flow.source, [])
            if flow.source in self.activity and (not flow.cue or flow.cue[0] == first[0]):
                chain.insert(0, self.activity[flow.source])
            for head, tail in pairwise(chain):
                self._relate(RelationType.FLOW, head, tail)
        for source, cues in led.items():
            kinds = {cue: flow.kind for flow in self.procedure.flows if flow.source == source for cue in flow.cue[:1]}
            choices = [self._mention(MentionType.XOR_GATEWAY, cue) for cue in cues if kinds[cue] == "branch"]
            for head, tail in pairwise(choices):
                self._relate(RelationType.SAME_GATEWAY, head, tail)

    def _chain(self, flow: Flow) -> Iterator[int]:
        """The mentions that a flow runs through, from its first gateway to its target."""
        kind = MentionType.AND_GATEWAY if flow.kind == "parallel" else MentionType.XOR_GATEWAY
        condition = next((one for one in self.procedure.conditions if one.id == flow.condition), None)
        gateways = [self._mention(kind, cue) for cue in flow.cue]
        yield from gateways[:1]
        if condition is not None and (span := condition.evidence[0].span) is not None:
            yield self._mention(MentionType.CONDITION, span)
        yield from gateways[1:]
        if flow.target in self.activity:
            yield self.activity[flow.target]
