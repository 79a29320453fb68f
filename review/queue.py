"""What there is to look at in a draft, the riskiest first, and how far the review is."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from itertools import product
from typing import Literal, get_args

from compiler.decisions.decided import DecisionFate
from compiler.decisions.elements import Element, elements, rules
from compiler.fates.verdict import is_settled, is_weighty, unmapped_nodes
from ir.decisions.anchor import Subject, plain
from ir.decisions.decision import RULING, Decision
from ir.diagnostics import Severity
from ir.predicate import Compare, Literally, leaves
from ir.procedure import END, START, ConditionText, Flow, Gap, Step
from ir.source import Evidence, Span
from ir.verdict import StatementFate
from ir.workflow import HUMAN_APPROVAL, Edge
from review.draft import ReviewDraft
from review.drafted import Drafted
from review.rulings import holding
from review.wording import flow_condition, shown_condition

Standing = Literal["verbatim", "converted", "inferred", "person"]
"""Whose words an element is: the document's as they stand, its values in other units or forms, nobody's, a person's."""
_DRAFTS = 32  # whose things are kept at hand


class Risk(IntEnum):
    """How much hangs on something, the most first."""

    DECISION = 0  # that does not hold any more
    PROHIBITION = 1  # that nothing enforces
    APPROVAL = 2
    QUESTION = 3  # whose answer could change a path, an approval or a deadline
    UNMAPPED = 4
    DIFFERS = 5  # two readings of it
    INFERRED = 6
    UNPLACED = 7
    FINDING = 8  # of the validator, or a lesser question
    PLAIN = 9


@dataclass(frozen=True)
class Item:
    """One thing to look at.

    Args:
        key: the same for the same thing, whatever else is decided.
        id: as in decisions.
        words: the quotes it rests on, each with the block that it stands in.
        why: keys of words that say why it is where it is.
        open: nobody decided about it, or the decision does not hold.
        decision: the one in force.
        graph_key: the node, edge or card of the page that shows it.
        seen: digest of it, which a decision keeps.
    """

    key: str
    subject: Subject
    id: str
    title: str
    words: tuple[tuple[str, str | None], ...]
    standing: Standing
    risk: Risk
    why: tuple[str, ...]
    open: bool
    decision: Decision | None
    graph_key: str | None
    seen: str


_LEFT = frozenset({Risk.PROHIBITION, Risk.QUESTION, Risk.UNMAPPED, Risk.UNPLACED})
"""What a correction settles by doing away with it: where it is there still, it is open."""
_UNSETTLED: Mapping[Risk, tuple[Subject, ...]] = {
    Risk.DECISION: get_args(Subject),
    Risk.PROHIBITION: ("prohibition",),
    Risk.QUESTION: ("question",),
    Risk.UNMAPPED: ("step",),
    Risk.UNPLACED: ("text", "statement"),
}


def queue(draft: ReviewDraft) -> tuple[Item, ...]:
    """Everything that can be decided on, ordered by risk, and as the document is within the same risk."""
    listed, counted = list[Item](), dict[str, int]()
    ruled = _Ruled(draft)
    items = [*ruled.lost(), *(ruled.on(item, element) for item, element in _undecided(draft.drafted))]
    for item in sorted(items, key=lambda item: item.risk):
        counted[item.key] = counted.get(item.key, 0) + 1
        same = counted[item.key]
        listed.append(item if same == 1 else replace(item, key=f"{item.key}#{same}"))
    return tuple(listed)


def progress(items: Sequence[Item]) -> tuple[int, int]:
    """How many things are decided, of how many."""
    return sum(not item.open for item in items), len(items)


def agreed(items: Iterable[Item]) -> tuple[Item, ...]:
    """What may be accepted together: open, in the document's very words, and with nothing found or asked about it."""
    return tuple(one for one in items if one.open and one.risk is Risk.PLAIN and one.standing == "verbatim")


