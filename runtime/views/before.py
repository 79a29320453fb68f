"""What came before a step of a run: what people gave, systems answered and rules judged, as its task shows it.

It is worked out once, when the task is opened, from the run and its audit alone; from then on the task has it, and its
digest holds it, so that what somebody approved is what they saw.
"""

from collections.abc import Iterable

from ir.walk import Outcome, Run, performer, rules_that_hold
from runtime.forms import StepBefore
from store.audit import Event


def steps_before(run: Run, node: str, told: Iterable[Event]) -> tuple[StepBefore, ...]:
    """The steps by which a run came to a node and that gave something or failed, in the order in which they ended.

    Args:
        told: the audit of the run, which says when.
    """
    ended = {one.body["node"]: one.at for one in told if one.kind in ("node-succeeded", "node-failed")}
    way = _way_to(run, node)
    steps = (_step(run, name, outcome, ended[name]) for name, outcome in run.taken if name in way)
    return tuple(one for one in steps if one.gave or one.error)


def _way_to(run: Run, node: str) -> set[str]:
    """The nodes from which edges that were taken lead to a node."""
    sources: dict[str, set[str]] = {}
    for edge, state in zip(run.workflow.edges, run.edges, strict=True):
        if state == "taken":
            sources.setdefault(edge.target, set()).add(edge.source)
    found, left = set[str](), [node]
    while left:
        new = sources.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _step(run: Run, name: str, outcome: Outcome, at: str) -> StepBefore:
    node = run.workflow.nodes[name]
    rows = (quote for rule in rules_that_hold(run, name) for quote in rule.quotes)
    return StepBefore(
        node=name,
        title=node.label or node.question or node.instruction or name,
        performer=performer(node),
        by=outcome.answered_by,
        at=at,
        gave={key: value for key, value in (outcome.output or {}).items() if value is not None},
        error=outcome.error,
        message=outcome.message,
        words=tuple(dict.fromkeys(one.quote for one in (*rows, *node.evidence))),
    )
