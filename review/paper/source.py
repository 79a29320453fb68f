"""What a report is made from, and what its sections look up in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue

from compiler.decisions.decided import DecisionFate
from compiler.fates.verdict import unmapped_nodes
from compiler.report.cases.clauses import Clauses
from compiler.report.plain_words import PlainReader, plain_reader
from compiler.report.review.parts import Page, Review
from ir.decisions.decision import Decision
from ir.fields import FieldSpec
from ir.kept_case import KeptCases
from ir.predicate import Always, Otherwise
from ir.scenario import Scenario
from ir.source import Evidence
from ir.verdict import StatementFate
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Edge, Node, Workflow
from review.draft import ReviewDraft
from review.paper.parts import Row, Table, Text
from validator.analysis.graph import graph_of

_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
MOST_CLAUSES = 2
"""The most clauses that are named for one row."""


@dataclass(frozen=True)
class PaperSource:
    """What a report is made from.

    Args:
        review: the workflow, and what is known of it.
        decisions: those in force about it.
        fates: what became of them.
        scenarios: its test cases; None where there is no file of them.
        kept: cases that people judged; None where there is no file of them.
        earlier: the version before; None where none was named.
    """

    review: Review
    decisions: tuple[Decision, ...] = ()
    fates: tuple[DecisionFate, ...] = ()
    scenarios: tuple[Scenario, ...] | None = None
    earlier: Workflow | None = None
    kept: KeptCases | None = None

    @cached_property
    def page(self) -> Page:
        """The review page's view of it."""
        return Page(self.review)

    @property
    def workflow(self) -> Workflow:
        """The workflow that is reported on."""
        return self.review.workflow

    @cached_property
    def reader(self) -> PlainReader:
        """Reads it in plain words."""
        return plain_reader(self.page.reader, self.workflow)

    def words(self, key: str, *values: object) -> str:
        """The words under a key, with values put in."""
        return self.reader.words(key, *values)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes in the order in which they can run."""
        return graph_of(self.workflow).order

    @cached_property
    def own_steps(self) -> tuple[str, ...]:
        """The nodes that stand for what the document prescribes, but for ends."""
        return tuple(name for name in self.order if not self.is_end(name) and not put_in(self.workflow.nodes[name]))

    @cached_property
    def unmapped(self) -> frozenset[str]:
        """Nodes of steps that no Type fits."""
        return unmapped_nodes(self.workflow)

    def is_end(self, name: str) -> bool:
        """Whether a node ends the run."""
        return self.workflow.nodes[name].type == CONTROL_END

    def who(self, node: Node) -> str | None:
        """Who acts, or answers for it."""
        return self.joined(node.approvers or ()) or node.assignee or node.actor

    def joined(self, words: Iterable[str]) -> str:
        """Several words, each once."""
        return self.words("list_comma").join(dict.fromkeys(words))

    def clause(self, evidence: Iterable[Evidence]) -> str:
        """The clauses that quotes stand in; empty where nothing is quoted, or the quotes were sought and not found."""
        found = [one.name for one in self._clauses.of(one for one in evidence if one.status is None or one.supports)]
        return self.joined(found[:MOST_CLAUSES])

    def clause_of(self, said: StatementFate) -> str:
        """The clause that a statement stands in."""
        quote = Evidence(doc_id=self._main or "", quote=said.text, block=said.block, start=said.start, end=said.end)
        return self._clauses.name(quote)

    @cached_property
    def _main(self) -> str | None:
        procedure = self.review.procedure
        if procedure is not None:
            return procedure.doc_id
        cited = [one.doc_id for node in self.workflow.nodes.values() for one in node.evidence]
        return max(cited, key=cited.count) if cited else None

    @cached_property
    def _clauses(self) -> Clauses:
        return Clauses(self.reader.words, self.review.documents, self._main)

    def when_taken(self, edge: Edge) -> str | None:
        """When an edge is taken, with the step that it leaves where the words need it.

        None where it is taken always, or unless something fails.
        """
        name = self.reader.node_name(edge.source)
        if edge.on == "error":
            return self.words("paper.fails_of", name)
        if isinstance(edge.condition, Always):
            return None
        if isinstance(edge.condition, Otherwise):
            beside = [one for one in self.workflow.edges_from(edge.source) if one is not edge and not put_in(one)]
            return self.words("paper.else_after", name) if beside else None
        before = self.workflow.nodes.get(edge.source)
        asked = before is not None and before.type == HUMAN_APPROVAL
        return self.reader.told_condition(edge.condition, edge.target if asked else None)

    def leads_to(self, name: str) -> str:
        """What a run goes on with, or how it ends."""
        key = "paper.ends_as" if name in self.workflow.nodes and self.is_end(name) else "paper.goes_to"
        return self.words(key, self.end_name(name) if key == "paper.ends_as" else self.reader.node_name(name))

    def end_name(self, name: str) -> str:
        """How a run ends: the end's label, with its status where that says more."""
        node, label = self.workflow.nodes[name], self.reader.node_name(name)
        status = self.words(f"end.{node.status or 'completed'}")
        return label if status in label else self.words("paper.says", label, status)

    def basis(self, thing: Node | Edge) -> str:
        """The clauses that a node or edge rests on, or that a rule put it in."""
        return self.words("paper.put_in") if put_in(thing) else self.clause(thing.evidence)

    def given(self, name: str, spec: FieldSpec | None, value: JsonValue) -> str | None:
        """A field with its value in words; None for what only programs read: codes and records."""
        if isinstance(value, dict) or (isinstance(value, str) and _CODE.fullmatch(value)):
            return None
        return self.words("paper.gives", self.reader.field_name(name, spec), self.reader.value(value, spec))

    def table(self, head: Iterable[str], widths: tuple[float, ...], rows: Iterable[Row], none: str) -> Table | Text:
        """A table; a sentence where it has no rows.

        Args:
            head: keys of the words over the columns.
            none: key of the sentence.
        """
        listed = tuple(rows)
        heads = tuple(self.words(f"paper.{name}") for name in head)
        return Table(listed, heads, widths) if listed else Text(self.words(f"paper.{none}"))


def put_in(thing: Node | Edge) -> bool:
    """Whether a rule put it in, and not the document or a person."""
    return thing.origin.startswith("primer:") or thing.origin == "repair"


def source_of(
    draft: ReviewDraft,
    scenarios: tuple[Scenario, ...] | None = None,
    earlier: Workflow | None = None,
    kept: KeptCases | None = None,
) -> PaperSource:
    """What is known of a draft with all that was decided about it until now."""
    own = tuple(one for one in draft.in_force.values() if one.procedure in (draft.procedure.id, None))
    review = replace(draft.page.review, documents=draft.documents)
    return PaperSource(review, own, draft.fates, scenarios, earlier, kept)
