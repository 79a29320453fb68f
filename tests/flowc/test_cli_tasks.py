"""Tasks with time in them by command line: due by a calendar, overdue, escalated, delegated; and the figures of it."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc, said

pytestmark = pytest.mark.slow

GOLD = (
    Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport" / "gold"
    / "transport-compliance.workflow.json"
)  # fmt: skip
ID, ROLE = "transport-compliance", "安全总监"
TYPES = (
    "ontology.identify_substance", "ontology.lookup_hazard_level", "io.check_filing_status",
    "utility.compliance_summary",
)  # fmt: skip
TOML = """
[calendar]
country = "CN"
timezone = "Asia/Shanghai"
holidays = ["2026-05-04"]

[escalation]
"安全总监" = ["总经理"]
"""
INPUTS = ("shipment_id=SHIP-7", "substance_name=硫酸", "quantity_kg=5000", "transport_mode=铁路")


@pytest.fixture
def task(flowc: Flowc, tmp_path: Path) -> dict[str, Any]:
    """The approval that a run waits for, in a workspace with a calendar and an escalation."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(TOML, "utf-8")
    for name, *roles in (
        ("li", "author", "operator"),
        ("zhao", "approver"),
        ("hu", ROLE),
        ("gu", "总经理"),
        ("wu", "x"),
    ):
        words = [word for role in roles for word in ("--role", role)]
        assert flowc("users", "add", name, *words, "--as", "wen").status == 0
    assert flowc("registry", "submit", GOLD, "--as", "li").status == 0
    assert flowc("registry", "review", f"{ID}@v1", "--as", "li").status == 0
    manual = [word for name in TYPES for word in ("--manual", name)]
    published = flowc("registry", "publish", f"{ID}@v1", *manual, "--accept-open", "asked", "--as", "zhao")
    assert published.status == 0, published.err
    given = [word for pair in INPUTS for word in ("--input", pair)]
    assert flowc("run", "start", ID, *given, "--as", "li").status == 0
    answers: tuple[dict[str, Any], ...] = (
        {"is_hazardous": True, "entity": {"canonical_name": "硫酸", "cas_number": "7664-93-9", "un_number": "UN1830"}},
        {"hazard_level": 2},
        {
            "compliant": True,
            "decision_code": "COMPLIANT",
            "evidence_bundle": [],
            "facts": {},
            "missing_requirements": [],
        },
    )
    for answer in answers:
        (open_,) = said(flowc("task", "list", "--json"))
        done = flowc("task", "do", open_["id"], "--answer", written(tmp_path, answer), "--as", "wen")
        assert done.status == 0, done.err
    (open_,) = said(flowc("task", "list", "--json"))
    assert open_["kind"] == "approval"
    return dict(open_)


def written(folder: Path, answer: dict[str, Any]) -> Path:
    """A file with an answer."""
    (folder / "answer.json").write_text(json.dumps(answer), "utf-8")
    return folder / "answer.json"


