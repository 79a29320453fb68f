"""What a reader sees of a run: values of classes that are hidden from them are masked, wherever they are shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from runtime.executions import execution_of
from runtime.forms import Execution, StepBefore, Task
from runtime.host import Host
from runtime.permission import may_answer
from runtime.privacy.classes import Classes, Shape, found, masked
from runtime.privacy.settings import Class
from store.users import User

MASK = "•••"
"""What stands for a masked value on a page."""


@dataclass(frozen=True, eq=False)
class Veil:
    """Hides the values of a run.

    Args:
        words: of the run's hidden values, with their classes.
    """

    classes: Classes
    hidden: frozenset[Class]
    words: Mapping[str, Class]

    def over(self, value: Any, shape: Shape) -> Any:
        """A value as the reader sees it: what is hidden is `{"masked": "personal"}`, of whatever type it was."""
        if not self.classes.has(self.hidden):
            return value
        return masked(value, found(value, shape, self.hidden, self.words))

    def text(self, text: str) -> str:
        """A text that flowc made, without the words of hidden values."""
        for word in sorted(self.words, key=len, reverse=True):
            text = text.replace(word, MASK)
        return text

    def message(self, text: str) -> str:
        """A text that a system or a person wrote, which may tell hidden values in words of its own."""
        return MASK if text and self.classes.has(self.hidden) else text


def veil_of(host: Host, connection: sa.Connection, execution: Execution, reader: User | None) -> Veil:
    """What hides from a reader.

    Args:
        reader: None for flowc itself, from which nothing is hidden.
    """
    classes = host.classes_in(execution, connection)
    hidden = frozenset[Class]() if reader is None else host.privacy.hidden_from(reader)
    run = execution.progress.run
    return Veil(classes, hidden, classes.words(run.inputs, run.taken, hidden) if hidden else {})


def task_seen(host: Host, task: Task, reader: User) -> Task:
    """A task as a reader sees it: whoever may answer it sees all that it shows, others what is not hidden from them."""
    if reader.name and may_answer(reader, task):
        return task
    with host.workspace.database.transaction() as connection:
        veil = veil_of(host, connection, execution_of(connection, task.execution), reader)
    shown = {name: value for name, value in task.shown.items() if name != "before"}
    shown = dict(veil.over(shown, veil.classes.of_task(task.node, task.kind)))
    if task.before:
        shown["before"] = [_step_seen(veil, one) for one in task.before]
    digest = task.digest if shown == task.shown else ""  # of what is hidden, so that who guesses that could tell
    return task.model_copy(update={"shown": shown, "digest": digest})


def _step_seen(veil: Veil, step: StepBefore) -> JsonValue:
    """A step that came before a task, of which what it gave and what was said of its failure can be hidden."""
    told = step.model_dump(mode="json")
    values = {name: told[name] for name in ("gave", "message")}
    return {**told, **veil.over(values, veil.classes.of_step(step.node))}


def is_masked(value: object) -> bool:
    """Whether it stands for a value that is hidden."""
    return isinstance(value, dict) and [*value] == ["masked"]


def seen(value: Any) -> Any:
    """A value for a page: the mask in place of what stands for a hidden value."""
    if is_masked(value):
        return MASK
    if isinstance(value, dict):
        return {name: seen(item) for name, item in value.items()}
    return [seen(item) for item in value] if isinstance(value, list) else value
