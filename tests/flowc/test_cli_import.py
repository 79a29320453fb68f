"""`flowc catalog import`: from a system's own tools to a catalog that documents are compiled with."""

import json
from pathlib import Path

import pytest
from conftest import Flowc

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "imports"
BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench" / "sopbench"
POLICY = """# Help desk

1. The agent looks up the ticket by its number.
2. The agent shall assess the severity of the ticket from its text.
3. The agent shall close the ticket.
"""


def test_an_import_says_what_came_and_what_a_person_has_to_see_to(flowc: Flowc, tmp_path: Path) -> None:
    """A line for each Type, the counts, and where to look next; JSON has all of it."""
    done = flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools")
    assert done.status == 0
    assert "added     desk.lookup_ticket; 3 to see to" in done.out
    assert "4 added in tools; `flowc catalog lint --catalog tools --catalog builtin`" in done.out
    again = flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools", "--json")
    said = json.loads(again.out)
    assert {one["outcome"] for one in said["types"].values()} == {"unchanged"}
    assert "/capabilities/side_effect" in said["to_see_to"]["desk.close_ticket"]
    advice = flowc("catalog", "lint", "--catalog", "tools", "--catalog", "builtin")
    assert advice.status == 1
    codes = {line.rsplit("[", 1)[1].rstrip("]") for line in advice.out.splitlines() if "node_types/desk/" in line}
    assert {"assumed-by-import", "outputs-unknown", "proposed-concept", "few-examples"} <= codes
    assert "missing-language" not in codes


def test_what_a_person_filled_in_stays_and_is_shown(flowc: Flowc, tmp_path: Path) -> None:
    """`catalog show` tells the source's words from a person's."""
    flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools")
    path = tmp_path / "tools" / "node_types" / "desk" / "close_ticket.yaml"
    path.write_text(path.read_text("utf-8").replace("side_effect: true", "side_effect: false"), encoding="utf-8")
    (tmp_path / "tools" / "README.md").write_text("ours", encoding="utf-8")
    again = flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools",
                  "--samples", FILES / "desk.samples.json")  # fmt: skip
    assert "changed   desk.lookup_ticket" in again.out
    assert "kept: /capabilities/side_effect" in again.out
    assert (tmp_path / "tools" / "README.md").read_text("utf-8") == "ours"
    shown = flowc("catalog", "show", "desk.close_ticket", "--catalog", "tools", "--catalog", "builtin").out
    assert "# imported from desk.tools.json (/3/function)" in shown
    assert "# written by people: /capabilities/side_effect; the rest is the source's" in shown
    assert "# proposed for /inputs_schema/email_address: email_address" in shown


def test_documents_are_compiled_with_imported_tools(flowc: Flowc, tmp_path: Path) -> None:
    """Steps that say what a tool does become nodes of its Type, though builtin ones say it in the same words."""
    flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools")
    (tmp_path / "desk.md").write_text(POLICY, encoding="utf-8")
    built = flowc("compile", "desk.md", "-o", "out", "--offline", "--catalog", "tools", "--catalog", "builtin")
    assert built.status == 0, built.out + built.err
    (draft,) = (tmp_path / "out").rglob("*.workflow.json")
    types = {node["type"] for node in json.loads(draft.read_text("utf-8"))["nodes"].values()}
    assert {"desk.lookup_ticket", "desk.assess_severity", "desk.close_ticket"} <= types


def test_what_two_tools_call_alike_is_not_taken_for_one_thing(flowc: Flowc, tmp_path: Path) -> None:
    """An `id` is each tool's own, a `ticket_id` that is described alike is one; nothing is wired by chance."""

    def tool(name: str, does: str, **fields: str) -> dict[str, object]:
        properties = {key: {"type": "string", "description": said} for key, said in fields.items()}
        return {"name": name, "description": does, "parameters": {"properties": properties, "required": list(fields)}}

    tools = [
        tool("close_ticket", "Close the ticket.", id="", ticket_id="Number of the ticket"),
        tool("refund_customer", "Refund the customer.", id="", ticket_id="Number of the ticket"),
        tool("archive_ticket", "Archive the ticket.", ticket_id="Where it is kept"),
    ]
    (tmp_path / "desk.json").write_text(json.dumps(tools), encoding="utf-8")
    acts = ("close the ticket", "refund the customer", "archive the ticket")
    policy = "# Desk\n\n" + "".join(f"{at}. The agent shall {act}.\n" for at, act in enumerate(acts, 1))
    (tmp_path / "desk.md").write_text(policy, encoding="utf-8")
    flowc("catalog", "import", "desk.json", "-o", "tools")
    flowc("compile", "desk.md", "-o", "out", "--offline", "--catalog", "tools", "--catalog", "builtin")
    (draft,) = (tmp_path / "out").rglob("*.workflow.json")
    nodes = json.loads(draft.read_text("utf-8"))["nodes"]
    close, refund, archive = (nodes[name]["inputs"] for name in ("close_ticket", "refund_customer", "archive_ticket"))
    assert close["id"] != refund["id"]
    assert close["ticket_id"] == refund["ticket_id"] != archive["ticket_id"]


