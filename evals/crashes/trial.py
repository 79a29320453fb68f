"""Runs are begun and their workers killed, over and over; then all is left to come to rest.

A kill is at a moment drawn at random, while the worker starts or after it; or aimed, by the server: before a call, when
its intent is recorded and it was not made; while it is being made; or after it, when what it came to is not recorded.
What is drawn follows from the seed; what a moment hits does not.
"""

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from signal import SIGKILL
from typing import Literal, cast

import sqlalchemy as sa

from evals.crashes.book import Desk, Moment, serve
from evals.crashes.people import answer_tasks
from evals.crashes.record import Record, record
from evals.crashes.shapes import Plan, plan, workflows
from evals.crashes.work import host_in, work
from registry.versions import publish, review, submit
from runtime.commands import begin, steer
from runtime.errors import AlreadyEnded
from runtime.executions import active, executions, tasks, untaken
from runtime.host import Host
from store.tables import AUDIT
from store.users import add_user
from store.workspace import make_workspace

Aim = Moment | Literal["starting", "any"]
AIMS: tuple[Aim, ...] = ("before", "during", "after", "any", "any", "starting")
AHEAD = 4
"""Runs that are begun beyond what the kills so far would ask for."""
PATIENCE, STARTING, STILL = 4.0, 60.0, 90.0
"""Seconds: for a call that is aimed at, for a worker to begin, without an event while something is to be done."""
USERS = {"wen": {"owner"}, "li": {"author", "operator"}, "zhao": {"approver", "operator"}}
PROCESSES = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Trial:
    """What is tried.

    Args:
        url: of a database elsewhere; None for SQLite in the folder.
        workers: how many work at a time.
        interrupt: what is done once in the middle of it, as stopping and starting the database.
        tell: is given a line now and then.
    """

    runs: int
    kills: int
    seed: int
    folder: Path
    url: str | None = None
    workers: int = 1
    interrupt: Callable[[], None] | None = None
    tell: Callable[[str], None] = lambda line: None


@dataclass(frozen=True)
class Tried:
    """What came of it.

    Args:
        kills: how many, by what they were aimed at.
        went_on: seconds after the interruption until each worker had made a call; None where one did not, or there was
            no interruption.
        stopped: workers that ended without being killed.
        rested: whether all came to rest.
    """

    trial: Trial
    record: Record
    kills: dict[str, int]
    went_on: float | None
    stopped: int
    rested: bool


