"""Tasks, the workflow that is for each, and how often search tells it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from catalog.embedders.protocol import Embedder
from catalog.load import Catalog
from evals.cases import Case
from ir.codec import digest
from ir.workflow import Workflow
from registry.forms import Report, Version
from registry.search import WorkflowIndex

ROOT = Path(__file__).resolve().parent.parent.parent
CASES, TASKS = ROOT / "fixtures" / "cases", ROOT / "fixtures" / "search" / "workflows" / "tasks.yaml"
NOTHING = "nothing"
DEPTHS = (1, 3)
KEPT = 0.9
"""Share of the workflows that the least score keeps, see `least_score`."""


@dataclass(frozen=True)
class Task:
    """Something to be done.

    Args:
        direction: `zh→en`: said in Chinese, the workflow is in English.
        workflow: that is for it.
    """

    direction: str
    text: str
    workflow: str


@dataclass(frozen=True)
class Tasks:
    """Those that a workflow is for, and those that none is for."""

    for_workflows: tuple[Task, ...]
    for_none: tuple[str, ...]


def read_tasks(file: Path = TASKS) -> Tasks:
    """The tasks of a file, by direction.

    Raises:
        ValueError: the file is not of its form.
    """
    read = yaml.safe_load(file.read_text("utf-8"))
    if not isinstance(read, dict) or NOTHING not in read:
        raise ValueError(f"{file}: expected tasks by direction, and those that no workflow is for under {NOTHING!r}")
    rows = [Task(way, str(text), str(name)) for way, found in read.items() if way != NOTHING for text, name in found]
    return Tasks(tuple(rows), tuple(str(one) for one in read[NOTHING]))


def as_published(workflow: Workflow, catalog: Catalog) -> Version:
    """A workflow as if it were in the registry."""
    of = digest(workflow)
    report = Report(digest=of, tier="alone", catalog=catalog.digest, compiler="0.1", errors=0, warnings=0)
    return Version(
        workflow_id=workflow.workflow_id, number=1, state="published", digest=of, definition=workflow, report=report,
        author="gold", changed_at="2026-01-01T00:00:00Z",
    )  # fmt: skip


def ranks(index: WorkflowIndex, tasks: Sequence[Task]) -> list[int | None]:
    """Of each task where its workflow stands among those that are told, from 1; None where it is not."""
    found = [[one.version.partition("@")[0] for one in index.search(task.text, max(DEPTHS))] for task in tasks]
    return [
        names.index(task.workflow) + 1 if task.workflow in names else None
        for task, names in zip(tasks, found, strict=True)
    ]


def hits(found: Sequence[int | None], depth: int) -> float:
    """The share found among the first `depth`.

    >>> hits([1, 3, None, 2], 1), hits([1, 3, None, 2], 3)
    (0.25, 0.75)
    """
    return sum(rank is not None and rank <= depth for rank in found) / len(found)


def silent(index: WorkflowIndex, tasks: Sequence[str]) -> list[str]:
    """The tasks for which nothing is told."""
    return [one for one in tasks if not index.search(one, 1)]


def least_score(workflows: Sequence[Workflow], catalog: Catalog, embedder: Embedder, kept: float = KEPT) -> float:
    """The score that a share of workflows has, at least, for their own titles, where the titles are not searched.

    Raises:
        ValueError: no workflow has a title.
    """
    scores = []
    for one in workflows:
        title = one.metadata.title
        if title is None:
            continue
        bare = one.model_copy(update={"metadata": one.metadata.model_copy(update={"title": None})})
        index = WorkflowIndex([as_published(bare, catalog)], catalog, embedder)
        scores += [found.score for found in index.search(title, 1, least=0.0)] or [0.0]
    if not scores:
        raise ValueError("no workflow has a title")
    return sorted(scores, reverse=True)[math.ceil(kept * len(scores)) - 1]


def table(index: WorkflowIndex, tasks: Tasks, splits: Mapping[str, str]) -> str:
    """A line a direction, one a split and one for all, then silence, then what was not among the first three."""
    groups: dict[str, list[Task]] = {}
    for one in tasks.for_workflows:
        for name in (one.direction, splits[one.workflow], "all"):
            groups.setdefault(name, []).append(one)
    order = sorted(groups, key=lambda name: (name == "all", name in splits.values(), name))
    lines = ["tasks      number  " + "  ".join(f"hits@{depth}" for depth in DEPTHS)]
    for name in order:
        found = ranks(index, groups[name])
        told = "  ".join(f"{hits(found, depth):6.3f}" for depth in DEPTHS)
        lines.append(f"{name:9}  {len(found):6}  {told}")
    quiet = silent(index, tasks.for_none)
    lines.append(f"nothing    {len(tasks.for_none):6}  silent for {len(quiet)}")
    for one, rank in zip(tasks.for_workflows, ranks(index, tasks.for_workflows), strict=True):
        if rank != 1:
            lines.append(
                f"  {one.direction}: {f'rank {rank}' if rank else 'not told'}: “{one.text}” wants {one.workflow}"
            )
    lines += [f"  told something for “{one}”" for one in tasks.for_none if one not in quiet]
    return "\n".join(lines)


def splits_of(cases: Sequence[Case]) -> dict[str, str]:
    """The split of each gold workflow."""
    return {name: case.file.split for case in cases for name in case.workflows}
