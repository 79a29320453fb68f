"""Do calls of other workflows lead to one that exists, that never calls back, and that is bound no more tightly?"""

from collections.abc import Iterator

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Related
from ir.workflow import CONTROL_END, RISK_ORDER, ExecutionPolicy
from validator.analysis.call_graph import call_nodes
from validator.analysis.locations import arrows, at_node, at_workflow
from validator.check_input import CheckInput, error, warning
from validator.suggest import did_you_mean


def unknown_workflow(given: CheckInput) -> Iterator[Diagnostic]:
    """A call names a workflow that is not at hand.

    What: no workflow that is checked together with this one, or lies beside it, has the id and version of `call`. It is
        an error where the id is there in other versions only, a warning where nothing of that id is, or where two are
        that differ.
    Why: what is called must exist, and what it takes and gives can only be checked where it can be seen.
    Bad: `"call": {"workflow_id": "release", "version": "v2"}` beside `release` v1.
    Good: `"call": {"workflow_id": "release", "version": "v1"}`
    """
    call_graph = given.analysis.call_graph
    for name, call in call_nodes(given.workflow):
        rivals, versions = call_graph.count_versions_at_hand(call), call_graph.versions(call.workflow_id)
        if rivals == 1:
            continue
        place = at_node(given.workflow, name, "call")
        said = f'"{name}" calls {call.workflow_id} {call.version}'
        if rivals:
            yield warning("unknown-workflow", f"{said}; {rivals} workflows at hand are that, and they differ", place)
        elif versions:
            yield error(
                "unknown-workflow",
                f"{said}, and at hand is {' and '.join(versions)} of it",
                place,
                found=call.version,
                expected=list(versions),
                fixes=_only(versions, str(place.pointer)),
            )
        else:
            others = [each for each in call_graph.ids() if each != given.workflow.workflow_id]
            yield warning(
                "unknown-workflow",
                f"{said}, which is not among the workflows checked with it{did_you_mean(call.workflow_id, others)}",
                place,
                found=call.workflow_id,
                expected=list(others),
            )


def call_cycle(given: CheckInput) -> Iterator[Diagnostic]:
    """Calls lead in a ring.

    What: a workflow calls itself, or one that calls it, directly or through others; or it calls into such a ring. Rings
        over several files are seen when they are checked together.
    Why: nothing would end such a run; a loop is a new run, started by whoever resubmits.
    Bad: `release` v1 has a node with `"call": {"workflow_id": "release", "version": "v1"}`.
    Good: an end with status `returned`; resubmitting starts a new run.
    """
    call_graph = given.analysis.call_graph
    for name, call in call_nodes(given.workflow):
        cycle = call_graph.first_cycle(given.workflow, call)
        if cycle is None:
            continue
        said = arrows(f"{each.workflow_id} {each.version}" for each in cycle)
        yield error(
            "call-cycle",
            f'what "{name}" calls never ends: {said}',
            at_node(given.workflow, name, "call"),
            found=[f"{each.workflow_id} {each.version}" for each in cycle],
            related=tuple(
                Related(message="this call is part of it", location=at_node(workflow, node, "call"))
                for workflow, node in call_graph.callers(cycle)
                if (workflow, node) != (given.workflow, name)
            ),
        )


def relaxed_call(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow's policy is laxer than that of a workflow it calls.

    What: the caller states a lower risk than the called workflow, may run by itself where the called one may not, or
        requires no approval where the called one does.
    Why: a call is no way round the premises under which a workflow may run; a caller may only tighten them.
    Bad: `"risk_level": "low"` and a call of a workflow with `"risk_level": "high"`.
    Good: `"risk_level": "high"`, `"allow_auto": false`, `"require_approval": true`
    """
    for name, call in call_nodes(given.workflow):
        inner = given.analysis.call_graph.find(call)
        for key, found, floor in _laxer(given.workflow.execution_policy, inner.execution_policy) if inner else ():
            place = at_workflow(given.workflow, "execution_policy", key)
            patch = {"op": "add", "path": place.pointer, "value": floor}
            yield error(
                "relaxed-call",
                f"{key} is {_setting_text(found)}, laxer than {_setting_text(floor)} of "
                f'{call.workflow_id} {call.version}, which "{name}" calls',
                place,
                found=found,
                expected=floor,
                related=(Related(message="the call", location=at_node(given.workflow, name, "call")),),
                fixes=(Fix(title=f"set {key} to {_setting_text(floor)}", patch=(patch,)),),
            )


def call_never_completes(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow is called no run of which is ever completed.

    What: no end of the called workflow that a run can come to has the status `completed`.
    Why: a call succeeds where the called run completes, so this one always fails; what comes after it is never done.
    Bad: a call of a workflow with the one end `{"type": "control.end", "status": "rejected"}`.
    Good: the called workflow has an end `completed` for the case that nothing stands against it.
    """
    for name, call in call_nodes(given.workflow):
        workflow = given.analysis.call_graph.find(call)
        inner = given.analysis.analysis_of_called(workflow) if workflow else None
        if workflow is None or inner is None or not inner.has_all_edges or not workflow.nodes or inner.completing_ends:
            continue
        ends = [
            f"{end} ({workflow.nodes[end].status})"
            for end in inner.reachable_nodes()
            if workflow.nodes[end].type == CONTROL_END
        ]
        yield warning(
            "call-never-completes",
            f'the call "{name}" always fails: no run of {call.workflow_id} {call.version} is ever completed'
            + (f"; it ends at {' or '.join(ends)}" if ends else ""),
            at_node(given.workflow, name, "call"),
        )


def _only(versions: tuple[str, ...], path: str) -> tuple[Fix, ...]:
    if len(versions) != 1:
        return ()
    patch = {"op": "replace", "path": f"{path}/version", "value": versions[0]}
    return (Fix(title=f"call {versions[0]}", patch=(patch,)),)


def _laxer(outer: ExecutionPolicy, inner: ExecutionPolicy) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    if RISK_ORDER[outer.risk_level] < RISK_ORDER[inner.risk_level]:
        yield "risk_level", outer.risk_level, inner.risk_level
    if outer.allow_auto and not inner.allow_auto:
        yield "allow_auto", True, False
    if inner.require_approval and not outer.require_approval:
        yield "require_approval", False, True


def _setting_text(value: JsonValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


CHECKS = (unknown_workflow, call_cycle, relaxed_call, call_never_completes)
