"""What is personal, by command line: masked where it is told, deleted by name or by time, the audit whole after it."""

import csv
import json
from pathlib import Path

import pytest
from conftest import Flowc, said

pytestmark = pytest.mark.slow

GOLD = Path(__file__).resolve().parents[2] / "fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json"
ID, SECRET = "transport-compliance", "王小明-4711"
PRIVACY = """
[privacy]
default = "internal"
keep_personal = "P3Y"

[privacy.concepts]
shipment_id = "personal"

[privacy.fields]
"transport-compliance.quantity_kg" = "confidential"

[privacy.readers]
personal = ["owner"]
confidential = ["owner", "operator"]
"""
MANUAL = (
    "ontology.identify_substance", "ontology.lookup_hazard_level", "decision.check_transport_mode",
    "io.check_filing_status", "utility.compliance_summary", "record.create",
)  # fmt: skip


@pytest.fixture
def plant(flowc: Flowc, tmp_path: Path) -> Path:
    """The first case, published in a workspace whose people carry out what its systems would."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    for name, *roles in (("li", "author", "operator"), ("zhao", "approver")):
        assert flowc("users", "add", name, *(w for r in roles for w in ("--role", r)), "--as", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(PRIVACY, "utf-8")
    told = flowc("registry", "submit", GOLD, "--as", "li")
    assert told.status == 0, told.err
    assert flowc("registry", "review", f"{ID}@v1", "--as", "li").status == 0
    by_hand = [word for one in MANUAL for word in ("--manual", one)]
    told = flowc("registry", "publish", f"{ID}@v1", "--as", "zhao", *by_hand, "--accept-open", "asked")
    assert told.status == 0, told.err
    return tmp_path


def begun(flowc: Flowc) -> str:
    """A run that waits for a person."""
    given = ("shipment_id=" + SECRET, "substance_name=硫酸", "quantity_kg=5000", "transport_mode=公路")
    words = [word for pair in given for word in ("--input", pair)]
    return str(said(flowc("run", "start", ID, *words, "--as", "li", "--json"))["execution"])


def ended(flowc: Flowc) -> str:
    """A run that a person answered in the name of the secret, and that was then called off."""
    execution = begun(flowc)
    (task,) = said(flowc("task", "list", "--json", "--as", "wen"))
    assert SECRET in json.dumps(task["shown"], ensure_ascii=False)
    entity = {"canonical_name": f"硫酸 of {SECRET}", "cas_number": "7664-93-9", "un_number": "1830"}
    values = ("--set", "is_hazardous=true", "--set", f"entity={json.dumps(entity)}")
    told = flowc("task", "do", task["id"], *values, "--as", "wen")
    assert told.status == 0, told.err
    assert flowc("run", "cancel", execution, "--reason", f"{SECRET} asked", "--as", "li").status == 0
    return execution


def holding(folder: Path) -> list[Path]:
    """The files of the workspace that hold the secret, as it is or as JSON escapes it."""
    words = (SECRET.encode(), json.dumps(SECRET)[1:-1].encode())
    files = [one for one in (folder / ".flowc").rglob("*") if one.is_file()]
    return [one for one in files if any(word in one.read_bytes() for word in words)]


def test_it_is_masked_in_what_is_told(flowc: Flowc, plant: Path) -> None:
    """Explanations, tasks, exports: for whoever has no role that reads it, and for nobody who is not named."""
    execution = ended(flowc)
    for words in (
        ("run", "explain", execution),
        ("run", "explain", execution, "--json"),
        ("audit", "export"),
        ("run", "list"),
        ("run", "list", "--json"),
        ("task", "list", "--json"),
        ("run", "gaps", "--json"),
    ):
        told = flowc(*words)
        assert told.status == 0 and SECRET not in told.out + told.err, words
    assert SECRET not in flowc("run", "explain", execution, "--as", "li").out
    assert SECRET in flowc("run", "explain", execution, "--as", "wen", "--json").out
    exported = [json.loads(line) for line in flowc("audit", "export", execution).out.splitlines()]
    inputs = next(one["body"]["inputs"] for one in exported if one["kind"] == "began")
    assert inputs["shipment_id"] == {"masked": "personal"} and inputs["quantity_kg"] == {"masked": "confidential"}
    assert inputs["transport_mode"] == "公路"


def test_a_task_shows_its_values_to_who_may_answer_it(flowc: Flowc, plant: Path) -> None:
    """Whoever is not named, or has another role, sees a mask."""
    begun(flowc)
    (task,) = said(flowc("task", "list", "--json"))
    assert task["roles"] and "•••" in flowc("task", "show", task["id"]).out
    assert SECRET not in flowc("task", "show", task["id"], "--as", "zhao").out
    assert SECRET in flowc("task", "show", task["id"], "--as", "wen").out


def test_an_unmasked_export_takes_a_role_and_is_told(flowc: Flowc, plant: Path) -> None:
    """It is refused to an operator; the owner's is an event."""
    ended(flowc)
    refused = flowc("audit", "export", "--unmasked", "--as", "li")
    assert refused.status == 1 and "error[not-allowed]" in refused.err and SECRET not in refused.out
    assert SECRET in flowc("audit", "export", "--unmasked", "--as", "wen").out
    last = json.loads(flowc("audit", "export").out.splitlines()[-1])
    assert (last["kind"], last["principal"]) == ("exported-unmasked", "wen")


