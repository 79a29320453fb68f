"""Importing again brings a catalog up to date and leaves what people wrote; nothing is half written."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.importing import Import, Wanted, import_tools, merge_into
from catalog.importing.errors import ImportClash, MalformedSource
from catalog.importing.merge import merged
from catalog.importing.record import RECORD, read_record, written_by_people
from catalog.load import load_catalog, parse_node_type
from catalog.node_type import NodeType
from ir.errors import BadInputFile

FILES = Path(__file__).resolve().parents[3] / "fixtures" / "imports"
TOOL: dict[str, Any] = {
    "name": "close",
    "description": "Closes a ticket.",
    "parameters": {"properties": {"id": {"type": "string"}, "note": {"type": "string"}}, "required": ["id"]},
}


def read(folder: Path, *tools: dict[str, Any]) -> Import:
    """An import of function specifications."""
    path = folder / "desk.json"
    path.write_text(json.dumps(tools), encoding="utf-8")
    return import_tools(Wanted(str(path)))


def put(found: Import, out: Path, **how: bool) -> dict[str, str]:
    """Write an import; what became of each Type."""
    result = merge_into(found, out, **how)
    for name, text in result.files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    return dict(result.outcomes)


def edit(out: Path, *changes: tuple[str, str]) -> Path:
    """Change the Type as a person would, in an editor."""
    path = out / "node_types" / "desk" / "close.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def stands(out: Path) -> NodeType:
    """The Type as it stands."""
    return load_catalog(out, "builtin").node_type("desk.close")


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    """No file is written anew."""
    out = tmp_path / "out"
    assert put(read(tmp_path, TOOL), out) == {"desk.close": "added"}
    again = merge_into(read(tmp_path, TOOL), out)
    assert (again.files, again.outcomes) == ({}, {"desk.close": "unchanged"})


def test_what_people_wrote_stays_and_the_rest_follows_the_source(tmp_path: Path) -> None:
    """Texts, values and lists that a person changed stay; new inputs and descriptions come; comments are kept."""
    out = tmp_path / "out"
    put(read(tmp_path, TOOL), out)
    path = edit(
        out,
        ("outputs_schema: {}", "outputs_schema:\n  closed_at: {type: datetime, required: true, concept: action_time}"),
        ("side_effect: true", "side_effect: false  # asked the desk"),
        ("summary: Closes a ticket", "summary: Close a ticket of the help desk"),
        ("aliases:", "examples: [The agent closes the ticket.]\naliases:"),
        ("- close", "- close\n  - resolve the ticket"),
    )
    changed = {**TOOL, "description": "Closes a ticket for good.", "title": "Close ticket"}
    changed["parameters"] = {
        "properties": {
            "id": {"type": "string", "description": "Its number"},
            "at": {"format": "date", "type": "string"},
        },
        "required": ["id"],
    }
    assert put(read(tmp_path, changed), out) == {"desk.close": "changed"}
    found = stands(out)
    assert found.summary == "Close a ticket of the help desk"
    assert not found.capabilities.side_effect
    assert list(found.outputs_schema) == ["closed_at"]
    assert found.examples == ("The agent closes the ticket.",)
    assert found.aliases == ("Close ticket", "close", "resolve the ticket")
    assert {name: (one.type, one.description) for name, one in found.inputs_schema.items()} == {
        "id": ("string", "Its number"), "at": ("date", None),
    }  # fmt: skip
    assert found.version == "2.0.0"  # an input that workflows may give is gone
    assert not found.assumes("/capabilities/side_effect")
    assert not found.assumes("/outputs_schema")
    assert found.assumes("/governance/risk_level_default")
    assert "# asked the desk" in path.read_text(encoding="utf-8")


def test_what_both_changed_is_told_and_the_persons_stays(tmp_path: Path) -> None:
    """A person's words are not overwritten in silence, nor are the source's lost in silence."""
    out = tmp_path / "out"
    put(read(tmp_path, TOOL), out)
    edit(out, ("summary: Closes a ticket", "summary: Close a ticket"))
    result = merge_into(read(tmp_path, {**TOOL, "description": "Archives a ticket."}), out)
    (told,) = [one for one in result.diagnostics if one.error_code == "import-conflict"]
    assert (told.location.pointer, told.found) == ("/summary", "Archives a ticket")
    assert result.types["desk.close"].summary == "Close a ticket"
    assert result.types["desk.close"].summary_i18n == {"en": "Archives a ticket"}


def test_what_a_person_wrote_can_be_told(tmp_path: Path) -> None:
    """By pointers, from the record of the import; a Type of people's own has none."""
    out = tmp_path / "out"
    put(read(tmp_path, TOOL), out)
    edit(out, ("risk_level_default: medium", "risk_level_default: low"), ("- close", "- shut"))
    record = read_record(out)
    assert written_by_people(stands(out), record) == ("/governance/risk_level_default", "/aliases")
    assert written_by_people(load_catalog().node_type("notify.email"), record) is None


