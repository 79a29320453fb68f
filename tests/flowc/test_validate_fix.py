"""`flowc validate --fix`: what is applied, what is refused, and what is written."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc
from pydantic import JsonValue

from ir.codec import layout
from ir.diagnostics import Diagnostic, Fix, Location, Severity
from ir.yaml_text import dump_yaml
from validator.fixes.autofix import State, autofix

GOLD = Path("fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json")


@pytest.fixture
def value(repository: Path) -> dict[str, Any]:
    """A sound workflow with a misspelt Node Type and two edges too many."""
    found: dict[str, Any] = json.loads((repository / GOLD).read_text("utf-8"))
    found["nodes"]["mode_check"]["type"] = "decision.check_transprot_mode"
    found["edges"] += [found["edges"][0], found["edges"][0]]
    return found


@pytest.fixture
def sound(repository: Path) -> dict[str, Any]:
    """The same without faults."""
    found: dict[str, Any] = json.loads((repository / GOLD).read_text("utf-8"))
    return found


def test_a_dry_run_shows_and_writes_nothing(flowc: Flowc, value: dict[str, Any], tmp_path: Path) -> None:
    """Operations, the difference and what would remain are shown; the file stays, and its errors count."""
    path = tmp_path / "a.json"
    path.write_text(layout(value) + "\n", encoding="utf-8")
    before = path.read_bytes()
    result = flowc("validate", path, "--fix")
    assert result.status == 1
    assert path.read_bytes() == before
    assert "(replace /nodes/mode_check/type " in result.out
    assert f"--- {path}\n+++ {path}\n@@ " in result.out
    assert '\n-      "type": "decision.check_transprot_mode",\n' in result.out
    assert "nothing written; --write writes it; after that: nothing found\n" in result.out
    assert result.out.endswith("3 errors in 1 file\n")


def test_writing_mends_the_file(flowc: Flowc, value: dict[str, Any], sound: dict[str, Any], tmp_path: Path) -> None:
    """After writing the file is valid, laid out as before, and keeps its permissions."""
    path = tmp_path / "a.json"
    path.write_text(layout(value) + "\n", encoding="utf-8")
    path.chmod(0o640)
    result = flowc("validate", path, "--fix", "--write")
    assert (result.status, result.out.splitlines()[-1]) == (0, f"{path}: sound")
    assert path.read_text("utf-8") == layout(sound) + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert flowc("validate", path, "--fix", "--write").out == f"{path}: nothing to fix\n{path}: sound\n"


def test_a_layout_of_ones_own_stays(flowc: Flowc, value: dict[str, Any], sound: dict[str, Any], tmp_path: Path) -> None:
    """Of a file that is laid out otherwise only the values at fault are written anew; line ends and mark stay."""
    path = tmp_path / "a.json"
    text = json.dumps(value, ensure_ascii=False, indent=7)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert flowc("validate", path, "--fix", "--write").status == 0
    after = path.read_bytes()
    assert json.loads(after.decode("utf-8-sig")) == sound
    assert after.startswith(b"\xef\xbb\xbf{\r\n       ")
    assert after.count(b"\n") == after.count(b"\r\n")
    kept = text.split('"edges"')[0].replace("transprot", "transport").replace("\n", "\r\n")
    assert after.decode("utf-8-sig").startswith(kept)


def test_a_link_stays_a_link(flowc: Flowc, value: dict[str, Any], tmp_path: Path) -> None:
    """What is written is the file that the link leads to."""
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "a.json", tmp_path / "link.json"
    real.write_text(json.dumps(value), encoding="utf-8")
    link.symlink_to(real)
    assert flowc("validate", link, "--fix", "--write").status == 0
    assert link.is_symlink()
    assert "transprot" not in real.read_text("utf-8")


def test_yaml_stays_yaml(flowc: Flowc, value: dict[str, Any], sound: dict[str, Any], tmp_path: Path) -> None:
    """A YAML file is written as YAML; one with comments is not, says why, and is no success."""
    path = tmp_path / "a.yaml"
    path.write_text(dump_yaml(value), encoding="utf-8")
    assert flowc("validate", path, "--fix", "--write").status == 0
    assert path.read_text("utf-8") == dump_yaml(sound)
    assert flowc("validate", path).out == f"{path}: sound\n"
    text = dump_yaml(value).replace("edges:", "edges: # as agreed in May", 1)
    path.write_text(text, encoding="utf-8")
    result = flowc("validate", path, "--fix", "--write")
    line = next(number for number, one in enumerate(text.split("\n"), 1) if "# as" in one)
    assert result.status == 1
    assert f"not written: line {line} holds a comment" in result.out
    assert path.read_text("utf-8") == text


def test_an_older_form_is_written_as_it_is_stored(flowc: Flowc, value: dict[str, Any], tmp_path: Path) -> None:
    """Reading it is a finding, and writing it in the form that is stored mends that; both are said."""
    value["nodes"] = [{"id": name, **node} for name, node in value["nodes"].items()]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    result = flowc("validate", path, "--fix", "--write")
    assert result.status == 0
    assert "written in the form that is stored [nodes-as-list]" in result.out
    assert isinstance(json.loads(path.read_text("utf-8"))["nodes"], dict)


def test_what_is_set_aside_is_not_fixed(flowc: Flowc, value: dict[str, Any], tmp_path: Path) -> None:
    """`--select` and `--ignore` say what is fixed too; remaining errors make the status."""
    path = tmp_path / "a.json"
    path.write_text(layout(value) + "\n", encoding="utf-8")
    result = flowc("validate", path, "--fix", "--write", "--select", "duplicate-*")
    assert result.status == 0
    assert "transprot" in path.read_text("utf-8")
    result = flowc("validate", path, "--fix", "--write", "--ignore", "unknown-*")
    assert (result.status, "transprot" in path.read_text("utf-8")) == (0, True)
    assert f"{path}: sound with 1 error set aside" in result.out


def test_a_file_that_cannot_be_read_is_mended_as_far_as_it_goes(
    flowc: Flowc, sound: dict[str, Any], tmp_path: Path
) -> None:
    """Unknown keys are renamed although the workflow could not be read before; what has no fix remains."""
    node = sound["nodes"]["mode_check"]
    node["lable"] = node.pop("label", "mode")
    path = tmp_path / "a.json"
    path.write_text(layout(sound) + "\n", encoding="utf-8")
    assert flowc("validate", path, "--fix", "--write").status == 0
    sound["version"] = 3
    sound["nodes"]["mode_check"]["prompt"] = "think"
    path.write_text(layout(sound) + "\n", encoding="utf-8")
    result = flowc("validate", path, "--fix", "--write")
    assert result.status == 1
    assert '"prompt"' not in path.read_text("utf-8")
    assert "[wrong-type]" in result.out


def test_fix_goes_with_text_alone(flowc: Flowc, tmp_path: Path) -> None:
    """`--fix --format json` and `--write` alone are refused before anything is read."""
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    assert flowc("validate", "a.json", "--fix", "--format", "json").status == 2
    assert flowc("validate", "a.json", "--write").status == 2


# --- the loop that applies -------------------------------------------------------------------------------------------


def _finding(code: str, node: str, *patches: dict[str, JsonValue], error: bool = True) -> Diagnostic:
    return Diagnostic(
        error_code=code,
        severity=Severity.ERROR if error else Severity.WARNING,
        message=code,
        location=Location(node=node),
        fixes=tuple(Fix(title="so", patch=(patch,)) for patch in patches),
    )


def _put(path: str, value: JsonValue) -> dict[str, JsonValue]:
    return {"op": "replace", "path": path, "value": value}


def _check(value: JsonValue) -> State:
    """`a` and `b` must be 0; `a` may be no 2; -1 cannot be read."""
    assert isinstance(value, dict)
    found = []
    if value["a"] == 2:
        found.append(_finding("two", "a"))
    elif value["a"]:
        found.append(_finding("not-nought", "a", _put("/c", 0), _put("/a", 2), _put("/a", -1), _put("/a", 3)))
    if value["b"]:
        found.append(_finding("not-nought", "b", _put("/x", 0), _put("/b", 0), error=False))
    return State(value, value["a"] != -1, tuple(found) if value["a"] != -1 else ())


def test_each_fix_must_prove_itself() -> None:
    """What does not apply, brings an error, makes it unreadable or leaves the finding is refused with the reason."""
    mended = autofix(_check({"a": 1, "b": 1}), _check, lambda _: True)
    assert mended.state.value == {"a": 1, "b": 0}
    assert [(one.finding.location.node, one.fix.patch[0]["path"]) for one in mended.applied] == [("b", "/b")]
    why = [one.why for one in mended.refused]
    assert why[0].startswith("it does not apply: ")
    assert why[1:] == [
        "it would bring two",
        "the workflow could not be read any more",
        "the finding would remain",
    ]


def test_no_finding_is_traded_for_another() -> None:
    """Two warnings whose fixes bring each other about are left; a warning goes though a note comes for it."""

    def swing(value: JsonValue) -> State:
        up = _finding("down", "a", _put("", 1), error=False)
        down = _finding("up", "a", _put("", 0), error=False)
        return State(value, readable=True, found=(down if value else up,))

    def lighter(value: JsonValue) -> State:
        state = swing(value)
        note = state.found[0].model_copy(update={"severity": Severity.INFO})
        return State(value, readable=True, found=(note,)) if value else state

    mended = autofix(swing(0), swing, lambda _: True)
    assert mended.applied == ()
    assert [one.why for one in mended.refused] == ["it would bring up"]
    mended = autofix(lighter(0), lighter, lambda _: True)
    assert [one.finding.error_code for one in mended.applied] == ["down"]
    assert [one.why for one in mended.refused] == ["it would bring down"]


def test_no_node_is_left_without_a_way_to_it() -> None:
    """A fix is refused that would make a node a start beside others; the only start may become one."""

    def looped(value: JsonValue) -> State:
        assert isinstance(value, dict)
        patch: dict[str, JsonValue] = {"op": "remove", "path": "/edges/0"}
        return State(value, readable=True, found=(_finding("loop", "b", patch),) if value["edges"] else ())

    def workflow(**nodes: dict[str, JsonValue]) -> JsonValue:
        return {"nodes": {**nodes}, "edges": [{"from": "a", "to": "b"}]}

    mended = autofix(looped(workflow(a={}, b={})), looped, lambda _: True)
    assert mended.applied == ()
    assert [one.why for one in mended.refused] == [
        "nothing would lead to b any more, and every run would start there as well"
    ]
    assert len(autofix(looped(workflow(b={})), looped, lambda _: True).applied) == 1


def test_only_what_is_wanted_is_tried() -> None:
    """Findings that nobody wants mended keep their fixes."""
    mended = autofix(_check({"a": 1, "b": 1}), _check, lambda finding: finding.severity is Severity.ERROR)
    assert mended.state.value == {"a": 1, "b": 1}
    assert len(mended.refused) == 4
