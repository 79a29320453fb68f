"""How the capability of a Node Type is called: what a runtime needs to know of the system behind it."""

from typing import Annotated, Literal

from pydantic import Field

from ir.base import Model
from ir.workflow import Rule

ENTRY_POINT = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$"
HttpMethod = Literal["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "POST", "PATCH", "DELETE"]
ListStyle = Literal["repeat", "comma"]
Place = Literal["path", "query", "header", "cookie", "body", "whole-body"]


class _Names(Model):
    """What is called otherwise there.

    Args:
        names: by path of a field (`inputs.applicant_name`, `outputs.order.lines.sku`), its name in the system where
            that cannot be a name here.
        result: the output that holds the whole of what comes back, where that is no object.
    """

    names: dict[str, str] = {}
    result: str | None = None


class HttpBinding(_Names):
    """A request over HTTP.

    Args:
        server: address that the path is below; None where the source names none.
        path: with `{name}` for the inputs whose place is `path`, named as in the system.
        places: where each input goes; `whole-body` is the one that is the body as it stands.
        lists: how an input that is a list stands outside of the body: its name once for each value, or values with
            commas between; other ways are not noted.
        media_type: of the body; None where none is sent.
    """

    kind: Literal["http"]
    method: HttpMethod
    server: str | None = None
    path: str = Field(pattern=r"^/")
    places: dict[str, Place] = {}
    lists: dict[str, ListStyle] = {}
    media_type: str | None = None


class McpBinding(_Names):
    """A tool of an MCP server.

    Args:
        server: the server's own name.
        tool: the tool's name there.
        command: how the server is started, where it speaks over its standard input and output.
        url: where it listens, where it speaks over HTTP.
    """

    kind: Literal["mcp"]
    server: str
    tool: str
    command: tuple[str, ...] = ()
    url: str | None = None


class PythonBinding(_Names):
    """A function of which a specification is known, and where a person said it, the code.

    Args:
        name: the function's name in the specification.
        entry_point: `module:function` or `module:Class.method`; None where nobody said it.
    """

    kind: Literal["python"]
    name: str
    entry_point: Annotated[str, Field(pattern=ENTRY_POINT)] | None = None


class TableBinding(_Names):
    """A decision table: the first row whose condition holds gives the outputs.

    Args:
        rows: conditions over `$.inputs`, outcomes by output.
    """

    kind: Literal["table"]
    rows: tuple[Rule, ...]


Binding = Annotated[HttpBinding | McpBinding | PythonBinding | TableBinding, Field(discriminator="kind")]
