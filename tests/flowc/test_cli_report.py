"""`flowc report`."""

import json
from io import BytesIO
from pathlib import Path

import docx
import pytest
from conftest import ended

from compiler.report.markup import plain

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"


def test_a_build_is_reported_on_in_both_forms(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with one draft needs no file to be named."""
    word, page = build.parent / "report.docx", build.parent / "report.html"
    ended(capsys, 0, "report", str(build), "--docx", str(word), "--html", str(page))
    assert "Release of goods" in page.read_text("utf-8")
    assert docx.Document(BytesIO(word.read_bytes())).core_properties.title == "Release of goods"


def test_a_workflow_with_its_scenarios_and_an_earlier_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gold of a case stands in no build."""
    gold, page = CASE / "gold" / "transport-compliance.workflow.json", tmp_path / "report.html"
    earlier = tmp_path / "earlier.json"
    earlier.write_text(gold.read_text("utf-8").replace("P1BD", "P3BD"), encoding="utf-8")
    tests = ["--tests", str(CASE / "scenarios.yaml"), "--since", str(earlier)]
    ended(capsys, 0, "report", str(gold), "--html", str(page), *tests)
    text = page.read_text("utf-8")
    assert "14 个案例，14 个相符" in text and "原为“3个工作日”，现为“1个工作日”" in text


def test_what_cannot_be_reported_on_is_said(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file to write, a folder with no draft, a file that holds no scenarios; nothing is written."""
    page = build.parent / "report.html"
    assert "--docx FILE" in ended(capsys, 2, "report", str(build))[1]
    empty = build.parent / "empty"
    empty.mkdir()
    assert "here are 0" in ended(capsys, 2, "report", str(empty), "--html", str(page))[1]
    bad = build.parent / "bad.yaml"
    bad.write_text("scenarios: 3\n", encoding="utf-8")
    assert "no scenarios" in ended(capsys, 2, "report", str(build), "--html", str(page), "--tests", str(bad))[1]
    assert not page.exists()


def test_kept_cases_are_told_with_who_judged_them(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cases beside the documents need not be named; one that was judged has its verdict, author and outcome."""
    file, page = next(build.glob("*/*.workflow.json")), build.parent / "report.html"
    ended(capsys, 0, "test", str(file), "--make")
    (tests,) = (build.parent / "policies").rglob("*.tests.json")
    cases = json.loads(tests.read_text("utf-8"))["cases"]
    ended(capsys, 0, "judge", str(file), cases[0]["id"], "right", "--author", "Ng")
    ended(capsys, 0, "report", str(build), "--html", str(page))
    text = page.read_text("utf-8")
    assert plain(cases[0]["told"]) in text and "right (Ng " in text and "as judged" in text
    assert f"{len(cases)} cases: 1 judged right" in text and "Covered: ways" in text