def unsettled(items: Iterable[Item]) -> tuple[Item, ...]:
    """What is open and could change what is done: as the verdict on the draft counts it, each thing once.

    A prohibition stands as its statement, not as the constraint that was read of it, and a condition that is not
    definite as the question about it.
    """
    return tuple(one for one in items if one.open and one.subject in _UNSETTLED.get(one.risk, ()))


class _Ruled:
    """What people decided about the things of a draft."""

    def __init__(self, draft: ReviewDraft) -> None:
        self.draft = draft
        self.held = holding(draft.in_force.values(), {one.id: one for one in draft.fates})
        self.decided: dict[tuple[str, str], list[tuple[Decision, DecisionFate]]] = {}
        for fate in draft.fates:
            decision = draft.in_force.get(fate.id)
            if decision is not None and fate.procedure in (draft.procedure.id, None):
                place = fate.element or decision.element or ""
                self.decided.setdefault((decision.subject, place), []).append((decision, fate))

    def lost(self) -> Iterator[Item]:
        """Decisions that do not hold any more; each is open until it is taken back, or made anew."""
        for fate in self.draft.fates:
            decision = self.draft.in_force.get(fate.id)
            if fate.code is None or decision is None or decision.kind == "comment":
                continue
            words = ((fate.now, fate.block),) if fate.now else ()
            yield Item(
                key=f"decision:{fate.id}", subject=decision.subject, id=decision.element or "",
                title=decision.name or (decision.anchor.text if decision.anchor else ""), words=words,
                standing="person", risk=Risk.DECISION, why=(fate.code,), open=True, decision=decision, graph_key=None,
                seen=decision.seen or "",
            )  # fmt: skip

    def on(self, item: Item, element: Element) -> Item:
        """A thing as it was decided on."""
        decision, holds = self._decision(element, left=item.risk in _LEFT)
        if decision is None:
            return item
        gap = element.form
        if isinstance(gap, Gap) and decision.kind in ("accept", "answer") and not is_settled(gap, self.held):
            return item  # it was decided about other words that it quotes as well
        rejected = decision.kind == "reject"
        left = decision.kind == "correct" and item.risk in _LEFT
        why = ("rejected", *item.why) if rejected else item.why
        return replace(item, why=why, open=not holds or rejected or left, decision=decision)

    def _decision(self, element: Element, *, left: bool) -> tuple[Decision | None, bool]:
        """The last decision about an element, and whether it holds.

        Args:
            left: no correction did away with it, so that what was ruled on it counts before what was corrected.
        """
        found = list(self.decided.get((element.kind, element.id), ()))
        if element.kind in ("prohibition", "statement", "question"):
            found = [
                (decision, fate)
                for pairs in self.decided.values()
                for decision, fate in pairs
                if decision.subject == element.kind and _same_words(fate, decision, element)
            ]
        told = [(one, fate) for one, fate in found if one.kind in (*RULING, "correct") and (fate.applied or fate.code)]
        ruled = [pair for pair in told if pair[0].kind in RULING] if left else []
        last = (ruled or told)[-1:]
        return (last[0][0], last[0][1].applied) if last else (None, False)


@lru_cache(maxsize=_DRAFTS)
def _undecided(drafted: Drafted) -> tuple[tuple[Item, Element], ...]:
    """The things of a draft as if nobody had decided about them, as the document is."""
    return tuple(_Things(drafted).items())


