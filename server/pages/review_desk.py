"""What a reviewer is shown of a draft: the queue with the state of each thing, and one thing with all that is known."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import Literal

from compiler.report.review.marks import Place
from compiler.report.words import Words
from ir.base import Model
from ir.decisions.decision import Decision, DecisionKind
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import ConditionText, Constraint, Fact, Flow, Gap, Result, Step
from ir.source import Evidence
from ir.workflow import Rule
from review.draft import ReviewDraft
from review.forms import forms_of, kinds_of
from review.queue import Item, Risk, agreed, progress, queue
from review.wording import flow_condition, shown_condition, shown_duration, shown_formula
from server.builds.folders import BuildFolder
from server.errors import UnknownPlace

State = Literal["open", "accept", "reject", "answer", "correct", "declare", "lost"]
_ADVANCES: tuple[DecisionKind, ...] = ("accept", "reject", "answer", "correct", "declare")
_HEAVY = frozenset({Risk.DECISION, Risk.PROHIBITION, Risk.QUESTION, Risk.UNMAPPED, Risk.UNPLACED})


@dataclass(frozen=True)
class Row:
    """A line of the queue.

    Args:
        id: for the page.
        place: among all, from 1.
    """

    item: Item
    id: str
    place: int
    state: State


@dataclass(frozen=True)
class Desk:
    """A draft as one reviewer has it before them.

    Args:
        words: of the interface, in the reviewer's language.
    """

    build: BuildFolder
    draft: ReviewDraft
    words: Words

    @property
    def address(self) -> str:
        """The page's path."""
        return f"/drafts/{self.build.id}/{self.draft.workflow.workflow_id}"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Blocks and cells of the document by address, see `numbers_of`."""
        return numbers_of(self.draft.document)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All that can be decided on, the riskiest first."""
        return queue(self.draft)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The queue."""
        return tuple(Row(one, row_id(one.key), at, state_of(one)) for at, one in enumerate(self.items, 1))

    @property
    def groups(self) -> list[tuple[Risk, list[Row]]]:
        """The queue by risk."""
        return [(risk, list(rows)) for risk, rows in groupby(self.rows, key=lambda row: row.item.risk)]

    @property
    def progress(self) -> tuple[int, int]:
        """How many are decided, of how many."""
        return progress(self.items)

    @property
    def agreed(self) -> tuple[Item, ...]:
        """What may be accepted together."""
        return agreed(self.items)

    def row(self, key: str) -> Row:
        """A line by the key of its item.

        Raises:
            UnknownPlace: nothing of the draft has it any more.
        """
        found = next((row for row in self.rows if row.item.key == key), None)
        if found is None:
            raise UnknownPlace(f"{key} is not in this draft any more; the queue lists what there is")
        return found

    def first(self, key: str | None = None, graph_key: str | None = None) -> Row | None:
        """The line that was asked for, by its key or by what the graph shows of it; else the first that is open."""
        asked = (row for row in self.rows if (key and row.item.key == key) or row.item.graph_key == (graph_key or ""))
        return next(asked, None) or next((row for row in self.rows if row.item.open), None)

    def after(self, key: str) -> Row | None:
        """The next line that is open after one, going round; None where nothing is open."""
        at = next((row.place for row in self.rows if row.item.key == key), 0)
        return next((row for row in (*self.rows[at:], *self.rows[:at]) if row.item.open), None)

    def card(self, row: Row) -> "Card":
        """All that is known of one thing."""
        return Card(self, row)


@dataclass(frozen=True)
class Card:
    """One thing to decide on, with all that is known of it."""

    desk: Desk
    row: Row

    @property
    def item(self) -> Item:
        """What is decided on."""
        return self.row.item

    @property
    def rulings(self) -> tuple[DecisionKind, ...]:
        """The kinds of decisions that it lets be taken without an operation, comments aside."""
        return tuple(kind for kind in kinds_of(self.item) if kind != "comment")

    @property
    def can_be_corrected(self) -> bool:
        """Whether an operation may be made on it."""
        return bool(forms_of(self.desk.draft, self.item))

    @property
    def at_once(self) -> bool:
        """Whether accepting takes no reason of one's own: what the words say is reason enough."""
        return self.item.risk not in _HEAVY

    @property
    def comments(self) -> list[Decision]:
        """What people said about it, in their order."""
        return [
            one
            for one in self.desk.draft.in_force.values()
            if one.kind == "comment" and (one.subject, one.element) == (self.item.subject, self.item.id or None)
        ]

    @property
    def quotes(self) -> Iterator[tuple[str, str | None, Place]]:
        """The words that it rests on, with their block and where that is."""
        for quote, block in self.item.words:
            doc_id, end = self.desk.draft.document.doc_id, len(quote)
            evidence = Evidence(
                doc_id=doc_id, quote=quote, **({"block": block, "start": 0, "end": end} if block else {})
            )
            yield quote, block, self.desk.draft.page.places.place_of(evidence)

    @property
    def findings(self) -> list[Diagnostic]:
        """What validation found at it."""
        page = self.desk.draft.page
        return [page.review.diagnostics[at] for at in page.diagnostics_at.get(self.item.graph_key or "", ())]

    @property
    def form(self) -> Model | None:
        """As it is drafted."""
        element = self.desk.draft.elements.get((self.item.subject, self.item.id))
        if element is not None:
            return element.form
        page = self.desk.draft.page
        return next((rule for _, pack, rule in page.rules if f"{pack}/{rule.rule_id}" == self.item.id), None)

    @property
    def data(self) -> str:
        """As it is drafted, as JSON to be looked at; empty for what is words alone."""
        return json.dumps(self.form.to_json(), ensure_ascii=False, indent=2) if self.form is not None else ""

    @property
    def details(self) -> list[tuple[str, str]]:
        """What it says, part by part: key of a word, and value."""
        return [(name, value) for name, value in self._details() if value]

    def _details(self) -> Iterator[tuple[str, str]]:
        draft = self.desk.draft
        match self.form:
            case Step() as step:
                node = next((one for one in draft.workflow.nodes.values() if step.id in one.step_ids), None)
                yield from (("field.actor", step.actor or ""), ("field.kind", step.kind))
                yield from (("field.modality", step.modality), ("field.outcomes", ", ".join(step.outcomes)))
                length = shown_duration(step.deadline.duration, self.desk.words.language) if step.deadline else ""
                yield "field.duration", length
                yield "field.type", node.type if node else ""
            case Flow() as flow:
                yield "field.condition", flow_condition(flow, draft.procedure)
                yield "field.ends", flow.ends or ""
            case ConditionText(predicate=tree) | Constraint(predicate=tree):
                yield "field.condition", shown_condition(tree, draft.procedure)
            case Fact() as fact:
                yield from (("field.type", fact.type), ("field.unit", fact.unit or ""))
                yield "field.enum", ", ".join(map(str, fact.enum or ()))
            case Result() as result:
                for row in result.rows:
                    formula = shown_formula(row.formula, draft.procedure)
                    when = shown_condition(row.condition, draft.procedure)
                    yield "field.row", " ← ".join(part for part in (formula, when) if part) or row.text
            case Gap() as gap:
                names = draft.page.names
                yield "field.about", ", ".join(names.get(key, key) for key in draft.page.keys_about(gap.about))
            case Rule() as rule:
                yield "field.outcome", ", ".join(f"{name} = {value}" for name, value in rule.outcome.items())


def numbers_of(document: Document) -> dict[str, int]:
    """Blocks and cells of a document by address, numbered in the order of the text."""
    blocks = ((block.address, *(cell.address for cell in block.cells)) for block in document.blocks)
    return {address: number for number, address in enumerate(chain.from_iterable(blocks))}


def state_of(item: Item) -> State:
    """What was decided on an item."""
    if item.risk is Risk.DECISION:
        return "lost"
    if item.decision is None or item.decision.kind not in _ADVANCES:
        return "open"
    kind: State = item.decision.kind  # type: ignore[assignment]  # comments and undos are none of these
    return kind if not item.open or kind == "reject" else "open"


def row_id(key: str) -> str:
    """The id that the line of a key has on the page."""
    return "row-" + hashlib.sha256(key.encode()).hexdigest()[:12]
