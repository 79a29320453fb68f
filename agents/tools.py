"""The tools that every agent has beside those of workflows: what each is for, takes and gives."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from agents.forms import ExplainedRun, ForeseenRun, FoundTools, ReplayedRun, RunAnswer
from agents.schemas import Schema

RUN: Schema = {"type": "string", "pattern": "^e-[A-Za-z0-9-]{1,38}$", "description": "the run's id, as a start gave it"}
WORKFLOW: Schema = {
    "type": "string",
    "maxLength": 200,
    "pattern": "^[A-Za-z_][A-Za-z0-9_-]*(@v[1-9][0-9]{0,5})?$",
    "description": "its id, or ID@vN for one version; without a number the last that is published",
}
INPUTS: Schema = {"type": "object", "description": "by name, as find_workflow tells them"}
REASON: Schema = {"type": "string", "maxLength": 500, "description": "why; it is kept in the audit"}


@dataclass(frozen=True)
class FixedTool:
    """A tool that is there whatever is published.

    Args:
        takes: by name the schema of an argument; `required` says which have to be given.
        gives: the form of what it tells.
        reads: it changes nothing.
    """

    title: str
    description: str
    takes: Mapping[str, Schema]
    required: tuple[str, ...]
    gives: type[BaseModel]
    reads: bool = True

    @property
    def schema(self) -> Schema:
        """What it takes, and nothing else."""
        return {
            "type": "object",
            "properties": dict(self.takes),
            "required": list(self.required),
            "additionalProperties": False,
        }


FIXED: Mapping[str, FixedTool] = {
    "find_workflow": FixedTool(
        "Find a workflow",
        "Ranks the published workflows that a task may be for, with reasons, inputs and the tool that runs each.",
        {
            "task": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "what is to be done"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
        },
        ("task",),
        FoundTools,
    ),
    "dry_run": FixedTool(
        "Tell what a run would come to",
        "Tells how a run may end, whom it may ask and what is missing. Calls nothing and writes nothing.",
        {"workflow": WORKFLOW, "inputs": INPUTS},
        ("workflow",),
        ForeseenRun,
    ),
    "start_run": FixedTool(
        "Start a run",
        "Starts a run of a published version. With ask, values that are not known may be left out, and a person gives "
        "them. What may not begin without a person waits for an approval.",
        {
            "workflow": WORKFLOW,
            "inputs": INPUTS,
            "ask": {"type": "boolean", "default": False, "description": "a person is asked for what is missing"},
        },
        ("workflow", "inputs"),
        RunAnswer,
        reads=False,
    ),
    "see_run": FixedTool(
        "See a run",
        "Tells how a run stands, whose turn it is, and once it ended what it came to and why.",
        {"run": RUN, "wait": {"type": "boolean", "default": False, "description": "wait for it, for a bounded time"}},
        ("run",),
        RunAnswer,
    ),
    "give_value": FixedTool(
        "Give a missing value",
        "Gives a run what it needs to begin. Without values, the person at this client is asked. Approvals and "
        "other work of people are not done by this.",
        {"run": RUN, "values": {"type": "object", "description": "by name of the missing input"}},
        ("run",),
        RunAnswer,
        reads=False,
    ),
    "interrupt_run": FixedTool(
        "Interrupt a run",
        "Pauses a run, so that nothing of it is carried out until it is resumed; or cancels it for good.",
        {"run": RUN, "how": {"enum": ["pause", "cancel"], "default": "pause"}, "reason": REASON},
        ("run",),
        RunAnswer,
        reads=False,
    ),
    "resume_run": FixedTool(
        "Resume a run", "Lets a paused run go on.", {"run": RUN}, ("run",), RunAnswer, reads=False
    ),
    "replay_run": FixedTool(
        "Replay a run",
        "Walks a run again over what was recorded of it, calling nothing, and says whether it ends the same.",
        {"run": RUN},
        ("run",),
        ReplayedRun,
    ),
    "explain_run": FixedTool(
        "Explain a run",
        "Tells what a run came to, the words of the document and the records that this rests on, and who acted in it.",
        {"run": RUN},
        ("run",),
        ExplainedRun,
    ),
}  # fmt: skip
