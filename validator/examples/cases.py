"""Cases of a workflow: a small set of runs that shows all that can be shown of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catalog.load import Catalog
from ir.predicate import Ref
from ir.walk import Run
from ir.workflow import Workflow
from validator.analysis.call_graph import CallGraph
from validator.examples.calm import MOST_TRIED, Calm, PlainValues
from validator.examples.play import Facts, play
from validator.examples.search import Missing, Search
from validator.examples.targets import KINDS, Target, Targets
from validator.runs.workflow_analysis import Analysis

MOST_ASKED = 1_000
"""How often the solver is asked, if nothing else is said."""
NEAR, FAR = 5, 40
"""Of how many runs that come to a place others are tried that differ in one value, before and after the solver."""


@dataclass(frozen=True)
class Limits:
    """How much is done for the cases of one workflow; none of it hangs on the speed of the machine.

    Args:
        questions: the most targets that the solver is asked about.
        other: a text that stands for any other than those which conditions name.
    """

    questions: int = MOST_ASKED
    other: str = "other"


@dataclass(frozen=True, eq=False)
class Case:
    """One run that shows something.

    Args:
        point: what it is for.
        shows: all that it shows, its point among it.
        deciding: the facts that decide it: with another value the run would take another way, or end otherwise.
    """

    point: Target
    facts: Facts
    run: Run
    shows: tuple[Target, ...]
    deciding: tuple[Ref, ...]


@dataclass(frozen=True, eq=False)
class CaseSet:
    """The cases of a workflow, and what none of them shows.

    Args:
        ordinary: the facts of a run that completes, from which cases differ as little as they can.
        unreachable: what is proved to be shown by no run.
        not_found: what no run was found for within the limits; some run may show it.
    """

    targets: Targets
    ordinary: Facts
    cases: tuple[Case, ...]
    unreachable: tuple[Target, ...]
    not_found: tuple[Target, ...]

    @property
    def covered(self) -> float:
        """The share of what is not proved unreachable that some case shows; 1 where there is nothing."""
        count = len(self.targets.all) - len(self.unreachable)
        return 1 - len(self.not_found) / count if count else 1.0


def cases(
    workflow: Workflow, catalog: Catalog, limits: Limits | None = None, workflows: tuple[Workflow, ...] = ()
) -> CaseSet:
    """Cases that show each side of each choice, each border, each row, each decision of people and each exception.

    Args:
        workflows: others that it may call.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    limits = limits or Limits()
    targets = Targets(Analysis(workflow, catalog, CallGraph.from_workflows(workflow, workflows)))
    search = Search(targets)
    calm = Calm(PlainValues(targets, limits.other), search)
    found, missing = _found(targets, search, calm, limits)
    chosen = tuple(_cover(found))
    return CaseSet(
        targets,
        calm.ordinary,
        tuple(_case(targets, calm.plain, point, one) for point, one in chosen),
        tuple(one for one, why in missing.items() if why == "unreachable"),
        tuple(one for one, why in missing.items() if why == "not found"),
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """Facts that were found, and what their run shows."""

    target: Target
    facts: Facts
    run: Run
    shows: tuple[Target, ...]


def _found(targets: Targets, search: Search, calm: Calm, limits: Limits) -> tuple[list[_Found], dict[Target, Missing]]:
    """Runs that together show all for which one is found; and why there is none for the others."""
    found: list[_Found] = []
    missing: dict[Target, Missing] = {}
    shown: set[Target] = set()
    asked = 0

    def keep(target: Target, facts: Facts) -> None:
        run = play(targets.analysis.workflow, facts)
        found.append(_Found(target, facts, run, tuple(targets.shown_by(run))))
        shown.update(found[-1].shows)

    def starts(target: Target) -> list[Facts]:
        return [one.facts for one in found if targets.comes_to(one.run, target)]

    for target in targets.all:
        if target in shown:
            continue
        near = calm.near(target, starts(target)[:NEAR]) if target.kind == "value" else None
        if near is not None:
            keep(target, near)
            continue
        asked += 1
        facts = search.facts(target) if asked <= limits.questions else "not found"
        whole = calm.whole(facts, target) if isinstance(facts, Facts) else None
        if whole is not None:
            keep(target, whole)
        else:
            missing[target] = facts if isinstance(facts, str) else "not found"
    for target in [one for one, why in missing.items() if why == "not found"]:
        near = None if target in shown else calm.near(target, starts(target)[:FAR])
        if near is not None:
            keep(target, near)
    return found, {target: why for target, why in missing.items() if target not in shown}


def _cover(found: Sequence[_Found]) -> Iterator[tuple[Target, _Found]]:
    """Few of the runs that show all that any shows, each with its point: of what it adds, what it was looked for."""
    left = {target for one in found for target in one.shows}
    chosen: list[tuple[Target, _Found]] = []
    while left:
        best = max(found, key=lambda one: len(left.intersection(one.shows)))
        own = [target for target in best.shows if target in left]
        chosen.append((best.target if best.target in own else own[-1], best))
        left -= set(best.shows)
    yield from sorted(chosen, key=lambda pair: _order(pair[0], pair[1].run))


def _order(point: Target, run: Run) -> tuple[int, int, int]:
    at = run.order.index(point.node) if point.node in run.order else -1
    return at, KINDS.index(point.kind), point.index or 0


def _case(targets: Targets, plain: PlainValues, point: Target, found: _Found) -> Case:
    return Case(point, found.facts, found.run, found.shows, tuple(_deciding(targets, plain, point, found)))


def _deciding(targets: Targets, plain: PlainValues, point: Target, found: _Found) -> Iterator[Ref]:
    workflow = targets.analysis.workflow
    own = set(targets.own_refs(point))
    for ref in plain.refs:
        if ref not in found.facts.values or (ref.node is not None and found.run.nodes[ref.node] == "skipped"):
            continue
        now = found.facts.values[ref]
        others = [value for value in plain.values(ref) if value != now][:MOST_TRIED]
        formed = ref in plain.estimated
        if (
            ref in own
            or any(targets.steers(found.run, ref, one) for one in others)
            or (
                formed
                and any(_differs(found.run, play(workflow, found.facts.with_values({ref: one}))) for one in others)
            )
        ):
            yield ref


def _differs(one: Run, other: Run) -> bool:
    """Whether two runs take other ways, or end otherwise; not where a guard lets the other not begin."""
    if one.taken and not other.taken:
        return False
    ends = [(run.path, run.edges, run.result.status, run.result.node, run.undecided) for run in (one, other)]
    return ends[0] != ends[1]
