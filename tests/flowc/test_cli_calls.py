"""`flowc validate` of workflows that call each other: named together, in one folder, in one build."""

import json
from pathlib import Path
from typing import Any

from conftest import Flowc


def written(path: Path, workflow_id: str, calls: str | None = None, **inputs: Any) -> Path:
    """A file with a workflow that calls another, or logs."""
    step: dict[str, Any] = {"type": "record.log", "inputs": {"log_entry": "called"}}
    if calls is not None:
        step = {"type": "control.call", "call": {"workflow_id": calls, "version": "v1"}, "inputs": inputs}
    workflow = {
        "workflow_id": workflow_id,
        "version": "v1",
        "inputs": {} if calls else {"load": {"type": "number", "unit": "kg"}},
        "nodes": {
            "step": {**step, "origin": "person"},
            "done": {"type": "control.end", "status": "completed", "origin": "person"},
        },
        "edges": [{"from": "step", "to": "done", "origin": "person"}],
        "execution_policy": {"risk_level": "medium"},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(workflow), encoding="utf-8")
    return path


def codes(flowc: Flowc, *paths: Path) -> list[tuple[str, str]]:
    """File and code of each finding."""
    found = json.loads(flowc("validate", *paths, "--format", "json").out)
    return [(Path(one["location"]["file"]).name, one["error_code"]) for one in found]


def test_a_called_workflow_is_seen_when_named_too(flowc: Flowc, tmp_path: Path) -> None:
    """Alone the call is a warning; with the other file its inputs are checked."""
    outer = written(tmp_path / "a" / "outer.json", "outer", "inner", load="5")
    inner = written(tmp_path / "b" / "inner.json", "inner")
    assert codes(flowc, outer) == [("outer.json", "unknown-workflow")]
    assert codes(flowc, outer, inner) == [("outer.json", "type-mismatch")]
    written(outer, "outer", "inner", load=5)
    assert codes(flowc, outer, inner) == []


def test_a_called_workflow_is_seen_beside_the_file(flowc: Flowc, tmp_path: Path) -> None:
    """In the same folder, and in another folder of the same build."""
    outer = written(tmp_path / "one" / "outer.workflow.json", "outer", "inner", load=5)
    inner = written(tmp_path / "one" / "inner.workflow.json", "inner")
    assert codes(flowc, outer) == []
    inner.rename(written(tmp_path / "two" / "inner.workflow.json", "inner"))
    assert codes(flowc, outer) == [("outer.workflow.json", "unknown-workflow")]
    (tmp_path / "summary.json").write_text("{}", encoding="utf-8")
    assert codes(flowc, outer) == []


def test_a_ring_over_files_is_seen_from_each(flowc: Flowc, tmp_path: Path) -> None:
    """Three files that call each other in a ring: an error of each when they are checked together."""
    names = ("a", "b", "c")
    paths = [written(tmp_path / name / "x.json", name, called) for name, called in zip(names, "bca", strict=True)]
    assert [code for _, code in codes(flowc, *paths)] == ["call-cycle"] * 3
    assert [code for _, code in codes(flowc, *paths[:2])] == ["unknown-workflow"]
    assert flowc("validate", *paths).status == 1


def test_a_faulty_neighbour_brings_nothing_down(flowc: Flowc, tmp_path: Path) -> None:
    """What cannot be read beside a file is not at hand."""
    outer = written(tmp_path / "outer.workflow.json", "outer", "inner", load=5)
    (tmp_path / "inner.workflow.json").write_text("{", encoding="utf-8")
    assert codes(flowc, outer) == [("outer.workflow.json", "unknown-workflow")]