@dataclass
class _Hand:
    """A worker in a process of its own, and the pipe whose end ends it."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False

    def begun(self) -> None:
        """Wait until it works.

        Raises:
            RuntimeError: it ended before, or does not come to it.
        """
        if not self.ready:
            with suppress(EOFError):
                self.ready = self.pipe.poll(STARTING) and self.pipe.recv() == "begun"
        if not self.ready:
            raise RuntimeError("a worker does not begin; worker.log says why")

    def ended(self, *, kill: bool = True) -> None:
        """Kill it, or let it end by itself."""
        if kill:
            self.process.kill()
        self.pipe.close()
        self.process.join()


@dataclass
class _Trying:
    """A trial under way."""

    trial: Trial
    host: Host
    desk: Desk
    rng: Random
    plans: dict[str, Plan] = field(default_factory=dict)
    cancels: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    went_on: float | None = None
    stopped: int = 0

    def start(self) -> _Hand:
        """A new worker."""
        ours, its = PROCESSES.Pipe()
        folder = self.trial.folder
        process = PROCESSES.Process(target=work, args=(its, folder, self.desk.address), daemon=True)
        process.start()
        its.close()
        return _Hand(process, ours)

    def begin(self, wanted: int) -> None:
        """Begin runs until there are so many, and cancel some of those that are to be."""
        user = self.host.workspace.user("li")
        while len(self.plans) < min(wanted, self.trial.runs):
            drawn = plan(self.rng)
            found = begin(self.host, user, drawn.shape, 1, {"amount": drawn.amount})
            self.plans[found.id] = drawn
            if drawn.cancelled:
                self.cancels.append(found.id)
        for name in [one for one in self.cancels if self.rng.random() < 0.5]:
            self.cancels.remove(name)
            with suppress(AlreadyEnded):
                steer(self.host, user, name, "cancel", "so it was drawn")

    def kill_all(self) -> bool:
        """Start workers and kill them until all kills are spent; whether all came to rest then."""
        trial = self.trial
        hands = [self.start() for _ in range(trial.workers)]
        for number in range(trial.kills):
            if number == trial.kills // 2 and trial.interrupt is not None:
                self.interrupt(hands, trial.interrupt)
            self.begin(AHEAD + (number + 1) * trial.runs // trial.kills)
            answer_tasks(self.host, self.desk, self.plans)
            self.kills[self.kill(hands)] += 1
            hands = [self.replaced(hand) for hand in hands]
            if (number + 1) % 10 == 0:
                trial.tell(f"{number + 1} kills, {len(self.plans)} runs begun, {len(self.desk.arrivals())} calls made")
        self.begin(trial.runs)
        rested = self.rests(hands)
        for hand in hands:
            hand.ended(kill=False)
        return rested

    def kill(self, hands: list[_Hand]) -> str:
        """Kill a worker, at a moment or aimed; says how."""
        aim, hand = self.rng.choice(AIMS), self.rng.choice(hands)
        if aim == "starting" and not hand.ready:
            time.sleep(self.rng.uniform(0, 1))
            hand.ended()
            return "while it starts"
        for one in hands:
            one.begun()
        if aim not in ("starting", "any"):
            self.desk.aim(cast("Moment", aim), self.rng.randrange(3))
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if wait([one.process.sentinel for one in hands], 0.2):
                    return f"{aim} a call"
                answer_tasks(self.host, self.desk, self.plans)
            self.desk.aim("nothing")
            if wait([one.process.sentinel for one in hands], 0):
                return f"{aim} a call"
        time.sleep(self.rng.uniform(0, 1))
        hand.ended()
        return "at any moment"

    def replaced(self, hand: _Hand) -> _Hand:
        """The worker, or where it has ended another one; what ended without being killed is counted."""
        if hand.process.is_alive():
            return hand
        hand.ended()
        self.stopped += hand.process.exitcode != -SIGKILL
        return self.start()

    def interrupt(self, hands: list[_Hand], interrupt: Callable[[], None]) -> None:
        """Let what the workers need be away for a while; wait until each of them works on."""
        for hand in hands:
            hand.begun()
        self.begin(len(self.plans) + 2 * len(hands))
        interrupt()
        begun, known = time.monotonic(), len(self.desk.arrivals())
        quiet = {hand.process.pid for hand in hands}
        while quiet and time.monotonic() < begun + STARTING:
            self.begin(len(self.plans) + 1)
            answer_tasks(self.host, self.desk, self.plans)
            time.sleep(0.5)
            quiet -= {one.worker for one in self.desk.arrivals()[known:]}
        self.went_on = time.monotonic() - begun if not quiet else None

    def rests(self, hands: list[_Hand]) -> bool:
        """Answer tasks until nothing goes on; whether it came to that."""
        for hand in hands:
            hand.begun()
        known, end = 0, time.monotonic() + STILL
        while time.monotonic() < end:
            answered = answer_tasks(self.host, self.desk, self.plans)
            with self.host.workspace.database.transaction() as connection:
                going = sum(len(executions(connection, status=status)) for status in ("pending", "running"))
                busy = going or untaken(connection) or active(connection)
                waiting = tasks(connection)
                busy = busy or any(t.kind == "settle" or self.plans[t.execution].approves is not None for t in waiting)
                events = connection.execute(sa.select(sa.func.max(AUDIT.c.sequence))).scalar_one()
            if not answered and not busy:
                return True
            known, end = (events, time.monotonic() + STILL) if events > known else (known, end)
            time.sleep(0.2)
        return False


def tried(trial: Trial) -> Tried:
    """Make a trial.

    Raises:
        RuntimeError: a worker does not begin.
    """
    PROCESSES.set_forkserver_preload(["evals.crashes.work", "dbos"])
    with serving(trial.seed) as desk:
        host = host_in(make_workspace(trial.folder, trial.url), desk.address)
        publish_all(host)
        trying = _Trying(trial, host, desk, Random(trial.seed))  # noqa: S311 - no secret
        rested = trying.kill_all()
        found = record(host, desk, trying.plans)
        host.workspace.database.close()
    return Tried(trial, found, dict(trying.kills), trying.went_on, trying.stopped, rested)


@contextmanager
def serving(seed: int) -> Iterator[Desk]:
    ours, its = PROCESSES.Pipe()
    process = PROCESSES.Process(target=serve, args=(its, seed), daemon=True)
    process.start()
    its.close()
    try:
        yield Desk(f"http://127.0.0.1:{ours.recv()}")
    finally:
        ours.close()
        process.join()


def publish_all(host: Host) -> None:
    """Let there be users in a new workspace, and a published version of each shape."""
    workspace = host.workspace
    with workspace.transaction() as connection:
        for name, roles in USERS.items():
            add_user(connection, name, frozenset(roles), "wen")
    for workflow in workflows():
        found = submit(workspace, workspace.user("li"), workflow, host.catalog, "0.1")
        review(workspace, workspace.user("li"), found.workflow_id, found.number)
        publish(workspace, workspace.user("wen"), found.workflow_id, found.number, host.catalog, host.executors.bind)
