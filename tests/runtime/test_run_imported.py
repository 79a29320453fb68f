"""Types that were imported, carried out by what the import noted of them."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plant import ROLES, published, user
from systems import Asked, call, system

from catalog.importing import Wanted, import_tools, merge_into
from catalog.load import Catalog, load_catalog
from catalog.node_type import NodeType
from ir.errors import BadSetting
from ir.fields import FieldSpec
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.commands import begin
from runtime.executors.contract import ExecutorFault
from runtime.executors.imported import ImportedExecutor
from runtime.executors.registry import executors_from
from runtime.host import Host
from runtime.telling import replay
from store.users import add_user
from store.workspace import make_workspace

HERE = Path(__file__).resolve().parent
PARCELS = HERE / "parcels.openapi.yaml"
TYPES: dict[str, NodeType] = import_tools(Wanted(str(PARCELS), "openapi"), "desk").types
BOOKED = {"parcel.no": "P 7/1", "state": "booked", "lines": [{"sku.no": "A", "more": 1}], "internal": 3}
BOOKING = {
    "desk_id": "a/b", "express": True, "X-Desk-User": "li", "desk_session": "s;1",
    "receiver": {"full_name": "张三", "town": "杭州"}, "lines": [{"sku_no": "A", "grams": 5.5}],
}  # fmt: skip


def carried_out(node_type: NodeType, inputs: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """What comes of a call whose settings were loaded as those of a workspace are."""
    executor = ImportedExecutor()
    given = {"kind": "imported", **settings}
    told = executor.settle_for(given, Path(), node_type)
    return executor.carry_out(replace(call(inputs, node_type.outputs_schema), settings=told, type=node_type.type))


def refused(node_type: NodeType, **settings: Any) -> str:
    """Why settings are not taken."""
    with pytest.raises(BadSetting) as stopped:
        bound = {node_type.type: {"kind": "imported", **settings}}
        executors_from(bound, types={node_type.type: node_type})
    assert stopped.value.code == "bad-setting"
    return str(stopped.value)


def bound_otherwise(node_type: NodeType, **changed: Any) -> NodeType:
    """The Type with another binding."""
    assert node_type.binding is not None
    return node_type.model_copy(update={"binding": node_type.binding.model_copy(update=changed)})


def desk(asked: Asked) -> tuple[int, str, Any]:
    """What the desk answers."""
    if asked.method == "POST":
        return 201, "application/json; charset=utf-8", BOOKED
    if asked.path.endswith("/label"):
        return 200, "text/plain; charset=utf-8", "[1]"
    return (204, "", "") if asked.method == "DELETE" else (200, "application/json", {"place": "杭州", "days": None})


def test_each_input_goes_where_the_operation_wants_it() -> None:
    """Path, query, header, cookie and body, lists and objects under the names that the system has; so back."""
    with system(desk) as one:
        at = {"base_url": f"http://127.0.0.1:{one.port}/v2/", "private": True}
        found = carried_out(TYPES["desk.book_parcel"], BOOKING, **at)
    assert found == {"parcel_no": "P 7/1", "state": "booked", "lines": [{"sku_no": "A"}]}
    (asked,) = one.asked
    assert (asked.method, asked.path) == ("POST", "/v2/desks/a%2Fb/parcels?express=true")
    assert asked.headers["X-Desk-User"] == "li" and asked.headers["Cookie"] == "desk_session=s%3B1"
    assert asked.headers["Content-Type"] == "application/json" and asked.headers["Idempotency-Key"] == "e-1:n:1"
    assert json.loads(asked.body) == {
        "receiver": {"full.name": "张三", "town": "杭州"}, "lines": [{"sku.no": "A", "grams": 5.5}],
    }  # fmt: skip


def test_answers_that_are_no_object() -> None:
    """A text is the one output, also where it looks like JSON; nothing gives nothing; a text is sent as it is."""
    with system(desk) as one:
        at = {"base_url": f"http://127.0.0.1:{one.port}", "private": True}
        assert carried_out(TYPES["desk.print_label"], {"parcel_no": "7"}, **at) == {"result": "[1]"}
        assert carried_out(TYPES["desk.cancel_parcel"], {"parcel_no": "7"}, **at) == {}
        assert carried_out(TYPES["desk.replace_note"], {"body": "又一个"}, **at) == {}
    assert (one.asked[1].method, one.asked[1].path, one.asked[1].body) == ("DELETE", "/parcels/7", b"")
    assert (one.asked[2].body.decode(), one.asked[2].headers["Content-Type"]) == ("又一个", "text/plain")


def test_lists_stand_outside_of_a_body_as_the_operation_has_them() -> None:
    """Repeated, or with commas between, which are no part of the values; an empty list stands nowhere."""
    lists = {"part": ["a,b", "c&d"], "near": [1.5, 2], "X-Marks": ["x", "y"]}
    with system(desk) as one:
        at = {"base_url": f"http://127.0.0.1:{one.port}", "private": True}
        carried_out(TYPES["desk.track_parcel"], {"parcel_no": "7", **lists}, **at)
        carried_out(TYPES["desk.track_parcel"], {"parcel_no": "7", "part": [], "near": []}, **at)
    assert [each.path for each in one.asked] == ["/parcels/7?part=a%2Cb&part=c%26d&near=1.5,2", "/parcels/7"]
    assert one.asked[0].headers["X-Marks"] == "x,y"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({"parcel_no": ".."}, "BAD_INPUT"), ({"parcel_no": None}, "BAD_INPUT"), ({"parcel_no": "7"}, "BAD_OUTPUT")],
)
def test_what_cannot_be_sent_or_read(inputs: dict[str, Any], code: str) -> None:
    """An address that would lead elsewhere is not asked; an answer that is no JSON is none."""
    with system(lambda _: (200, "application/json", "<html>")) as one:
        at = {"base_url": f"http://127.0.0.1:{one.port}", "private": True}
        with pytest.raises(ExecutorFault) as stopped:
            carried_out(TYPES["desk.track_parcel"], inputs, **at)
    assert stopped.value.code == code and len(one.asked) == (code == "BAD_OUTPUT")


def test_a_header_takes_one_line() -> None:
    """An input with a line break adds no header."""
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(TYPES["desk.book_parcel"], {**BOOKING, "X-Desk-User": "li\r\nX-Admin: 1"})
    assert (stopped.value.code, stopped.value.made) == ("BAD_INPUT", False)


def test_addresses_are_looked_at_as_those_of_http() -> None:
    """What the import noted leads to no private address unless that is meant."""
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(bound_otherwise(TYPES["desk.track_parcel"], server="http://127.0.0.1:1"), {"parcel_no": "7"})
    assert (stopped.value.code, stopped.value.made) == ("PRIVATE_ADDRESS", False)


BOOK, TRACK = TYPES["desk.book_parcel"], TYPES["desk.track_parcel"]
LISTED = FieldSpec(type="array", items=FieldSpec(type="string"))


@pytest.mark.parametrize(
    ("node_type", "told"),
    [
        (bound_otherwise(TRACK, server=None), "write base_url"),
        (bound_otherwise(TRACK, server="/v1"), "write base_url"),
        (bound_otherwise(TRACK, server="https://{region}.example.org"), "write base_url"),
        (bound_otherwise(TRACK, server="https://li:x@example.org"), "a user or password"),
        (bound_otherwise(TRACK, places={"parcel_no": "path"}), "where the input lang goes"),
        (bound_otherwise(TRACK, lists={}), "how the array part stands in the query"),
        (bound_otherwise(TRACK, path="/parcels/{parcel.no}/{part}"), "no input fills {part}"),
        (bound_otherwise(TRACK, path="/parcels"), "which has no {parcel.no}"),
        (TRACK.model_copy(update={"inputs_schema": {**TRACK.inputs_schema, "lang": LISTED}}), "how the array lang"),
        (bound_otherwise(BOOK, media_type="multipart/form-data"), "a body of multipart/form-data"),
        (bound_otherwise(BOOK, media_type=None), "media type"),
        (bound_otherwise(TRACK, result="all"), "the output all"),
        (TRACK.model_copy(update={"binding": None}), "does not say how it is called"),
    ],
)
def test_what_a_binding_does_not_say(node_type: NodeType, told: str) -> None:
    """Is told when flowc.toml is read, and not guessed when a node runs."""
    assert told in refused(node_type)


def test_settings_that_go_with_nothing() -> None:
    """A header twice, an environment for no command, a Type that is not there, a key that is not known."""
    assert "is a header that is set already" in refused(BOOK, headers={"x-desk-user": "USER"})
    assert "environment is for a server of MCP" in refused(BOOK, environment={"A": "B"})
    assert 'did you mean "base_url"' in refused(BOOK, base_ur="https://x.example")
    with pytest.raises(BadSetting, match="the catalog here has no such Type"):
        executors_from({"desk.gone": {"kind": "imported"}}, types=TYPES)


def test_a_whole_import_is_bound_at_once() -> None:
    """The longest name wins, a whole one always; one that fits nothing is refused."""
    settings = {
        "desk.*": {"kind": "imported"},
        "desk.track_*": {"kind": "imported", "base_url": "https://track.example.org"},
        "desk.replace_note": {"kind": "manual"},
    }
    bound = executors_from(settings, types=TYPES)
    assert set(bound.bound) == set(TYPES)
    assert bound.settings("desk.track_parcel")["base_url"] == "https://track.example.org"
    assert bound.settings("desk.replace_note") == {"kind": "manual"}
    assert "base_url" not in bound.settings("desk.book_parcel")
    with pytest.raises(BadSetting, match="no Type of a name like that"):
        executors_from({"shop.*": {"kind": "manual"}}, types=TYPES)
    with pytest.raises(BadSetting, match=r'"desk.\*"\] in flowc.toml for desk.track_parcel.*write base_url'):
        executors_from({"desk.*": {"kind": "imported"}}, types={**TYPES, TRACK.type: bound_otherwise(TRACK, server="")})


def test_a_tool_of_mcp() -> None:
    """Is called by the command that the import noted, and gives what its Type declares."""
    pytest.importorskip("mcp")
    command = f"{sys.executable} {HERE / 'lookup_server.py'}"
    found = import_tools(Wanted(command, "mcp"), "lookup").types
    told = carried_out(found["lookup.look_up"], {"substance": "硫酸"})
    assert told == {"level": 2}
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(found["lookup.fail"], {})
    assert stopped.value.code == "TOOL_FAILED"
    lost = bound_otherwise(found["lookup.look_up"], command=())
    assert "where the server lookup is is not noted" in refused(lost)
    assert "headers go with an address" in refused(found["lookup.look_up"], headers={"A": "B"})


def test_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is called where a person said where its code is; what it raises fails the node."""
    code = "def add_days(*, days):\n    return {'sum': 10 // days, 'more': 1}\n"
    code += "class Desk:\n    def add_days(self): ...\n"
    (tmp_path / "some_functions.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    number = {"type": "object", "required": ["days"], "properties": {"days": {"type": "integer"}}}
    gives = {"type": "object", "required": ["sum"], "properties": {"sum": {"type": "integer"}}}
    tools = [{"name": "add_days", "description": "Add days", "parameters": number, "returns": gives}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), "utf-8")

    def imported(entry_point: str | None) -> NodeType:
        wanted = Wanted(str(tmp_path / "tools.json"), "functions", entry_point)
        return import_tools(wanted, "days").types["days.add_days"]

    assert carried_out(imported("some_functions"), {"days": 5}) == {"sum": 2}
    with pytest.raises(ExecutorFault, match="ZeroDivisionError") as stopped:
        carried_out(imported("some_functions"), {"days": 0})
    assert (stopped.value.code, stopped.value.made) == ("TOOL_FAILED", None)
    assert "--entry-point" in refused(imported(None))
    assert "cannot be called" in refused(imported("no_such_module_here"))
    assert "needs an object of Desk" in refused(imported("some_functions:Desk"))


