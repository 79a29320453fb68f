"""What is decided about findings: severities, what is set aside, what is selected; and the trace that it leaves."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc

from compiler.build.configuration import configure
from ir.codec import layout
from ir.errors import BadSetting

GOLD = Path("fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json")


@pytest.fixture
def faulty(repository: Path, tmp_path: Path) -> Path:
    """A workflow with a misspelt Node Type and an edge too many."""
    value: dict[str, Any] = json.loads((repository / GOLD).read_text("utf-8"))
    value["nodes"]["mode_check"]["type"] = "decision.check_transprot_mode"
    value["edges"].append(value["edges"][0])
    path = tmp_path / "faulty.json"
    path.write_text(layout(value) + "\n", encoding="utf-8")
    return path


def codes(out: str) -> list[str]:
    """The codes of findings in JSON that count."""
    return [one["error_code"] for one in json.loads(out) if "suppressed" not in one]


def test_ignoring_leaves_a_trace(flowc: Flowc, faulty: Path) -> None:
    """The finding is listed with the reason, counted, and kept in JSON; it no longer makes the status."""
    words = ("validate", faulty, "--ignore", "unknown-node-type,duplicate-*", "--reason", "as agreed")
    result = flowc(*words)
    assert result.status == 0
    assert f"{faulty}: sound with 2 errors set aside\nset aside:\n" in result.out
    assert "[unknown-node-type]: as agreed (--ignore)\n" in result.out
    assert result.out.endswith("nothing found, 2 set aside in 1 file\n")
    listed = json.loads(flowc(*words, "--format", "json").out)
    assert [one["suppressed"] for one in listed] == [{"reason": "as agreed", "by": "--ignore"}] * 2
    assert "2 findings set aside and left out" in flowc(*words, "--format", "github").err


def test_without_a_reason_the_command_line_is_it(flowc: Flowc, faulty: Path) -> None:
    """Who gives none is recorded as the command line; what is not covered counts."""
    result = flowc("validate", faulty, "--ignore", "duplicate-edge", "--format", "json")
    assert (result.status, codes(result.out)) == (1, ["unknown-node-type"])
    assert [one["suppressed"]["reason"] for one in json.loads(result.out) if "suppressed" in one] == ["command line"]


def test_json_says_the_lines(flowc: Flowc, faulty: Path) -> None:
    """A place in the file is given as line and column."""
    (found,) = json.loads(flowc("validate", faulty, "--select", "duplicate-*", "--format", "json").out)
    line = faulty.read_text("utf-8").split("\n")[found["location"]["line"] - 1]
    assert line[found["location"]["column"] - 1] == "{"


def test_selecting(flowc: Flowc, faulty: Path) -> None:
    """Only findings of the codes are shown and count; how many others there are is said."""
    result = flowc("validate", faulty, "--select", "duplicate-*")
    assert (result.status, "[unknown-node-type]" in result.out) == (1, False)
    assert result.out.endswith("1 error, 1 of other codes left out in 1 file\n")
    assert "flowc explain-code duplicate-edge" in result.err
    none = flowc("validate", faulty, "--select", "cycle")
    assert none.status == 0
    assert "valid" not in none.out
    assert (
        "2 findings of codes that were not selected left out"
        in flowc("validate", faulty, "--select", "cycle", "--format", "sarif").err
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--select", "cylce"], '"cylce": there is no such code; did you mean "cycle"?'),
        (["--ignore", "brnch-*"], '"brnch-*": no code begins so; '),
        (["--ignore", "malformed-json"], "which cannot be ignored"),
        (["--ignore", "cycle,,no-exit"], "a code is empty"),
        (["--reason", "so"], "--reason goes with --ignore"),
        (["--ignore", "cycle", "--reason", " "], "--reason is empty"),
    ],
)
def test_words_that_are_off(flowc: Flowc, faulty: Path, words: list[str], said: str) -> None:
    """Codes that there are not, and those that nothing can set aside, end with status 2."""
    result = flowc("validate", faulty, *words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_what_cannot_be_read_cannot_be_set_aside(flowc: Flowc, tmp_path: Path) -> None:
    """Whatever is ignored or selected, the errors of reading stay."""
    (tmp_path / "a.json").write_text('{"a": ', encoding="utf-8")
    (tmp_path / "flowc.toml").write_text('[[diagnostics.ignore]]\ncode = "*"\nreason = "all"\n', encoding="utf-8")
    for words in (["--ignore", "*"], ["--select", "cycle"], []):
        result = flowc("validate", "a.json", *words, "--format", "json")
        assert (result.status, codes(result.out)) == (1, ["malformed-json"])


def test_the_file_of_settings_decides(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """Severities and reasons come from flowc.toml, and both leave their trace in text and JSON."""
    toml = tmp_path / "flowc.toml"
    toml.write_text(
        '[diagnostics.severity]\nduplicate-edge = "warning"\n'
        '[[diagnostics.ignore]]\ncode = "unknown-*"\nreason = "the Type comes in June"\nnode = "mode_check"\n',
        encoding="utf-8",
    )
    result = flowc("validate", faulty)
    assert result.status == 0
    assert f"[unknown-node-type]: the Type comes in June ({toml})\n" in result.out
    assert "counted otherwise than their checks gave:\n" in result.out
    assert f"[duplicate-edge]: error counts as warning ({toml})\n" in result.out
    found = {one["error_code"]: one for one in json.loads(flowc("validate", faulty, "--format", "json").out)}
    assert found["duplicate-edge"]["severity"] == "warning"
    assert found["duplicate-edge"]["severity_given"] == {"severity": "error", "changed_by": str(toml)}
    assert found["unknown-node-type"]["suppressed"]["by"] == str(toml)


@pytest.mark.parametrize(
    ("limit", "covered"),
    [
        ('node = "mode_check"', True),
        ('node = "level"', False),
        ('workflow = "transport-compliance"', True),
        ('workflow = "other"', False),
    ],
)
def test_an_entry_may_be_limited(flowc: Flowc, faulty: Path, tmp_path: Path, limit: str, covered: bool) -> None:
    """Workflow and node narrow what an entry covers."""
    entry = f'[[diagnostics.ignore]]\ncode = "unknown-node-type"\nreason = "so"\n{limit}\n'
    (tmp_path / "flowc.toml").write_text(entry, encoding="utf-8")
    found = codes(flowc("validate", faulty, "--format", "json").out)
    assert ("unknown-node-type" not in found) is covered


def test_an_idle_entry_is_told(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """What sets nothing aside is said on stderr, but not where the entry speaks of a workflow not looked at."""
    entry = '[[diagnostics.ignore]]\ncode = "cycle"\nreason = "so"\n'
    (tmp_path / "flowc.toml").write_text(entry, encoding="utf-8")
    assert 'note: the ignored "cycle" ' in flowc("validate", faulty).err
    assert "ignored" not in flowc("validate", faulty, "--select", "duplicate-*").err
    (tmp_path / "flowc.toml").write_text(entry + 'workflow = "other"\n', encoding="utf-8")
    assert "ignored" not in flowc("validate", faulty).err


def test_an_entry_for_a_workflow_that_there_is_not_is_told(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """In a whole folder no workflow has the name, or in the file that was named one has nearly the same."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "one.workflow.json").write_bytes(faulty.read_bytes())
    entry = '[[diagnostics.ignore]]\ncode = "cycle"\nreason = "so"\nworkflow = "{}"\n'
    (tmp_path / "flowc.toml").write_text(entry.format("other"), encoding="utf-8")
    assert "no workflow is called so; there is transport-compliance" in flowc("validate", tmp_path / "below").err
    (tmp_path / "flowc.toml").write_text(entry.format("transport-complaince"), encoding="utf-8")
    assert 'no workflow is called so; did you mean "transport-compliance"?' in flowc("validate", faulty).err


