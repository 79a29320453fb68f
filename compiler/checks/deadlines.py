"""Can the deadlines of nodes hold?"""

from collections.abc import Iterator

from compiler.analysis import Analysis
from compiler.check_input import CheckInput, error, warning
from compiler.lengths import Length
from compiler.place import arrows, at_node
from ir.diagnostics import Diagnostic, Related
from ir.predicate import Literally
from ir.procedure import Deadline
from ir.workflow import Workflow

WAIT, PERIOD, SINCE = "schedule.wait", "waiting_period", "start_date"


def impossible_deadline(given: CheckInput) -> Iterator[Diagnostic]:
    """A deadline cannot hold, or its node may take longer than it allows.

    What: what must be waited for on every path from where the deadline counts takes longer than the deadline; it counts
        from a node that comes later, or that no run comes to as well; it is later than the document's own for the same
        step. A warning: the node's timeout and attempts let it take longer, or the deadline counts from a node that
        runs beside it. Calendars that differ (business days, months, hours) are compared only where that is certain.
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
        yield from _later_than_document(given, name, node.deadline)


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
    """Waiting that every run has to do within the deadline and that is longer."""
    if deadline.start is not None and start is None:
        return  # an event that no node stands for: the waiting may have been done before it
    analysis = given.analysis
    waits = {each: _waiting(analysis, each) for each in _between(analysis, start, name)}
    long = {each: length for each, length in waits.items() if length is not None}
    total = Length()
    for length in long.values():
        total = total.plus(length)
    if total.surely_exceeds(Length.of(deadline.duration)):
        since = f' of "{start}"' if start else ""
        yield error(
            "impossible-deadline",
            f'"{name}" is to be done within {deadline.duration}{since}, and waiting for {total} comes before that',
            at_node(given.workflow, name, "deadline", "duration"),
            found=deadline.duration,
            expected=str(total),
            related=tuple(Related(message="it waits", location=at_node(given.workflow, each)) for each in long),
        )


def _between(analysis: Analysis, start: str | None, name: str) -> tuple[str, ...]:
    """The nodes that every run passes after one and up to another, that other included."""
    passed, ancestors = analysis.dominators[name] | {name}, analysis.graph.ancestors
    behind = {each for each in passed if start is not None and start in ancestors[each]} | {name}
    return tuple(each for each in analysis.graph.order if each in behind)


def _waiting(analysis: Analysis, name: str) -> Length | None:
    """How long a node waits, where a literal says so and the time begins when the node does."""
    node, found = analysis.workflow.nodes[name], analysis.scope.type_of(name)
    period = node.inputs.get(PERIOD)
    if found is None or found.type != WAIT or SINCE in node.inputs or not isinstance(period, Literally):
        return None
    return Length.of(period.value) if isinstance(period.value, str) else None


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
    taken = Length().plus(Length.of(timeout), attempts).plus(Length.of(backoff or "PT0S"), attempts - 1)
    if taken.surely_exceeds(Length.of(deadline.duration)):
        tried = f" in {attempts} attempts" if attempts > 1 else ""
        yield warning(
            "impossible-deadline",
            f'"{name}" is to be done within {deadline.duration}, and its policy lets it take {taken}{tried}',
            at_node(given.workflow, name, "deadline", "duration"),
            found=deadline.duration,
            expected=f"at least {taken}, or a tighter policy",
        )


def _later_than_document(given: CheckInput, name: str, deadline: Deadline) -> Iterator[Diagnostic]:
    """A deadline of a node that is later than that of the step it carries out."""
    for procedure in given.procedures:
        for step in procedure.steps:
            said = step.deadline if step.id in given.workflow.nodes[name].step_ids else None
            if said is None or said.start != deadline.start:
                continue
            if Length.of(deadline.duration).surely_exceeds(Length.of(said.duration)):
                yield error(
                    "impossible-deadline",
                    f'"{name}" is to be done within {deadline.duration}, and step {step.id} within {said.duration}',
                    at_node(given.workflow, name, "deadline", "duration"),
                    found=deadline.duration,
                    expected=said.duration,
                    evidence=said.evidence,
                )


CHECKS = (impossible_deadline,)
