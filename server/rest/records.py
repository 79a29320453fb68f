"""The record of a run: explained, replayed, asked what would have been, and as it was written."""

from collections.abc import Mapping
from typing import Any

from agents.forms import ReplayedRun
from runtime.exporting import events_seen
from runtime.telling import explain, outputs_seen, what_if
from server.access import Shown
from server.rest.call import Calling, Doing, Reading, RunId, operations
from server.rest.forms import CalledRun, Changes, EventTold, RunExplained, StepTold, WouldHaveBeen
from server.rest.paging import Cursor, Limit, Page, cursor_of, place_of
from server.rest.turns import seen
from store.users import AGENT, READ

router = operations("runs", (404, 409, 410))


@router.get("/runs/{run}/explanation")
def explain_run(site: Shown, acts: Doing, user: Calling, run: RunId) -> RunExplained:
    """What a run came to, the words of the document that this rests on, and who did what; to people also each step."""
    told = dict(seen(acts, run))
    if AGENT in user.roles:
        return RunExplained(**told)
    whole = explain(site.host, run, user)
    steps = tuple(StepTold(**one) for one in whole["steps"])
    return RunExplained(**told, steps=steps, called=tuple(_called(one) for one in whole["called"]))


def _called(told: Mapping[str, Any]) -> CalledRun:
    return CalledRun(
        node=told["node"], run=told["execution"], workflow=told["workflow"], state=told["status"], end=told["end"]
    )  # fmt: skip


@router.get("/runs/{run}/replay")
def replay_run(acts: Doing, run: RunId) -> ReplayedRun:
    """A run that ended, walked again over its record; nothing is called."""
    return acts.replay(run)


@router.post("/runs/{run}/what-if")
def what_if_run(site: Shown, acts: Doing, user: Reading, run: RunId, asked: Changes) -> WouldHaveBeen:
    """How a run would have ended with other values, walked over its record; for people."""
    user.must_hold(READ, acts.own(run).workflow_id)
    found = what_if(site.host, run, asked.changes)
    return WouldHaveBeen(
        run=run,
        path=found.path,
        end=found.result.status,
        reason_code=found.result.reason_code,
        outputs=outputs_seen(site.host, run, found, user),
        unknown=tuple(found.undecided.unknown) if found.undecided is not None else (),
    )


@router.get("/runs/{run}/events")
def list_events(
    site: Shown,
    acts: Doing,
    user: Reading,
    run: RunId,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[EventTold]:
    """The record of a run, event by event, its values as the reader may see them; for people."""
    acts.own(run)
    place = place_of(cursor)
    after = int(place[1]) if place is not None and place[1].isdecimal() else 0
    left = [one for one in events_seen(site.host, run, user) if one.sequence > after]
    items = tuple(
        EventTold(sequence=one.sequence, at=one.at, kind=one.kind, by=one.principal, body=one.body)
        for one in left[:limit]
    )
    return Page(items=items, next_page=cursor_of((run, str(items[-1].sequence))) if len(left) > limit else None)
