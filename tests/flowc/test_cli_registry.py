"""The registry by command line: submitted with owner and tags, found, compared, told what is stale."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc, said

from catalog.load import load_catalog

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GOLD = ROOT / "fixtures" / "cases" / "hazmat-transport" / "gold" / "transport-compliance.workflow.json"
BOUND = "".join(
    f'[executors."{name}"]\nkind = "http"\nurl = "https://systems.example.org/{name}"\nallow = ["*"]\n'
    for name in load_catalog().node_types
)
NAME = "transport-compliance"


@pytest.fixture
def workspace(flowc: Flowc, tmp_path: Path) -> Path:
    """A workspace in the working directory, all Types bound: li submits, wen publishes."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    assert flowc("users", "add", "li", "--role", "author", "--as", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(BOUND, "utf-8")
    return tmp_path


def file_with(folder: Path, name: str, **inputs: Any) -> Path:
    """The first case in a file, with other inputs; None takes one away."""
    raw = json.loads(GOLD.read_text("utf-8"))
    raw["inputs"] = {key: one for key, one in {**raw["inputs"], **inputs}.items() if one is not None}
    path = folder / name
    path.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    return path


def published(flowc: Flowc, file: Path, version: str, *more: str) -> Any:
    """The outcome of publishing a file."""
    told = flowc("registry", "submit", file, "--as", "li", "--owner", "物流部", "--tag", "road")
    assert told.status == 0, told.err
    assert flowc("registry", "review", version, "--as", "li").status == 0
    return flowc("registry", "publish", version, "--as", "wen", "--accept-open", "asked", *more)


def test_owner_and_tags_are_kept_and_filtered_by(flowc: Flowc, workspace: Path) -> None:
    """Those of the file and those of the command; what does not have them is not listed."""
    assert flowc("registry", "submit", GOLD, "--as", "li").status == 0
    assert said(flowc("registry", "list", "--owner", "物流部", "--json"))[0]["tags"] == ["危险化学品", "运输", "合规"]
    told = flowc("registry", "submit", GOLD, "--as", "li", "--owner", "safety", "--tag", "road", "--tag", "运输")
    assert told.status == 0 and f"Next: flowc registry review {NAME}@v1\n" in told.out
    (one,) = said(flowc("registry", "list", "--owner", "safety", "--tag", "road", "--tag", "合规", "--json"))
    assert (one["owner"], one["tags"]) == ("safety", ["危险化学品", "运输", "合规", "road"])
    assert "owner safety; tags 危险化学品, 运输, 合规, road" in flowc("registry", "show", NAME).out
    for words in (("--owner", "物流部"), ("--tag", "rail"), ("--state", "published")):
        assert said(flowc("registry", "list", *words, "--json")) == []
    assert said(flowc("registry", "list", "--state", "draft", "--json"))[0]["state"] == "draft"
    assert flowc("registry", "list", "--state", "old").status == 2


def test_errors_are_named_and_hints_can_be_typed(flowc: Flowc, workspace: Path, tmp_path: Path) -> None:
    """A file that cannot be read, one that has errors; paths with spaces are quoted."""
    raw = json.loads(GOLD.read_text("utf-8"))
    raw["nodes"]["identify"]["type"] = "ontology.identify_substanze"
    broken = tmp_path / "a draft.workflow.json"
    broken.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    told = flowc("registry", "submit", broken, "--as", "li")
    assert told.status == 0 and "nodes.identify.type: error: " in told.out and "[unknown-node-type]" in told.out
    assert f"Next: flowc validate '{broken}'" in told.out
    broken.write_text("{}", "utf-8")
    told = flowc("registry", "submit", broken, "--as", "li")
    assert told.status == 2 and f"flowc validate '{broken}'" in told.err
    assert 'nodes: error: the key "nodes" is missing [missing-key]' in told.err
    other = tmp_path / "my plant"
    assert f"--workspace '{other}'" in flowc("workspace", "init", other, "--user", "wen").out
    assert f"--workspace '{other}'" in flowc("registry", "submit", GOLD, "--workspace", other).out


def test_what_is_published_is_found_for_a_task(flowc: Flowc, workspace: Path) -> None:
    """With reasons; drafts and deprecated versions are not, and what fits nothing is told."""
    task = ("registry", "search", "how do I ship sulphuric acid by road")
    assert flowc("registry", "submit", GOLD, "--as", "li").status == 0
    assert said(flowc(*task, "--json")) == []
    assert published(flowc, GOLD, f"{NAME}@v1").status == 0
    (one,) = said(flowc(*task, "--json"))
    assert (one["version"], one["allow_auto"], one["risk_level"]) == (f"{NAME}@v1", False, "high")
    words = flowc(*task).out
    assert "“road” is like its tag “road”" in words and "asks for shipment_id (string), " in words
    assert "a person has to let it run; people act at 3 of its nodes; risk high" in words
    nothing = flowc("registry", "search", "bake a chocolate cake")
    assert nothing.status == 0 and "none of the 1 published workflows fits" in nothing.out
    assert flowc("registry", "search", " ").status == 2
    assert flowc("registry", "deprecate", NAME, "--reason", "a new law", "--as", "wen").status == 0
    assert said(flowc(*task, "--json")) == []
    assert f"{NAME}@v1 [deprecated]" in flowc(*task, "--deprecated").out


