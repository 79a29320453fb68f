"""What the person at an agent's client may be asked, in the flat forms that the protocol has for that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ir.fields import FieldSpec
from runtime.forms import Task
from runtime.values import described

FORMATS: Mapping[str, str] = {"date": "date", "datetime": "date-time"}


@dataclass(frozen=True)
class Question:
    """The values that a run needs to begin.

    Args:
        schema: an object of plain values, as the protocol's forms have it.
    """

    run: str
    message: str
    schema: dict[str, Any]


def question_about(run: str, task: Task) -> Question | None:
    """What is asked; None where a field is no plain value, which a person gives at the task's address alone."""
    fields = {name: _plain(spec) for name, spec in task.fields.items()}
    known = {name: one for name, one in fields.items() if one is not None}
    if len(known) < len(fields):
        return None
    required = [name for name, spec in task.fields.items() if spec.required is not False]
    return Question(run, task.title, {"type": "object", "properties": known, "required": required})


def _plain(spec: FieldSpec) -> dict[str, Any] | None:
    """A field as a line of a form: a text, a number, yes or no, or one of some texts."""
    about = ": ".join(one for one in (spec.description, described(spec)) if one)
    if spec.enum is not None:
        texts = [one for one in spec.enum if isinstance(one, str)]
        return {"type": "string", "enum": texts, "description": about} if len(texts) == len(spec.enum) else None
    match spec.type:
        case "boolean" | "integer" | "number" | "string":
            limits = {"minimum": spec.minimum, "maximum": spec.maximum}
            return {"type": spec.type, "description": about, **{k: v for k, v in limits.items() if v is not None}}
        case "date" | "datetime" | "duration":
            form = {"format": FORMATS[spec.type]} if spec.type in FORMATS else {}
            return {"type": "string", "description": about, **form}
        case _:
            return None
