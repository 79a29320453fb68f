"""Whether who answers an approval had another part in its run, so that fewer people looked on it than steps say."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import sqlalchemy as sa

from ir.base import Model
from ir.workflow import Workflow
from runtime.executions import tasks
from runtime.forms import Execution, Task

_WORDS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "en": ("also began this run", "also answered the approval {0}", "“", "”"),
        "zh": ("也是本次运行的发起人", "也作出了审批{0}", "“", "”"),
    }
)


class OwnPart(Model):
    """What else of a run somebody did who answers one of its approvals.

    Args:
        began: they began it.
        approved: nodes of the approvals that they answered before, in that order.
    """

    began: bool = False
    approved: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self.began or bool(self.approved)

    def told(self, title: Callable[[str], str], language: str | None) -> tuple[str, ...]:
        """Each of it in words that go on from the name of the person; a language that is not known is English.

        >>> OwnPart(began=True, approved=("a",)).told(str.upper, "en")
        ('also began this run', 'also answered the approval “A”')
        """
        began, approved, opens, closes = _WORDS.get(language or "en", _WORDS["en"])
        titles = (f"{opens}{title(one)}{closes}" for one in self.approved)
        return (*((began,) if self.began else ()), *(approved.format(one) for one in titles))


def own_part(connection: sa.Connection, name: str, task: Task, execution: Execution) -> OwnPart:
    """What else of a run a user did, where a task is one of its approvals; nothing of other tasks."""
    if task.kind != "approval":
        return OwnPart()
    others = (one for one in tasks(connection, execution=execution.id, open_only=False) if one.id != task.id)
    return OwnPart(
        began=execution.principal == name,
        approved=tuple(
            one.node
            for one in others
            if one.kind == "approval" and one.node and one.status == "done" and one.claimed_by == name
        ),
    )


def title_in(workflow: Workflow, node: str) -> str:
    """What a node is called that a task is of."""
    name = node.partition("#")[0]
    return (workflow.nodes[name].label if name in workflow.nodes else None) or name
