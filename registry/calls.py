"""The workflows that a version calls: published versions of this registry, pinned by their digests."""

from collections.abc import Callable, Iterator

from ir.workflow import CalledWorkflow, Workflow
from registry.forms import CallPin, Version
from validator.analysis.call_graph import call_nodes

DEEPEST = 8
"""Calls within calls that a version may lead to."""
Find = Callable[[CalledWorkflow], Version | None]
"""A version of the registry, of whatever state; None where there is none."""


def called_versions(workflow: Workflow, find: Find) -> dict[CalledWorkflow, Version]:
    """All that a workflow calls, directly or not, as far as the registry has it."""
    found: dict[CalledWorkflow, Version] = {}
    left = [call for _, call in call_nodes(workflow)]
    while left:
        call = left.pop()
        if call in found:
            continue
        version = find(call)
        if version is not None:
            found[call] = version
            left += [inner for _, inner in call_nodes(version.definition)]
    return found


def call_pins(workflow: Workflow, known: dict[CalledWorkflow, Version]) -> tuple[CallPin, ...]:
    """What a workflow itself calls, each once, bound to what stands there now."""
    calls = dict.fromkeys(call for _, call in call_nodes(workflow))
    return tuple(
        CallPin(workflow_id=call.workflow_id, number=known[call].number, digest=known[call].digest)
        for call in calls
        if call in known
    )


def call_blockers(workflow: Workflow, known: dict[CalledWorkflow, Version]) -> Iterator[str]:
    """Why what a workflow calls cannot be run, each in a sentence; rings are an error of its report (`call-cycle`)."""
    for name, call in call_nodes(workflow):
        said, version = f"the node {name} calls {call.workflow_id}@{call.version}", known.get(call)
        if version is None:
            yield f"{said}, which the registry does not have; submit and publish it first"
        elif version.state != "published":
            yield f"{said}, which is {version.state}; publish it first, or call another version"
    if _depth(workflow, known, DEEPEST + 1) > DEEPEST:
        yield f"it leads to calls within calls more than {DEEPEST} deep; take the steps of some into their callers"


def _depth(workflow: Workflow, known: dict[CalledWorkflow, Version], most: int) -> int:
    """How deep calls go, counted no further than `most`, so that a ring has an end as well."""
    level = {call for _, call in call_nodes(workflow)}
    for depth in range(most):
        if not level:
            return depth
        below = [known[call].definition for call in level if call in known]
        level = {call for one in below for _, call in call_nodes(one)}
    return most
