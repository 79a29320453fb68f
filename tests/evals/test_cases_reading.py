"""Reading a suite: what is there, and what is said of a file that is not of its form."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from eval_samples import DOC, SLUG, procedure, write_case

from evals.cases import read_case, read_suite
from evals.errors import MalformedSuite

pytest_plugins = ("eval_fixtures",)

Break = Callable[[Path], object]
GOLD = f"gold/{SLUG}.workflow.json"


@pytest.fixture
def folder(suite: Path) -> Path:
    """The sample's folder."""
    return write_case(suite / SLUG)


def test_a_case_is_read_with_its_gold(folder: Path) -> None:
    """Procedures, workflows by id, scenarios by workflow."""
    case = read_case(folder)
    assert (case.slug, case.file.split, case.procedures) == (SLUG, "dev", (procedure(),))
    assert list(case.workflows) == [SLUG] and case.documents == folder / "documents"
    assert len(case.scenarios_of(SLUG)) == 5 and case.scenarios_of("another") == ()


def test_a_suite_is_a_folder_of_cases_or_one_case(suite: Path, folder: Path) -> None:
    """By slug; files and folders that are no case are passed over."""
    write_case(suite / "another")
    (suite / "notes").mkdir()
    assert [case.slug for case in read_suite(suite)] == ["another", SLUG]
    assert [case.slug for case in read_suite(folder)] == [SLUG]


def test_a_folder_without_cases_is_named(tmp_path: Path) -> None:
    """The message says what was looked for."""
    with pytest.raises(MalformedSuite, match=r"no case\.yaml here") as caught:
        read_suite(tmp_path)
    assert str(tmp_path) in str(caught.value)


def edited(name: str, old: str, new: str) -> Break:
    """Replaces a text in a file."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")

    return change


def written(name: str, text: str) -> Break:
    """Writes a file."""
    return lambda folder: (folder / name).write_text(text, "utf-8")


def removed(name: str) -> Break:
    """Removes a file."""
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "file", "said"),
    [
        (edited("case.yaml", "split: dev", "split: test"), "case.yaml", "split"),
        (edited("case.yaml", "split: dev", "spilt: dev"), "case.yaml", "split"),
        (edited("case.yaml", "title:", "title: ["), "case.yaml", ""),
        (edited("case.yaml", "language: en", "language: fr"), "case.yaml", "language"),
        (edited("case.yaml", "role: policy", "role: rule"), "case.yaml", "role"),
        (written("case.yaml", "- a\n- b\n"), "case.yaml", ""),
        (removed("gold/procedures.json"), "gold/procedures.json", "no such file"),
        (written("gold/procedures.json", "{}"), "gold/procedures.json", "not a list"),
        (written("gold/procedures.json", "[{]"), "gold/procedures.json", ""),
        (edited("gold/procedures.json", '"steps"', '"stepz"'), "gold/procedures.json", "stepz"),
        (edited(GOLD, '"nodes"', '"nodez"'), GOLD, "nodes"),
        (written(GOLD, ""), GOLD, ""),
        (removed("scenarios.yaml"), "scenarios.yaml", "no such file"),
        (written("scenarios.yaml", "scenarios: [{name: a}]"), "scenarios.yaml", "result"),
        (removed(f"documents/{DOC}"), DOC, "is not there"),
    ],
)
def test_a_malformed_case_names_the_file(folder: Path, change: Break, file: str, said: str) -> None:
    """The message names the file, and what is wrong with it."""
    change(folder)
    with pytest.raises(MalformedSuite) as caught:
        read_suite(folder.parent)
    assert str(folder) in str(caught.value) and Path(file).name in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            edited("gold/procedures.json", f'"id": "{SLUG}"', '"id": "other"'),
            "ids of procedures and of workflows differ",
        ),
        (removed(GOLD), "ids of procedures and of workflows differ"),
        (written("gold/procedures.json", "[]"), "`procedures: true` disagree"),
        (edited("case.yaml", "title:", "procedures: false\ntitle:"), "`procedures: false` disagree"),
        (edited("scenarios.yaml", f"workflow: {SLUG}", "workflow: other"), "'worth little' is of no workflow"),
    ],
)
def test_files_that_disagree_name_the_case(folder: Path, change: Break, said: str) -> None:
    """Each is of its form, but one speaks of what another has not."""
    change(folder)
    with pytest.raises(MalformedSuite, match=said) as caught:
        read_case(folder)
    assert str(folder) in str(caught.value)


def test_a_source_that_is_not_there_is_named(folder: Path) -> None:
    """A document's source is a file of the case too."""
    file = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    file["documents"][0]["source"] = "source/loan.txt"
    (folder / "case.yaml").write_text(yaml.safe_dump(file), "utf-8")
    with pytest.raises(MalformedSuite, match=r"source/loan\.txt is named in case\.yaml and is not there"):
        read_case(folder)


def test_a_case_without_procedures_needs_no_scenarios(folder: Path) -> None:
    """Its documents are to be refused: gold says so by an empty list."""
    edited("case.yaml", "title:", "procedures: false\ntitle:")(folder)
    (folder / "gold" / "procedures.json").write_text(json.dumps([]), "utf-8")
    for name in (GOLD, "scenarios.yaml"):
        (folder / name).unlink()
    case = read_case(folder)
    assert (case.procedures, case.workflows, case.scenarios) == ((), {}, ())
