"""The figures of runs: OBS-3."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, user

from ir.procedure import Deadline
from registry.errors import UnknownVersion
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.host import Host
from runtime.metrics import RuleHits, metrics, spread
from store import audit
from store.clock import moment
from store.tables import AUDIT, EXECUTIONS, TASKS

ID, ROLE, FILING = "transport-compliance", "安全总监", "io.check_filing_status"
GIVES = scenario(NOT_FILED).outputs
PACK = f"{ID} hazmat_transport_policy_v3"


@pytest.fixture
def recorded() -> Recorded:
    """What the systems give where nothing is filed."""
    return Recorded(GIVES)


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded) -> Host:
    """The first case, whose approval is due in two days."""
    found, workflow = host_in(tmp_path, recorded), gold()
    node = workflow.nodes["approve"].model_copy(update={"deadline": Deadline(duration="P2D")})
    published(found, workflow.model_copy(update={"nodes": {**workflow.nodes, "approve": node}}))
    return found


def run(host: Host, approved: bool | None = True, **inputs: Any) -> str:
    """A run; it waits where nothing is said of its approval."""
    found = begin(host, user(host, "li"), ID, 1, {**INPUTS, **inputs})
    advance(host, found.id)
    for task in open_tasks(host, found.id) if approved is not None else ():
        answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)
        advance(host, found.id)
    return found.id


def test_nothing_ran_and_no_figure_is_made_up(host: Host) -> None:
    """Shares of nothing are none, and all rows are told as never used."""
    told = metrics(host)
    assert (told.begun, told.success_rate, told.human_rate, told.overdue_share) == (0, None, None, None)
    assert told.seconds.few == "0 runs are too few for median, p90, p99"
    assert (told.rules.applied, told.rules.hit_rate, told.systems, told.people) == (0, None, {}, {})


def test_ends_people_and_failures_are_counted_by_hand(host: Host, recorded: Recorded) -> None:
    """Three that end well, one that fails, one that waits, one called off: as one counts them."""
    for _ in range(3):
        run(host)
    run(host, None)
    steer(host, user(host, "li"), (off := run(host, None)), "cancel")
    advance(host, off)
    recorded.gives = {**GIVES, "filing": {"$error": "NO_FILE"}}
    run(host, None)
    told = metrics(host)
    assert told.begun == 6 and told.ended == {"completed": 3, "called_off": 1, "failed": 1}
    assert told.success_rate == 0.75 and told.human_rate == round(5 / 6, 4)
    filing = told.systems[FILING]
    assert (filing.calls, filing.failed, filing.failure_rate) == (6, 1, round(1 / 6, 4))
    assert all(one.failed == 0 for name, one in told.systems.items() if name != FILING)
    assert told.failures == {"NO_FILE": 1} and told.calls == sum(one.calls for one in told.systems.values())
    assert told.call_failure_rate == round(1 / told.calls, 4)
    director = told.people[ROLE]
    assert (director.asked, director.answered, director.overdue_share) == (5, 3, 0.0)


def test_overdue_is_what_was_answered_late_or_not_yet(host: Host) -> None:
    """Of five with a deadline: one late answer, one that is late and waits, three in time or with time left."""
    past = moment(datetime.now(UTC) - timedelta(days=3))
    run(host)
    run(host)
    run(host, None)
    late = (run(host), run(host, None))
    with host.workspace.transaction() as connection:
        for execution in late:
            told = [one for one in audit.events(connection, execution) if one.kind == "task-opened"]
            connection.execute(
                sa.text("update audit set body = replace(body, :due, :past) where sequence = :n"),
                {"due": told[0].body["due"], "past": past, "n": told[0].sequence},
            )
            connection.execute(sa.update(TASKS).where(TASKS.c.execution == execution).values(due_at=past))
    told_now = metrics(host)
    assert told_now.overdue_share == 0.4 and told_now.people[ROLE].overdue_share == 0.4


def test_rows_that_decided_are_told_by_their_id(host: Host) -> None:
    """One of four by a row, the others by `otherwise`; rows that never held are told with none."""
    assert metrics(host).rules.rules == {}
    for _ in range(3):
        run(host)
    run(host, None, transport_mode="航空")
    told = metrics(host).rules
    assert (told.applied, told.hit_rate) == (4, 0.25)
    assert told.rules == {
        f"{PACK}.R-MODE-BAN": RuleHits(hits=0, share=0.0),
        f"{PACK}.R-AIR-L2-LIMIT": RuleHits(hits=1, share=0.25),
        f"{PACK}.R-ROAD-L3-LIMIT": RuleHits(hits=0, share=0.0),
    }


def test_a_row_is_judged_by_what_was_known_then(host: Host, recorded: Recorded) -> None:
    """A node that failed before its pack was applied is no application of it."""
    recorded.gives = {**GIVES, "level": {"$error": "NO_TABLE"}}
    run(host, None)
    assert metrics(host).rules.applied == 0


def test_a_quantile_takes_values_beyond_it() -> None:
    """Two at least: four for the median, twenty for p90, two hundred for p99; by nearest rank."""
    for count, lacking in ((3, "median, p90, p99"), (4, "p90, p99"), (19, "p90, p99"), (20, "p99"), (199, "p99")):
        assert spread([1.0] * count, "calls").few == f"{count} calls are too few for {lacking}"
    told = spread([float(n) for n in range(200, 0, -1)], "calls")
    assert (told.count, told.median, told.p90, told.p99, told.few) == (200, 100.0, 180.0, 198.0, None)


def test_how_long_people_and_runs_took_is_measured_from_the_audit(host: Host) -> None:
    """Answers that came so many minutes after their tasks were opened; runs that began so many hours ago."""
    for minutes in (1, 2, 3, 40):
        execution = run(host)
        with host.workspace.transaction() as connection:
            told = {one.kind: one for one in audit.events(connection, execution)}
            answered = datetime.fromisoformat(told["answered"].at)
            opened = moment(answered - timedelta(minutes=minutes))
            connection.execute(
                sa.update(AUDIT).where(AUDIT.c.sequence == told["task-opened"].sequence).values(at=opened)
            )
            began = moment(datetime.fromisoformat(told["ended"].at) - timedelta(hours=minutes))
            connection.execute(sa.update(EXECUTIONS).where(EXECUTIONS.c.id == execution).values(began_at=began))
    found = metrics(host)
    assert (found.people[ROLE].seconds.median, found.people[ROLE].seconds.p90) == (120.0, None)
    assert (found.seconds.count, found.seconds.median) == (4, 7200.0)
    assert found.systems[FILING].seconds.median is not None


def test_figures_of_one_workflow_and_of_late(host: Host) -> None:
    """Of runs begun on the day or later; of a workflow that there is."""
    today = datetime.now(UTC).date()
    old = run(host)
    with host.workspace.transaction() as connection:
        began = moment(datetime(2026, 1, 5, 10, tzinfo=UTC))
        connection.execute(sa.update(EXECUTIONS).where(EXECUTIONS.c.id == old).values(began_at=began))
    run(host, None)
    for since, begun, answered in (
        (None, 2, 1), (date(2026, 1, 5), 2, 1), (date(2026, 1, 6), 1, 0), (today + timedelta(days=2), 0, 0),
    ):  # fmt: skip
        told = metrics(host, workflow=ID, since=since)
        assert told.begun == begun and sum(one.answered for one in told.people.values()) == answered
        assert told.calls == sum(one.calls for one in told.systems.values())
    with pytest.raises(UnknownVersion, match="flowc registry list"):
        metrics(host, workflow="nothing")
