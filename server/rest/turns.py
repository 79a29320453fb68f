"""Whose turn it is: how a run stands, with the operations that a program can ask for now."""

from collections.abc import Mapping

from agents.acts import Acts
from agents.forms import ExplainedRun
from agents.telling import turn_of

NEXT: Mapping[str, str] = {
    "running": "GET /runs/{run} later; the run goes on by itself",
    "paused": "POST /runs/{run}/resume lets the run go on",
    "completed": "tell what text says; GET /runs/{run}/explanation has the words and records; the run is over",
    "failed": "tell what text says; GET /runs/{run}/explanation says more; POST /runs starts it again as a new run",
    "cancelled": "the run is over; nothing that was done is undone",
    "start": "POST /runs/{run}/values gives what is missing, or a person does the task at its address",
    "person": "tell who has to do the task and where; a program of theirs does it by GET /tasks/{task} and "
    "POST /tasks/{task}/answer; then GET /runs/{run}",
}
"""What a program can do now, by what the run is at; paths are those of the description, below its server."""


def next_of(turn: str, run: str) -> str:
    """What a program can do now.

    Args:
        turn: what the run is at (`agents.telling.turn_of`).

    >>> next_of("paused", "e-1")
    'POST /runs/e-1/resume lets the run go on'
    """
    return NEXT[turn].replace("{run}", run)


def seen(acts: Acts, run: str) -> ExplainedRun:
    """How a run stands.

    Raises:
        NotAllowed: see `Acts.own`.
    """
    told = acts.see(run)
    return told.model_copy(update={"next": next_of(turn_of(told.state, told.waits), run)})
