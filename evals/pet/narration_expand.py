"""From word numbers to a procedure: acts to steps, gateways and conditions to the flows that run through them.

Nothing is mended by guess: a number that is of no word, or a flow to what is no act, gateway or condition, is left out
and becomes a gap.
"""

from collections.abc import Iterator, Sequence

from compiler.extract.narrative.words import kind_of_verb
from compiler.text.names import safe_name
from evals.pet.narration_form import Narration, ToldAct, ToldGateway
from evals.pet.narration_order import Node, NodeKind, Order, Way
from evals.pet.word_numbers import NumberedText
from ir.procedure import END, START, Action, ConditionText, Constraint, Flow, FlowKind, Gap, Procedure, Step
from ir.source import Evidence, Span

Spans = tuple[Span, ...]


def procedure_from_answer(answer: Narration, text: NumberedText, method: str) -> Procedure:
    """The procedure that an answer tells of; what of the answer has no sense is listed as gaps.

    Args:
        method: the model's name, as the procedure's `method`.
    """
    return _Expansion(answer, text, method).procedure()


class _Expansion:
    def __init__(self, answer: Narration, text: NumberedText, method: str) -> None:
        self.answer, self.text, self.method = answer, text, method
        self.gaps: list[Gap] = []
        self.nodes: dict[int, Node] = {}
        self.conditions: dict[Way, ConditionText] = {}
        self.constraints: list[Constraint] = []
        self._nodes()
        self.order = Order(self.nodes, answer.flows, self._gap)
        self.steps = {node.first: f"s{at}" for at, node in enumerate(self._acts, start=1)}

    def procedure(self) -> Procedure:
        """The procedure."""
        document = self.text.document
        steps = tuple(self._step(node) for node in self._acts)
        flows = tuple(self._flows()) if steps else ()
        blocks = (evidence.block for step in steps for evidence in step.evidence if evidence.block)
        return Procedure(
            id=safe_name(document.title), title=document.title, doc_id=document.doc_id, language=document.language,
            extent=tuple(dict.fromkeys(blocks)),
            steps=steps, conditions=tuple(self.conditions.values()), flows=flows, constraints=tuple(self.constraints),
            gaps=tuple(self.gaps), method=self.method,
        )  # fmt: skip

    # --- words ------------------------------------------------------------------------------------------------------

    @property
    def _acts(self) -> list[Node]:
        return sorted((node for node in self.nodes.values() if node.act is not None), key=lambda node: node.first)

    def _nodes(self) -> None:
        for act in self.answer.acts:
            self._node(act.v, "act", act=act)
        for gateway in self.answer.gateways:
            self._node(gateway.w, gateway.kind, gateway=gateway)
        for words in self.answer.conditions:
            self._node(words, "condition")

    def _node(
        self,
        words: Sequence[int],
        kind: NodeKind,
        act: ToldAct | None = None,
        gateway: ToldGateway | None = None,
    ) -> None:
        span = self._span(words, kind)
        if span is None:
            return
        if words[0] in self.nodes:
            self._gap(f"{kind} {list(words)}: there is already {self.nodes[words[0]].kind} {words[0]}", words[0])
            return
        same = gateway.same if gateway else None
        self.nodes[words[0]] = Node(words[0], words[-1], span, kind, act, same)

    def _span(self, words: Sequence[int], what: str) -> Span | None:
        span = self.text.span(words)
        if span is None:
            self._gap(f"{what} {list(words)}: no such words")
        return span

    def _spans(self, several: Sequence[Sequence[int]], what: str) -> Spans:
        return tuple(span for words in several if (span := self._span(words, what)) is not None)

    def _gap(self, question: str, number: int | None = None) -> None:
        known = number is not None and 1 <= number <= len(self.text.words)
        evidence = (Evidence.from_span(self.text.sentence_of(number)),) if known and number is not None else ()
        self.gaps.append(Gap(id=f"g{len(self.gaps) + 1}", kind="ambiguity", question=question, evidence=evidence))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _step(self, node: Node) -> Step:
        assert node.act is not None
        objects, actors = self._spans(node.act.o, "object"), self._spans(node.act.by, "actor")
        recipients, manners = self._spans(node.act.to, "recipient"), self._spans(node.act.how, "further specification")
        for span in manners:
            self.constraints.append(
                Constraint(
                    id=f"k{len(self.constraints) + 1}", text=span.quote, modality="must",
                    steps=(self.steps[node.first],), evidence=(Evidence.from_span(span),),
                )
            )  # fmt: skip
        return Step(
            id=self.steps[node.first],
            text=" ".join(span.quote for span in (node.span, *objects[:1])),
            kind=kind_of_verb().get(node.span.quote.lower(), "task"),
            actor=actors[0].quote if actors else None,
            object=objects[0].quote if objects else None,
            recipient=recipients[0].quote if recipients else None,
            actions=tuple(_actions(node.span, objects, actors, recipients)),
            evidence=(Evidence.from_span(self.text.sentence_of(node.first)),),
        )

    # --- flows ------------------------------------------------------------------------------------------------------

    def _flows(self) -> Iterator[Flow]:
        for source in (None, *(node.first for node in self._acts)):
            ways = self.order.ways(source)
            guarded = any(self._conditions_of(way) for way, _ in ways)
            for way, target in ways:
                yield self._flow(source, way, target, guarded=guarded)

    def _flow(self, source: int | None, way: Way, target: int | None, *, guarded: bool) -> Flow:
        gateways = [self.nodes[one] for one in way if self.nodes[one].kind != "condition"]
        kind: FlowKind = "sequence"
        if way:
            kind = "parallel" if any(one.kind == "and" for one in gateways) else "branch"
        conditions = self._conditions_of(way)
        condition = self._condition(conditions) if conditions else None
        if condition is None and guarded and kind == "branch":
            condition = "otherwise"
        known = [one for one in (source, *way, target) if one is not None]
        return Flow(
            source=START if source is None else self.steps[source],
            target=END if target is None else self.steps[target],
            kind=kind,
            condition=condition,
            cue=tuple(one.span for one in gateways),
            ends="completed" if target is None else None,
            evidence=(Evidence.from_span(self.text.sentence_of(known[-1])),) if known else (),
        )

    def _conditions_of(self, way: Way) -> Way:
        return tuple(one for one in way if self.nodes[one].kind == "condition")

    def _condition(self, names: Way) -> str:
        """The id of the condition that all of these hold, in the order in which they are met."""
        if names not in self.conditions:
            spans = [self.nodes[one].span for one in names]
            self.conditions[names] = ConditionText(
                id=f"c{len(self.conditions) + 1}",
                text=" and ".join(span.quote for span in spans),
                evidence=tuple(Evidence.from_span(span) for span in spans),
            )
        return self.conditions[names].id


def _actions(verb: Span, objects: Spans, actors: Spans, recipients: Spans) -> Iterator[Action]:
    """As many actions as the longest list has; a shorter list stays at its last."""

    def nth(spans: Spans, at: int) -> Span | None:
        return spans[min(at, len(spans) - 1)] if spans else None

    for at in range(max(1, len(objects), len(actors), len(recipients))):
        yield Action(verb=verb, object=nth(objects, at), actor=nth(actors, at), recipient=nth(recipients, at))
