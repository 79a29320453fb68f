"""`flowc catalog gaps`: what builds found the catalog to lack."""

import json
from pathlib import Path

from conftest import Flowc

POLICY = """# 设备管理办法

第一条 焊工应当打磨焊缝。

第二条 维修人员应当为轴承加注润滑脂。

第三条 维修组应当给轴承加注润滑油。
"""


def build(flowc: Flowc, folder: Path, name: str) -> Path:
    """The output folder of a small policy's build."""
    (folder / f"{name}.md").write_text(POLICY, encoding="utf-8")
    out = folder / f"{name}-out"
    flowc("compile", folder / f"{name}.md", "-o", out, "--offline", "--quiet")
    return out


def test_gaps_of_two_builds_are_merged(flowc: Flowc, tmp_path: Path) -> None:
    """Steps of both builds stand in one group, with their documents and places; JSON has all of it."""
    builds = [build(flowc, tmp_path, name) for name in ("甲", "乙")]
    result = flowc("catalog", "gaps", *builds, "--json")
    assert result.status == 0
    groups = json.loads(result.out)
    assert [group["count"] for group in groups] == sorted((group["count"] for group in groups), reverse=True)
    grease = next(group for group in groups if "润滑" in group["act"])
    assert (grease["count"], grease["documents"], grease["kind"]) == (4, 2, "task")
    assert {one["document"] for one in grease["wants"]} == {"甲.md", "乙.md"}
    assert all(one["block"] and len(one["nearest"]) == 5 for one in grease["wants"])


def test_gaps_for_people(flowc: Flowc, tmp_path: Path) -> None:
    """A block for each want; limits hold and are said."""
    out = build(flowc, tmp_path, "甲")
    result = flowc("catalog", "gaps", out, "-n", "1", "--examples", "1", "--embedder", "lexical")
    assert result.status == 0
    assert "nearest: " in result.out
    assert result.out.count("甲.md ") == 1
    assert result.out.rstrip().endswith("the first 1 are shown")


def test_gaps_of_nothing(flowc: Flowc, tmp_path: Path) -> None:
    """A folder that is no build, or is not there, ends the command; a build without gaps has nothing to show."""
    assert flowc("catalog", "gaps", tmp_path).status == 2
    assert flowc("catalog", "gaps", tmp_path / "none").status == 2
    (tmp_path / "gaps.yaml").write_text("[]\n", encoding="utf-8")
    result = flowc("catalog", "gaps", tmp_path)
    assert (result.status, result.out) == (0, "0 steps without a Node Type, 0 wants\n")
