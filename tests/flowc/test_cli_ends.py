"""Exit statuses and the block on stderr."""

from pathlib import Path

import pytest
from conftest import Flowc

from ir.version import VERSION


def test_version(flowc: Flowc) -> None:
    """`--version` names the program and its version."""
    result = flowc("--version")
    assert (result.status, result.out) == (0, f"flowc {VERSION}\n")


def test_a_misspelt_command_is_met_with_the_right_one(flowc: Flowc) -> None:
    """Words that are off end with status 2 and a suggestion."""
    result = flowc("compil")
    assert result.status == 2
    assert "compile" in result.err


@pytest.mark.parametrize("command", ["eval", "diff"])
def test_what_is_not_there_yet_is_no_command(flowc: Flowc, command: str) -> None:
    """Commands of later versions are unknown, not stubs."""
    assert flowc(command).status == 2


def test_a_missing_path_names_its_neighbour(flowc: Flowc, policies: Path) -> None:
    """A misspelt path is met with what probably was meant."""
    result = flowc("parse", policies / "报销办发.md")
    assert result.status == 2
    assert result.err.startswith("error[missing-path]: ")
    assert f'did you mean "{policies / "报销办法.md"}"?' in result.err


@pytest.mark.parametrize(
    ("named", "near"),
    [
        ("报销办法.pdf", ("报销办法.md",)),  # of another kind
        ("policies/报销办法.md", ("报销办法.md",)),  # in another folder
        ("采购审批制渡.docx", ("制度/采购审批制度.docx",)),  # misspelt, and in a folder
        ("制渡/采购审批制度.docx", ("制度/采购审批制度.docx",)),  # in a misspelt folder
        ("EXPENSES.MD", ("expenses.txt",)),
        ("expense-rules.pdf", ("expense-rules-1.html", "expense-rules-2.html")),
        ("制", ("制度",)),
    ],
)
def test_a_missing_document_names_documents_like_it(
    flowc: Flowc, tmp_path: Path, named: str, near: tuple[str, ...]
) -> None:
    """Only what is there and is read is named, whatever of the name is wrong."""
    (tmp_path / "制度").mkdir()
    there = ("报销办法.md", "报销办法.xlsx", "制度/采购审批制度.docx", "expenses.txt", "expenses.csv")
    for name in (*there, "expense-rules-1.html", "expense-rules-2.html", "expense-rules.json"):
        (tmp_path / name).touch()
    result = flowc("compile", named)
    quoted = [f'"{one}"' for one in near]
    assert result.status == 2
    assert result.err == (
        f"error[missing-path]: {named}: there is no such file or folder; did you mean {' or '.join(quoted)}?\n"
    )


@pytest.mark.parametrize("named", ["费用.pdf", "nowhere/deep/费用.pdf", "/nowhere/费用.pdf"])
def test_a_missing_document_without_its_like_says_what_is_read(flowc: Flowc, tmp_path: Path, named: str) -> None:
    """Nothing is guessed then; kinds and folders are named."""
    for name in ("费用.xlsx", "采购审批制度.docx"):
        (tmp_path / name).touch()
    result = flowc("compile", named, "-o", "out")
    assert (result.status, (tmp_path / "out").exists()) == (2, False)
    assert result.err.startswith(
        f"error[missing-path]: {named}: there is no such file or folder; no name of a document "
    )
    assert "did you mean" not in result.err and "PDF, Word (.docx), HTML, Markdown and text files" in result.err


def test_a_bug_asks_to_be_reported(flowc: Flowc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of ours ends with status 3, the way to a trace, and no traceback."""

    def broken(path: Path) -> Path:
        raise KeyError("node")

    monkeypatch.setattr("flowc.commands.validate.existing_path", broken)
    result = flowc("validate", tmp_path)
    assert result.status == 3
    assert result.err.startswith("error[internal-error]: KeyError: 'node'\n  this is a bug of flowc; please report it")
    assert "FLOWC_TRACEBACK=1" in result.err
    assert "Traceback" not in result.err


def test_a_bug_shows_its_trace_on_request(flowc: Flowc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`FLOWC_TRACEBACK=1` prints the traceback before the block."""
    monkeypatch.setenv("FLOWC_TRACEBACK", "1")
    result = flowc("validate", tmp_path / "none.json")
    assert result.status == 2
    assert result.err.startswith("Traceback")
    assert "\nerror[missing-path]: " in result.err


def test_a_broken_catalog_that_was_named_is_the_commands_fault(flowc: Flowc, tmp_path: Path) -> None:
    """Every fault of the named catalog is listed; the exit status is 2."""
    for name in ("node_types", "concepts"):
        (tmp_path / "mine" / name).mkdir(parents=True)
    (tmp_path / "mine" / "concepts" / "a.yaml").write_text("a: [", encoding="utf-8")
    (tmp_path / "mine" / "concepts" / "b.yaml").write_text("b: 1", encoding="utf-8")
    result = flowc("catalog", "list", "--catalog", tmp_path / "mine")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error[malformed-catalog]: the catalog has 2 faults:\n")


def test_a_broken_catalog_of_ours_is_the_environments_fault(
    flowc: Flowc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody named a catalog, the installation is broken: status 3."""
    monkeypatch.setattr("catalog.load.__file__", str(tmp_path / "load.py"))
    result = flowc("catalog", "list")
    assert result.status == 3
    assert "install it again" in result.err


def test_broken_primers_that_were_named(flowc: Flowc, tmp_path: Path) -> None:
    """Primers are held to the same as the catalog."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x.md").write_text("no front matter", encoding="utf-8")
    result = flowc("primers", "list", "--primers", tmp_path / "mine")
    assert result.status == 2
    assert "error[malformed-primer]" in result.err
    assert "x.md: line 1" in result.err


def test_an_unknown_embedder_is_named_with_those_there_are(flowc: Flowc) -> None:
    """A name that no embedder can have is refused before anything is loaded."""
    result = flowc("catalog", "search", "发邮件", "--embedder", "lexicl")
    assert result.status == 2
    assert 'did you mean "lexical"?' in result.err
