"""The demo, as a whole and with other consignments: what each comes to, and why (E2E-7, E2E-8)."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc, said

from demo.__main__ import CASE, HERE, play, summary
from demo.filings import DOWN, FILED, serve
from validator.fixes.json_patch import apply_patch

pytestmark = pytest.mark.slow
EXAMPLES = HERE.parent / "fixtures" / "examples"


def test_the_demo_holds(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """From documents to the answer of the design, through a kill in the middle of a call."""
    play(tmp_path)
    told = capfd.readouterr().out
    assert "不合规" in told and "is not as it was written" in told and "All of it holds" in told


@pytest.fixture
def book(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """What the filing system was asked, and its port."""
    path = tmp_path / "book.jsonl"
    with serve(0, path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield path, server.server_address[1]
        server.shutdown()


def publish(flowc: Flowc, tmp_path: Path, port: int) -> str:
    """The corrected draft of the demo, published in a workspace with one user."""
    assert flowc("compile", CASE / "documents", "-o", tmp_path / "out", "--replay", CASE / "replies").status == 0
    (draft,) = (tmp_path / "out").rglob("*.workflow.json")
    workflow = json.loads(draft.read_text("utf-8"))
    for correction in json.loads((HERE / "corrections.json").read_text("utf-8")):
        workflow = apply_patch(workflow, correction["patch"])
    draft.write_text(json.dumps(workflow, ensure_ascii=False), "utf-8")
    assert flowc("workspace", "init", ".", "--user", "li").status == 0
    (tmp_path / "flowc.toml").write_text((HERE / "flowc.toml").read_text("utf-8").replace("PORT", str(port)), "utf-8")
    assert flowc("users", "add", "zhao", "--role", "approver", "--role", "安全总监", "--as", "li").status == 0
    assert flowc("registry", "submit", draft, "--as", "li").status == 0
    version = str(said(flowc("registry", "list", "--json"))[0]["version"])
    assert flowc("registry", "review", version, "--as", "li").status == 0
    told = flowc("registry", "publish", version, "--accept-open", "asked the safety department", "--as", "zhao")
    assert told.status == 0, told.err
    waived = [line for line in told.out.splitlines() if line.startswith("    waived ")]
    shown = flowc("registry", "show", version).out.splitlines()
    assert waived and [line for line in shown if line.startswith("    waived ")] == waived
    assert len(said(flowc("registry", "show", version, "--json"))["report"]["waived"]) == len(waived)
    return version


def test_other_consignments_come_out_as_they_should(flowc: Flowc, tmp_path: Path, book: tuple[Path, int]) -> None:
    """Filed, banned by air, class 3, unknown, and a system that does not tell: which is not the same as no."""
    version = publish(flowc, tmp_path, book[1])

    def run(substance: str, mode: str, quantity: int, shipment: str) -> dict[str, Any]:
        """A run to its end or to what it asks a person; the approval is given."""
        given = {"substance_name": substance, "transport_mode": mode, "quantity": quantity, "shipment_id": shipment}
        words = [word for name, value in given.items() for word in ("--input", f"{name}={value}")]
        begun = said(flowc("run", "start", version, *words, "--as", "li", "--json"))
        for task in said(flowc("task", "list", "--json")):
            if task["kind"] == "approval":
                shown = ("--set", "approved=true", "--shown", task["digest"], "--as", "zhao")
                assert flowc("task", "do", task["id"], *shown).status == 0
        return dict(said(flowc("run", "explain", begun["execution"], "--json")))

    filed = run("硫酸", "公路", 5000, next(iter(FILED)))
    assert summary(filed["outputs"]) == json.loads((EXAMPLES / "EX-29.json").read_text("utf-8"))
    assert "：合规" in filed["text"] and "建议" not in filed["text"]
    asked = len(book[0].read_text("utf-8").splitlines())

    banned = run("氯", "航空", 100, "SHIP-1")
    assert banned["outputs"]["decision_code"] == "NOT_COMPLIANT_MODE_NOT_ALLOWED"
    assert banned["outputs"]["facts"]["has_filing"] is None
    assert {"ref": "$.outputs.check_filing_status.evidence", "status": "skipped"} in banned["outputs"][
        "evidence_bundle"
    ]

    third = run("乙醇", "公路", 5000, "SHIP-2")
    assert third["outputs"]["compliant"] is True and third["outputs"]["facts"]["hazard_level"] == 3
    heavy = run("乙醇", "公路", 30001, "SHIP-3")
    assert heavy["outputs"]["compliant"] is False
    assert len(book[0].read_text("utf-8").splitlines()) == asked, "none of these is asked about at the filing system"

    unknown = run("蜂蜜", "公路", 5, "SHIP-4")
    assert unknown["status"] == "waiting_human" and "cas_number" in str(said(flowc("task", "list", "--json")))
    down = run("硫酸", "公路", 5000, DOWN)
    assert down["status"] == "waiting_human" and down["waits"] and down["outputs"]["compliant"] is None
    assert any("has_filing" in task["fields"] for task in said(flowc("task", "list", "--json")))
