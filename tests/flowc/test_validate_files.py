"""`flowc validate` with files that are no workflows: a finding each, and no traceback."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc

import flowc.checking

FILES = {
    "broken.json": (b'{"a": ', "malformed-json"),
    "empty.json": (b"", "malformed-json"),
    "utf16.json": ('{"a": 1}'.encode("utf-16"), "malformed-text"),
    "gb.json": ('{"a": "公路"}'.encode("gb18030"), "malformed-text"),
    "pdf.json": (b"%PDF-1.7\n\xff", "malformed-text"),
    "list.json": (b"[1, 2]", "wrong-type"),
    "text.json": (b'"x"', "wrong-type"),
    "null.json": (b"null", "wrong-type"),
    "bom.json": (b'\xef\xbb\xbf{"a": 1}', "missing-key"),
    "deep.json": (b"[" * 100_000, "too-deep"),
    "levels.json": (b'{"nodes":' * 3000 + b"1" + b"}" * 3000, "too-deep"),
    "surrogate.json": (b'{"workflow_id": "\\ud800"}', "malformed-text"),
    "huge.json": (b'{"a": "' + b"x" * 200_000 + b'"}', "bad-input-file"),
    "broken.yaml": (b"a: [\n", "malformed-yaml"),
    "alias.yaml": (b"a: &x 1\nb: *x\n", "malformed-yaml"),
}


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All of these files, by name; one is larger than is allowed."""
    monkeypatch.setattr(flowc.checking, "LARGEST", 150_000)
    for name, (data, _) in FILES.items():
        (tmp_path / name).write_bytes(data)
    return list(FILES)


def test_each_is_a_finding(flowc: Flowc, bad: list[str]) -> None:
    """Status 1, the code of each at its file, and nothing on stderr."""
    result = flowc("validate", *bad, "--format", "json")
    assert (result.status, result.err) == (1, "")
    found = {(one["location"]["file"], one["error_code"]) for one in json.loads(result.out)}
    assert {(name, code) for name, (_, code) in FILES.items()} <= found


@pytest.mark.parametrize("form", ["text", "sarif", "gitlab", "github"])
def test_every_format_can_say_so(flowc: Flowc, bad: list[str], form: str) -> None:
    """Each file and each code is named; what is JSON is JSON."""
    result = flowc("validate", *bad, "--format", form)
    assert (result.status, "explain-code" in result.err) == (1, form == "text")
    assert all(name in result.out and code in result.out for name, (_, code) in FILES.items())
    if form in ("sarif", "gitlab"):
        assert json.loads(result.out)


def test_there_is_nothing_to_fix(flowc: Flowc, bad: list[str], tmp_path: Path) -> None:
    """`--fix --write` leaves each as it is."""
    assert flowc("validate", *bad, "--fix", "--write").status == 1
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == {name: data for name, (data, _) in FILES.items()}


def test_one_file_costs_only_itself(
    flowc: Flowc, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may not be read is a finding, and the others are checked."""
    gold = repository / "fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json"
    closed = tmp_path / "closed.json"
    closed.write_bytes(gold.read_bytes())
    really = Path.open

    def opened(path: Path, *words: Any, **named: Any) -> object:
        if path == closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return really(path, *words, **named)

    monkeypatch.setattr(Path, "open", opened)
    result = flowc("validate", closed, gold)
    assert result.status == 1
    assert f"{closed}: error: cannot be read: Permission denied; check its permissions [unreadable-file]" in result.out
    assert f"{gold}: sound\n" in result.out


def test_a_folder_with_both_syntaxes(flowc: Flowc, repository: Path, tmp_path: Path) -> None:
    """JSON and YAML below it are checked; what is named otherwise is not."""
    gold = json.loads(
        (repository / "fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json").read_text()
    )
    for name in ("a/one.workflow.json", "b/two.workflow.yaml", "three.workflow.yml", "four.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(gold, ensure_ascii=False), encoding="utf-8")
    assert flowc("validate", tmp_path).out.endswith("nothing found in 3 files\n")


def test_a_folder_without_workflows(flowc: Flowc, tmp_path: Path) -> None:
    """It is said to have none: status 2."""
    result = flowc("validate", tmp_path)
    assert result.status == 2
    assert "no *.workflow.json, .yaml or .yml below this folder" in result.err


def test_a_file_that_changed_meanwhile_is_not_overwritten(
    flowc: Flowc, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another wrote while the fixes were tried is kept: status 3."""
    from flowc.commands import fixing

    gold = repository / "fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json"
    path = tmp_path / "a.json"
    path.write_text(gold.read_text("utf-8").replace("decision.check_transport", "decision.check_transprot"), "utf-8")
    really = fixing.rewritten

    def meanwhile(*given: object, **named: object) -> str:
        path.write_text("{}", encoding="utf-8")
        return really(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(fixing, "rewritten", meanwhile)
    result = flowc("validate", path, "--fix", "--write")
    assert result.status == 3
    assert "changed while it was fixed" in result.err
    assert path.read_text("utf-8") == "{}"


def test_outputs_of_an_older_form_are_held_against_the_type(flowc: Flowc, tmp_path: Path) -> None:
    """A field that the Type does not give, or gives otherwise, is an error; what only says less is not."""
    node = {"type": "utility.compliance_summary", "evidence": [{"doc_id": "a", "quote": "x"}]}
    ends = {"end": {"type": "control.end", "status": "completed"}}
    value = {
        "dsl_version": "1.0", "workflow_id": "older", "version": "v1", "inputs": {}, "nodes": {"sum": node, **ends},
        "edges": [{"from": "sum", "to": "end"}], "execution_policy": {"risk_level": "low"},
    }  # fmt: skip
    path = tmp_path / "older.workflow.json"
    for outputs, fault in (
        ({"verdict_text": "string"}, 'gives no "verdict_text"'),
        ({"compliant": {"type": "string"}}, "\"type\" is 'string'"),
        ({"compliant": {"type": "boolean"}}, None),
    ):
        value["nodes"] = {"sum": {**node, "outputs": outputs}, **ends}
        path.write_text(json.dumps(value), encoding="utf-8")
        said = flowc("validate", path, "--select", "outputs-differ").out
        assert (fault in said) if fault else ("outputs-differ" not in said)
