"""What a command that runs for long tells of itself on stderr: text for people, or one JSON object a line.

A line holds names, codes and times: no value of a run, no address with what was asked for in it, and of an exception
its kind and where it came from, since its words may quote what it stumbled over.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from ir.errors import CompilerError

OURS = "flowc"
ROOT = Path(__file__).resolve().parent.parent


class LogForm(StrEnum):
    """How lines are written."""

    text = "text"
    json = "json"


class JsonLines(logging.Formatter):
    """Writes a record as one JSON object.

    An event of ours is `LOG.info("event", extra={"told": {...}})`; of other libraries only the logger's name is told.
    """

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
        }
        fields = getattr(record, "told", None)
        if isinstance(fields, dict):
            told |= {"event": record.getMessage(), **fields}
        elif record.name.partition(".")[0] == OURS:
            told |= {"event": "message", "logger": record.name, "message": record.getMessage()}
        else:
            told |= {"event": "library", "logger": record.name}
        if record.exc_info and record.exc_info[1] is not None:
            told |= _exception(record.exc_info[1])
        return json.dumps(told, ensure_ascii=False)


def _exception(error: BaseException) -> dict[str, Any]:
    """What is told of an exception: kind, code, and the places in the source that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    found: dict[str, Any] = {
        "error": type(error).__name__, "trace": [f"{_place(one.filename)}:{one.lineno} {one.name}" for one in frames]
    }  # fmt: skip
    if isinstance(error, CompilerError):
        found["code"] = error.code
    return found


def _place(file: str) -> str:
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else "/".join(path.parts[-2:])


class TextLines(logging.Formatter):
    """Writes a record as a line for people, with its trace below it."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        fields = getattr(record, "told", None)
        told = "".join(f" {name}={value}" for name, value in fields.items()) if isinstance(fields, dict) else ""
        return f"{record.levelname.lower()}: {super().format(record)}{told}"


def begin_log(form: LogForm, stream: TextIO | None = None) -> None:
    """Have all that is logged written in a form from now on; as text what is wrong alone, as JSON what happens as well.

    Args:
        stream: None for stderr.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form is LogForm.json else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(logging.INFO if form is LogForm.json else logging.WARNING)


def tell(event: str, **told: object) -> None:
    """Log an event of a command."""
    logging.getLogger(OURS).info(event, extra={"told": told})
