"""Can the deadlines of nodes hold?"""

from collections.abc import Iterable, Iterator, Mapping

from ir.diagnostics import Diagnostic, Related
from ir.predicate import Literally
from ir.procedure import Deadline
from ir.workflow import Workflow
from validator.analysis.graph import Link
from validator.analysis.locations import arrows, at_node
from validator.analysis.time_spans import TimeSpan
from validator.check_input import CheckInput, error, warning
from validator.proofs.branches import Answer
from validator.proofs.runs import Example
from validator.runs.workflow_analysis import Analysis

WAIT, PERIOD, SINCE = "schedule.wait", "waiting_period", "start_date"
Waits = Mapping[str, TimeSpan]
Way = tuple[Link, ...]
MOST_WAYS = 8
"""Ways between two nodes that are tried to show that waiting is too long on all of them."""


def impossible_deadline(given: CheckInput) -> Iterator[Diagnostic]:
    """A deadline cannot hold, or its node may take longer than it allows.

    What: what must be waited for on every path from where the deadline counts takes longer than the deadline; it counts
        from a node that comes later, or that no run comes to as well; it is later than the document's own for the same
        step. A warning: it takes longer on some runs, of which one is shown; the node's timeout and attempts let it
        take longer; the deadline counts from a node that runs beside it. Calendars that differ (business days, months,
        hours) are compared only where that is certain.
    Why: a deadline that nobody can keep is broken on the first day, and then nobody keeps the others.
    Bad: `"deadline": {"duration": "P5D", "from": "publish"}` behind a node that waits `P30D` after `publish`.
    Good: a deadline that counts from the end of the waiting.
    """
    for name, node in given.workflow.nodes.items():
        if node.deadline is None or name not in given.analysis.graph.position:
            continue
        start = _counted_from(given.workflow, name, node.deadline)
        if start is not None and start not in given.analysis.graph.ancestors[name]:
            yield _misplaced(given, name, start)
        else:
            yield from _waited_for(given, name, node.deadline, start)
        yield from _allowed_longer(given, name, node.deadline)


def _counted_from(workflow: Workflow, name: str, deadline: Deadline) -> str | None:
    """The other node that a deadline names by id, step or label; None where it names none, or more than one."""
    said = _folded(deadline.start)
    if not said:
        return None
    found = [
        other
        for other, node in workflow.nodes.items()
        if said in (_folded(other), _folded(node.label), *map(_folded, node.step_ids))
    ]
    return found[0] if len(found) == 1 and found[0] != name else None


def _folded(text: str | None) -> str:
    return " ".join((text or "").casefold().split())


def _misplaced(given: CheckInput, name: str, start: str) -> Diagnostic:
    """A deadline that counts from what does not come before."""
    graph, place = given.analysis.graph, at_node(given.workflow, name, "deadline", "from")
    related = (Related(message="it counts from this", location=at_node(given.workflow, start)),)
    said = f'the deadline of "{name}" counts from "{start}"'
    if name in graph.ancestors.get(start, ()):
        route = graph.route(graph.reach([name]), start)
        return error("impossible-deadline", f"{said}, which comes later: {arrows(route)}", place, related=related)
    if not given.analysis.runs_together(name, start):
        return error("impossible-deadline", f"{said}, and no run comes to both", place, related=related)
    return warning("impossible-deadline", f"{said}, which runs beside it and need not have run", place, related=related)


def _waited_for(given: CheckInput, name: str, deadline: Deadline, start: str | None) -> Iterator[Diagnostic]:
    """Waiting that every run, or some run, has to do within the deadline and that is longer."""
    if deadline.start is not None and start is None:
        return  # an event that no node stands for: the waiting may have been done before it
    analysis, allowed = given.analysis, TimeSpan.parse(deadline.duration)
    waits = _waits(analysis, start, name)
    passed = [each for each in waits if each in analysis.dominators[name]]
    if _sum(waits, passed).surely_exceeds(allowed):
        yield _too_long(given, name, deadline, start, waits, passed)
    elif start is not None and _sum(waits, waits).surely_exceeds(allowed):
        yield from _on_some_ways(given, name, deadline, start, waits)


def _on_some_ways(given: CheckInput, name: str, deadline: Deadline, start: str, waits: Waits) -> Iterator[Diagnostic]:
    """Waiting on one of the ways that runs take; an error where it is too long on all of them."""
    allowed, proofs = TimeSpan.parse(deadline.duration), given.analysis.proofs

    def waited(run: Example) -> tuple[str, ...]:
        way = _longest_way(run, start, name, waits)
        return _on(way, waits) if _sum(waits, _on(way, waits)).surely_exceeds(allowed) else ()

    run = next((run for run in _waiting_runs(given.analysis, start, name, waits) if waited(run)), None)
    if run is None:
        return
    found: Answer = run
    late: list[Way] = []
    while isinstance(found, Example) and waited(found) and len(late) < MOST_WAYS:
        late.append(_longest_way(found, start, name, waits))
        found = proofs.reached_without_paths(name, [[link.index for link in way] for way in late])
    if found is False:
        least = min(late, key=lambda way: _sum(waits, _on(way, waits)).least)
        yield _too_long(given, name, deadline, start, waits, _on(least, waits))
    else:
        yield _too_long(given, name, deadline, start, waits, waited(run), (run, late[0]))


