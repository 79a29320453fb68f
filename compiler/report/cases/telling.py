"""Tells a case: what decides, what happens, and the clauses that say so, in the language of the workflow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.report.cases.clauses import Clause, Clauses
from compiler.report.plain_words import PlainReader
from ir.document import Document
from ir.predicate import Compare, Literally, Ref, Tree, Truth, evaluate, leaves, references
from ir.source import Evidence
from ir.walk import Run
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_TASK, Edge, Workflow
from validator.analysis.tables import Table
from validator.examples.cases import Case, CaseSet
from validator.examples.play import Facts
from validator.examples.targets import Target, Targets

MOST_STEPS, MOST_CLAUSES = 2, 3
"""The most steps of weight, and the most clauses, that are told of a case."""
LONGEST = {"zh": 24, "en": 60}
"""How many characters of a step's label are told."""


@dataclass(frozen=True)
class ToldCase:
    """A case in words.

    Args:
        clauses: the places that decide it, the most telling first; none where the document does not say it.
    """

    text: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, eq=False)
class Teller:
    """Tells the cases of one workflow.

    Args:
        reader: of the workflow.
        clauses: names the places of its documents.
        ordinary: facts that are not told where a case has the same.
    """

    reader: PlainReader
    targets: Targets
    clauses: Clauses
    ordinary: Facts

    @classmethod
    def of(cls, cases: CaseSet, catalog: Catalog, documents: Sequence[Document] = ()) -> "Teller":
        """For the cases of a workflow and the documents that it quotes."""
        targets, workflow = cases.targets, cases.targets.analysis.workflow
        reader = PlainReader(workflow, catalog)
        cited = [one.doc_id for node in workflow.nodes.values() for one in node.evidence]
        main = max(cited, key=cited.count) if cited else None
        return cls(reader, targets, Clauses(reader.words, documents, main), cases.ordinary)

    @property
    def _workflow(self) -> Workflow:
        return self.reader.workflow

    def told(self, case: Case) -> ToldCase:
        """A case in one or two lines."""
        words = self.reader.words
        facts = words("case.comma").join(self.facts(case)) or words("case.ordinary")
        happens = [*self._decided(case), *self._weighty(case), self.ending(case.run)]
        clauses = self.clauses.of(self.evidence(case))[:MOST_CLAUSES]
        names = words("list_comma").join(clause.name for clause in clauses)
        under = words("case.under", names) if clauses else words("case.unwritten")
        rest = words("case.semicolon").join([*dict.fromkeys(happens), under])
        text = facts + words("case.colon") + rest + words("case.stop")
        return ToldCase(text[:1].upper() + text[1:], clauses)

    def facts(self, case: Case) -> Iterator[str]:
        """What decides and is not as usual, or is what the case is for; what people decided stands last."""
        told = self._told(case)
        people = [ref for ref in told if self._person(ref) is not None]
        for ref in told:
            if ref not in people:
                yield self.fact(ref, case.facts.values[ref], case.point)
        for node in case.facts.failing:
            yield self.reader.words("case.fails", self.node(node))
        for ref in people:
            yield self.fact(ref, case.facts.values[ref], case.point)

    def _told(self, case: Case) -> list[Ref]:
        own, usual = set(self.targets.own_refs(case.point)), self.ordinary.values
        return [ref for ref in case.deciding if ref in own or case.facts.values[ref] != usual.get(ref)]

    def usual(self, cases: CaseSet) -> str:
        """What is as usual where a case does not say otherwise; empty where nothing is."""
        read = dict.fromkeys(ref for case in cases.cases for ref in case.deciding if ref in self.ordinary.values)
        words = self.reader.words
        named = {ref: value for ref in read if (value := self.ordinary.values[ref]) != words("case.other")}
        said = words("case.comma").join(self.fact(ref, value) for ref, value in named.items())
        return words("case.usual", said) if said else ""

    def _person(self, ref: Ref) -> str | None:
        """The node where a person decides this; None where none does."""
        node = self._workflow.nodes.get(ref.node or "")
        decides = {HUMAN_APPROVAL: "approved", HUMAN_TASK: "outcome"}
        return ref.node if node is not None and decides.get(node.type) == ref.path[-1] else None

    def fact(self, ref: Ref, value: JsonValue, point: Target | None = None) -> str:
        """One fact in words."""
        words, reader = self.reader.words, self.reader
        node = self._person(ref)
        if node is not None and isinstance(value, bool):
            who = self._who(node)
            return words("case.approves" if value else "case.refuses", who, self.node(node))
        if node is not None and isinstance(value, str):
            return words("case.outcome", self.node(node), _plain(value))
        name = self._name(ref)
        if value is None:
            return words("case.null", name)
        if isinstance(value, bool) and name == reader.ref_name(ref):
            return reader.condition(Compare("eq", ref, Literally(value)))
        return words("case.is", name, self._value(ref, value, point))

    def node(self, name: str) -> str:
        """The label of a node, cut; of an end without one how it ends."""
        node = self._workflow.nodes.get(name)
        if node is not None and node.type == CONTROL_END and node.label in (None, name):
            return self.reader.words(f"end.{node.status or 'completed'}")
        text, longest = self.reader.node_name(name), LONGEST[self.reader.words.language]
        return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"

    def _name(self, ref: Ref) -> str:
        """A field; with its node where another bears the same name, an input with the clause that asks for it."""
        short = self.reader.ref_name(ref)
        others = {one for target in self.targets.all if target.wish for one in references(target.wish) if one != ref}
        if short not in map(self.reader.ref_name, others):
            return short
        if ref.root != "inputs" or len(ref.path) > 1:
            return self.reader.ref_full(ref)
        places = {name: self._place(name) for name in self._workflow.inputs}
        place = places[ref.path[0]]
        own = place is not None and list(places.values()).count(place) == 1
        return self.reader.words("case.place", short, place if own else ref.path[0].replace("_", " "))

    def _place(self, name: str) -> str | None:
        """The clause that asks for an input first, where one does."""
        said = self._workflow.inputs[name].evidence
        return self.clauses.name(said[0]) if said else None

    def _value(self, ref: Ref, value: JsonValue, point: Target | None) -> str:
        """A value in words; where it is at or beside a limit that the case is for, that is said."""
        reader, spec = self.reader, self.targets.analysis.scope.spec(ref)
        text = reader.value(value, spec)
        if point is None or point.kind != "value" or point.wish is None or point.leaf is None:
            return text
        leaf = [*leaves(self.targets.condition_of(point))][point.leaf]
        if not isinstance(leaf, Compare) or leaf.op not in ("lt", "lte", "gt", "gte") or ref not in references(leaf):
            return text
        border = next((side.value for side in (leaf.left, leaf.right) if isinstance(side, Literally)), None)
        if border is None or isinstance(border, bool):
            return text
        if value == border:
            return reader.words("case.at", text)
        try:
            key = "case.below" if value < border else "case.above"  # type: ignore[operator]
        except TypeError:
            return text
        return reader.words(key, text, reader.value(border, spec))

    def _who(self, node: str) -> str:
        one = self._workflow.nodes[node]
        people = one.approvers or tuple(filter(None, (one.assignee or one.actor,)))
        return self.reader.words("list_comma").join(people) or self.reader.words("case.somebody")

    def _decided(self, case: Case) -> Iterator[str]:
        """What rows give, and where the choice leads that the case is for."""
        words, point, run = self.reader.words, case.point, case.run
        table = self.targets.tables.get(point.node or "")
        if table is not None and (point.kind == "row" or point.place == "row"):
            given = words("list_comma").join(self._given(table, run))
            if given:
                yield words("case.row", self.node(table.node), given)
        elif point.kind in ("side", "value", "error") and point.place != "guard" and point.node is not None:
            taken = [edge.target for edge, state in self._edges(run) if edge.source == point.node and state == "taken"]
            named = words("list_comma").join(words("case.named", self.node(name)) for name in taken)
            if named:
                yield words("case.next", self.node(point.node), named)

    def _edges(self, run: Run) -> Iterator[tuple[Edge, str]]:
        yield from zip(run.workflow.edges, run.edges, strict=True)

    def _given(self, table: Table, run: Run) -> Iterator[str]:
        """What rows that hold give, but for codes."""
        rows = table.rows_holding(lambda tree: _truth(run, tree))
        for name in dict.fromkeys(name for row in rows for name in table.rules[row].names):
            ref = Ref(f"$.outputs.{table.node}.{name}")
            value, spec = run.lookup(ref), self.targets.analysis.scope.spec(ref)
            listed = spec is not None and (spec.enum is not None or spec.type in ("boolean", "number", "integer"))
            plain = value is not None and not isinstance(value, dict | list)
            if plain and (listed or not name.endswith(("code", "id"))):
                yield self.fact(ref, value)

    def _weighty(self, case: Case) -> Iterator[str]:
        """The approvals, notices and deadlines at the point of the case and after it, as far as they fit."""
        run, at = case.run, case.point.node
        after = run.path[run.path.index(at) :] if at in run.path else run.path
        told = {ref.node for ref in self._told(case)}
        yield from [one for name in after for one in self._of_weight(name, told)][:MOST_STEPS]

    def _of_weight(self, name: str, told: set[str | None]) -> Iterator[str]:
        words, reader, node = self.reader.words, self.reader, self._workflow.nodes[name]
        if node.type == HUMAN_APPROVAL and name not in told:
            yield words("case.approved", self._who(name))
        if node.type.startswith("notify."):
            yield words("case.notice", self.node(name))
        if node.deadline is not None:
            yield words("case.deadline", self.node(name), reader.deadline(node.deadline))

    def ending(self, run: Run) -> str:
        """How a run ends, in words."""
        words, reader, result = self.reader.words, self.reader, run.result
        open_ = run.undecided
        if open_ is not None:
            unknown = words("list_comma").join(self._name(Ref(text)) for text in open_.unknown)
            if open_.node is None:
                return words("case.open_start", unknown)
            key = "case.open" if unknown else "case.several"
            name = self.node(open_.node)
            return words(key, unknown, name) if unknown else words(key, name)
        if not run.taken and run.stopped:
            guard = next(one for one in run.workflow.guards if one.error_code == result.reason_code)
            return words("case.refused", guard.message or words("case.unmet", reader.condition(guard.condition)))
        if result.node is None or run.nodes[result.node] == "failed":
            return words("case.failed", self.node(result.node or ""))
        status, name = words(f"end.{result.status}"), self.node(result.node)
        return words("case.end", name if status in name else words("case.end_status", name, status))

    def way_evidence(self, run: Run) -> Iterator[Evidence]:
        """The words that decide a run: of guards that refuse it, rows that hold, ways that are chosen, and its end."""
        yield from run.result.evidence if not run.taken else ()
        for name in run.path:
            table = self.targets.tables.get(name)
            for row in table.rows_holding(lambda tree: _truth(run, tree)) if table is not None else ():
                yield from table.rules[row].quotes if table is not None else ()
            chosen = len(self._workflow.edges_from(name)) > 1
            for edge, state in self._edges(run) if chosen else ():
                yield from edge.evidence if edge.source == name and state == "taken" else ()
        yield from run.result.evidence

    def evidence(self, case: Case) -> Iterator[Evidence]:
        """The words that decide a case: of its point, then of the way to its end."""
        run, point = case.run, case.point
        for row_of in self.targets.tables.values():
            if row_of.node == point.node and (point.kind == "row" or point.place == "row"):
                for row in row_of.rows_holding(lambda tree: _truth(run, tree)):
                    yield from row_of.rules[row].quotes
        taken = [edge for edge, state in self._edges(run) if state == "taken"]
        for edge in taken:
            if edge.source == point.node or (point.kind == "end" and edge.target == point.node):
                yield from edge.evidence
        yield from run.result.evidence
        if point.node is not None:
            yield from self._workflow.nodes[point.node].evidence


def _truth(run: Run, tree: Tree) -> Truth:
    return evaluate(tree, run.lookup)


def _plain(value: str) -> str:
    return value.replace("_", " ")
