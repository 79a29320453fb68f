"""MCP servers and their saved answers as Node Types; a server is bounded in time and in what it may send."""

import json
import shlex
import sys
import time
from pathlib import Path

import pytest

from catalog.binding import McpBinding
from catalog.importing import Wanted, import_tools, mcp_client
from catalog.importing.errors import MalformedSource, MissingExtra, UnreachableSource
from catalog.importing.mcp_client import ask_tools
from ir.errors import BadSetting, MissingPath

SERVER = Path(__file__).with_name("parcel_server.py")


def python(code: str) -> tuple[str, ...]:
    """A command that runs some lines."""
    return sys.executable, "-c", code


@pytest.mark.slow
@pytest.mark.parametrize("greeting", ["", " --noisy"])
def test_a_server_is_started_and_asked(greeting: str) -> None:
    """All pages, the server's name, its hints and its output schemas; lines that are no messages do no harm."""
    pytest.importorskip("mcp")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(SERVER))}{greeting}"
    found = import_tools(Wanted(command, "mcp"))
    assert list(found.types) == [
        f"parcel_desk.{name}" for name in ("track_parcel", "cancel_parcel", "call_courier", "relabel")
    ]
    track, cancel, call, relabel = found.types.values()
    assert track.binding == McpBinding(
        kind="mcp", server="Parcel Desk", tool="track_parcel", command=tuple(shlex.split(command))
    )
    assert (track.capabilities.side_effect, track.governance.risk_level_default) == (False, "low")
    assert {name: (one.type, one.nullable) for name, one in track.outputs_schema.items()} == {
        "place": ("string", False), "due": ("date", True),
    }  # fmt: skip
    assert (cancel.governance.risk_level_default, cancel.capabilities.retryable_default) == ("high", True)
    assert call.assumes("/capabilities/side_effect")
    assert call.assumes("/outputs_schema")
    assert [one.error_code for one in found.diagnostics] == ["undescribed-tool"]
    assert relabel.summary == "relabel"


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_given_up() -> None:
    """In time, with what it said on its standard error, and it does not go on running."""
    pytest.importorskip("mcp")
    began = time.monotonic()
    with pytest.raises(UnreachableSource, match="did not answer within 1 seconds"):
        ask_tools(python("import time; time.sleep(600)"), seconds=1)
    assert time.monotonic() - began < 30
    with pytest.raises(UnreachableSource, match="no database"):
        ask_tools(python("import sys; sys.exit('no database')"))


@pytest.mark.slow
@pytest.mark.parametrize("line", ["print('x' * 100)", "sys.stdout.write('{' * 1000)"])
def test_a_server_that_talks_without_end_is_cut_off(line: str) -> None:
    """In bytes, whether it ends its lines or not."""
    pytest.importorskip("mcp")
    with pytest.raises(UnreachableSource, match="more than 1000000 bytes"):
        ask_tools(python(f"import sys\nwhile True: {line}"), most=1_000_000)


def test_only_this_machine_is_asked_and_nothing_is_run_by_mistake() -> None:
    """An address elsewhere is refused; a path that is mistyped is no command."""
    for address in ("http://example.com/mcp", "https://10.0.0.1/mcp", "http://127.0.0.1.example.com/"):
        with pytest.raises((BadSetting, MissingExtra)):
            import_tools(Wanted(address))
    with pytest.raises(MissingPath, match="--kind mcp"):
        import_tools(Wanted("toolspec.json"))
    with pytest.raises(BadSetting, match="close the quotes"):
        import_tools(Wanted("python 'x", "mcp"))


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """And that a saved answer needs none."""
    monkeypatch.setattr(mcp_client, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'flowc\[mcp\]'.*save"):
        ask_tools("http://127.0.0.1:1/mcp")


TOOL = {"name": "relabel", "description": "Relabels a parcel.", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "saved",
    [
        {"tools": [TOOL]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
        [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL], "nextCursor": "a"}}, {"result": {"tools": []}}],
    ],
)
def test_a_saved_answer_needs_no_server(saved: object, tmp_path: Path) -> None:
    """With its envelope or without, in one page or several."""
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(saved), encoding="utf-8")
    (node_type,) = import_tools(Wanted(str(path))).types.values()
    assert node_type.type == "parcels.relabel"
    assert node_type.binding == McpBinding(kind="mcp", server="parcels", tool="relabel")


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        ({"result": {"tools": 3}}, "what an MCP server answers to tools/list"),
        ({"result": {"tools": [{"title": "x"}]}}, "/result/tools/0"),
        ({"serverInfo": {"name": "x"}, "tools": []}, "what an MCP server answers"),
        ({"tools": [{**TOOL, "inputSchema": 1}, {**TOOL, "inputSchema": {}}]}, "/tools/0/inputSchema"),
    ],
)
def test_a_malformed_answer_is_told(saved: object, said: str, tmp_path: Path) -> None:
    """With its place."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(saved), encoding="utf-8")
    with pytest.raises(MalformedSource) as caught:
        import_tools(Wanted(str(path)))
    assert said in str(caught.value)
