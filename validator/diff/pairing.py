"""Which workflow of one build folder is which of another."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from catalog.load import Catalog
from ir.workflow import Workflow
from validator.diff.changes import Alone, Comparison
from validator.diff.compare import compare


@dataclass(frozen=True)
class FolderWorkflow:
    """A workflow of a folder.

    Args:
        file: how the person is told of it.
        document: the folder of its document, inside the build folder.
        procedure: its file's name without ending.
    """

    file: str
    document: str
    procedure: str
    workflow: Workflow


def compare_folders(old: Sequence[FolderWorkflow], new: Sequence[FolderWorkflow], catalog: Catalog) -> Comparison:
    """The workflows of two folders, paired by document and procedure, else by document and workflow id, else by one.

    A name that several workflows of a folder have pairs none of them.
    """
    pairs, left, right = [], list(old), list(new)
    for key in _KEYS:
        for one in list(left):
            alike = [[other for other in side if key(other) == key(one)] for side in (left, right)]
            if len(alike[0]) == len(alike[1]) == 1:
                pairs.append((one, alike[1][0]))
                left.remove(one)
                right.remove(alike[1][0])
    pairs.sort(key=lambda pair: new.index(pair[1]))
    return Comparison(
        differences=tuple(compare(one.workflow, two.workflow, catalog, (one.file, two.file)) for one, two in pairs),
        added=tuple(_alone(one) for one in right),
        removed=tuple(_alone(one) for one in left),
    )


_KEYS: tuple[Callable[[FolderWorkflow], Hashable], ...] = (
    lambda one: (one.document, one.procedure),
    lambda one: (one.document, one.workflow.workflow_id),
    lambda one: one.workflow.workflow_id,
    lambda one: one.procedure,
)


def _alone(one: FolderWorkflow) -> Alone:
    return Alone(file=one.file, workflow_id=one.workflow.workflow_id, title=one.workflow.metadata.title)