def test_a_decision_table(tmp_path: Path) -> None:
    """The first row that holds gives the outputs; an unknown before it is no no."""
    table = "if amount,if mode,then approver\n>= 5000,-,director\n< 5000,road,clerk\n"
    (tmp_path / "approvals.csv").write_text(table, "utf-8")
    (node_type,) = import_tools(Wanted(str(tmp_path / "approvals.csv"), "table"), "table").types.values()
    assert carried_out(node_type, {"amount": 7000, "mode": None}) == {"approver": "director"}
    assert carried_out(node_type, {"amount": 7, "mode": "road"}) == {"approver": "clerk"}
    for inputs, code in (
        ({"amount": None, "mode": "road"}, "RULES_UNDECIDED"),
        ({"amount": 1, "mode": "x"}, "NO_RULE"),
    ):
        with pytest.raises(ExecutorFault) as stopped:
            carried_out(node_type, inputs)
        assert stopped.value.code == code
    assert "over a network" in refused(node_type, headers={"A": "B"})


def tracked() -> Workflow:
    """Books a parcel and asks where it is."""
    book = {
        "type": "desk.book_parcel",
        "inputs": {
            "desk_id": "$.inputs.desk", "receiver": "$.inputs.receiver", "lines": [{"sku_no": "A"}], "express": False,
        },
    }  # fmt: skip
    raw = {
        "workflow_id": "parcel-booking", "version": "v1",
        "inputs": {"desk": {"type": "string"}, "receiver": {"type": "object"}},
        "outputs": {"parcel": "$.outputs.book.parcel_no", "place": "$.outputs.track.place"},
        "nodes": {
            "book": book,
            "track": {"type": "desk.track_parcel", "inputs": {"parcel_no": "$.outputs.book.parcel_no"}},
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [{"from": "book", "to": "track"}, {"from": "track", "to": "done"}],
        "execution_policy": {"risk_level": "medium"},
    }  # fmt: skip
    return Workflow.model_validate(raw)


def test_from_an_openapi_file_to_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two operations of an import, bound by one line, called in a published workflow; the record replays."""
    monkeypatch.setenv("DESK_TOKEN", "Bearer t-1")
    tools = tmp_path / "tools"
    for place, text in merge_into(import_tools(Wanted(str(PARCELS), "openapi"), "desk"), tools).files.items():
        (tools / place).parent.mkdir(parents=True, exist_ok=True)
        (tools / place).write_text(text, "utf-8")
    catalog: Catalog = load_catalog(tools, "builtin")
    workspace = make_workspace(tmp_path / "plant")
    with workspace.transaction() as connection:
        for name, roles in ROLES.items():
            add_user(connection, name, frozenset(roles), "wen")
    with system(desk) as one:
        settings = {
            "kind": "imported", "base_url": f"http://127.0.0.1:{one.port}/v1", "private": True,
            "headers": {"Authorization": "DESK_TOKEN"},
        }  # fmt: skip
        host = Host(workspace, catalog, executors_from({"desk.*": settings}, types=catalog.node_types))
        version = published(host, tracked())
        assert version.executors == {"book": "imported", "track": "imported"}
        inputs = {"desk": "hz", "receiver": {"full_name": "张三"}}
        found = advance(host, begin(host, user(host, "li"), "parcel-booking", 1, inputs).id)
    assert found.status == "completed"
    assert replay(host, found.id).differences == ()
    asked = [(each.method, each.path, each.headers["Authorization"]) for each in one.asked]
    assert asked == [
        ("POST", "/v1/desks/hz/parcels?express=false", "Bearer t-1"),
        ("GET", "/v1/parcels/P%207%2F1", "Bearer t-1"),
    ]
    assert json.loads(one.asked[0].body)["receiver"] == {"full.name": "张三"}