def test_a_link_that_leads_nowhere_is_told(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """In a folder it is a finding that costs only itself; named, it is said what it leads to."""
    (tmp_path / "one.workflow.json").write_bytes(faulty.read_bytes())
    link = tmp_path / "two.workflow.json"
    link.symlink_to("gone.json")
    run = flowc("validate", tmp_path)
    assert "two.workflow.json: error: is a link that leads nowhere" in run.out
    assert "one.workflow.json" in run.out
    assert "this link leads nowhere: there is no gone.json" in flowc("validate", link).err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("diagnostics = 3", "expected a table"),
        ("[diagnostics.severty]", 'unknown key "severty"; did you mean "severity"?'),
        ('[diagnostics.severity]\ncylce = "info"', 'did you mean "cycle"?'),
        ('[diagnostics.severity]\ncycle = "off"', "expected one of error, warning, info"),
        ("[diagnostics.severity]\ncycle = [1]", "expected one of error, warning, info"),
        ('[diagnostics.severity]\nmalformed-json = "info"', "which is always an error"),
        ('[diagnostics.severity]\n"lost-*" = "info"', "write each out"),
        ('[[diagnostics.ignore]]\ncode = "cycle"', '"reason" is missing'),
        ('[[diagnostics.ignore]]\ncode = "cycle"\nreason = " "', "expected text"),
        ('[[diagnostics.ignore]]\nreason = "so"', '"code" is missing'),
        ('[[diagnostics.ignore]]\ncode = "cycle"\nreason = "so"\nnodes = "a"', 'did you mean "node"?'),
        ('[[diagnostics.ignore]]\ncode = "bad-reference"\nreason = "so"', "which cannot be ignored"),
        ('[diagnostics]\nignore = "cycle"', "expected [[diagnostics.ignore]] tables"),
    ],
)
def test_what_the_file_may_not_say(tmp_path: Path, content: str, said: str) -> None:
    """Each mistake of the table is named, with the file."""
    file = tmp_path / "flowc.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BadSetting) as caught:
        configure({}, {}, tmp_path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_config_shows_what_was_decided(flowc: Flowc, tmp_path: Path) -> None:
    """`flowc config` lists severities and entries with their reasons."""
    (tmp_path / "flowc.toml").write_text(
        '[diagnostics.severity]\ncycle = "warning"\n'
        '[[diagnostics.ignore]]\ncode = "lost-*"\nreason = "so"\nnode = "a"\n',
        encoding="utf-8",
    )
    shown = flowc("config").out
    assert "cycle     counts as warning" in shown
    assert 'lost-*    set aside at node "a"  so' in shown
    assert json.loads(flowc("config", "--json").out)["diagnostics"] == {
        "severity": {"cycle": "warning"},
        "ignore": [{"code": "lost-*", "reason": "so", "node": "a"}],
    }


def test_compiling_does_not_go_by_it(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """A draft is valid or not by what the checks gave, whatever flowc.toml says."""
    words = ("compile", policies, "--offline", "--embedder", "lexical", "-o")
    flowc(*words, "before")
    every = "".join(f'{code} = "error"\n' for code in ("lost-step", "path-without-end", "disconnected-part"))
    rules = f'[diagnostics.severity]\n{every}[[diagnostics.ignore]]\ncode = "*"\nreason = "so"\n'
    (tmp_path / "flowc.toml").write_text(rules, encoding="utf-8")
    flowc(*words, "after")

    def made(folder: str) -> list[tuple[str, str]]:
        files = sorted((tmp_path / folder).rglob("*.diagnostics.json"))
        return [(path.name, path.read_text("utf-8")) for path in files]

    assert made("before") == made("after") != []
