"""Deadlines by working days, and what happens once time is over: S8 of `docs/semantics.md`."""

import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, now_of, open_tasks, published, until, user

import runtime.overdue
from ir.duration import CALENDARS, Calendar
from ir.errors import BadSetting
from ir.procedure import Deadline
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.calendars import read_calendar
from runtime.claiming import claim
from runtime.commands import answer, begin, steer
from runtime.due import due
from runtime.host import Host
from runtime.overdue import hand_in_overdue, read_escalation
from runtime.worker import Worker
from store import audit
from store.clock import moment
from store.errors import NotAllowed
from store.tables import TASKS
from store.users import add_user

ID, ROLE = "transport-compliance", "安全总监"
SHANGHAI = {"country": "CN", "timezone": "Asia/Shanghai"}


def in_shanghai(text: str) -> str:
    """A moment there, as the database has it."""
    return moment(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Asia/Shanghai")))


def due_in_china(begin_at: str, length: str, **more: Any) -> str | None:
    """When a deadline that begins at a moment in Shanghai is due, in time of Shanghai."""
    found, _ = read_calendar({**SHANGHAI, **more}).due(in_shanghai(begin_at), Deadline(duration=length), {})
    return (
        None if found is None else f"{datetime.fromisoformat(found).astimezone(ZoneInfo('Asia/Shanghai')):%m-%d %H:%M}"
    )


@pytest.mark.parametrize(
    ("begin_at", "length", "expected"),
    [
        ("2026-02-12 09:00", "P1BD", "02-13 09:00"),
        ("2026-02-13 09:00", "P1BD", "02-14 09:00"),  # a Saturday on which people work
        ("2026-02-14 09:00", "P1BD", "02-24 09:00"),  # after the spring festival
        ("2026-09-30 17:00", "P2BD", "10-09 17:00"),
        ("2026-11-27 00:30", "P2BD", "12-01 00:30"),  # a Friday there, a Thursday in UTC
        ("2026-11-27 10:00", "PT48H", "11-29 10:00"),
        ("2026-11-27 10:00", "P0BD", "11-27 10:00"),
    ],
)
def test_s8_business_days_are_those_of_the_country(begin_at: str, length: str, expected: str) -> None:
    """Holidays and working weekends of China, by its days; hours by the clock."""
    assert due_in_china(begin_at, length) == expected


def test_s8_ones_own_days_go_before_those_of_the_country() -> None:
    """A day off more, a day on more, and a working Saturday taken back."""
    assert due_in_china("2026-11-27 10:00", "P1BD", holidays=["2026-11-30"]) == "12-01 10:00"
    assert due_in_china("2026-11-27 10:00", "P1BD", workdays=["2026-11-28"]) == "11-28 10:00"
    assert due_in_china("2026-02-13 09:00", "P1BD", holidays=["2026-02-14"]) == "02-24 09:00"
    assert due_in_china("2026-09-30 09:00", "P1BD", workdays=["2026-10-01"]) == "10-01 09:00"


def test_s8_ones_own_days_are_enough() -> None:
    """Without a country: Monday to Friday but for them, whoever counted by the plain calendar before."""
    friday = "2026-11-27T10:00:00.000000+00:00"
    for given, expected in (
        (None, "11-30"), ({"holidays": ["2026-11-30"]}, "12-01"), ({"workdays": ["2026-11-28"]}, "11-28"),
    ):  # fmt: skip
        found, _ = read_calendar(given).due(friday, Deadline(duration="P1BD"), {})
        assert found == f"2026-{expected}T10:00:00.000000+00:00"


def test_s8_business_days_keep_the_time_of_day() -> None:
    """Also over the end of summer time, where a day is longer; hours by the clock do not."""
    berlin = read_calendar({"country": "DE-BY", "timezone": "Europe/Berlin"})
    friday = "2026-10-23T08:00:00.000000+00:00"
    assert berlin.due(friday, Deadline(duration="P1BD"), {})[0] == "2026-10-26T09:00:00.000000+00:00"
    assert berlin.due(friday, Deadline(duration="PT72H"), {})[0] == "2026-10-26T08:00:00.000000+00:00"
    epiphany = berlin.due("2026-01-05T08:00:00.000000+00:00", Deadline(duration="P1BD"), {})[0]
    assert epiphany == "2026-01-07T08:00:00.000000+00:00"


def test_a_country_needs_what_knows_its_holidays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that is not installed the message says how to."""
    monkeypatch.setitem(sys.modules, "holidays", None)
    with pytest.raises(BadSetting, match=r"pip install 'flowc\[run\]'"):
        read_calendar({"country": "IS"})


def test_s8_hours_may_go_on_through_working_days_alone() -> None:
    """From midnight to midnight, where flowc.toml says so or the deadline names a calendar of the workflow."""
    assert due_in_china("2026-11-27 22:00", "PT4H", hours="working") == "11-30 02:00"
    assert due_in_china("2026-11-28 22:00", "PT24H", hours="working") == "12-01 00:00"
    closed = Calendar(first=date(2026, 1, 1), last=date(2026, 12, 31), holidays=(date(2026, 11, 30),))
    named = Deadline(duration="PT4H", calendar="plant@1")
    found, told = read_calendar(None).due("2026-11-27T22:00:00.000000+00:00", named, {"plant@1": closed})
    assert found == "2026-12-01T02:00:00.000000+00:00"
    assert told == "2026-12-01 02:00 UTC (PT4H; working days: the calendar plant@1)"
    late, told = read_calendar(None).due("2026-12-31T22:00:00.000000+00:00", named, {"plant@1": closed})
    assert late is None and told == "PT4H cannot be counted: the calendar plant@1 says nothing of days so late"


def test_s8_without_settings_monday_to_friday_and_it_is_said() -> None:
    """So are the settings that apply, with the version of what knows the holidays."""
    begin_at = in_shanghai("2026-09-30 17:00")
    found, told = read_calendar(None).due(begin_at, Deadline(duration="P2BD"), {})
    assert found == "2026-10-02T09:00:00.000000+00:00"
    assert told == "2026-10-02 09:00 UTC (P2BD; working days: Monday to Friday, flowc.toml has no [calendar])"
    _, told = read_calendar({**SHANGHAI, "holidays": ["2026-05-04"]}).due(begin_at, Deadline(duration="P2BD"), {})
    assert told.startswith("2026-10-09 17:00 Asia/Shanghai (P2BD; working days: those of CN (holidays ")
    assert told.endswith("), with 1 days of flowc.toml)")


def test_s8_months_are_counted_where_the_days_are() -> None:
    """The last of January, 23:30 in UTC, is the first of February there."""
    assert due("2026-01-31T23:30:00.000000+00:00", "P1M", CALENDARS["weekdays@1"]) == "2026-02-28T23:30:00.000000+00:00"
    assert due_in_china("2026-02-01 07:30", "P1M") == "03-01 07:30"
    assert due("2026-12-31T10:00:00.000000+00:00", "P9999M", CALENDARS["weekdays@1"]) == (
        "2860-03-31T10:00:00.000000+00:00"
    )
    assert due("2026-12-31T10:00:00.000000+00:00", "P999999M", CALENDARS["weekdays@1"]) is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"country": "XX"}, "country 'XX' is none that is known"),
        ({"country": "DE-ZZ"}, "country 'DE-ZZ' is none that is known"),
        ({"timezone": "Peking"}, "timezone 'Peking' is not known"),
        ({"holidays": ["soon"]}, "holidays"),
        ({"weekend": [5]}, "weekend"),
        ({"holidays": ["2026-05-04"], "workdays": ["2026-05-04"]}, "2026-05-04 is among both"),
        (["CN"], r"\[calendar\]"),
    ],
)
def test_a_calendar_that_cannot_be_is_refused(given: Any, words: str) -> None:
    """With the setting named."""
    with pytest.raises(BadSetting, match=words):
        read_calendar(given)


@pytest.mark.parametrize("given", [{ROLE: "总经理"}, {ROLE: []}, {ROLE: [1]}, ["x"]])
def test_an_escalation_that_cannot_be_is_refused(given: Any) -> None:
    """A role takes a list of roles."""
    with pytest.raises(BadSetting, match=r"\[escalation\]"):
        read_escalation(given)


# --- overdue ----------------------------------------------------------------------------------------------------------


def with_deadline(duration: str = "P2BD") -> Workflow:
    """The first case, whose approval has a deadline."""
    found = gold()
    node = found.nodes["approve"].model_copy(update={"deadline": Deadline(duration=duration)})
    return found.model_copy(update={"nodes": {**found.nodes, "approve": node}})


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """The first case with a deadline, published; gu has the role that is asked when it is over."""
    found = host_in(tmp_path, Recorded(scenario(NOT_FILED).outputs))
    published(found, with_deadline())
    with found.workspace.transaction() as connection:
        add_user(connection, "hu", frozenset({ROLE}), "wen")
        add_user(connection, "gu", frozenset({"总经理"}), "wen")
    return Host(found.workspace, found.catalog, found.executors, escalation=read_escalation({ROLE: ["总经理"]}))


def waiting(host: Host, *, late: bool = True) -> str:
    """An execution that waits for its approval, whose time is over where that is wanted."""
    found = begin(host, user(host, "li"), ID, 1, INPUTS)
    assert advance(host, found.id).status == "waiting_human"
    if late:
        put_back(host, found.id)
    return found.id


def put_back(host: Host, execution: str) -> None:
    """Let the task of an execution have been due a minute ago."""
    past = moment(datetime.now(UTC) - timedelta(minutes=1))
    with host.workspace.transaction() as connection:
        connection.execute(sa.update(TASKS).where(TASKS.c.execution == execution).values(due_at=past))


def overdue(host: Host, execution: str) -> list[dict[str, Any]]:
    """What the audit tells of time that is over."""
    with host.workspace.transaction() as connection:
        return [one.body for one in audit.events(connection, execution) if one.kind == "overdue"]


def test_s8_a_task_says_by_which_days_it_is_due(host: Host) -> None:
    """And is due by them."""
    (task,) = open_tasks(host, waiting(host, late=False))
    assert str(task.shown["due"]).endswith("(P2BD; working days: Monday to Friday, flowc.toml has no [calendar])")
    assert task.due_at == due(task.opened_at, "P2BD", CALENDARS["weekdays@1"])


def test_s8_what_is_overdue_is_noted_once_and_escalated(host: Host) -> None:
    """It answers nothing by itself; before, who has the further role may not answer."""
    execution = waiting(host, late=False)
    assert hand_in_overdue(host.workspace) == 0
    (task,) = open_tasks(host, execution)
    with pytest.raises(NotAllowed):
        answer(host, user(host, "gu"), task.id, {"approved": True}, task.digest)
    put_back(host, execution)
    assert hand_in_overdue(host.workspace) == 1
    assert advance(host, execution).status == "waiting_human"
    assert hand_in_overdue(host.workspace) == 0
    advance(host, execution)
    (told,) = overdue(host, execution)
    assert (told["node"], told["roles"], told["escalated"]) == ("approve", [ROLE], ["总经理"])
    (task,) = open_tasks(host, execution)
    assert task.overdue and task.escalated == ("总经理",) and task.status == "open"
    answer(host, user(host, "gu"), task.id, {"approved": True}, task.digest)
    assert advance(host, execution).status == "completed"
    with host.workspace.transaction() as connection:
        (answered,) = [one for one in audit.events(connection, execution) if one.kind == "answered"]
    assert (answered.principal, answered.body["escalated_to"]) == ("gu", "总经理")


def test_s8_the_role_of_the_task_answers_it_still(host: Host) -> None:
    """Whoever of both is first; the audit tells no escalation of that answer."""
    execution = waiting(host)
    hand_in_overdue(host.workspace)
    advance(host, execution)
    (task,) = open_tasks(host, execution)
    answer(host, user(host, "hu"), task.id, {"approved": False}, task.digest)
    with host.workspace.transaction() as connection:
        (answered,) = [one for one in audit.events(connection, execution) if one.kind == "answered"]
    assert "escalated_to" not in answered.body


def test_s8_what_was_claimed_and_forgotten_can_be_taken_over(host: Host) -> None:
    """By the further role alone."""
    execution = waiting(host, late=False)
    (task,) = open_tasks(host, execution)
    claim(host, user(host, "hu"), task.id)
    put_back(host, execution)
    hand_in_overdue(host.workspace)
    advance(host, execution)
    assert claim(host, user(host, "gu"), task.id).claimed_by == "gu"
    with pytest.raises(NotAllowed, match="gu claimed"):
        answer(host, user(host, "hu"), task.id, {"approved": True}, task.digest)
    with pytest.raises(NotAllowed):
        claim(host, user(host, "li"), task.id)


def test_s8_who_began_it_does_not_approve_by_escalation(host: Host) -> None:
    """Where the risk is high, four eyes are needed whichever role they have."""
    with host.workspace.transaction() as connection:
        add_user(connection, "yu", frozenset({"operator", "总经理"}), "wen")
    execution = begin(host, user(host, "yu"), ID, 1, INPUTS).id
    advance(host, execution)
    put_back(host, execution)
    hand_in_overdue(host.workspace)
    advance(host, execution)
    (task,) = open_tasks(host, execution)
    with pytest.raises(NotAllowed, match="somebody else has to approve"):
        answer(host, user(host, "yu"), task.id, {"approved": True}, task.digest)


def test_s8_without_escalation_it_is_noted_alone(host: Host) -> None:
    """Nobody else may answer it."""
    plain = Host(host.workspace, host.catalog, host.executors)
    execution = waiting(plain)
    hand_in_overdue(plain.workspace)
    advance(plain, execution)
    assert overdue(plain, execution)[0]["escalated"] == []
    (task,) = open_tasks(plain, execution)
    assert task.overdue
    with pytest.raises(NotAllowed):
        answer(plain, user(plain, "gu"), task.id, {"approved": True}, task.digest)


def test_s8_a_clock_set_back_notes_nothing_twice(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does one that goes on again."""
    execution = waiting(host)
    hand_in_overdue(host.workspace)
    advance(host, execution)
    (task,) = open_tasks(host, execution)
    assert task.due_at is not None
    for at in (moment(datetime.fromisoformat(task.due_at) - timedelta(days=1)), moment(datetime.now(UTC))):
        monkeypatch.setattr(runtime.overdue, "now", lambda at=at: at)
        assert hand_in_overdue(host.workspace) == 0
        advance(host, execution)
    assert len(overdue(host, execution)) == 1


@pytest.mark.parametrize("how", ["answered", "cancelled"])
def test_s8_what_is_settled_meanwhile_is_not_overdue(host: Host, how: str) -> None:
    """The moment was handed in after the answer, or after the run was called off."""
    execution = waiting(host)
    (task,) = open_tasks(host, execution)
    if how == "answered":
        assert hand_in_overdue(host.workspace) == 1
        answer(host, user(host, "hu"), task.id, {"approved": True}, task.digest)
    else:
        steer(host, user(host, "li"), execution, "cancel")
        advance(host, execution)
        assert hand_in_overdue(host.workspace) == 0
    assert advance(host, execution).ended
    assert overdue(host, execution) == []


def test_s8_a_paused_execution_notes_it_as_well(host: Host) -> None:
    """Time goes on."""
    execution = waiting(host)
    steer(host, user(host, "li"), execution, "pause")
    hand_in_overdue(host.workspace)
    assert advance(host, execution).paused
    assert len(overdue(host, execution)) == 1


def test_s8_a_worker_that_was_down_notes_it_when_it_comes_back(host: Host) -> None:
    """What was due meanwhile, once, however often it starts."""
    execution = waiting(host)
    for _ in range(2):
        with Worker(host) as worker:
            until(lambda: bool(overdue(host, execution)))
            worker.until_quiet(execution)
    assert len(overdue(host, execution)) == 1
    assert now_of(host, execution).status == "waiting_human"
