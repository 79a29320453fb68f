"""A question in the form of facts: how a run with them ends, whatever else is so, or what that still hangs on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Literal

from pydantic import JsonValue

from catalog.load import Catalog
from ir.formula import expression_references
from ir.predicate import Compare, Junction, Literally, Not, Null, Ref, Tree, Truth, evaluate, references
from ir.walk import OpenChoice, Run, choose
from ir.workflow import Workflow
from validator.analysis.call_graph import CallGraph
from validator.analysis.types import above
from validator.examples.calm import PlainValues
from validator.examples.play import Facts, play
from validator.examples.targets import Targets
from validator.runs.workflow_analysis import Analysis

MOST_PLAYED = 2_000
"""Of how many runs an answer is made at most; where that is too few, it is open."""
Verdict = Literal["yes", "no", "back", "open"]
"""`yes`: the run completes; `no`: it is refused, cancelled or fails; `back`: it is returned to be completed."""
_VERDICTS: Mapping[str, Verdict] = {
    "completed": "yes", "rejected": "no", "cancelled": "no", "failed": "no", "returned": "back",
}  # fmt: skip


@dataclass(frozen=True)
class Ending:
    """How a run ends.

    Args:
        node: the end; None where a guard refuses.
    """

    status: str
    node: str | None
    reason_code: str | None


@dataclass(frozen=True, eq=False)
class NearestChange:
    """The smallest change of the facts that gives another answer.

    Args:
        values: the facts that are other ones, one or two.
    """

    values: Mapping[Ref, JsonValue]
    verdict: Verdict
    ending: Ending


@dataclass(frozen=True, eq=False)
class Answer:
    """What can be said with the facts that are given.

    Args:
        run: the run with these facts; where something is not given that decides, as far as it goes.
        ending: None where it is open.
        decides_next: what was not given and decides first; None where nothing is missing.
        unless: for each value of it that was tried, how the run can end.
        document_open: nothing is missing, and the workflow does not say how to go on.
        exact: the values that were tried stand for all; where not, an answer may hold for most.
        change: the nearest change of the answer; None where none was found, or it is open.
    """

    verdict: Verdict
    run: Run
    ending: Ending | None = None
    decides_next: Ref | None = None
    unless: tuple[tuple[JsonValue, tuple[Ending, ...]], ...] = ()
    document_open: bool = False
    exact: bool = True
    change: NearestChange | None = None


def ask(
    workflow: Workflow, catalog: Catalog, facts: Facts, other: str = "other", workflows: tuple[Workflow, ...] = ()
) -> Answer:
    """How a run with these facts ends.

    Args:
        facts: those that are known; what is left out may be anything, a null is known not to be there.
        other: a text that stands for any other than those which conditions name.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    targets = Targets(Analysis(workflow, catalog, CallGraph.from_workflows(workflow, workflows)))
    return _Question(PlainValues(targets, other), workflow).answer(facts)


class _TooMany(Exception):  # noqa: N818 - it ends the search
    """More runs would have to be played than is allowed."""


