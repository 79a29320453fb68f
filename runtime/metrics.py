"""How runs went, in figures (OBS-3): ends, people, rules, systems, and how long all of it took.

Everything is counted from the audit and from what the runs took. A quantile is told where two values at least lie
beyond it; of fewer it would be one of them.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from ir.base import Model
from ir.predicate import Otherwise
from ir.walk import performer, rules_that_hold, start
from ir.workflow import Workflow
from registry.errors import UnknownVersion
from registry.versions import versions
from runtime.executions import executions
from runtime.forms import Execution
from runtime.host import Host
from store import audit
from store.clock import now

ALL = 10**9
BEYOND = 2
"""Values that lie beyond a quantile at least."""
QUANTILES = {"median": 50, "p90": 90, "p99": 99}
BOUNDS = (1.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0, 604_800.0)
"""Seconds up to which runs are counted together: a second, ten, a minute, ten, an hour, a day, a week."""


class Spread(Model):
    """How long something took, in seconds.

    Args:
        few: which quantiles are not told, and why; None where all are.
    """

    count: int
    median: float | None
    p90: float | None
    p99: float | None
    few: str | None = None


class Lasting(Model):
    """How many runs lasted about as long.

    Args:
        most: seconds; None where there is no end.
    """

    most: float | None
    runs: int


class RuleHits(Model):
    """How often a row gave what its pack gave.

    Args:
        share: of the times that its pack was applied.
    """

    hits: int
    share: float | None


class RuleMetrics(Model):
    """How often rows decided, rather than `otherwise`.

    Args:
        applied: how often a node gave something by its rule pack.
        hit_rate: share of these in which a row other than `otherwise` held.
        rules: by `WORKFLOW PACK.RULE`, those that never held among them; without `otherwise`.
    """

    applied: int
    hit_rate: float | None
    rules: dict[str, RuleHits]


class SystemMetrics(Model):
    """How a Type was called.

    Args:
        calls: those that came back, well or not.
        parked: those of which nobody knew whether they were made.
    """

    calls: int
    failed: int
    parked: int
    failure_rate: float | None
    seconds: Spread


class PeopleMetrics(Model):
    """How a role was asked.

    Args:
        due: tasks that had a deadline.
        overdue_share: of these, those answered later, or not until now.
        seconds: from when a task was opened until it was answered.
    """

    asked: int
    answered: int
    due: int
    overdue_share: float | None
    seconds: Spread


class Metrics(Model):
    """How runs went.

    Args:
        number: of the version that they are of; None for all.
        since, until: the first and the last day on which they may have begun; None where there is none.
        begun: runs; all else is about these.
        ended: by how; `called_off` where somebody cancelled it.
        success_rate: share of those that came to an end of the workflow, of all that ended and were not called off.
        asked: runs that asked a person for something.
        human_rate: share of these.
        failures: failed calls by code.
        due: tasks that had a deadline.
        overdue_share: of these, those answered later, or not until now.
        seconds: from the beginning of a run to its end.
        lasted: the runs that ended by how long they lasted.
    """

    workflow: str | None
    number: int | None
    since: date | None
    until: date | None
    begun: int
    ended: dict[str, int]
    success_rate: float | None
    asked: int
    human_rate: float | None
    calls: int
    call_failure_rate: float | None
    failures: dict[str, int]
    due: int
    overdue_share: float | None
    seconds: Spread
    lasted: tuple[Lasting, ...]
    systems: dict[str, SystemMetrics]
    people: dict[str, PeopleMetrics]
    rules: RuleMetrics


@dataclass
class _Call:
    type: str
    began: str
    ended: str | None = None
    error: str | None = None
    parked: bool = False


@dataclass
class _Asked:
    execution: str
    roles: tuple[str, ...]
    opened: str
    due: str | None
    answered: str | None = None
    closed: str | None = None

    @property
    def late(self) -> bool:
        return self.due is not None and (self.answered or self.closed or now()) > self.due


@dataclass
class _Record:
    """What the audit tells of some runs.

    Args:
        tasks: by id.
    """

    ends: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    tasks: dict[str, _Asked] = field(default_factory=dict)


def metrics(
    host: Host,
    *,
    workflow: str | None = None,
    number: int | None = None,
    since: date | None = None,
    until: date | None = None,
) -> Metrics:
    """How runs went.

    Args:
        workflow: its id; None for all.
        number: of its version; None for all.
        since, until: the first and the last day on which the runs may have begun, in the zone of the calendar.

    Raises:
        UnknownVersion: there is no such workflow, or no such version of it.
    """
    with host.workspace.database.transaction() as connection:
        known = {(one.workflow_id, one.number): one.definition for one in versions(connection)}
        if workflow is not None and not any(
            name == workflow and number in (None, of) for name, of in known
        ):  # fmt: skip
            told = f"workflow {workflow}" if number is None else f"version {workflow}@v{number}"
            raise UnknownVersion(f"there is no {told}; `flowc registry list` shows what there is")
        first, end = host.calendar.midnight(since), host.calendar.midnight(until, after=1)
        runs = [
            one
            for one in executions(connection, workflow_id=workflow, most=ALL)
            if number in (None, one.number)
            and (first is None or one.began_at >= first)
            and (end is None or one.began_at < end)
        ]
        record = _recorded(audit.events(connection), {one.id: one for one in runs})
    done = [call for call in record.calls if call.ended is not None]
    asked = [*record.tasks.values()]
    ended = sum(record.ends.values()) - record.ends["called_off"]
    people = {one.execution for one in asked}
    return Metrics(
        workflow=workflow,
        number=number,
        since=since,
        until=until,
        begun=len(runs),
        ended=dict(record.ends),
        success_rate=share(ended - record.ends["failed"] - record.ends["undecided"], ended),
        asked=len(people),
        human_rate=share(len(people), len(runs)),
        calls=len(done),
        call_failure_rate=share(sum(one.error is not None for one in done), len(done)),
        failures=dict(Counter(one.error for one in done if one.error is not None)),
        due=_due(asked),
        overdue_share=_overdue(asked),
        seconds=spread(record.seconds, "runs"),
        lasted=lasting(record.seconds),
        systems={name: _system(name, record.calls) for name in sorted({one.type for one in record.calls})},
        people={role: _people(role, asked) for role in sorted({role for one in asked for role in one.roles})},
        rules=_rules(runs, known),
    )


def _recorded(events: Iterable[audit.Event], runs: dict[str, Execution]) -> _Record:
    found = _Record()
    under_way: dict[str, _Call] = {}
    closed: dict[str, str] = {}
    for event in events:
        if event.execution is None or event.execution not in runs:
            continue
        body = event.body
        match event.kind:
            case "ended":
                found.ends["called_off" if body["status"] == "cancelled" else body["end"]] += 1
                found.seconds.append(_between(runs[event.execution].began_at, event.at))
                closed[event.execution] = event.at
            case "call-intended" | "call-repeated":
                under_way[body["key"]] = _Call(body["type"], event.at)
                found.calls.append(under_way[body["key"]])
            case "call-answered" if body["key"] in under_way:
                call = under_way[body["key"]]
                call.ended, call.error = event.at, body.get("error")
            case "call-parked" if body["key"] in under_way:
                under_way[body["key"]].parked = True
            case "task-opened":
                roles = tuple(body["roles"])
                found.tasks[body["task"]] = _Asked(event.execution, roles, event.at, body.get("due"))
            case "answered" if body["task"] in found.tasks:
                found.tasks[body["task"]].answered = event.at
            case _:
                pass
    for task in found.tasks.values():
        task.closed = closed.get(task.execution)
    return found


def _system(name: str, calls: Sequence[_Call]) -> SystemMetrics:
    own = [one for one in calls if one.type == name]
    done = [(one, one.ended) for one in own if one.ended is not None]
    failed = sum(one.error is not None for one, _ in done)
    return SystemMetrics(
        calls=len(done),
        failed=failed,
        parked=sum(one.parked for one in own),
        failure_rate=share(failed, len(done)),
        seconds=spread([_between(one.began, ended) for one, ended in done], "calls"),
    )


def _people(role: str, tasks: Sequence[_Asked]) -> PeopleMetrics:
    own = [one for one in tasks if role in one.roles]
    waits = [_between(one.opened, one.answered) for one in own if one.answered is not None]
    return PeopleMetrics(
        asked=len(own),
        answered=len(waits),
        due=_due(own),
        overdue_share=_overdue(own),
        seconds=spread(waits, "answers"),
    )


def _due(tasks: Sequence[_Asked]) -> int:
    return sum(one.due is not None for one in tasks)


def _overdue(tasks: Sequence[_Asked]) -> float | None:
    due = [one for one in tasks if one.due is not None]
    return share(sum(one.late for one in due), len(due))


def _rules(runs: Sequence[Execution], known: dict[tuple[str, int], Workflow]) -> RuleMetrics:
    """Which rows held, found by going through each run again as far as it came."""
    applied, hit = Counter[str](), 0
    hits = Counter[str]()
    packs: dict[str, str] = {}
    for execution in runs:
        workflow = known[execution.workflow_id, execution.number]
        for name, pack in workflow.rule_packs.items():
            of = f"{execution.workflow_id} {name}"
            packs |= {f"{of}.{one.rule_id}": of for one in pack.rules if not isinstance(one.condition, Otherwise)}
        run = start(workflow, execution.progress.run.inputs)
        for one in execution.progress.run.taken:
            node = workflow.nodes[one.node]
            if performer(node) == "rules" and not one.outcome.failed:
                of = f"{execution.workflow_id} {node.rule_pack}"
                held = [rule for rule in rules_that_hold(run, one.node) if not isinstance(rule.condition, Otherwise)]
                applied[of] += 1
                hit += bool(held)
                hits.update({f"{of}.{rule.rule_id}" for rule in held})
            run = run.take(one.node, one.outcome)
    return RuleMetrics(
        applied=applied.total(),
        hit_rate=share(hit, applied.total()),
        rules={name: RuleHits(hits=hits[name], share=share(hits[name], applied[of])) for name, of in packs.items()},
    )


def spread(seconds: Sequence[float], of: str) -> Spread:
    """How long something took, as far as so many values tell.

    Args:
        of: what was measured, in words.

    >>> spread([3.0, 1.0, 2.0, 9.0], "runs").median, spread([1.0, 2.0, 3.0], "runs").few
    (2.0, '3 runs are too few for median, p90, p99')
    """
    ordered = sorted(seconds)
    told: dict[str, float | None] = {}
    for name, percent in QUANTILES.items():
        rank = -(-len(ordered) * percent // 100)
        told[name] = round(ordered[rank - 1], 3) if len(ordered) - rank >= BEYOND else None
    lacking = ", ".join(name for name, value in told.items() if value is None)
    few = f"{len(ordered)} {of} are too few for {lacking}" if lacking else None
    return Spread(count=len(ordered), median=told["median"], p90=told["p90"], p99=told["p99"], few=few)


def lasting(seconds: Sequence[float]) -> tuple[Lasting, ...]:
    """How many values lie up to each bound and beyond the one before.

    >>> [one.runs for one in lasting([0.5, 1.0, 1.5, 7200.0, 10.0**9])]
    [2, 1, 0, 0, 0, 1, 0, 1]
    """
    counts = Counter(bisect_left(BOUNDS, one) for one in seconds)
    return tuple(Lasting(most=most, runs=counts[at]) for at, most in enumerate((*BOUNDS, None)))


def share(part: int, whole: int) -> float | None:
    """A part of a whole; None where there is nothing.

    >>> share(1, 3), share(0, 0)
    (0.3333, None)
    """
    return round(part / whole, 4) if whole else None


def _between(begin: str, end: str) -> float:
    return max((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds(), 0.0)
