"""`flowc test`, `judge`, `ask`: cases are made, judged, kept through compilations, and fail where they differ."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import Flowc, said

POLICY = """# 费用报销办法

第一条 员工应当提交报销申请。

第二条 财务部应当核对发票。金额超过5000元的，由财务总监审批；否则由部门经理审批。

第三条 审批通过后，财务部应当付款，并以电子邮件通知申请人。
"""


@pytest.fixture
def built(flowc: Flowc, tmp_path: Path) -> Path:
    """A compiled policy; gives the workflow's file."""
    documents = tmp_path / "policies"
    documents.mkdir()
    (documents / "报销办法.md").write_text(POLICY, encoding="utf-8")
    flowc("compile", documents, "-o", "out", "--offline", "--quiet")
    return next(tmp_path.glob("out/*/*.workflow.json"))


def cases_of(built: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The file of kept cases beside the documents, and its cases."""
    name = built.name.replace(".workflow.json", ".tests.json")
    file = built.parents[2] / "policies" / "tests" / built.parent.name / name
    return file, json.loads(file.read_text("utf-8"))["cases"]


def at_border(cases: list[dict[str, Any]], amount: int) -> dict[str, Any]:
    """The case with this amount."""
    return next(one for one in cases if amount in one["scenario"]["inputs"].values())


def test_cases_are_made_in_the_language_of_the_document_with_its_clauses(flowc: Flowc, built: Path) -> None:
    """At, below and above the border, told without ids and English words, each with the clause."""
    result = flowc("test", built, "--make")
    assert result.status == 0 and "not judged" in result.out
    _, cases = cases_of(built)
    for amount, said_of_it in ((5000, "恰在界限上"), (5001, "略高于界限"), (4999, "略低于界限")):
        case = at_border(cases, amount)
        assert said_of_it in case["told"] and "第二条" in case["told"]
        assert not any("a" <= letter <= "z" for letter in case["told"].replace("元", ""))


def test_a_right_case_fails_when_the_border_moves(flowc: Flowc, built: Path, tmp_path: Path) -> None:
    """Exit 1, with the way that it takes now, what decides it and the clause; JUnit has the failure."""
    flowc("test", built, "--make")
    _, cases = cases_of(built)
    case = at_border(cases, 5001)["id"]
    assert flowc("judge", built, case, "right", "--author", "王芳").status == 0
    assert flowc("test", built).status == 0
    built.write_text(built.read_text("utf-8").replace("5000", "8000"), encoding="utf-8")
    failed = flowc("test", built, "--junit", tmp_path / "junit.xml")
    assert failed.status == 1
    assert f"differs {case}" in failed.out and "财务总监" in failed.out and "第二条" in failed.out
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("1", "0")


def test_judgements_outlive_a_compilation(flowc: Flowc, built: Path) -> None:
    """Made anew, judged cases stay as they are, and their points are not asked about again."""
    flowc("test", built, "--make")
    file, cases = cases_of(built)
    flowc("judge", built, cases[0]["id"], "unsure")
    flowc("compile", file.parents[2], "-o", "out", "--offline", "--quiet")
    flowc("test", built, "--make")
    _, again = cases_of(built)
    assert len(again) == len(cases)
    assert next(one for one in again if one["id"] == cases[0]["id"])["judgement"]["verdict"] == "unsure"
    assert len({one["point"] for one in again}) == len(again)


def test_a_wrong_case_says_what_should_happen_and_fails_nothing(flowc: Flowc, built: Path) -> None:
    """It is told with the elements that decide it until it is mended."""
    flowc("test", built, "--make")
    _, cases = cases_of(built)
    refused = flowc("judge", built, cases[0]["id"], "wrong")
    assert refused.status == 2 and "--should" in refused.err
    assert flowc("judge", built, cases[0]["id"], "wrong", "--should", "应当退回").status == 0
    shown = flowc("test", built)
    assert shown.status == 0 and "still wrong" in shown.out and "应当退回" in shown.out and "decided by" in shown.out


def test_coverage_is_told(flowc: Flowc, built: Path) -> None:
    """All sides are shown by the cases that were made, none once they are taken away."""
    flowc("test", built, "--make")
    found = said(flowc("test", built, "--json"))[0]
    sides = found["coverage"]["branch sides"]
    assert sides["shown"] == sides["count"] > 0
    file, _ = cases_of(built)
    kept = json.loads(file.read_text("utf-8")) | {"cases": []}
    file.write_text(json.dumps(kept), encoding="utf-8")
    found = said(flowc("test", built, "--json"))[0]
    assert found["coverage"]["branch sides"]["shown"] == 0 and found["coverage"]["clauses"]["left"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "mend it"),
        ('{"workflow": "x"}', "flowc schema tests"),
        ('{"workflow": "x", "nodes": {}, "cases": []}', "x"),
    ],
)
def test_a_file_of_another_form_is_refused(flowc: Flowc, built: Path, text: str, told: str) -> None:
    """What is wrong, where, and what to do."""
    other = built.with_name("other.tests.json")
    other.write_text(text, encoding="utf-8")
    result = flowc("test", built, "--tests", other)
    assert result.status == 2 and told in result.err and "other.tests.json" in result.err


def test_without_cases_it_is_said_how_they_are_made(flowc: Flowc, built: Path) -> None:
    """No file is no pass."""
    result = flowc("test", built)
    assert result.status == 2 and "--make" in result.err


def test_a_question_is_answered_with_what_it_hangs_on(flowc: Flowc, built: Path) -> None:
    """Open without the decision; a field that is unknown is refused with the name that was probably meant."""
    name = next(iter(json.loads(built.read_text("utf-8"))["inputs"]))
    known = at_border_name(built)
    opened = said(flowc("ask", built, "--set", f"{known}=6000", "--json"))
    assert opened["verdict"] == "open" and opened["decides_next"].endswith(".approved")
    assert flowc("ask", built, "--set", f"{known}=6000").out.startswith("不能确定")
    wrong = flowc("ask", built, "--set", f"{name}x=1")
    assert wrong.status == 2 and name in wrong.err
    assert 'did you mean "金额"' in flowc("ask", built, "--set", "金额数=1").err


def at_border_name(built: Path) -> str:
    """The input that is compared with 5000."""
    inputs = json.loads(built.read_text("utf-8"))["inputs"]
    return next(name for name, spec in inputs.items() if spec["type"] in ("number", "integer"))


def test_a_wrong_case_may_name_the_steps_that_should_run_or_not(flowc: Flowc, built: Path) -> None:
    """They are kept with the case; one that is not there, or is wanted both ways, is refused and nothing is written."""
    flowc("test", built, "--make")
    file, cases = cases_of(built)
    before, nodes = file.read_bytes(), list(json.loads(built.read_text("utf-8"))["nodes"])
    none = flowc("judge", built, cases[0]["id"], "wrong", "--must", "nowhere")
    assert none.status == 1 and "unknown-node" in none.err and nodes[0] in none.err
    both = flowc("judge", built, cases[0]["id"], "wrong", "--must", nodes[0], "--must-not", nodes[0])
    assert both.status == 2 and "bad-setting" in both.err
    assert flowc("judge", built, cases[0]["id"], "right", "--must", nodes[0]).status == 2
    assert file.read_bytes() == before
    flowc("judge", built, cases[0]["id"], "wrong", "--must", nodes[0], "--must-not", nodes[1])
    flowc("judge", built, cases[1]["id"], "unsure", "--comment", "ask finance")
    first, second = (one["judgement"] for one in cases_of(built)[1][:2])
    assert (first["must"], first["must_not"], second["comment"]) == ([nodes[0]], [nodes[1]], "ask finance")