def test_due_overdue_escalated_delegated(flowc: Flowc, task: dict[str, Any], tmp_path: Path) -> None:
    """It says by which days it is due; once it is overdue others may answer; who is given it answers without a role."""
    assert "working days: those of CN (holidays " in flowc("task", "show", task["id"]).out
    assert flowc("task", "claim", task["id"], "--as", "gu").status == 1
    with sqlite3.connect(tmp_path / ".flowc" / "workspace.db") as connection:
        connection.execute("update tasks set due_at = '2026-01-01T00:00:00.000000+00:00' where status = 'open'")
    connection.close()
    assert flowc("run", "resume", task["execution"], "--as", "li").status == 0
    shown = flowc("task", "show", task["id"]).out
    assert "overdue since 2026-01-01T00:00:00.000000+00:00; 总经理 may answer it as well" in shown
    assert "overdue" in flowc("task", "list").out
    unknown = flowc("task", "delegate", task["id"], "--to", "nobody", "--as", "gu")
    assert unknown.status == 2 and "error[unknown-user]" in unknown.err
    refused = flowc("task", "delegate", task["id"], "--to", "li", "--as", "gu")
    assert refused.status == 1 and "li began" in refused.err
    given = flowc("task", "delegate", task["id"], "--to", "wu", "--reason", "travels", "--as", "gu")
    assert given.status == 0 and "delegated to wu by gu" in given.out
    assert "gu delegated it to wu" in flowc("task", "show", task["id"]).out
    assert "open" in flowc("task", "claim", task["id"], "--back", "--as", "wu").out
    assert flowc("task", "delegate", task["id"], "--to", "wu", "--as", "gu").status == 0
    words = ("--set", "approved=true", "--shown", task["digest"])
    done = flowc("task", "do", task["id"], *words, "--as", "wu")
    assert done.status == 0, done.err
    closed = flowc("task", "delegate", task["id"], "--to", "wu", "--as", "gu")
    assert closed.status == 1 and "error[task-closed]" in closed.err
    kinds = [json.loads(line)["kind"] for line in flowc("audit", "export").out.splitlines()]
    assert [kinds.count(one) for one in ("overdue", "task-delegated", "task-given-back")] == [1, 2, 1]
    told = said(flowc("run", "metrics", "--workflow", ID, "--since", "2026-01-01"))
    assert told["ended"] == {"completed": 1} and told["people"][ROLE]["answered"] == 1
    assert told["seconds"]["few"] == "1 runs are too few for median, p90, p99"
    assert flowc("run", "metrics", "--workflow", "nothing").status == 2
    assert flowc("run", "metrics", "--since", "soon").status == 2
    nowhere = flowc("run", "trace", task["execution"])
    assert nowhere.status == 2 and "error[bad-setting]" in nowhere.err


def test_what_came_before_and_how_it_ended(flowc: Flowc, task: dict[str, Any]) -> None:
    """A task tells who gave what on its way; runs are listed with their end, and found by it."""
    lines = flowc("task", "show", task["id"], "--as", "hu").out.splitlines()
    before = lines[lines.index("  before it:") :]
    titles = [line.split(" (")[0].strip() for line in before if line.startswith("    ") and line[4] not in " "]
    assert titles == ["物质识别", "等级查询", "运输方式审查", "结论汇总"]
    assert before[1].startswith("    物质识别 (wen, 20")
    assert any("运输方式审查 (its rules, 20" in line for line in before)
    assert "      allowed: true" in before and "      decision_code: COMPLIANT" in before
    assert "      “运输方式应当符合下列要求，不符合其中任何一项的，不予许可”" in before
    shown = said(flowc("task", "show", task["id"], "--json", "--as", "hu"))["shown"]["before"]
    assert [(one["node"], one["by"]) for one in shown][::3] == [("identify", "wen"), ("summary", "wen")]
    words = ("--set", "approved=false", "--shown", task["digest"])
    assert flowc("task", "do", task["id"], *words, "--as", "hu").status == 0
    (run,) = said(flowc("run", "list", "--json", "--end", "rejected"))
    assert (run["execution"], run["status"], run["end"]) == (task["execution"], "completed", "rejected")
    assert said(flowc("run", "list", "--json", "--end", "completed")) == []
    assert flowc("run", "list").out.split()[2:4] == ["completed", "rejected"]
    assert flowc("run", "list", "--end", "refused").status == 2
    assert said(flowc("run", "show", task["execution"], "--json"))["end"] == "rejected"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('[calendar]\ncountry = "XX"\n', "country 'XX' is none that is known"),
        ('[escalation]\n"安全总监" = "总经理"\n', '"安全总监" takes a list of roles'),
        ('[calender]\ncountry = "CN"\n', 'did you mean "calendar"?'),
    ],
)
def test_settings_that_cannot_be_are_refused(flowc: Flowc, tmp_path: Path, toml: str, words: str) -> None:
    """With the line that is wrong, before anything is done."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(toml, "utf-8")
    told = flowc("run", "metrics")
    assert told.status == 2 and "error[bad-setting]" in told.err and words in told.err
