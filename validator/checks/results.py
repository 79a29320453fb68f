"""Does a run give what the document says comes of it, and what it says it is?"""

from collections.abc import Iterator
from itertools import combinations

from ir.diagnostics import Diagnostic, Fix, Related
from ir.predicate import Literally, Operand, Ref
from ir.workflow import CONTROL_END, Workflow
from validator.analysis.fit import Misfit, field_misfit, value_misfit
from validator.analysis.graph import exits
from validator.analysis.locations import arrows, at_node, at_workflow, pointer
from validator.check_input import CheckInput, error, warning
from validator.proofs.runs import Example
from validator.suggest import did_you_mean, nearest

MOST_ASKED = 2_000
"""Pairs of ends times nodes up to which it is asked whether one run can come to both."""


def undeclared_result(given: CheckInput) -> Iterator[Diagnostic]:
    """An end gives a result that the workflow does not declare.

    What: `results` of a `control.end` has a name that `results` of the workflow has not.
    Why: nobody is told of it: neither who reads what a run gives, nor who checks that every run gives it.
    Bad: `"results": {"hazard_clas": "D"}` where the workflow declares `hazard_class`.
    Good: `"results": {"hazard_class": "D"}`
    """
    known = sorted(given.workflow.results)
    for name, node in given.workflow.nodes.items():
        for key in [key for key in node.results or {} if key not in given.workflow.results]:
            place, meant = at_node(given.workflow, name, "results", key), nearest(key, known)
            path = pointer("nodes", name, "results", meant or "")
            patch = {"op": "move", "from": place.pointer, "path": path}
            free = meant and meant not in (node.results or {})
            yield error(
                "undeclared-result",
                f'"{name}" gives "{key}", which is no result of the workflow{did_you_mean(key, known)}',
                place,
                found=key,
                expected=known,
                fixes=(Fix(title=f'rename it to "{meant}"', patch=(patch,)),) if free else (),
            )


def unfit_result(given: CheckInput) -> Iterator[Diagnostic]:
    """A value does not fit the result that it is given as.

    What: what an end gives, or the output of that name, is not of the result's type, unit or enumeration. Of an array
        an end may give a single member.
    Why: whoever reads the result relies on what it is said to be; a class that the document does not name is none.
    Bad: `"results": {"class": "E"}` where the result is one of A, B, C, D.
    Good: `"results": {"class": "D"}`
    """
    given_values = [
        (key, value, at_node(given.workflow, name, "results", key))
        for name, node in given.workflow.nodes.items()
        for key, value in (node.results or {}).items()
    ]
    given_values += [(key, value, at_workflow(given.workflow, "outputs", key)) for key, value in _outputs(given)]
    for key, value, place in given_values:
        if misfit := _misfit(given, key, value):
            found = value.text if isinstance(value, Ref) else value.value
            said = f'"{key}" is given what does not fit it: {misfit}'
            report = error if misfit.certain else warning
            yield report("unfit-result", said, place, found=found, expected=misfit.expected)


def _outputs(given: CheckInput) -> Iterator[tuple[str, Operand]]:
    yield from ((key, value) for key, value in given.workflow.outputs.items() if key in given.workflow.results)


def _misfit(given: CheckInput, key: str, value: Operand) -> Misfit | None:
    spec = given.workflow.results.get(key)
    if spec is None:
        return None
    member = spec.items if spec.type == "array" else None
    if isinstance(value, Literally):
        misfit = value_misfit(value.value, spec, null_fits=True)
        return misfit if member is None or isinstance(value.value, list) else value_misfit(value.value, member)
    held = given.analysis.scope.spec(value)
    if held is None:
        return None
    return field_misfit(held, spec if member is None or held.type == "array" else member)


def result_not_given(given: CheckInput) -> Iterator[Diagnostic]:
    """A run can complete without giving a result.

    What: a run comes to an end that completes and gives no value for a result, which has neither an output of its name
        nor a default; `"required": false` and `nullable` results may be missing.
    Why: the document says that this comes out; where it does not say what, that is a question for a person.
    Bad: two ends with `completed`, of which one has `"results": {"class": "A"}` and the other none.
    Good: both ends give the class; or the result has the default that the text tells.
    """
    graph, nodes = given.analysis.graph, given.workflow.nodes
    worse = [name for name in exits(given.workflow) if nodes[name].status not in (None, "completed")]
    for key, spec in given.workflow.results.items():
        if not spec.is_required or spec.default is not None or key in given.workflow.outputs:
            continue
        giving = ends_giving(given.workflow, key)
        past = given.analysis.nodes_running_without(giving)
        for end in sorted(given.analysis.completing_ends & past.keys() - set(giving), key=graph.position.__getitem__):
            beside = [name for name in worse if name not in giving]
            run = given.analysis.proofs.reached_without(end, giving[0], beside) if len(giving) == 1 else None
            if run is False:
                continue
            route = run.route(end) if isinstance(run, Example) else graph.route(past, end)
            yield error(
                "result-not-given",
                f'a run can complete at "{end}" and give no "{key}": {arrows(route)}',
                at_workflow(given.workflow, "results", key),
                expected=f'a value in "results" of "{end}", an output or a default',
                witness=(run.values() if isinstance(run, Example) else {}) | {"path": list(route)},
                related=(Related(message="the end that does not give it", location=at_node(given.workflow, end)),),
            )


def conflicting_results(given: CheckInput) -> Iterator[Diagnostic]:
    """One run can come to two ends that give a result different values.

    What: parallel paths lead to ends of one status that give different values for a result that is no array.
    Why: a run gives one of them, and nobody said which.
    Bad: `a→high` and `a→low`, both unconditional, with `"results": {"level": "high"}` and `{"level": "low"}`.
    Good: one path chooses; or the result is an array, of which each end gives members.
    """
    graph, nodes = given.analysis.graph, given.workflow.nodes
    pairs = given.analysis.compatible_edges()
    unlike = [
        (first, second, key)
        for key, spec in given.workflow.results.items()
        if spec.type != "array"
        for first, second in combinations([one for one in graph.order if one in ends_giving(given.workflow, key)], 2)
        if nodes[first].status == nodes[second].status
        and (nodes[first].results or {})[key] != (nodes[second].results or {})[key]
        and any(pairs.compatible(left.index, right.index) for left in graph.into[first] for right in graph.into[second])
    ]
    few = len(unlike) * len(nodes) <= MOST_ASKED
    apart = given.analysis.proofs.mutually_exclusive([(a, b) for a, b, _ in unlike]) if few else frozenset()
    for first, second, key in unlike:
        if (first, second) not in apart:
            report = error if few else warning
            yield report(
                "conflicting-results",
                f'one run can reach both "{first}" and "{second}", which give "{key}" different values'
                + ("" if few else ", as far as is known"),
                at_node(given.workflow, second, "results", key),
                related=(Related(message="the other end", location=at_node(given.workflow, first, "results", key)),),
            )


def ends_giving(workflow: Workflow, key: str) -> tuple[str, ...]:
    """The ends that give a result."""
    ends = ((name, node) for name, node in workflow.nodes.items() if node.type == CONTROL_END)
    return tuple(name for name, node in ends if key in (node.results or {}))


CHECKS = (undeclared_result, unfit_result, result_not_given, conflicting_results)
