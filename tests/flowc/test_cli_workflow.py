"""`flowc validate`, `explain`, `graph` and `parse`."""

import json
from pathlib import Path

import pytest
from conftest import Flowc

GOLD = Path("fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json")


@pytest.fixture
def gold(repository: Path) -> Path:
    """A valid workflow."""
    return repository / GOLD


@pytest.fixture
def faulty(gold: Path, tmp_path: Path) -> Path:
    """The same with a misspelt Node Type."""
    path = tmp_path / "faulty.workflow.json"
    text = gold.read_text("utf-8").replace("decision.check_transport_mode", "decision.check_transprot_mode")
    path.write_text(text, encoding="utf-8")
    return path


def _line(path: Path, words: str) -> int:
    return next(number for number, line in enumerate(path.read_text("utf-8").split("\n"), 1) if words in line)


def test_a_valid_workflow(flowc: Flowc, gold: Path) -> None:
    """A workflow without faults is said to be valid; status 0."""
    result = flowc("validate", gold)
    assert (result.status, result.out) == (0, f"{gold}: sound\n")


def test_findings_as_text(flowc: Flowc, faulty: Path) -> None:
    """A finding shows its place, the lines around it with its own marked, and the fix."""
    result = flowc("validate", faulty)
    line = _line(faulty, "transprot")
    assert result.status == 1
    assert f'{faulty}:{line}:7: error: unknown node type "decision.check_transprot_mode"' in result.out
    assert f'\n  > {line} |       "type": "decision.check_transprot_mode",\n' in result.out
    assert '(replace /nodes/mode_check/type "decision.check_transport_mode")' in result.out
    assert result.out.endswith("1 error in 1 file\n")


def test_findings_as_json(flowc: Flowc, faulty: Path) -> None:
    """JSON is a list of diagnostics, each with its file."""
    found = json.loads(flowc("validate", faulty, "--format", "json").out)
    assert [(one["error_code"], one["location"]["file"]) for one in found] == [("unknown-node-type", str(faulty))]


def test_findings_as_annotations(flowc: Flowc, faulty: Path) -> None:
    """GitHub's workflow commands, one a line."""
    result = flowc("validate", faulty, "--format", "github")
    line = _line(faulty, "transprot")
    place = f"file=faulty.workflow.json,line={line},endLine={line},col=7,endColumn=45"
    assert result.out.startswith(f"::error {place},title=unknown-node-type::unknown node type")
    assert result.out.count("\n") == 1


def test_older_forms_are_read_with_warnings(flowc: Flowc, gold: Path, tmp_path: Path) -> None:
    """Nodes as a list are read and warned of, and faults in them are found at their own lines."""
    workflow = json.loads(gold.read_text("utf-8"))
    workflow["nodes"] = [{"id": name, **node} for name, node in workflow["nodes"].items()]
    workflow["nodes"][-1]["colour"] = "red"
    path = tmp_path / "older.json"
    path.write_text(json.dumps(workflow, ensure_ascii=False, indent=1), encoding="utf-8")
    result = flowc("validate", path)
    assert result.status == 1
    assert "[nodes-as-list]" in result.out
    assert f"{path}:{_line(path, 'colour')}:" in result.out


def test_a_malformed_file_is_a_finding_at_its_line(flowc: Flowc, tmp_path: Path) -> None:
    """Broken JSON is no crash: status 1, and the line is shown."""
    path = tmp_path / "broken.json"
    path.write_text('{"workflow_id": "a",\n "nodes": }', encoding="utf-8")
    result = flowc("validate", path)
    assert result.status == 1
    assert f"{path}:2:11: error: " in result.out
    assert '> 2 |  "nodes": }' in result.out


