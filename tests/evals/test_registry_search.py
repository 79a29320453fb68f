"""How often search finds the workflow that is for a task: the figures, and what they are counted from."""

from pathlib import Path

import pytest

from catalog.embedders.cache import VectorCache
from catalog.embedders.default import DefaultEmbedder
from catalog.embedders.lexical import LexicalEmbedder
from catalog.load import load_catalog
from evals.cases import read_suite
from evals.registry_search.tasks import (
    CASES,
    Task,
    Tasks,
    as_published,
    hits,
    least_score,
    ranks,
    read_tasks,
    silent,
    splits_of,
    table,
)
from registry.search import LEAST, WorkflowIndex

CATALOG = load_catalog()
CASES_READ = read_suite(CASES)
KNOWN = [as_published(one, CATALOG) for case in CASES_READ for one in case.workflows.values()]


def test_tasks_are_of_both_languages_and_for_workflows_that_there_are() -> None:
    """Half in each language, some across; eight for nothing; each task says its workflow and the direction truly."""
    tasks = read_tasks()
    languages = {name: case.file.language for case in CASES_READ for name in case.workflows}
    for one in tasks.for_workflows:
        said, _, of = one.direction.partition("→")
        assert languages[one.workflow] == of and (not one.text.isascii()) == (said == "zh")
    spoken = [one.direction[:2] for one in tasks.for_workflows]
    assert (spoken.count("zh"), spoken.count("en"), len(tasks.for_none)) == (16, 16, 8)
    titles = {one.definition.metadata.title for one in KNOWN}
    assert not titles & {one.text for one in tasks.for_workflows}


def test_a_table_is_counted_by_direction_split_and_silence() -> None:
    """By letters alone: one is first, one is not told, one that nothing is for is told something."""
    index = WorkflowIndex(KNOWN, CATALOG, LexicalEmbedder(), VectorCache(None))
    tasks = Tasks(
        (
            Task("en→en", "Disposal of laboratory waste", "laboratory-waste"),
            Task("zh→en", "实验室废物", "laboratory-waste"),
        ),
        ("Disposal of laboratory waste", "zzzz qqqq"),
    )
    assert ranks(index, tasks.for_workflows) == [1, None] and silent(index, tasks.for_none) == ["zzzz qqqq"]
    lines = table(index, tasks, splits_of(CASES_READ)).splitlines()
    assert lines[1].split() == ["en→en", "1", "1.000", "1.000"] and lines[4].split() == ["all", "2", "0.500", "0.500"]
    assert lines[5].split() == ["nothing", "2", "silent", "for", "1"]
    assert lines[6].strip() == "zh→en: not told: “实验室废物” wants laboratory-waste"


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    """With what was expected."""
    (tmp_path / "t.yaml").write_text("- a\n", "utf-8")
    with pytest.raises(ValueError, match="expected tasks by direction"):
        read_tasks(tmp_path / "t.yaml")


@pytest.mark.slow
def test_the_workflow_for_a_task_is_found() -> None:
    """At least four in five first, nine in ten among three, six of eight silent; the least score is by the titles."""
    tasks, embedder = read_tasks(), DefaultEmbedder()
    index = WorkflowIndex(KNOWN, CATALOG, embedder)
    found = ranks(index, tasks.for_workflows)
    assert hits(found, 1) >= 0.8 and hits(found, 3) >= 0.9 and len(silent(index, tasks.for_none)) >= 6
    dev = [one for case in CASES_READ if case.file.split == "dev" for one in case.workflows.values()]
    assert abs(least_score(dev, CATALOG, embedder) - LEAST) < 0.01