class _Things:
    """The things of a draft that can be decided on."""

    def __init__(self, draft: Drafted) -> None:
        self.draft, self.page = draft, draft.page
        self.nodes = {step: name for name, node in draft.workflow.nodes.items() for step in node.step_ids}
        read = {(one.kind, one.digest) for one in elements(draft.reading)}
        self.changed = {key for key, one in draft.elements.items() if (one.kind, one.digest) not in read}
        self.unmapped = unmapped_nodes(draft.workflow)
        self.found = {
            key for one in draft.diagnostics if one.severity is not Severity.INFO
            for key in self.page.keys_at(one.location)
        }  # fmt: skip
        self.asked = {key for gap in draft.workflow.gaps for key in self.page.keys_about(gap.about)}
        self.rules = {f"{pack}/{rule.rule_id}": key for key, pack, rule in self.page.rules}
        self.listed: dict[str, list[Span]] = {}
        for span in (span for one in draft.elements.values() if one.kind == "text" for span in one.spans):
            self.listed.setdefault(span.block, []).append(span)
        self.flows: dict[str, list[Flow]] = {}
        for flow in draft.procedure.flows:
            if flow.condition is not None:
                self.flows.setdefault(flow.condition, []).append(flow)
        self.edges: dict[tuple[str, str], list[tuple[str, Edge]]] = {}
        for number, edge in enumerate(draft.workflow.edges):
            ends = (draft.workflow.nodes[name].step_ids for name in (edge.source, edge.target))
            for pair in product(next(ends) or (START,), next(ends) or (END,)):
                self.edges.setdefault(pair, []).append((f"e{number}", edge))

    def items(self) -> Iterator[tuple[Item, Element]]:
        """Each with its element."""
        for (kind, _), element in self.draft.elements.items():
            if kind not in ("question", "constraint"):
                yield self._item(element, *self._of_element(element))
        for element in rules(self.draft.workflow):
            yield self._item(element, Risk.PLAIN, (), self.rules.get(element.id))
        for number, gap in enumerate(self.draft.workflow.gaps):
            if gap.kind == "unmapped_step" and set(gap.about) & set(self.nodes):
                continue  # it is a matter of its step
            weighty = is_weighty(gap, self.draft.workflow)
            risk = Risk.QUESTION if weighty else Risk.FINDING
            why = ("weighty",) if weighty else (f"gap.{gap.kind}",)
            yield self._item(Element("question", gap.id, gap.question, gap.evidence, gap), risk, why, f"g{number}")
        yield from self._constraints()
        yield from self._statements()

    def _of_element(self, element: Element) -> tuple[Risk, tuple[str, ...], str | None]:
        key = self._graph_key(element)
        node = self.draft.workflow.nodes.get(self.nodes.get(element.id, "")) if element.kind == "step" else None
        why: list[tuple[Risk, str]] = []
        if isinstance(element.form, Step) and (
            element.form.kind == "approval" or (node and node.type == HUMAN_APPROVAL)
        ):
            why.append((Risk.APPROVAL, "approval"))
        if element.kind == "step" and self.nodes.get(element.id) in self.unmapped:
            why.append((Risk.UNMAPPED, "unmapped"))
        agreed_on = self.draft.procedure.agreed
        if element.kind == "step" and agreed_on is not None and element.id not in agreed_on:
            why.append((Risk.DIFFERS, "readings_differ"))
        if element.kind == "text":
            why.append((Risk.UNPLACED, "unplaced"))
        if isinstance(element.form, ConditionText) and element.form.predicate is None:
            why.append((Risk.QUESTION, "not_definite"))
        if self._standing(element) == "inferred" and element.kind != "edge":
            why.append((Risk.INFERRED, "inferred"))
        if key in self.found or key in self.asked:
            why.append((Risk.FINDING, "finding"))
        why.sort(key=lambda pair: pair[0])
        return (why[0][0] if why else Risk.PLAIN), tuple(said for _, said in why), key

    def _constraints(self) -> Iterator[tuple[Item, Element]]:
        open_ = {name for one in self.draft.statements if one.prohibition == "unenforced" for name in one.by}
        for element in self.draft.elements.values():
            if element.kind == "constraint":
                unenforced = f"constraint:{element.id}" in open_
                risk, why = (Risk.PROHIBITION, ("unenforced",)) if unenforced else (Risk.PLAIN, ())
                yield self._item(element, risk, why, None)

    def _statements(self) -> Iterator[tuple[Item, Element]]:
        for number, said in enumerate(self.draft.statements):
            if said.fate == "other" and said.reason is not None:
                yield self._item(_statement("statement", said, self.draft), Risk.PLAIN, ("no_duty",), f"s{number}")
            elif said.prohibition is not None:
                bare = said.prohibition == "unenforced"
                risk, why = (Risk.PROHIBITION, ("unenforced",)) if bare else (Risk.PLAIN, (said.prohibition,))
                yield self._item(_statement("prohibition", said, self.draft), risk, why, f"s{number}")
            elif said.fate in ("unplaced", "unenforced") and not self._is_listed(said):
                yield self._item(_statement("statement", said, self.draft), Risk.UNPLACED, (said.fate,), f"s{number}")

    def _is_listed(self, said: StatementFate) -> bool:
        """Whether a text without a place has the words of a statement."""
        return any(one.start < said.end and said.start < one.end for one in self.listed.get(said.block, ()))

    def _item(self, element: Element, risk: Risk, why: tuple[str, ...], key: str | None) -> tuple[Item, Element]:
        words = tuple((one.quote, one.block) for one in element.evidence)
        item = Item(
            key=f"{element.kind}:{_stable(element)}", subject=element.kind, id=element.id, title=self._title(element),
            words=words, standing=self._standing(element), risk=risk, why=why, open=True, decision=None,
            graph_key=key, seen=element.digest,
        )  # fmt: skip
        return item, element

    def _title(self, element: Element) -> str:
        """What it is called: what a person corrected, by what it says now."""
        form, procedure = element.form, self.draft.procedure
        if isinstance(form, ConditionText) and ("condition", form.id) in self.changed:
            return shown_condition(form.predicate, procedure) or element.name
        if isinstance(form, Flow) and ("condition", form.condition or "") in self.changed:
            said = next((one.text for one in procedure.conditions if one.id == form.condition), "")
            return f"{element.name.removesuffix(f' [{said}]')} [{flow_condition(form, procedure) or said}]"
        return element.name

    def _standing(self, element: Element) -> Standing:
        if (element.kind, element.id) in self.changed:
            return "person"
        if not any(one.supports for one in element.evidence):
            return "inferred"
        tree = getattr(element.form, "predicate", None)
        values = [
            side.status
            for leaf in (leaves(tree) if tree is not None else ())
            if isinstance(leaf, Compare)
            for side in (leaf.left, leaf.right)
            if isinstance(side, Literally)
        ]
        return "converted" if any(status != "quoted" for status in values if status) else "verbatim"

    def _graph_key(self, element: Element) -> str | None:
        form, page = element.form, self.page
        if element.kind == "step":
            return page.node_keys.get(self.nodes.get(element.id, ""))
        if element.kind == "fact":
            return page.input_keys.get(element.id)
        if element.kind == "result":
            return page.result_keys.get(element.id)
        if element.kind == "text":
            return element.id
        flows = [form] if isinstance(form, Flow) else self.flows.get(element.id, [])
        return next((key for one in flows if (key := self._edge_key(one)) is not None), None)

    def _edge_key(self, flow: Flow) -> str | None:
        """The edge that stands for a flow: between the nodes of its steps, the last before an end."""
        for key, edge in self.edges.get((flow.source, flow.target), ()):
            if not edge.evidence or not flow.evidence or not set(edge.evidence).isdisjoint(flow.evidence):
                return key
        return None


def _statement(kind: Subject, said: StatementFate, draft: Drafted) -> Element:
    quote = Evidence.from_span(draft.document.span(said.block, said.start, said.end))
    return Element(kind, f"{said.block}:{said.start}", said.text, (quote,), None)


def _same_words(fate: DecisionFate, decision: Decision, element: Element) -> bool:
    words = fate.words or (decision.anchor.text if decision.anchor else None)
    if words is None:
        return decision.element == element.id and decision.name == element.name
    return any(plain(words) in (plain(one.quote), plain(element.name)) for one in element.evidence)


def _stable(element: Element) -> str:
    """What an element is called also where others before it come and go: numbered ones by their words."""
    if element.kind in ("question", "text"):
        quotes = "".join(one.quote for one in element.evidence)
        return hashlib.sha256(f"{element.name}\n{quotes}".encode()).hexdigest()[:16]
    return element.id