def test_versions_are_compared_when_published_and_when_asked(flowc: Flowc, workspace: Path, tmp_path: Path) -> None:
    """What breaks callers is told, refused where that is wanted, signed with the report, and shown again."""
    first = published(flowc, GOLD, f"{NAME}@v1")
    assert first.status == 0 and "compatible" not in first.err
    wider = file_with(tmp_path, "wider.json", note={"type": "string", "required": False})
    told = published(flowc, wider, f"{NAME}@v2", "--compatible")
    assert told.status == 0 and f"compatible with {NAME}@v1: its callers can call this one" in told.err
    stricter = file_with(tmp_path, "stricter.json", permit={"type": "string"})
    refused = published(flowc, stricter, f"{NAME}@v3", "--compatible")
    assert refused.status == 1 and "error[not-publishable]" in refused.err
    assert f"callers of {NAME}@v2 cannot call it: input permit: is new, and required" in refused.err
    assert f"callers of {NAME}@v2 cannot call it: input note: is not taken any more" in refused.err
    told = flowc("registry", "publish", f"{NAME}@v3", "--as", "wen", "--accept-open", "asked")
    assert told.status == 0 and f"incompatible with {NAME}@v2" in told.err
    assert "breaks: input permit: is new, and required" in flowc("registry", "show", f"{NAME}@v3").out
    held = said(flowc("registry", "show", f"{NAME}@v3", "--json"))["report"]["compatibility"]
    assert (held["against"], held["verdict"]) == (f"{NAME}@v2", "incompatible")
    assert flowc("registry", "verify", NAME).status == 0
    found = said(flowc("registry", "diff", f"{NAME}@v1", f"{NAME}@v3", "--json"), 1)
    assert found["compatibility"]["against"] == f"{NAME}@v1"
    assert [one["name"] for one in found["difference"]["changes"] if one["part"] == "inputs"] == ["permit"]
    words = flowc("registry", "diff", f"{NAME}@v3", f"{NAME}@v1")
    assert words.status == 1 and "- permit · string" in words.out
    assert f"incompatible with {NAME}@v3" in words.out and "breaks: input permit: is not taken any more" in words.out
    same = flowc("registry", "diff", NAME, f"{NAME}@v3")
    assert same.status == 0 and f"compatible with {NAME}@v3" in same.out
    assert flowc("registry", "diff", NAME, f"{NAME}@v9").status == 2


def test_stale_and_deprecated_types_are_told(
    flowc: Flowc, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """A published version whose Type moved on is listed with what to do; one that uses a deprecated Type says so.

    The catalog is the workspace's, from wherever it is asked.
    """
    assert published(flowc, GOLD, f"{NAME}@v1").status == 0
    assert said(flowc("registry", "list", "--stale", "--json")) == []
    own = tmp_path / "tools"
    for part in ("node_types", "concepts"):
        shutil.copytree(ROOT / "catalog" / part, own / part)
    entry = own / "node_types" / "ontology" / "identify_substance.yaml"
    text = entry.read_text("utf-8")
    version = load_catalog().node_types["ontology.identify_substance"].version
    newer = text.replace(f"version: {version}\n", "version: 2.0.0\n", 1)
    assert newer != text
    entry.write_text(newer + "\nlifecycle: deprecated\nowner: lab\nreplaced_by: ontology.find_substance\n", "utf-8")
    (tmp_path / "flowc.toml").write_text(f'catalog = ["tools"]\n{BOUND}', "utf-8")
    (one,) = said(flowc("registry", "list", "--stale", "--json"))
    assert [(pin["type"], pin["version"], pin["here"]) for pin in one["stale"]] == [
        ("ontology.identify_substance", version, "2.0.0")
    ]
    told = flowc("registry", "list", "--stale").out
    assert "the catalog here has 2.0.0; submit transport-compliance again" in told and "flowc.toml" in told
    again = published(flowc, GOLD, f"{NAME}@v2")
    words = "ontology.identify_substance 2.0.0 is deprecated; use ontology.find_substance instead"
    assert again.status == 0 and words in again.err
    shown = said(flowc("registry", "show", f"{NAME}@v2", "--json"))
    assert (shown["stale"], shown["deprecated_types"]) == ([], [words])
    assert [one["version"] for one in said(flowc("registry", "list", "--stale", "--json"))] == [f"{NAME}@v1"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "flowc.toml").touch()
    stale = said(flowc("registry", "list", "--stale", "--json", "--workspace", tmp_path))
    assert [one["version"] for one in stale] == [f"{NAME}@v1"]
