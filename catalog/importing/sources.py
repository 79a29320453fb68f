"""Which reader a source needs, and what it reads."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from catalog.importing.errors import MalformedSource
from catalog.importing.functions import is_functions, read_functions
from catalog.importing.mcp_client import MOST_SECONDS, ask_tools
from catalog.importing.mcp_tools import is_tool_list, read_tool_list
from catalog.importing.openapi import is_openapi, read_openapi
from catalog.importing.read_source import read_source
from catalog.importing.table import read_table
from catalog.importing.tool import Source
from ir.errors import BadSetting, MissingPath

Kind = Literal["openapi", "mcp", "functions", "table"]
EXPECTED = (
    "an OpenAPI 3 file, a saved answer of an MCP server to tools/list, function specifications, or a table in CSV"
)


@dataclass(frozen=True)
class Wanted:
    """What is to be read.

    Args:
        said: a file, an HTTP address on this machine, or with the kind `mcp` a command that starts a server.
        kind: None where what is read tells.
        entry_point: where functions of these names stand, see `read_functions`.
        outcomes: columns of outcomes, see `read_table`.
        seconds: that a server may take.
    """

    said: str
    kind: Kind | None = None
    entry_point: str | None = None
    outcomes: Sequence[str] = ()
    seconds: float = MOST_SECONDS


def read(wanted: Wanted) -> Source:
    """The tools of a source.

    Raises:
        CompilerError: it is not there, does not answer, or is malformed.
    """
    if urlsplit(wanted.said).scheme in ("http", "https"):
        if wanted.kind not in (None, "mcp"):
            raise BadSetting(f"{wanted.said}: {wanted.kind} is read from a file; save it, and name the file")
        parsed = ask_tools(wanted.said, seconds=wanted.seconds)
        return read_tool_list(parsed, wanted.said, url=wanted.said)
    path = Path(wanted.said)
    if not path.is_file():
        return _command(wanted, path)
    if wanted.kind == "table" or (wanted.kind is None and path.suffix.lower() in (".csv", ".tsv")):
        return read_table(path, wanted.outcomes)
    parsed = read_source(path)
    kind = wanted.kind or _kind(parsed.data)
    if kind == "openapi":
        return read_openapi(parsed, path.name)
    if kind == "mcp":
        return read_tool_list(parsed, path.name, server=path.stem)
    if kind == "functions":
        return read_functions(parsed, path.name, entry_point=wanted.entry_point)
    raise MalformedSource([parsed.fault((), parsed.data, EXPECTED, "say what it is with --kind")])


def _command(wanted: Wanted, path: Path) -> Source:
    """Start a server, but only where somebody said that it is one: a mistyped path is not run."""
    if wanted.kind != "mcp":
        what = "a folder; name a file in it" if path.is_dir() else "no file; correct the path"
        raise MissingPath(f"{wanted.said} is {what}, or say --kind mcp where it is the command of an MCP server")
    try:
        command = tuple(shlex.split(wanted.said))
    except ValueError as error:
        raise BadSetting(f"{wanted.said} is no command: {error}; close the quotes") from error
    if not command:
        raise BadSetting("the source is empty; name a file, an address or the command of an MCP server")
    parsed = ask_tools(command, seconds=wanted.seconds)
    return read_tool_list(parsed, wanted.said, command=command)


def _kind(data: object) -> Kind | None:
    if is_openapi(data):
        return "openapi"
    if is_tool_list(data):
        return "mcp"
    return "functions" if is_functions(data) else None


KINDS = get_args(Kind)
