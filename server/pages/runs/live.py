"""How a run goes on, told to its page as it happens (server-sent events); the stream ends with the run."""

import time
from collections.abc import AsyncIterator
from typing import Annotated

import anyio
from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from runtime.views.standing import Standing, revision_of, standing
from server.access import Reading, Shown, may_read
from server.pages.runs.picture import picture_changes
from server.sessions import session_of
from server.site import Site

router = APIRouter()
LOOK, LONGEST = 0.5, 600.0
"""Seconds between two looks at the run, and after which a stream ends so that the browser asks for another."""


def first_standing(site: Shown, _: Reading, execution: str) -> Standing:
    """How the run stands; asked for before the stream begins, so that what is refused is an answer like any other."""
    return standing(site.host, execution)


@router.get("/runs/{execution}/events", response_class=EventSourceResponse)
async def run_events(
    request: Request, site: Shown, execution: str, first: Annotated[Standing, Depends(first_standing)]
) -> AsyncIterator[ServerSentEvent]:
    """What changes in the picture of a run, from how it stands now to its end, while its reader may look at it."""
    now, end = first, time.monotonic() + LONGEST
    yield ServerSentEvent(event="run", data=picture_changes(now))
    while not now.ended and time.monotonic() < end and not site.stopping.is_set():
        await anyio.sleep(LOOK)
        later = await run_in_threadpool(_later, site, execution, now.revision)
        if later is None:
            continue
        if not await run_in_threadpool(_may_follow, request, site):
            return
        now = later
        yield ServerSentEvent(event="run", data=picture_changes(now))


def _later(site: Site, execution: str, revision: int) -> Standing | None:
    """How the run stands; None where it stands as it did."""
    with site.workspace.database.transaction() as connection:
        changed = revision_of(connection, execution) != revision
    return standing(site.host, execution) if changed else None


def _may_follow(request: Request, site: Site) -> bool:
    """Whether the reader is still signed in, and may still look at runs."""
    session = session_of(site.workspace, request.cookies.get(site.cookie))
    return session is not None and may_read(session.user)