def test_types_are_kept_to_a_domain_and_to_permissions(flowc: Flowc, tmp_path: Path) -> None:
    """A Type of another domain, or that needs what the caller may not do, is not found, by search nor by compile."""
    flowc("catalog", "import", FILES / "desk.tools.json", "--namespace", "desk", "-o", "tools")
    (tmp_path / "desk.md").write_text(POLICY, encoding="utf-8")
    path = tmp_path / "tools" / "node_types" / "desk" / "close_ticket.yaml"
    text = path.read_text("utf-8")
    for limit, passed, refused in (
        ("domains: [support]", ("--domain", "support"), ("--domain", "sales")),
        ("permissions: [ticket:close]", ("--permission", "ticket:close"), ("--permission", "ticket:read")),
    ):
        path.write_text(f"{text}{limit}\n", encoding="utf-8")
        for flags, found in ((passed, True), (refused, False)):
            args = ("--catalog", "tools", "--catalog", "builtin", *flags)
            assert ("desk.close_ticket" in flowc("catalog", "search", "close the ticket", *args).out) is found
            flowc("compile", "desk.md", "-o", "out", "--offline", *args)
            (draft,) = (tmp_path / "out").rglob("*.workflow.json")
            assert ("desk.close_ticket" in draft.read_text("utf-8")) is found


@pytest.mark.parametrize(
    ("arguments", "code", "status"),
    [
        (("nowhere.json",), "missing-path", 2),
        (("broken.json",), "malformed-source", 2),
        (("broken.json", "--kind", "openapi"), "malformed-source", 2),
        (("twice.json",), "import-clash", 2),
        (("no-such-program-anywhere --stdio", "--kind", "mcp"), "unreachable-source", 3),
        (("https://tools.example/mcp",), "bad-setting", 2),
        (("good.json", "--namespace", "Help Desk"), "bad-setting", 2),
        (("good.json", "--entry-point", "a/b.py"), "bad-setting", 2),
        (("good.json", "--namespace", "notify"), "catalog-clash", 2),
        (("good.json", "--samples", "none.json"), "missing-path", 2),
    ],
)
def test_what_is_wrong_has_a_code_and_nothing_is_written(
    arguments: tuple[str, ...], code: str, status: int, flowc: Flowc, tmp_path: Path
) -> None:
    """What stood there stands as it was."""
    pytest.importorskip("mcp")
    email = {"name": "email", "description": "Sends an e-mail."}
    (tmp_path / "good.json").write_text(json.dumps([email]), encoding="utf-8")
    (tmp_path / "broken.json").write_text('[{"name": 3}]', encoding="utf-8")
    (tmp_path / "twice.json").write_text(json.dumps([email, {**email, "name": "Email"}]), encoding="utf-8")
    flowc("catalog", "import", "good.json", "--namespace", "desk", "-o", "tools")
    before = {path: path.read_bytes() for path in (tmp_path / "tools").rglob("*") if path.is_file()}
    done = flowc("catalog", "import", *arguments, "-o", "tools")
    assert (done.status, f"error[{code}]" in done.err) == (status, True), done.err
    assert {path: path.read_bytes() for path in (tmp_path / "tools").rglob("*") if path.is_file()} == before
    assert list(tmp_path.glob(".flowc-*")) == []


@pytest.mark.slow
@pytest.mark.skipif(not BENCH.is_dir(), reason="the benchmark is not here")
def test_the_tools_of_a_public_benchmark_are_imported(flowc: Flowc, tmp_path: Path) -> None:
    """Seven specifications of other people's making, 38 tools."""
    found = 0
    for file in sorted(BENCH.glob("*/toolspecs.json")):
        done = flowc(
            "catalog", "import", file, "--namespace", file.parent.name, "-o", f"tools/{file.parent.name}", "--json"
        )
        assert done.status == 0
        said = json.loads(done.out)
        found += len(said["types"])
        assert all("/outputs_schema" in pointers for pointers in said["to_see_to"].values())
    assert found == 38
