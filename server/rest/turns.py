"""Whose turn it is: how a run stands, with what a program can do now, in words of these operations."""

from collections.abc import Mapping

from agents.acts import Acts
from agents.forms import ExplainedRun
from agents.telling import turn_of

SEE = "see the run later; it goes on by itself"
NEXT: Mapping[str, str] = {
    "running": SEE,
    "paused": "resume the run to let it go on",
    "completed": "tell what text says; the explanation has the words and records; the run is over",
    "failed": "tell what text says; the explanation says more, and starting it again is a new run",
    "cancelled": "the run is over; nothing that was done is undone",
    "start": "give what is missing as values, or have a person do the task at its address",
    "person": "tell who has to do the task and where, and see the run once it is done",
}
"""What a program can do now, by what the run is at."""


def seen(acts: Acts, run: str) -> ExplainedRun:
    """How a run stands.

    Raises:
        NotAllowed: see `Acts.own`.
    """
    told = acts.see(run)
    return told.model_copy(update={"next": NEXT[turn_of(told.state, told.waits)]})