class _Question:
    """One question: what is played for it is counted."""

    def __init__(self, plain: PlainValues, workflow: Workflow) -> None:
        self.plain, self.workflow, self.played = plain, workflow, 0

    def answer(self, facts: Facts, *, change: bool = True) -> Answer:
        """The answer, with the nearest change of it where that is wanted."""
        run = self._play(facts)
        missing = self._missing(run, facts)
        if missing is None:
            ending = _ending(run)
            if ending is None:
                return Answer("open", run, document_open=True)
            verdict = _VERDICTS[ending.status]
            return Answer(verdict, run, ending, change=self._nearest(facts, ending) if change else None)
        ends: list[tuple[JsonValue, tuple[Ending, ...]]] = []
        exact = missing not in self.plain.estimated
        try:
            for value in self._values(missing):
                ends.append((value, tuple(self._endings(facts.with_values({missing: value})))))
        except _TooMany:
            return Answer("open", run, decides_next=missing, unless=tuple(ends), exact=False)
        every = {end for _, own in ends for end in own}
        whole = play(self.workflow, self._filled(facts))
        if len(every) == 1 and exact and (only := next(iter(every))).status != "undecided":
            return Answer(_VERDICTS[only.status], whole, only, change=self._nearest(facts, only) if change else None)
        return Answer("open", run, decides_next=missing, unless=tuple(ends), exact=exact)

    def _filled(self, facts: Facts) -> Facts:
        """The facts with plain values of what decides and is missing."""
        while (missing := self._missing(play(self.workflow, facts), facts)) is not None:
            facts = facts.with_values({missing: self.plain.plain(missing)})
        return facts

    def _play(self, facts: Facts) -> Run:
        self.played += 1
        if self.played > MOST_PLAYED:
            raise _TooMany
        return play(self.workflow, facts)

    def _missing(self, run: Run, facts: Facts) -> Ref | None:
        """What is not given and decides first: for want of it a guard, a row or a choice is open, or would be."""

        def truth(tree: Tree) -> Truth:
            return evaluate(self._untested(tree, facts), run.lookup)

        for guard in self.workflow.guards:
            held = truth(guard.condition)
            if held is False:
                return None
            if held is None and (found := self._first(references(guard.condition), facts)) is not None:
                return found
        for node in run.path:
            found = None if node in facts.failing else self._missing_at(node, truth, facts)
            if found is not None:
                return found
        return None

    def _missing_at(self, node: str, truth: Callable[[Tree], Truth], facts: Facts) -> Ref | None:
        table = self.plain.targets.tables.get(node)
        if table is not None:
            open_ = [ref for tree in table.trees.values() if truth(tree) is None for ref in references(tree)]
            formed = [ref for tree in table.formulas.values() for ref in expression_references(tree)]
            if (found := self._first([*open_, *formed], facts)) is not None:
                return found
        edges = self.plain.targets.edges_of(node)
        taken = choose(edges, self.workflow.nodes[node].split or "exclusive", truth) if edges else frozenset[int]()
        if not isinstance(taken, OpenChoice) or taken.why != "unknown":
            return None
        return self._first((ref for index in taken.edges for ref in references(edges[index].condition)), facts)

    def _untested(self, tree: Tree, facts: Facts) -> Tree:
        """A condition in which it is unknown whether there is something that was not given."""
        match tree:
            case Null(ref) if self._not_given(ref, facts):
                return Compare("eq", ref, Literally(None))
            case Not(item):
                return Not(self._untested(item, facts))
            case Junction(op, items):
                return Junction(op, tuple(self._untested(item, facts) for item in items))
        return tree

    def _first(self, refs: Iterable[Ref], facts: Facts) -> Ref | None:
        return next((ref for ref in refs if self._not_given(ref, facts)), None)

    def _not_given(self, ref: Ref, facts: Facts) -> bool:
        if ref in facts.values or ref.node in facts.failing or ref not in self._asked:
            return False
        given = self.workflow.inputs.get(ref.path[0]) if ref.root == "inputs" else None
        null_above = any(facts.values.get(whole, ...) is None for whole in above(ref))
        return not null_above and (given is None or given.default is None)

    @cached_property
    def _asked(self) -> frozenset[Ref]:
        return frozenset(self.plain.refs)

    def _values(self, ref: Ref) -> tuple[JsonValue, ...]:
        return (*self.plain.values(ref), *((None,) if self.plain.may_be_null(ref) else ()))

    def _endings(self, facts: Facts) -> Iterator[Ending]:
        """How runs with these facts can end; of several values of what is missing all are tried."""
        run = self._play(facts)
        missing = self._missing(run, facts)
        if missing is None:
            yield _ending(run) or Ending("undecided", run.result.node, None)
            return
        found: dict[Ending, None] = {}
        if missing in self.plain.estimated:
            found[Ending("undecided", missing.node, None)] = None
        for value in self._values(missing):
            found |= dict.fromkeys(self._endings(facts.with_values({missing: value})))
        yield from found

    def _nearest(self, facts: Facts, ending: Ending) -> NearestChange | None:
        """The smallest change of one fact, else of two, with which the answer is certain and another."""
        moves = {ref: [*self._moves(ref, value)] for ref, value in facts.values.items() if ref in self.plain.refs}
        single = [{ref: value} for ref, own in moves.items() for value in own]
        single.sort(key=lambda change: max(_distance(facts.values[ref], value) for ref, value in change.items()))
        double = (
            dict(zip(pair, values, strict=True))
            for pair in combinations(moves, 2)
            for values in product(*(moves[ref] for ref in pair))
        )
        try:
            for change in (*single, *double):
                other = self.answer(facts.with_values(change), change=False)
                if other.ending is not None and other.ending != ending:
                    return NearestChange(change, other.verdict, other.ending)
        except _TooMany:
            return None
        return None

    def _moves(self, ref: Ref, now: JsonValue) -> Iterator[JsonValue]:
        beside = self.plain.beside_borders(ref)
        yield from (value for value in dict.fromkeys((*self.plain.values(ref), *beside)) if value != now)


def _ending(run: Run) -> Ending | None:
    """How a run ended; None where it is undecided."""
    result = run.result
    return None if run.undecided is not None else Ending(result.status, result.node, result.reason_code)


def _distance(one: JsonValue, other: JsonValue) -> float:
    """How far two values are apart: numbers by their share, others are all as far."""
    numbers = [value for value in (one, other) if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < 2:
        return 1.0
    return abs(numbers[0] - numbers[1]) / max(abs(numbers[0]), abs(numbers[1]), 1)