def test_it_is_masked_in_the_table_of_a_batch(flowc: Flowc, plant: Path) -> None:
    """Whoever may not read it gets a table without it, also where a row was refused for what it holds."""
    rows = f"id,shipment_id,substance_name,quantity_kg,transport_mode\n1,{SECRET},硫酸,1,公路\n2,x,硫酸,1,{SECRET}\n"
    (plant / "rows.csv").write_text(rows, "utf-8")
    told = flowc("run", "batch", ID, "rows.csv", "-o", "results", "--as", "li")
    assert told.status == 1 and SECRET not in told.out + told.err
    table = (plant / "results" / "outcomes.csv").read_text("utf-8")
    assert SECRET not in table
    assert [(row["status"], row["reason"]) for row in csv.DictReader(table.splitlines())][1] == ("refused", "•••")
    flowc("run", "batch", ID, "rows.csv", "-o", "others", "--as", "wen")
    assert SECRET in (plant / "others" / "outcomes.csv").read_text("utf-8")


def test_forgetting_leaves_the_audit_whole_and_no_value_in_any_file(flowc: Flowc, plant: Path) -> None:
    """It takes the owner and a run that ended; a second time says when it was, and so does a replay."""
    execution = ended(flowc)
    assert holding(plant) and flowc("run", "forget", execution, "--as", "li").status == 1
    named = flowc("run", "forget", execution, "--reason", f"{SECRET} asked", "--as", "wen")
    assert named.status == 2 and "error[bad-setting]" in named.err
    done = flowc("run", "forget", execution, "--reason", "the person asked", "--as", "wen")
    assert done.status == 0 and "personal values deleted at" in done.out
    assert holding(plant) == []
    verified = flowc("audit", "verify")
    assert verified.status == 0 and "0 faults" in verified.out
    told = said(flowc("run", "explain", execution, "--json", "--as", "wen"))
    assert told["deleted_at"] in done.out and told["deleted_at"] in flowc("run", "explain", execution).out
    for words in (("run", "forget", execution, "--as", "wen"), ("run", "replay", execution)):
        again = flowc(*words)
        assert again.status == 1 and "error[values-deleted]" in again.err and told["deleted_at"] in again.err
    other = begun(flowc)
    early = flowc("run", "forget", other, "--as", "wen")
    assert early.status == 1 and "error[not-ended]" in early.err
    assert "0 runs forgotten; personal values are kept for P3Y" in flowc("audit", "retain", "--as", "wen").out


def test_what_is_wrong_in_the_settings_stops_every_run(flowc: Flowc, plant: Path) -> None:
    """All of it is told at once; a misspelt concept would leave values unprotected."""
    (plant / "flowc.toml").write_text('[privacy]\ndefault = "open"\nconcepts = {shipment = "personal"}\n', "utf-8")
    told = flowc("run", "gaps")
    assert told.status == 2 and "error[bad-setting]" in told.err
    assert "default is 'open'" in told.err and "concepts.shipment" in told.err
