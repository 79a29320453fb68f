"""A drawn run brought about: begun, its tasks answered in any order, paused now and then, until it ends."""

from random import Random

from evals.executions.draw import Drawn
from evals.executions.recorded import open_tasks
from registry.forms import Version
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import BadAnswer
from runtime.forms import Execution, Task
from runtime.host import Host
from store.errors import NotAllowed
from store.users import User

MOST = 1000
"""Rounds after which a run is given up."""


def play(host: Host, users: dict[str, User], version: Version, drawn: Drawn, rng: Random) -> Execution:
    """The execution once it ended.

    Args:
        users: `li`, who begins it, and `wen`, who may answer all.

    Raises:
        AssertionError: it neither goes on nor waits, asks for what was not drawn, or takes an answer otherwise than S7
            says.
    """
    at_first = {name: value for name, value in drawn.inputs.items() if name not in drawn.later}
    li, ask = users["li"], bool(drawn.later)
    execution = begin(host, li, version.workflow_id, version.number, at_first, ask=ask).id
    for _ in range(MOST):
        paused = rng.random() < 0.05
        if paused:
            steer(host, li, execution, "pause")
        found = advance(host, execution)
        waiting = open_tasks(host, execution)
        if found.ended:
            assert not waiting, f"it ended, and {waiting[0].id} is open"
            return found
        if paused:
            steer(host, li, execution, "resume")
            continue
        assert waiting, f"it is {found.status}, and nobody has anything to do"
        for task in rng.sample(waiting, rng.randint(1, len(waiting))):
            _answer(host, users, task, drawn, rng)
    raise AssertionError(f"not at its end after {MOST} rounds")


def _answer(host: Host, users: dict[str, User], task: Task, drawn: Drawn, rng: Random) -> None:
    """Say what was drawn, an answer that does not fit before; now and then somebody tries who may not."""
    if rng.random() < 0.05:
        _tried_in_vain(host, users["li"], task)
    if task.kind == "start":
        answer(host, users["wen"], task.id, {name: drawn.inputs[name] for name in drawn.later})
        return
    if task.kind == "settle":
        answer(host, users["wen"], task.id, drawn.settled[task.node.rsplit("#", 1)[0]])
        return
    first, *more = drawn.answers[task.node]
    if not more:
        answer(host, users["wen"], task.id, first, task.digest)
        return
    try:
        answer(host, users["wen"], task.id, first, task.digest)
    except BadAnswer:
        answer(host, users["wen"], task.id, more[0], task.digest)
        return
    raise AssertionError(f"{task.node} took {first}, which does not fit")


def _tried_in_vain(host: Host, user: User, task: Task) -> None:
    """An approval by somebody without its role, or over what was not shown: neither is taken."""
    if task.kind != "approval":
        return
    for who, shown in ((user, task.digest), (user, "sha256:0")):
        try:
            answer(host, who, task.id, {"approved": True}, shown)
        except (NotAllowed, BadAnswer):
            continue
        raise AssertionError(f"{task.node} was approved by {who.name} for {shown}")
