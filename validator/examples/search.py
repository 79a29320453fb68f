"""Asks the solver for facts with which a run shows a target."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from ir.predicate import Always, Compare, Literally, Not, Null, Otherwise, Ref, Tree, references
from ir.walk import ERROR_KEY
from validator.analysis.enumeration import Assignment
from validator.analysis.path_conditions import FALSE, TRUE, PathCondition
from validator.analysis.tables import MOST_ROWS
from validator.examples.play import Facts
from validator.examples.targets import Target, Targets, flipped, with_leaf
from validator.proofs.choice import Choice, choice
from validator.proofs.formulas import Formula, negation
from validator.proofs.judging import rows_of
from validator.proofs.kinds import Opaque
from validator.proofs.runs import Example, Runs
from validator.runs.example_runs import FAILED
from validator.runs.solve import Problem, UnsolvedError

Missing = Literal["unreachable", "not found"]
"""Why there are no facts: it is proved that there are none, or that was not found out."""


@dataclass(frozen=True, eq=False)
class Search:
    """The search for facts in one workflow."""

    targets: Targets

    @cached_property
    def runs(self) -> Runs:
        """All runs as formulas, with what rows give always told."""
        analysis = self.targets.analysis
        wished = [target.wish for target in self.targets.all if target.wish is not None]
        return Runs(analysis.workflow, analysis.graph, analysis.scope, asked=(*wished, *self._given_by_rows()))

    def _given_by_rows(self) -> Iterator[Tree]:
        for node, table in self.targets.tables.items():
            for name in dict.fromkeys(name for rule in table.rules for name in rule.names):
                ref = Ref(f"$.outputs.{node}.{name}")
                if self.targets.analysis.scope.spec(ref) is not None:
                    yield Null(ref)

    def facts(self, target: Target) -> Facts | Missing:
        """Facts for a run that shows a target, as far as they matter to it."""
        if target.kind == "guard" or target.place == "guard":
            return self._facts_for_guard(target)
        last: Missing = "not found"
        for formulas in self._formulas(target):
            found = self._found(target, formulas)
            if isinstance(found, Facts):
                return found
            last = "unreachable" if found is False else "not found"
        return last

    def _found(self, target: Target, formulas: Sequence[Formula]) -> Facts | bool | None:
        node = target.node or ""
        before = {ref.node for ref in references(target.wish)} if target.wish is not None else set()
        nodes = [node, *sorted(name for name in before if name is not None and name != node)]
        if any(name not in self.runs.graph.position for name in nodes):
            return None
        found = self.runs.find(str(target), nodes, formulas, lambda run: True)  # it is held against the run itself
        if not isinstance(found, Example):
            return found
        facts = self._facts_of(found)
        decided = target.wish if target.kind == "outcome" else None
        if isinstance(decided, Compare) and isinstance(decided.left, Ref) and isinstance(decided.right, Literally):
            return facts.with_values({decided.left: decided.right.value})
        return facts

    def _facts_of(self, found: Example) -> Facts:
        """The facts of a run, those among them that are null or left out."""
        guards = (ref for guard in self.runs.workflow.guards for ref in references(guard.condition))
        read = dict.fromkeys([*guards, *(ref for node in found.path for ref in self.runs.reads(node))])
        there = [ref for ref in read if ref.node is None or ref.node in found.succeeded]
        values = {ref: value for ref in there if not isinstance(value := found.value(ref), dict)}
        failing = {name: FAILED for name, record in found.outputs.items() if ERROR_KEY in record}
        return Facts(values, failing)

    def _formulas(self, target: Target) -> Iterator[Sequence[Formula]]:
        """What has to hold, the most favourable first; the last says no more than the target."""
        names, node, index = self.runs.names, target.node or "", target.index
        own = self.runs.choice(node)
        try:
            match target.kind:
                case "side" | "error":
                    assert index is not None
                    yield [names.taken(index)]
                case "end":
                    yield [names.runs(node)]
                case "open" if own is not None:
                    yield [names.succeeds(node), own.unknown, negation(own.overlap)]
                case "outcome":
                    yield [names.succeeds(node), *self._wished(target)]
                case "row":
                    yield from self._row_holds(target)
                case "value" if target.place == "row":
                    yield from self._row_decides(target)
                case "value" if own is not None:
                    yield [names.succeeds(node), *self._wished(target), self._choice_differs(target, own)]
        except Opaque:
            return

    def _wished(self, target: Target) -> list[Formula]:
        assert target.wish is not None
        read = tuple(dict.fromkeys(references(target.wish)))
        truths = self.runs.encoder.truths(target.wish)
        return [truths.true, *self.runs.encoder.facts(read)]

    def _choice_differs(self, target: Target, own: Choice) -> Formula:
        """That the node would choose otherwise if the comparison came to the opposite."""
        assert target.index is not None and target.leaf is not None
        encoder, edges = self.runs.encoder, self.targets.edges_of(target.node or "")
        other = flipped(self.targets.condition_of(target), target.leaf)
        changed = {**edges, target.index: edges[target.index].model_copy(update={"condition": other})}
        then = choice(encoder, changed, self.runs.workflow.nodes[target.node or ""].split or "exclusive")
        ways: dict[object, list[int]] = {}
        for index, edge in edges.items():
            ways.setdefault((edge.target, edge.evidence), []).append(index)
        parts = [
            _unlike(encoder.any(own.taken[at] for at in same), encoder.any(then.taken[at] for at in same))
            for same in ways.values()
        ]
        return encoder.any(parts)

    def _row_holds(self, target: Target) -> Iterator[Sequence[Formula]]:
        table = self.targets.tables[target.node or ""]
        if len(table.rules) > MOST_ROWS:
            return
        encoder = self.runs.encoder
        rows = rows_of(encoder, table)
        told = [self.runs.names.succeeds(table.node), *encoder.facts(table.reads)]
        alone = [negation(holds) for row, holds in rows.items() if row != target.index and row not in table.always]
        yield [*told, rows[target.index or 0], *alone]
        yield [*told, rows[target.index or 0]]

    def _row_decides(self, target: Target) -> Iterator[Sequence[Formula]]:
        table = self.targets.tables[target.node or ""]
        if len(table.rules) > MOST_ROWS:
            return
        assert target.index is not None and target.leaf is not None
        encoder, row = self.runs.encoder, target.index
        other = flipped(table.trees[row], target.leaf)
        now, then = rows_of(encoder, table), rows_of(encoder, replace(table, trees={**table.trees, row: other}))
        wished = self._wished(target)
        told = [
            self.runs.names.succeeds(table.node),
            *encoder.facts(table.reads),
            *wished,
            _unlike(now[row], then[row]),
        ]
        rest = [index for index in now if index != row and index not in (*table.otherwise, *table.always)]
        yield [*told, *(negation(now[index]) for index in rest)]
        same = [index for index in rest if table.rules[index].outcome == table.rules[row].outcome]
        yield [*told, *(negation(now[index]) for index in same)]

    def _facts_for_guard(self, target: Target) -> Facts | Missing:
        guards = self.targets.analysis.workflow.guards
        index = target.index or 0
        needed = [PathCondition(guard.condition, TRUE) for guard in guards[:index]]
        if target.kind == "guard":
            ways = [[PathCondition(guards[index].condition, FALSE)]]
        else:
            assert target.leaf is not None and target.wish is not None
            wished = PathCondition(target.wish, TRUE)
            held = with_leaf(guards[index].condition, target.leaf, lambda leaf: _TRUE)
            fails = with_leaf(guards[index].condition, target.leaf, lambda leaf: Not(_TRUE))
            ways = [
                [wished, PathCondition(held, one), PathCondition(fails, other)]
                for one, other in ((TRUE, FALSE), (FALSE, TRUE))
            ]
        last: Missing = "unreachable"
        for way in ways:
            found = self._solved((*needed, *way))
            if isinstance(found, Facts):
                return found
            last = "not found" if found is None else last
        return last

    def _solved(self, conditions: tuple[PathCondition, ...]) -> Facts | bool | None:
        scope = self.targets.analysis.scope
        try:
            found = Problem(scope, conditions, nulls=scope.null_sources).solve()
        except UnsolvedError:
            return None
        return False if found is None else Facts(_given(found))


_TRUE = Compare("eq", Literally(True), Literally(True))


def _unlike(one: Formula, other: Formula) -> Formula:
    return negation(one == other)


def _given(found: Assignment) -> dict[Ref, JsonValue]:
    return {ref: found(ref) for ref in found.values if found(ref) != {}}


def deciding(targets: Targets) -> tuple[Ref, ...]:
    """All that conditions, rows, guards and people's decisions read, each once, what a run comes to first in front."""
    workflow = targets.analysis.workflow
    trees: list[Tree] = [guard.condition for guard in workflow.guards]
    read: list[Ref] = []
    for node in targets.analysis.graph.order:
        table = targets.tables.get(node)
        read += table.reads if table is not None else ()
        read += _read(edge.condition for edge in targets.edges_of(node).values())
    wished = (target.wish for target in targets.all if target.kind == "outcome" and target.wish is not None)
    return tuple(dict.fromkeys([*_read(trees), *read, *_read(wished)]))


def _read(trees: Iterable[Tree | Always | Otherwise]) -> list[Ref]:
    return [ref for tree in trees for ref in references(tree)]
