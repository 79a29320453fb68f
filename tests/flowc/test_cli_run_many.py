"""`flowc run start --dry-run`, `flowc run batch`, `flowc run gaps` by command line."""

import csv
import json
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc, said

from ir.codec import read_yaml

pytestmark = pytest.mark.slow

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
GOLD = CASE / "gold" / "transport-compliance.workflow.json"
ID = "transport-compliance"
RAW: Any = read_yaml((CASE / "scenarios.yaml").read_text("utf-8"))[0]
GIVES: dict[str, Any] = RAW["scenarios"][0]["outputs"]
TYPES = {"ontology.identify_substance": "identify", "io.check_filing_status": "filing",
         "utility.compliance_summary": "summary"}  # fmt: skip
LEVEL = "ontology.lookup_hazard_level"
HEAD = "id,shipment_id,substance_name,quantity_kg,transport_mode\n"


@pytest.fixture
def systems() -> Iterator[tuple[int, list[str]]]:
    """Systems that give what the first scenario says: their port, and what they were asked for."""
    asked: list[str] = []

    class Systems(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path.strip("/"))
            text = json.dumps(GIVES[self.path.strip("/")]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Systems) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], asked
        server.shutdown()


@pytest.fixture
def asked(flowc: Flowc, tmp_path: Path, systems: tuple[int, list[str]]) -> list[str]:
    """The first case, published with its hazard level by hand; what its systems were asked for."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    for name, roles in (("li", ("author", "operator", "物流部")), ("zhao", ("approver", "安全总监"))):
        words = [word for role in roles for word in ("--role", role)]
        assert flowc("users", "add", name, *words, "--as", "wen").status == 0
    text = "".join(
        f'[executors."{name}"]\nkind = "http"\nurl = "http://127.0.0.1:{systems[0]}/{node}"\nprivate = true\n'
        'allow = ["*"]\n'
        for name, node in TYPES.items()
    )
    (tmp_path / "flowc.toml").write_text(text, "utf-8")
    assert flowc("registry", "submit", GOLD, "--as", "li").status == 0
    assert flowc("registry", "review", f"{ID}@v1", "--as", "li").status == 0
    told = flowc("registry", "publish", f"{ID}@v1", "--as", "zhao", "--manual", LEVEL, "--accept-open", "asked")
    assert told.status == 0, told.err
    return systems[1]


def content(folder: Path) -> list[str]:
    """All that the database of a workspace holds."""
    connection = sqlite3.connect(folder / ".flowc" / "workspace.db")
    try:
        return [*connection.iterdump()]
    finally:
        connection.close()


def table(folder: Path) -> dict[str, dict[str, str]]:
    """The table of a batch, by row."""
    with (folder / "outcomes.csv").open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def test_dry_run_of_a_draft_needs_no_workspace(flowc: Flowc, tmp_path: Path) -> None:
    """As text and as JSON; nothing is made in the folder."""
    result = flowc("run", "start", GOLD, "--dry-run", "--input", "transport_mode=铁路")
    assert result.status == 0, result.err
    assert "3 paths are possible" in result.out and "waits at approve for 安全总监" in result.out
    assert "needs substance_name, quantity_kg" in result.out and "filing" not in result.out
    assert "nobody here carries out ontology.identify_substance" in result.out
    assert "nothing is bound to a system" in result.err
    told = said(flowc("run", "start", GOLD, "--dry-run", "--json"))
    assert (told["routes"], told["walked"]) == (8, False)
    assert [*told["missing"]] == ["shipment_id", "substance_name", "quantity_kg", "transport_mode"]
    assert [*tmp_path.iterdir()] == []


def test_dry_run_with_outputs(flowc: Flowc, tmp_path: Path) -> None:
    """It is walked to its end; a faulty draft is told with its errors and ends 1."""
    (tmp_path / "outputs.yaml").write_text(json.dumps(GIVES), "utf-8")
    (tmp_path / "inputs.json").write_text(json.dumps(RAW["scenarios"][0]["inputs"]), "utf-8")
    words = ("--dry-run", "--outputs", "outputs.yaml", "--inputs", "inputs.json")
    result = flowc("run", "start", GOLD, *words)
    assert result.status == 0, result.err
    path = "identify → level → mode_check → filing → summary → approve → done: completed"
    assert path in result.out and "decision_code: NOT_COMPLIANT_MISSING_FILING" in result.out
    draft = json.loads(GOLD.read_text("utf-8"))
    draft["nodes"]["summary"]["type"] = "utility.nothing"
    (tmp_path / "faulty.workflow.json").write_text(json.dumps(draft), "utf-8")
    faulty = flowc("run", "start", "faulty.workflow.json", *words)
    assert faulty.status == 1 and "[unknown-node-type]" in faulty.out and path in faulty.out


def test_dry_run_of_a_published_version_calls_and_writes_nothing(
    flowc: Flowc, asked: list[str], tmp_path: Path
) -> None:
    """What is bound here is told; the database is as it was, and no system was asked."""
    before = content(tmp_path)
    told = said(flowc("run", "start", ID, "--dry-run", "--json"))
    assert told["workflow"] == f"{ID}@v1" and len(told["paths"]) == 6
    returned = next(one for one in told["paths"] if "returned_not_found" in one["nodes"])
    assert returned.get("nobody", []) == [] and returned["reads"] == ["identify"]
    done = next(one for one in told["paths"] if "done" in one["nodes"])
    assert [one["node"] for one in done["stops"]] == ["level", "approve"]
    (tmp_path / "outputs.json").write_text(json.dumps(GIVES), "utf-8")
    (tmp_path / "inputs.json").write_text(json.dumps(RAW["scenarios"][0]["inputs"]), "utf-8")
    walked = flowc("run", "start", f"{ID}@v1", "--dry-run", "--outputs", "outputs.json", "--inputs", "inputs.json")
    assert walked.status == 0 and "completed" in walked.out
    assert flowc("run", "start", GOLD, "--dry-run").status == 0
    assert content(tmp_path) == before and asked == []


def test_what_cannot_be_dry_run_is_refused(flowc: Flowc, tmp_path: Path) -> None:
    """Each with its code."""
    (tmp_path / "list.yaml").write_text("[1]", "utf-8")
    (tmp_path / "flat.yaml").write_text("approve: yes", "utf-8")
    (tmp_path / "both.yaml").write_text("approve: {$error: X, approved: true}", "utf-8")
    (tmp_path / "none.workflow.json").write_text("{", "utf-8")
    for words, code, status in (
        ((GOLD,), "not-published", 1),
        ((GOLD, "--outputs", "flat.yaml"), "bad-setting", 2),
        (("nothing.workflow.json", "--dry-run"), "missing-path", 2),
        (("none.workflow.json", "--dry-run"), "bad-input-file", 2),
        ((GOLD, "--dry-run", "--outputs", "nothing.yaml"), "missing-path", 2),
        ((GOLD, "--dry-run", "--outputs", "list.yaml"), "bad-input-file", 2),
        ((GOLD, "--dry-run", "--outputs", "flat.yaml"), "bad-input-file", 2),
        ((GOLD, "--dry-run", "--outputs", "both.yaml"), "bad-input-file", 2),
        ((GOLD, "--dry-run", "--input", "colour=red"), "bad-inputs", 2),
        ((GOLD, "--dry-run", "--workspace", "."), "no-workspace", 2),
        ((ID, "--dry-run"), "no-workspace", 2),
    ):
        told = flowc("run", "start", *words)
        assert told.status == status and f"error[{code}]" in told.err, (words, told)


def test_a_batch_goes_on_where_it_was(flowc: Flowc, asked: list[str], tmp_path: Path) -> None:
    """Rows wait for people, are refused, are looked at again; no row begins twice, and what it taught is told."""
    (tmp_path / "rows.csv").write_text(HEAD + "a,S-1,硫酸,5000,公路\nb,S-2,硫酸,x,公路\nc,S-3,硫酸,1,铁路\n", "utf-8")
    words = ("run", "batch", ID, "rows.csv", "-o", "out", "--as", "li")
    first = flowc(*words)
    assert first.status == 1, first.err
    assert f"{ID}@v1: 3 rows: 3 unsure, 2 waiting, 1 refused" in first.out
    assert "row b: " in first.err and "[bad-inputs]" in first.err
    begun = table(tmp_path / "out")
    assert [begun[name]["status"] for name in "abc"] == ["waiting", "refused", "waiting"]
    level = [word for name in ("hazard_level", "hazard_class", "regulatory_tags")
             for word in ("--set", f"{name}={json.dumps(GIVES['level'][name], ensure_ascii=False)}")]  # fmt: skip
    for task in said(flowc("task", "list", "--json")):
        assert flowc("task", "do", task["id"], *level, "--as", "li").status == 0
    for task in said(flowc("task", "list", "--json")):
        approved = f"approved={json.dumps(task['execution'] == begun['a']['run'])}"
        done = flowc("task", "do", task["id"], "--set", approved, "--shown", task["digest"], "--as", "zhao")
        assert done.status == 0, done.err
    (tmp_path / "rows.csv").write_text(HEAD + "a,S-1,硫酸,5000,公路\nb,S-2,硫酸,2,公路\nc,S-3,硫酸,1,铁路\n", "utf-8")
    again = said(flowc(*words, "--json"))
    assert (again["rows"], again["pass"], again["fail"], again["waiting"]) == (3, 1, 1, 1)
    found = table(tmp_path / "out")
    assert [(found[name]["outcome"], found[name]["code"]) for name in "abc"] == [
        ("pass", ""), ("unsure", ""), ("fail", "APPROVAL_REFUSED"),
    ]  # fmt: skip
    assert all(found[name]["run"] == begun[name]["run"] for name in "ac")
    assert found["b"]["asks"].startswith("物流部: ")
    assert float(found["a"]["seconds_people"]) > 0 and float(found["a"]["seconds_systems"]) > 0
    assert asked.count("identify") == 3 and asked.count("filing") == 1
    told = said(flowc("run", "gaps", "--json"))
    assert [(one["type"], one["by_hand"], one["open"]) for one in told["types"]] == [(LEVEL, 2, 1)]
    text = flowc("run", "gaps", "--workflow", ID, "-n", "2").out
    assert "3 runs" in text and f"{LEVEL}: 2 times by hand, 1 waiting" in text
    assert f"used at {ID}@v1 level" in text and "gives hazard_level" in text


def test_what_no_batch_can_be_made_of_is_refused(flowc: Flowc, asked: list[str], tmp_path: Path) -> None:
    """Each with its code, and nothing is begun."""
    (tmp_path / "rows.csv").write_text(HEAD + "a,S-1,硫酸,5000,公路\n", "utf-8")
    (tmp_path / "odd.csv").write_text("colour\nred\n", "utf-8")
    (tmp_path / "rows.txt").write_text("x", "utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "outcomes.csv").write_text("x", "utf-8")
    for words, code, status in (
        ((ID, "nothing.csv", "-o", "out"), "missing-path", 2),
        ((ID, "odd.csv", "-o", "out"), "bad-inputs", 2),
        ((ID, "rows.txt", "-o", "out"), "bad-input-file", 2),
        ((ID, "rows.csv", "-o", "odd.csv"), "bad-setting", 2),
        ((ID, "rows.csv", "-o", "mine"), "bad-setting", 2),
        (("nothing", "rows.csv", "-o", "new"), "unknown-version", 2),
        ((f"{ID}@v2", "rows.csv", "-o", "new"), "unknown-version", 2),
        ((f"{ID}@2", "rows.csv", "-o", "new"), "bad-setting", 2),
    ):
        told = flowc("run", "batch", *words, "--as", "li")
        assert told.status == status and f"error[{code}]" in told.err, (words, told)
    refused = flowc("run", "batch", ID, "rows.csv", "-o", "new", "--as", "zhao")
    assert refused.status == 1 and "error[not-allowed]" in refused.err
    assert flowc("run", "gaps", "--workflow", "nothing").status == 2
    assert said(flowc("run", "list", "--json")) == [] and asked == []
