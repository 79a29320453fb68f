"""`flowc diff`: two files or two folders, as text, Markdown and JSON, and its exit statuses."""

import json
import shutil
from pathlib import Path

import pytest
from conftest import Flowc

NARROW, WIDE = '{"value": [1, 2], "status": "quoted"}', '{"value": [1, 2, 3], "status": "quoted"}'


@pytest.fixture
def old() -> Path:
    """A draft about dangerous goods."""
    return Path(__file__).parent / "dangerous_goods.workflow.json"


@pytest.fixture
def new(old: Path, tmp_path: Path) -> Path:
    """The same, class 3 let into the filing."""
    text = old.read_text("utf-8")
    assert NARROW in text
    path = tmp_path / "new.workflow.json"
    path.write_text(text.replace(NARROW, WIDE), encoding="utf-8")
    return path


def test_a_wider_condition(flowc: Flowc, old: Path, new: Path) -> None:
    """The condition of before and of now, a shipment that takes another way, and both ways; status 1."""
    result = flowc("diff", old, new)
    assert (result.status, result.err) == (1, "")
    for part in (
        "hazard_level in [1, 2] and",
        "hazard_level in [1, 2, 3] and",
        "after check_transport_mode: some runs take another way",
        "$.outputs.lookup_hazard_level.hazard_level = 3",
        "- old: identify_substance→lookup_hazard_level→check_transport_mode→compliance_summary→",
        "+ new: identify_substance→lookup_hazard_level→check_transport_mode→check_filing_status→",
    ):
        assert part in result.out


def test_narrowed_back_there_is_no_difference(flowc: Flowc, old: Path, new: Path) -> None:
    """The correction taken back leaves nothing; status 0."""
    new.write_text(new.read_text("utf-8").replace(WIDE, NARROW), encoding="utf-8")
    result = flowc("diff", old, new)
    assert result.status == 0
    assert result.out.endswith("\n  no differences\n")


def test_json_for_programs(flowc: Flowc, old: Path, new: Path) -> None:
    """One structure, by either option; what is the same is said as well."""
    result = flowc("diff", old, new, "--json")
    found = json.loads(result.out)
    assert (result.status, found["same"]) == (1, False)
    (difference,) = found["differences"]
    assert [choice["verdict"] for choice in difference["choices"]] == ["differs"]
    assert difference["choices"][0]["examples"][0]["values"]["$.outputs.lookup_hazard_level.hazard_level"] == 3
    assert flowc("diff", old, new, "--format", "json").out == result.out
    assert json.loads(flowc("diff", old, old, "--json").out)["differences"][0]["same"] is True


def test_markdown_for_merge_requests(flowc: Flowc, old: Path, new: Path) -> None:
    """A heading and a listing whose lines begin with their signs; text of a document cannot leave the listing."""
    text = new.read_text("utf-8").replace("安全总监同意的", "````\\n# 安全总监同意的")
    new.write_text(text, encoding="utf-8")
    result = flowc("diff", old, new, "--format", "markdown")
    assert result.out.startswith("### 危险化学品运输合规判定 (")
    fences = [line for line in result.out.splitlines() if line.startswith("`")]
    assert fences == ["`````diff", "`````"]
    assert "\n# " not in result.out
    listing = result.out.split("`````")[1].splitlines()[1:]
    assert all(line[:1] in "+-! @" for line in listing)
    assert any(line.startswith("+") and "→check_filing_status→" in line for line in listing)


def test_two_build_folders(flowc: Flowc, old: Path, new: Path, tmp_path: Path) -> None:
    """Workflows are paired by document and name; one that only one folder has is listed."""
    for folder, file in (("a", old), ("b", new)):
        (tmp_path / folder / "policy").mkdir(parents=True)
        shutil.copy(file, tmp_path / folder / "policy" / "p.workflow.json")
    shutil.copy(old, tmp_path / "b" / "policy" / "q.workflow.json")
    found = json.loads(flowc("diff", "a", "b", "--json").out)
    assert [(one["old"], one["new"]) for one in found["differences"]] == [
        ("a/policy/p.workflow.json", "b/policy/p.workflow.json")
    ]
    assert [one["file"] for one in found["added"]] == ["b/policy/q.workflow.json"]
    result = flowc("diff", "a", "b")
    assert result.status == 1
    assert "\n+ b/policy/q.workflow.json: 危险化学品运输合规判定\n" in result.out


def test_what_is_not_valid_is_noted(flowc: Flowc, old: Path, tmp_path: Path) -> None:
    """A version with errors is compared all the same, and named: on stderr and for programs."""
    whole = json.loads(old.read_text("utf-8"))
    del whole["edges"][0]
    (tmp_path / "broken.json").write_text(json.dumps(whole), encoding="utf-8")
    result = flowc("diff", old, "broken.json")
    assert (
        result.err == "note: broken.json has errors, and may not run like that; `flowc validate` shows what is wrong\n"
    )
    assert "broken.json has errors" in flowc("diff", "broken.json", old).err
    assert json.loads(flowc("diff", old, "broken.json", "--json").out)["not_valid"] == ["broken.json"]
    assert json.loads(flowc("diff", old, old, "--json").out)["not_valid"] == []


def test_wrong_words(flowc: Flowc, old: Path, tmp_path: Path) -> None:
    """A file against a folder, a folder without workflows, no workflow, nothing there: status 2 and no result."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "none.json").write_text('{"nodes": 1}', encoding="utf-8")
    for words in ((old, "empty"), ("empty", "empty"), (old, "none.json"), (old, "missing.json")):
        result = flowc("diff", *words)
        assert (result.status, result.out) == (2, "")
        assert "error[" in result.err