def test_tools_that_are_gone_stay_and_files_that_are_removed_stay_out(tmp_path: Path) -> None:
    """Workflows may use the first; the second a person did not want, until they are asked for again."""
    out = tmp_path / "out"
    other = {"name": "open", "description": "Opens a ticket."}
    put(read(tmp_path, TOOL, other), out)
    result = merge_into(read(tmp_path, TOOL), out)
    assert [one.error_code for one in result.diagnostics] == ["tool-gone"]
    (out / "node_types" / "desk" / "open.yaml").unlink()
    assert merge_into(read(tmp_path, TOOL), out).diagnostics == ()
    assert put(read(tmp_path, TOOL, other), out)["desk.open"] == "left out"
    assert put(read(tmp_path, TOOL, other), out, restore=True)["desk.open"] == "added"


def test_a_persons_type_is_not_written_over(tmp_path: Path) -> None:
    """One of the same name that no import wrote is a clash; a broken record is told."""
    out = tmp_path / "out"
    put(read(tmp_path, TOOL), out)
    (out / RECORD).unlink()
    with pytest.raises(ImportClash, match="import with another --namespace"):
        merge_into(read(tmp_path, TOOL), out)
    (out / RECORD).write_text('{"types": []}', encoding="utf-8")
    with pytest.raises(BadInputFile, match="no record of imports"):
        merge_into(read(tmp_path, TOOL), out)
    (out / RECORD).write_text(
        '{"types": {"desk.close": {"source": "desk.json", "written": {"a": 1}}}}', encoding="utf-8"
    )
    with pytest.raises(BadInputFile, match="a Type that is none"):
        merge_into(read(tmp_path, TOOL), out)


@pytest.mark.parametrize(
    ("change", "version"),
    [
        ({}, "1.2.3"),
        ({"summary": "Other words"}, "1.2.3"),
        ({"inputs_schema": {"id": {"type": "string", "required": True, "description": "x"}}}, "1.2.3"),
        ({"inputs_schema": {"id": {"type": "string", "required": True}, "more": {"type": "string"}}}, "1.3.0"),
        ({"outputs_schema": {"at": {"type": "date"}}}, "1.3.0"),
        (
            {"inputs_schema": {"id": {"type": "string", "required": True}, "b": {"type": "date", "required": True}}},
            "2.0.0",
        ),
        ({"inputs_schema": {"id": {"type": "integer", "required": True}}}, "2.0.0"),
        ({"capabilities": {"side_effect": False, "idempotent_default": True, "retryable_default": True}}, "2.0.0"),
    ],
)
def test_the_version_says_what_the_change_means(change: dict[str, Any], version: str) -> None:
    """Drafts name the version that they were made for: what may break them is a new major one."""
    text = (
        "type: a.b\nversion: 1.2.3\ncategory: io\nsummary: Words\ninputs_schema: {id: {type: string, required: true}}\n"
        "outputs_schema: {}\ngovernance: {risk_level_default: low}\n"
        "capabilities: {side_effect: true, idempotent_default: false, retryable_default: false}\n"
    )
    base = parse_node_type(text, "x")
    theirs = NodeType.model_validate({**base.to_json(), **change})
    assert merged(base, base, theirs)[0].version == version


def test_outputs_are_learnt_from_samples() -> None:
    """Types, dates, nulls, lists and what is not always there; what is no object is the result."""
    found = import_tools(Wanted(str(FILES / "desk.tools.json")), "desk", FILES / "desk.samples.json")
    ticket, severity = found.types["desk.lookup_ticket"], found.types["desk.assess_severity"]
    assert {name: (one.type, one.required, one.nullable) for name, one in ticket.outputs_schema.items()} == {
        "text": ("string", True, False),
        "opened": ("date", True, False),
        "customer": ("object", True, True),
        "tags": ("array", True, False),
        "waits": ("number", None, False),
    }
    assert (severity.outputs_schema["result"].type, severity.outputs_schema["result"].enum) == ("string", None)
    assert severity.binding is not None
    assert severity.binding.result == "result"
    assert ticket.imported is not None
    assert (ticket.imported.samples, ticket.assumes("/outputs_schema")) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"lookUp": [{}]}', "found 'lookUp', expected a tool of desk.tools.json: assess_severity"),
        ("[3]", "what tools gave"),
        ('{"tool": "closeTicket", "output": {"a": 1}}\n{"tool": "reopen", "output": 1}\n', "/1: found 'reopen'"),
    ],
)
def test_samples_of_no_tool_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """Nothing is learnt of what is not there."""
    path = tmp_path / "samples.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MalformedSource) as caught:
        import_tools(Wanted(str(FILES / "desk.tools.json")), "desk", path)
    assert said in str(caught.value)
