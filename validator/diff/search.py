"""The search for whole runs in which two versions of a workflow choose differently at one place."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from ir.walk import Walk
from validator.analysis.enumeration import Assignment
from validator.analysis.graph import exits
from validator.diff.changes import Example, TakenWay
from validator.diff.choice import BothScopes, ChoiceDifference
from validator.diff.places import Side
from validator.diff.units import Units
from validator.runs.example_runs import Run, path_problem, run_of
from validator.runs.routes import GraphPath, Routes
from validator.runs.solve import UnsolvedError
from validator.runs.workflow_analysis import Analysis

WAYS = 25
"""The most ways on which a run is looked for."""
TRIED = 250
"""The most ways among which those through the place are looked for."""
BEST, SAME_STEPS = 6, 1
"""Grades of a run: it shows the difference in both versions to the end; it takes other edges, but the same steps."""


@dataclass(frozen=True, eq=False)
class Versions:
    """Two versions of a workflow, both with the ids and units of the new one.

    Args:
        renamed: the old ids of nodes by their new ones.
        written: the old one with its own units.
        units: the numbers that count in other units now.
    """

    old: Analysis
    new: Analysis
    renamed: Mapping[str, str]
    written: Analysis
    units: Units

    @property
    def both(self) -> tuple[Analysis, Analysis]:
        """The old and the new one."""
        return self.old, self.new


@dataclass(frozen=True)
class GradedRun:
    """A run, and how well it shows the difference; 0 where it does not."""

    grade: int
    values: Assignment
    run: Run


@dataclass(frozen=True)
class RunSearch:
    """The search for one whole run in which two versions of a place choose differently."""

    versions: Versions
    at: str | None
    on: Side
    difference: ChoiceDifference

    def example(self, values: Assignment) -> Example | None:
        """A run that comes to the place and takes another way from there.

        Args:
            values: some for which the versions choose differently; the example where no run is found.

        Returns:
            None where it is certain that no run comes there with such values.
        """
        best, certain = self._best(self._paths())
        if self.at is None:
            run = run_of(self.versions.both, values, frozenset())
            best, certain = GradedRun(self._grade(run), values, run), False
        if best is not None and best.grade == SAME_STEPS:
            best, _ = self._best(self._paths_to_ends(), best)
        if best is None or not best.grade:
            return None if certain else self._shown(values, None)
        return self._shown(best.values, best.run)

    def _best(
        self, paths: Iterable[tuple[Analysis | None, GraphPath]], best: GradedRun | None = None
    ) -> tuple[GradedRun | None, bool]:
        """The run along one of the ways that shows the difference best, and whether it is certain that none does."""
        certain = True
        for base, way in paths:
            if base is None:
                certain = False
                continue
            try:
                found = self._run(base, way)
            except UnsolvedError:
                certain = False
                continue
            if found is None:
                continue
            certain = False
            graded = GradedRun(self._grade(found[1]), *found)
            if graded.grade > (best.grade if best else 0):
                best = graded
            if graded.grade == BEST:
                break
        return best, certain

    def _paths(self) -> Iterator[tuple[Analysis | None, GraphPath]]:
        """The ways to the place in both versions; without a version where there are more of them."""
        for base in (self.versions.new, self.versions.old) if self.at is not None else ():
            routes = iter(Routes(base, frozenset((str(self.at),))))
            yield from ((base, way) for way in islice(routes, WAYS))
            if (more := next(routes, None)) is not None:
                yield None, more

    def _paths_to_ends(self) -> Iterator[tuple[Analysis, GraphPath]]:
        """Ways in both versions that come to the place and go on to an end."""
        for base in (self.versions.new, self.versions.old):
            routes = islice(Routes(base, frozenset(exits(base.workflow))), TRIED)
            through = (way for way in routes if self.at is None or self._leaves(way))
            yield from ((base, way) for way in islice(through, WAYS))

    def _leaves(self, path: GraphPath) -> bool:
        """Whether a way goes on from the place, after that outcome of its node."""
        return any(link.source == self.at and link.on_success == (self.on == "success") for link in path.links)

    def _run(self, base: Analysis, path: GraphPath) -> tuple[Assignment, Run] | None:
        """A run along a way with values that tell the versions apart; UnsolvedError where that is not known."""
        failing = (self.at,) if self.on == "error" and self.at else ()
        scope = BothScopes(base.workflow, base.catalog, base.scope.call_graph, other=self._other(base).scope)
        wanted = path_problem(base, path, self.difference, scope, failing)
        values = wanted.problem.solve()
        return None if values is None else (values, run_of(self.versions.both, values, wanted.failing))

    def _other(self, base: Analysis) -> Analysis:
        return self.versions.old if base is self.versions.new else self.versions.new

    def _grade(self, run: Run) -> int:
        """How well a run shows the difference; 0 where it does not."""
        walks = [walk for one in self.versions.both if (walk := run.walk(one.workflow))]
        if len(walks) < 2:
            return 0
        here = self.at is None or all(self.at in one.path for one in walks)
        whole = sum(one.undecided is None for one in walks)
        if _differ(walks[0], walks[1]):
            return 2 + 2 * here + whole
        return SAME_STEPS if here and whole == 2 else 0

    def _shown(self, values: Assignment, run: Run | None) -> Example:
        walks = [run.walk(one.workflow) if run else None for one in self.versions.both]
        old, new = self.difference.takes(values)
        return Example(
            values={ref.text: values(ref) for ref in self.difference.refs},
            old_takes=tuple(self.versions.renamed.get(name, name) for name in old),
            new_takes=new,
            run=run,
            old=_taken(walks[0], self.versions.renamed) if walks[0] else None,
            new=_taken(walks[1], {}) if walks[1] else None,
            same_steps=run is not None and self._grade(run) == SAME_STEPS,
        )


def _differ(old: Walk, new: Walk) -> bool:
    """Whether two walks take other ways or end otherwise."""
    return (old.path, old.result.status, old.result.reason_code) != (
        new.path, new.result.status, new.result.reason_code,
    )  # fmt: skip


def _taken(walk: Walk, ids: Mapping[str, str]) -> TakenWay:
    stop = walk.undecided
    return TakenWay(
        path=tuple(ids.get(name, name) for name in walk.path),
        status=walk.result.status,
        reason_code=walk.result.reason_code,
        stopped_at=ids.get(stop.node, stop.node) if stop and stop.node else None,
        why=stop.why if stop else None,
    )