def _too_long(
    given: CheckInput,
    name: str,
    deadline: Deadline,
    start: str | None,
    waits: Waits,
    passed: Iterable[str],
    on: tuple[Example, Way] | None = None,
) -> Diagnostic:
    """What says that waiting takes longer than a deadline; on one way where it is given."""
    passed = list(passed)
    total, since = _sum(waits, passed), f' of "{start}"' if start else ""
    where = f" where a run goes {arrows([str(start), *(link.target for link in on[1])])}" if on else ""
    return (warning if on else error)(
        "impossible-deadline",
        f'"{name}" is to be done within {deadline.duration}{since}, and waiting for {total} comes before that{where}',
        at_node(given.workflow, name, "deadline", "duration"),
        found=deadline.duration,
        expected=str(total),
        witness=(on[0].values() or None) if on else None,
        related=tuple(Related(message="it waits", location=at_node(given.workflow, each)) for each in passed),
    )


def _waits(analysis: Analysis, start: str | None, name: str) -> Waits:
    """How long the nodes wait that come after one and before another, that other included."""
    ancestors = analysis.graph.ancestors
    behind = {each for each in ancestors[name] if start is not None and start in ancestors[each]} | {name}
    found = {each: _waiting(analysis, each) for each in analysis.graph.order if each in behind}
    return {each: length for each, length in found.items() if length is not None}


def _sum(waits: Waits, of: Iterable[str]) -> TimeSpan:
    total = TimeSpan()
    for each in of:
        total = total.add(waits[each])
    return total


def _waiting_runs(analysis: Analysis, start: str, name: str, waits: Waits) -> Iterator[Example]:
    """Runs between two nodes that wait, one for each node that waits, with as many of the others as can be."""
    longest = sorted((each for each in waits if each != name), key=lambda each: -waits[each].least)
    for first in longest:
        waited, found = list[str](), None
        for each in dict.fromkeys((first, *longest)):
            run = analysis.proofs.all_can_run((start, name), succeeding=(*waited, each))
            if isinstance(run, Example):
                waited, found = [*waited, each], run
            elif each == first:
                break
        if found is not None:
            yield found


def _longest_way(run: Example, start: str, name: str, waits: Waits) -> Way:
    """Of the ways that a run takes from one node to another, that on which most is waited; none where it takes none."""
    ways: dict[str, Way] = {start: ()}
    for node in run.path:
        before = [(*ways[link.source], link) for link in run.came_by.get(node, ()) if link.source in ways]
        if before and node != start:
            ways[node] = max(before, key=lambda way: _sum(waits, _on(way, waits)).least)
    return ways.get(name, ())


def _on(way: Way, waits: Waits) -> tuple[str, ...]:
    """The nodes on a way that have waited once it ends; one that failed may have done so at once."""
    passed = [link.source for link in way if link.on_success] + [link.target for link in way[-1:]]
    return tuple(each for each in passed if each in waits)


def _waiting(analysis: Analysis, name: str) -> TimeSpan | None:
    """How long a node waits, where a literal says so and the time begins when the node does."""
    node, found = analysis.workflow.nodes[name], analysis.scope.type_of(name)
    period = node.inputs.get(PERIOD)
    if found is None or found.type != WAIT or SINCE in node.inputs or not isinstance(period, Literally):
        return None
    return TimeSpan.parse(period.value) if isinstance(period.value, str) else None


def _allowed_longer(given: CheckInput, name: str, deadline: Deadline) -> Iterator[Diagnostic]:
    """Attempts that may go on beyond the deadline."""
    node, found = given.workflow.nodes[name], given.analysis.scope.type_of(name)
    automatic = found is not None and found.category not in ("human", "control")
    own, defaults = node.policy, given.workflow.execution_policy.defaults
    timeout = own.timeout or (defaults.timeout if automatic else None)
    attempts = own.max_attempts or (defaults.max_attempts if automatic else None) or 1
    backoff = own.backoff or (defaults.backoff if automatic else None)
    if timeout is None:
        return
    taken = TimeSpan().add(TimeSpan.parse(timeout), attempts).add(TimeSpan.parse(backoff or "PT0S"), attempts - 1)
    if taken.surely_exceeds(TimeSpan.parse(deadline.duration)):
        tried = f" in {attempts} attempts" if attempts > 1 else ""
        yield warning(
            "impossible-deadline",
            f'"{name}" is to be done within {deadline.duration}, and its policy lets it take {taken}{tried}',
            at_node(given.workflow, name, "deadline", "duration"),
            found=deadline.duration,
            expected=f"at least {taken}, or a tighter policy",
        )


CHECKS = (impossible_deadline,)