def test_a_build_folder_is_validated_against_its_documents(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """Of a folder every workflow is checked, with procedure and document beside it: a step taken out is missed."""
    flowc("compile", policies, "-o", tmp_path / "out", "--offline", "--embedder", "lexical")
    path = next((tmp_path / "out").glob("*/*.workflow.json"))
    workflow = json.loads(path.read_text("utf-8"))
    node = next(node for node in workflow["nodes"].values() if node.get("step_ids"))
    node["step_ids"] = []
    path.write_text(json.dumps(workflow), encoding="utf-8")
    assert "[lost-step]" in flowc("validate", tmp_path / "out").out


def test_nothing_acts_on_the_terminal(flowc: Flowc, gold: Path, tmp_path: Path) -> None:
    """Control characters of a file are shown as escapes."""
    workflow = json.loads(gold.read_text("utf-8"))
    workflow["nodes"]["level"]["type"] = "io.\x1b[2Jclear"
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(workflow), encoding="utf-8")
    result = flowc("validate", path)
    assert "\x1b" not in result.out
    assert "\\x1b[2J" in result.out


def test_explains(flowc: Flowc, gold: Path) -> None:
    """The four answers, for people and for programs."""
    text = flowc("explain", gold).out
    assert all(word in text for word in ("Steps", "Routes", "People", "without a person"))
    assert json.loads(flowc("explain", gold, "--json").out)["workflow_id"] == "transport-compliance"


def test_explains_what_is_not_valid_and_says_so(flowc: Flowc, gold: Path, faulty: Path) -> None:
    """The answers of a faulty workflow are not to be taken for those of a sound one."""
    assert flowc("explain", gold).err == ""
    assert "has errors" in flowc("explain", faulty).err


def test_draws(flowc: Flowc, gold: Path, faulty: Path, tmp_path: Path) -> None:
    """The suffix says how; stdout gets Mermaid unless told otherwise; faults are marked in the picture."""
    assert flowc("graph", gold, "-o", tmp_path / "x.svg").status == 0
    assert (tmp_path / "x.svg").read_text("utf-8").startswith("<svg")
    assert flowc("graph", gold).out.startswith("flowchart TD\n")
    assert 'class="fault"' in flowc("graph", faulty, "-o", "-", "--format", "svg").out
    refused = flowc("graph", gold, "-o", tmp_path / "x.png")
    assert (refused.status, (tmp_path / "x.png").exists()) == (2, False)


def test_parses(flowc: Flowc, policies: Path) -> None:
    """A listing has a line a block; JSON is the whole document."""
    path = policies / "报销办法.md"
    document = json.loads(flowc("parse", path, "--format", "json").out)
    listing = flowc("parse", path).out
    assert all(f"\n{block['address']} " in listing for block in document["blocks"])
    assert "第二条" in listing


def test_parsing_tells_what_points_where(flowc: Flowc, tmp_path: Path) -> None:
    """JSON has each reference with its place and its target; one that leads nowhere has none."""
    path = tmp_path / "a.md"
    path.write_text("# 办法\n\n第一条 收件。\n\n第二条 依照第一条、第九条办理。\n", "utf-8")
    document = json.loads(flowc("parse", path, "--format", "json").out)
    texts = {block["address"]: block["text"] for block in document["blocks"]}
    found = [(texts[r["block"]][r["start"] : r["end"]], texts.get(r.get("target"))) for r in document["references"]]
    assert found == [("第一条", "第一条 收件。"), ("第九条", None)]


def test_parses_to_a_page(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """`--format html` writes the page where it is told, and to the screen without `--out`; a list has no file."""
    path, target = policies / "报销办法.md", tmp_path / "page.html"
    assert flowc("parse", path, "--format", "html", "-o", target).status == 0
    assert target.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert flowc("parse", path, "--format", "html").out.rstrip() == target.read_text("utf-8").rstrip()
    assert flowc("parse", path, "-o", target).status == 2


def test_what_cannot_be_parsed_is_a_finding(flowc: Flowc, tmp_path: Path) -> None:
    """A refused file gives status 1, the reason on stderr and nothing on stdout."""
    (tmp_path / "empty.pdf").write_bytes(b"")
    result = flowc("parse", tmp_path / "empty.pdf")
    assert (result.status, result.out) == (1, "")
    assert "[empty-document]" in result.err
