"""The first case by command line: published, run, asked, approved, explained, replayed, audited."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc, said

from demo.filings import serve

pytestmark = pytest.mark.slow

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
TOML = """
[executors."ontology.identify_substance"]
kind = "reference"
find = {{substance_name = ["名称", "别名"]}}

[executors."ontology.identify_substance".give]
is_hazardous = true
"entity.canonical_name" = "名称"
"entity.cas_number" = "cas_number"
"entity.un_number" = "un_number"

[executors."io.check_filing_status"]
kind = "http"
url = "http://127.0.0.1:{port}/filings"
private = true
allow = ["*"]
"""


@pytest.fixture
def filings(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The filing system of the demo, which knows of nothing: its port, and the book of what it was asked."""
    with serve(0, tmp_path / "book.jsonl") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], tmp_path / "book.jsonl"
        server.shutdown()


def asked(book: Path) -> list[dict[str, Any]]:
    """What the filing system was asked."""
    return [json.loads(line) for line in book.read_text("utf-8").splitlines()]


@pytest.fixture
def version(flowc: Flowc, tmp_path: Path, filings: tuple[int, Path]) -> str:
    """The draft that is compiled from the documents, submitted by one and published by another."""
    told = flowc("compile", CASE / "documents", "-o", tmp_path / "out", "--replay", CASE / "replies", "--quiet")
    assert told.status == 0, told.err
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    for words in (("li", "author", "operator", "物流部"), ("zhao", "approver", "安全总监")):
        roles = [word for role in words[1:] for word in ("--role", role)]
        assert flowc("users", "add", words[0], *roles, "--as", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(TOML.format(port=filings[0]), "utf-8")
    (file,) = (tmp_path / "out").rglob("*.workflow.json")
    assert flowc("registry", "submit", file, "--as", "li").status == 0
    name = str(said(flowc("registry", "list", "--json"))[0]["version"])
    assert flowc("registry", "review", name, "--as", "li").status == 0
    refused = flowc("registry", "publish", name, "--as", "zhao")
    assert refused.status == 1 and "decision.check_transport_mode" in refused.err
    published = flowc(
        "registry", "publish", name, "--as", "zhao", "--manual", "decision.check_transport_mode", "--accept-open",
        "asked the safety department",
    )  # fmt: skip
    assert published.status == 0, published.err
    return name


def open_task(flowc: Flowc) -> dict[str, Any]:
    """The one task that is open."""
    (task,) = said(flowc("task", "list", "--json"))
    return dict(task)


def test_from_documents_to_an_answer(flowc: Flowc, version: str, tmp_path: Path, filings: tuple[int, Path]) -> None:
    """It asks for what is missing, calls the filing system once, waits for people, and says why it came out so."""
    given = [
        word for pair in ("substance_name=硫酸", "transport_mode=公路", "quantity=5000") for word in ("--input", pair)
    ]
    refused = flowc("run", "start", version, *given, "--as", "li")
    assert refused.status == 2 and "shipment_id: missing" in refused.err
    begun = said(flowc("run", "start", version, *given, "--ask", "--as", "li", "--json"))
    execution = begun["execution"]
    assert begun["waits"][0]["for"] == ["operator"]
    for values in (
        ("shipment_id=SHIP-2026-00019",),
        ("allowed=true", "reason_code=L12_ROAD_ALLOWED_REQUIRE_FILING", 'required_checks=["filing_required"]'),
        ("conclusion=false", 'missing_conditions=["危险化学品公路运输备案"]'),
    ):
        words = [word for value in values for word in ("--set", value)]
        assert flowc("task", "do", open_task(flowc)["id"], *words, "--as", "li").status == 0
    assert [(one["cas_number"], one["key"]) for one in asked(filings[1])] == [
        ("7664-93-9", f"{execution}:check_filing_status:1")
    ]
    approval = open_task(flowc)
    assert (approval["kind"], approval["roles"]) == ("approval", ["安全总监"])
    blind = flowc("task", "do", approval["id"], "--set", "approved=true", "--as", "zhao")
    assert blind.status == 2 and f"(--shown DIGEST); look at it again: flowc task show {approval['id']}" in blind.err
    assert "--set comment=…  string, may be left out" in flowc("task", "show", approval["id"]).out
    assert flowc("task", "do", approval["id"], "--set", "approved=true", "--as", "li", "--shown", "x").status == 1
    done = flowc("task", "do", approval["id"], "--set", "approved=true", "--as", "zhao", "--shown", approval["digest"])
    assert done.status == 0, done.err
    told = said(flowc("run", "explain", execution, "--json"))
    assert (told["status"], told["answer"]) == ("completed", "已办结")
    assert told["outputs"]["conclusion"] is False
    assert told["outputs"]["missing_conditions"] == ["危险化学品公路运输备案"]
    assert any("安全总监同意" in words for words in told["because"])
    assert {one["by"] for one in told["people"]} == {"li", "zhao"}
    replayed = said(flowc("run", "replay", execution, "--json"))
    assert replayed["differences"] == [] and replayed["outputs"] == told["outputs"]
    assert len(asked(filings[1])) == 1
    other = said(flowc("run", "what-if", execution, "--set", "$.outputs.check_transport_mode.allowed=false", "--json"))
    assert "check_filing_status" not in other["path"] and "check_filing_status" in replayed["path"]
    text = flowc("run", "explain", execution).out
    assert ", by zhao" in text and ", by li" in text
    unset = ("run", "what-if", execution, "--set", "$.outputs.check_transport_mode.allowed=null")
    assert said(flowc(*unset, "--json"))["unknown"] == ["$.outputs.check_transport_mode.allowed"]
    assert "give it with --set '$.outputs.check_transport_mode.allowed=…'" in flowc(*unset).out
    typo = flowc("run", "what-if", execution, "--set", "$.inputs.quantitty=1")
    assert typo.status == 2 and "there are the inputs" in typo.err
    assert "conclusion: false" in flowc("run", "explain", execution).out
    assert said(flowc("run", "metrics"))["ended"] == {"completed": 1}
    assert flowc("audit", "verify").status == 0
    with sqlite3.connect(tmp_path / ".flowc" / "workspace.db") as connection:
        connection.execute("update audit set body = replace(body, 'li', 'wu') where kind = 'answered'")
    connection.close()
    tampered = flowc("audit", "verify")
    assert tampered.status == 1 and "is not as it was written" in tampered.out


def test_what_goes_wrong_is_said_with_the_next_step(flowc: Flowc, version: str) -> None:
    """Unknown versions, executions, tasks, users; a second approval of nothing."""
    for words, code, status in (
        (("run", "start", "nothing", "--as", "li"), "unknown-version", 2),
        (("run", "start", f"{version.split('@')[0]}@v9", "--as", "li"), "unknown-version", 2),
        (("run", "start", "a@b", "--as", "li"), "bad-setting", 2),
        (("run", "start", version), "unknown-user", 2),
        (("run", "start", version, "--as", "zhao"), "not-allowed", 1),
        (("run", "explain", "e-0"), "unknown-execution", 2),
        (("task", "show", "t-0"), "unknown-task", 2),
        (("registry", "publish", version, "--as", "zhao"), "wrong-state", 1),
        (("run", "what-if", "e-0", "--set", "x"), "bad-setting", 2),
        (("users", "add", "li", "--as", "wen"), "user-exists", 2),
    ):
        told = flowc(*words)
        assert told.status == status and f"error[{code}]" in told.err, (words, told)


def test_no_workspace_no_user(flowc: Flowc) -> None:
    """The first step is named."""
    told = flowc("run", "list")
    assert told.status == 2 and "flowc workspace init" in told.err


def test_backup_and_restore_by_command(flowc: Flowc, version: str, tmp_path: Path) -> None:
    """What was published is in it."""
    assert flowc("workspace", "backup", tmp_path / "copy.tar.gz").status == 0
    assert flowc("workspace", "restore", tmp_path / "copy.tar.gz", tmp_path / "other").status == 0
    told = flowc("registry", "verify", version, "--workspace", tmp_path / "other")
    assert told.status == 0 and "as it was published" in told.out
    assert "published" in flowc("registry", "show", version, "--workspace", tmp_path / "other").out
    assert "io.check_filing_status" in (tmp_path / "other" / "flowc.toml").read_text("utf-8")
    assert flowc("registry", "deprecate", version, "--reason", "old", "--as", "zhao").status == 0
    assert "deprecated" in flowc("registry", "list").out


def test_users_by_command(flowc: Flowc, version: str) -> None:
    """Roles are given and taken; the audit can be exported and its head signed."""
    assert "author, operator, 物流部" in flowc("users", "role", "li", "--add", "x", "--remove", "x", "--as", "wen").out
    assert [one["user"] for one in said(flowc("users", "list", "--json"))] == ["li", "wen", "zhao"]
    assert flowc("users", "add", "wu", "--as", "li").status == 1
    head = json.loads(flowc("audit", "head").out)
    lines = flowc("audit", "export").out.splitlines()
    assert head["count"] == len(lines) and json.loads(lines[-1])["hash"] == head["hash"]
