"""What programs can do with workflows and with runs, an agent with those that it began: each act is the runtime's own.

Nothing here edits, creates, approves or publishes, and nothing is decided here: what may be done says the runtime.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from agents.errors import NothingMissing
from agents.forms import (
    AskedPerson,
    ExplainedRun,
    ForeseenRun,
    FoundTool,
    FoundTools,
    NeededValue,
    PossibleEnd,
    Reason,
    ReplayedRun,
)
from agents.offers import Offer, offers
from agents.telling import run_answer, start_task_of
from registry.forms import Version
from registry.search import FoundWorkflow
from registry.versions import version_of
from runtime.commands import answer, begin, steer
from runtime.dry_run import dry_run, still_bound
from runtime.errors import NotEnded, UnknownExecution
from runtime.executions import execution_of
from runtime.forms import Execution, Task
from runtime.host import Host
from runtime.subworkflows import goes_on, waits_for_people
from runtime.telling import replay
from store.errors import NotAllowed
from store.users import AGENT, OPERATOR, READER, User

LOOK = 0.1
"""Seconds between two looks at a run that is waited for."""
Search = Callable[[Sequence[Version], str, int], tuple[FoundWorkflow, ...]]


@dataclass(frozen=True)
class Acts:
    """The acts of one agent, or of a person by a program.

    Args:
        agent: who acts, with the roles of this moment.
        search: ranks versions for a task, by `registry.search`.
    """

    host: Host
    agent: User
    search: Search

    def offers(self) -> tuple[Offer, ...]:
        """The tools of workflows that the agent may begin."""
        return offers(self.host, self.agent)

    def find(self, task: str, limit: int) -> FoundTools:
        """The workflows that a task may be for, with the tools that run them."""
        by_name = {one.version.name: one for one in self.offers() if one.version is not None}
        known = [one.version for one in by_name.values() if one.version is not None]
        found = self.search(known, task, limit) if known else ()
        told = tuple(_found(by_name[one.version], one) for one in found)
        fits = "call the tool with these inputs, or start_run where some of them are not known"
        none = "nothing is like this task; say it in fewer words, or see whether the title of a workflow tool fits"
        return FoundTools(found=told, next=fits if told else none)

    def foresee(self, workflow: str, inputs: Mapping[str, JsonValue]) -> ForeseenRun:
        """What a run would come to; nothing is called and nothing written.

        Raises:
            NotAllowed, UnknownVersion, NotPublished: see `version`.
            BadInputs: an input does not fit.
        """
        version = self.version(workflow)
        bound = still_bound(version, self.host.executors)
        told = dry_run(version.definition, self.host.catalog, bound, inputs, None, version.report.findings)
        people = {(stop.kind, stop.roles, stop.asks): stop for path in told.paths for stop in path.stops}
        return ForeseenRun(
            workflow=version.name,
            missing=told.missing,
            turned_away=told.turned_away,
            begins_by_itself=version.definition.execution_policy.allow_auto,
            ends=tuple(
                PossibleEnd(end=end, reason_code=code)
                for end, code in dict.fromkeys((path.ends, path.reason_code) for path in told.paths)
            ),
            people=tuple(AskedPerson(kind=one.kind, roles=one.roles, asks=one.asks) for one in people.values()),
            acts=any(path.acts for path in told.paths),
            all_told=told.all_told,
        )

    def start(
        self, version: Version, inputs: Mapping[str, JsonValue], *, ask: bool, key: str | None = None,
        request: str | None = None,
    ) -> Execution:  # fmt: skip
        """Begin a run; where it takes a person, it waits for one (`runtime.governance.agency`).

        Raises:
            BadInputs, KeyReused, NotAllowed, NotAutomatic, NotPublished: see `runtime.commands.begin`.
        """
        return begin(
            self.host, self.agent, version.workflow_id, version.number, inputs, ask=ask, key=key, request=request
        )

    def version(self, workflow: str) -> Version:
        """The version that a name stands for: `ID@vN`, or `ID` for the last that is published.

        Raises:
            NotAllowed: the agent may not begin it, whether there is one or not.
            UnknownVersion: there is none such.
            NotPublished: it is not published.
        """
        workflow_id, _, number = workflow.partition("@v")
        if not self.host.agency.permits(self.agent, workflow_id):
            raise NotAllowed(f"{self.agent.name} may see no workflow {workflow_id}; find_workflow tells what it may")
        with self.host.workspace.database.transaction() as connection:
            found = version_of(connection, workflow_id, int(number) if number else None)
        return self.host.version(found.workflow_id, found.number)

    def own(self, run: str) -> Execution:
        """A run that the agent began; of people whose roles see all runs, any.

        Raises:
            NotAllowed: it is none of theirs, whether there is one or not.
        """
        with self.host.workspace.database.transaction() as connection:
            try:
                found = execution_of(connection, run)
            except UnknownExecution:
                found = None
        if found is None or not (sees_all_runs(self.agent) or found.principal == self.agent.name):
            raise NotAllowed(f"{self.agent.name} began no run {run}; give the id that a start gave")
        return found

    def see(self, run: str) -> ExplainedRun:
        """How a run stands.

        Raises:
            NotAllowed: see `own`.
        """
        return run_answer(self.host, self.agent, self.own(run).id)

    def asked_of(self, run: str) -> Task | None:
        """The task that asks for what a run of the agent needs to begin; None where nothing is asked for.

        Raises:
            NotAllowed: see `own`.
        """
        execution = self.own(run)
        with self.host.workspace.database.transaction() as connection:
            return start_task_of(connection, execution)

    def give(self, run: str, values: Mapping[str, JsonValue]) -> None:
        """Give what a run needs to begin; what a person has to do is not done by this.

        Raises:
            NotAllowed: see `own`.
            NothingMissing: it asks for no such value.
            BadAnswer: a value does not fit.
        """
        task = self.asked_of(run)
        if task is None:
            waits = self.see(run).waits
            told = "; ".join(f"{one.task} is for {' or '.join(one.who) or 'anybody'} ({one.address})" for one in waits)
            raise NothingMissing(f"{run} asks for no value to begin with{f', and {told}' if told else ''}")
        answer(self.host, self.agent, task.id, values)

    def steer(self, run: str, what: str, reason: str) -> None:
        """Pause, resume or cancel a run.

        Raises:
            NotAllowed: see `own`.
            AlreadyEnded: it ended.
        """
        steer(self.host, self.agent, self.own(run).id, what, reason)

    def replay(self, run: str) -> ReplayedRun:
        """A run walked again over what was recorded of it, calling nothing.

        Raises:
            NotAllowed: see `own`.
            NotEnded: it goes on, and what it found so far is no result yet.
            ValuesDeleted: the personal values were deleted.
        """
        if not self.own(run).ended:
            raise NotEnded(f"{run} has not ended, and there is nothing to replay yet")
        found = replay(self.host, run, self.agent)
        result = found.walk.result
        return ReplayedRun(
            run=run,
            same=not found.differences,
            end=result.status,
            outputs=dict(found.outputs),
            because=tuple(dict.fromkeys(one.quote for one in result.evidence)),
        )

    def wait(self, run: str) -> ExplainedRun:
        """How a run stands once it ended or waits for a person, or the time of `[agents]` is over."""
        end = time.monotonic() + self.host.agency.wait
        while time.monotonic() < end and not self._settled(run):
            time.sleep(LOOK)
        return self.see(run)

    def _settled(self, run: str) -> bool:
        with self.host.workspace.database.transaction() as connection:
            found = execution_of(connection, run)
            if found.ended:
                return True
            still = found.paused or waits_for_people(connection, found)
            return still and not goes_on(connection, run)


def sees_all_runs(user: User) -> bool:
    """Whether somebody sees the runs that others began."""
    return AGENT not in user.roles and user.may(READER, OPERATOR)


def _found(offer: Offer, one: FoundWorkflow) -> FoundTool:
    """What was found; of a step only that something in it is like the task."""
    return FoundTool(
        tool=offer.tool,
        workflow=one.version,
        title=one.title,
        score=one.score,
        reasons=tuple(
            Reason(
                word=reason.word,
                part=reason.part,
                text=None if reason.part == "step" else reason.text,
                likeness=reason.likeness,
            )
            for reason in one.matches
        ),
        inputs=tuple(NeededValue(name=need.name, type=need.type, required=need.required) for need in one.inputs),
        begins_by_itself=one.allow_auto,
        people=one.people,
        risk_level=one.risk_level,
    )


def as_content(told: Any) -> dict[str, JsonValue]:
    """What is told, as structured content: every field stands in it."""
    content: dict[str, JsonValue] = told.model_dump(mode="json")
    return content
