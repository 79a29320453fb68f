"""docs/executors.md: its settings are taken as they stand, and its template of one's own executor runs."""

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from catalog.importing import Wanted, import_tools
from catalog.load import load_catalog
from runtime.executors.contract import Call
from runtime.executors.registry import executors_from, setting_for
from runtime.values import faults

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "executors.md").read_text("utf-8")
PARCELS = Path(__file__).with_name("parcels.openapi.yaml")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
FILES = {found[1]: text for _, text in BLOCKS if (found := re.match(r"# (\S+\.\w+)\n", text))}
SETTINGS = [text for kind, text in BLOCKS if kind == "toml" and text.startswith("[executors")]
INPUT = re.compile(r"\{\{(\w+)|/\{(\w+)\}|= :(\w+)")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The template's files in a folder, with what an installation would write of its entry points."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    about = tomllib.loads(FILES["pyproject.toml"])["project"]
    installed = tmp_path / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in about["entry-points"].items()
    ]
    (installed / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("flowc_weighbridge", "test_weighbridge"):
        sys.modules.pop(name, None)


def test_every_kind_has_its_row_and_its_settings() -> None:
    """Those of flowc, `manual`, and one's own."""
    rows = re.findall(r"^\| \[?`(\w+)`", PAGE, re.MULTILINE)
    shown = {bound["kind"] for text in SETTINGS for bound in tomllib.loads(text)["executors"].values()}
    assert set(rows) == {*executors_from({}).kinds, "manual"} == {*shown, "manual"}


@pytest.mark.parametrize("text", SETTINGS, ids=lambda text: text.splitlines()[1])
def test_settings_are_taken_as_they_stand(text: str, tmp_path: Path) -> None:
    """By the kind that they are of, for a Type that there is, whose outputs are those that `give` names."""
    (tmp_path / "templates").mkdir()
    prices = "as_of: 2026-11-01\nmodels: {qwen2.5-14b-instruct: {sent: 0.1, received: 0.3}}\n"
    (tmp_path / "prices.yaml").write_text(prices, "utf-8")
    import docx

    docx.Document().save(str(tmp_path / "templates" / "letter.docx"))
    given = tomllib.loads(text)["executors"]
    if "mcp" in {one["kind"] for one in given.values()} and find_spec("mcp") is None:
        pytest.skip("mcp is not installed")
    types = {**load_catalog().node_types, **import_tools(Wanted(str(PARCELS), "openapi"), "desk").types}
    bound = executors_from(given, root=tmp_path, types=types)
    for name in bound.bound:
        node_type, one = types[name], given[setting_for(name, given) or ""]
        assert {path.split(".")[0] for path in one.get("give", {})} <= set(node_type.outputs_schema), name
        texts = [one.get(key, "") for key in ("url", "statement", "name", "subject", "body")] + one.get("to", [])
        used = {name for found in INPUT.findall(" ".join(texts)) for name in found if name}
        used |= {
            *one.get("find", {}),
            *one.get("arguments", {}).values(),
            *([one["content"]] if "content" in one else []),
        }
        assert used <= set(node_type.inputs_schema), name


def test_the_template_of_ones_own_executor_runs(project: Path) -> None:
    """Its entry point is found, its settings are looked at, its outputs fit the Type, and its own tests pass."""
    bound = executors_from(tomllib.loads(FILES["flowc.toml"])["executors"], root=project)
    (project / "weighings.csv").write_text("plate,weight\nA-1,18050\n", "utf-8")
    given = Call(
        "e-1", "n", "io.query_record", {"record_key": "A-1"}, "e-1:n:1", 5.0, bound.settings("io.query_record"), {}
    )
    found = bound.kinds["weighbridge"].carry_out(given)
    assert found["record"] == {"weight": 18050.0, "unit": "kg"}
    assert [*faults(found, load_catalog().node_types["io.query_record"].outputs_schema, of_type=True)] == []
    with pytest.raises(Exception, match='unknown key "fiel"; did you mean "file"'):
        executors_from({"io.query_record": {"kind": "weighbridge", "fiel": "x"}}, root=project)
    tests = importlib.import_module("test_weighbridge")
    ran = [name for name in vars(tests) if name.startswith("test_")]
    for name in ran:
        getattr(tests, name)(project)
    assert len(ran) == 2
