"""Operations of a service that an OpenAPI 3 file describes."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from catalog.binding import HttpBinding, HttpMethod, ListStyle, Place
from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.importing.names import type_part
from catalog.importing.read_source import read_source
from catalog.importing.shapes import AnyOf, Part, SchemaFault, Shape, Spot, registry_of, resolved, shape_of
from catalog.importing.tool import Effects, Source, Tool
from catalog.read import Parsed
from ir.errors import CompilerError

METHODS: tuple[HttpMethod, ...] = ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "POST", "PATCH", "DELETE")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?|\*/\*", re.IGNORECASE)
_SUCCESS = re.compile(r"2\d\d|2XX", re.IGNORECASE)
BODY = "body"
MOST_FILES = 200


def is_openapi(data: object) -> bool:
    """Whether data call themselves an OpenAPI file, of whatever version."""
    return isinstance(data, Mapping) and bool({"openapi", "swagger"} & set(data))


def read_openapi(parsed: Parsed, said: str) -> Source:
    """The operations of a file.

    Args:
        said: the file as it was named.

    Raises:
        MalformedSource: it is no OpenAPI 3 file, or an operation cannot be read; every fault is listed.
    """
    data = parsed.data
    if not isinstance(data, Mapping):
        raise MalformedSource([parsed.fault((), data, "an OpenAPI 3 file", "name such a file")])
    version = data.get("openapi", data.get("swagger"))
    if not re.match(r"3\.\d", str(version)) or "openapi" not in data:
        advice = "convert the file to OpenAPI 3 first" if str(version).startswith("2") else "name such a file"
        key = "openapi" if "openapi" in data else "swagger" if "swagger" in data else ""
        raise MalformedSource([parsed.fault((key,) if key else (), version, "OpenAPI 3.x", advice)])
    reader = _Reader(parsed, data)
    tools = tuple(reader.tools())
    if not tools and not reader.faults:
        reader.faults.append(parsed.fault(("paths",), data.get("paths"), "an operation", "name a file that has some"))
    if reader.faults:
        raise MalformedSource(reader.faults)
    info = data.get("info")
    title = info.get("title") if isinstance(info, Mapping) else None
    return Source(said, parsed, tools, title if isinstance(title, str) and title.strip() else None)


class _Arguments:
    """The arguments of an operation as one object; of two with one name the later is told by its place."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self.lists: dict[str, ListStyle] = {}
        self.sent_as: dict[str, str] = {}
        self._properties: dict[str, Part] = {}
        self._required: set[str] = set()

    def put(self, name: str, part: Part, place: Place, needed: bool, style: ListStyle | None = None) -> None:
        """Add one; the style is how it stands there where it is a list."""
        key = name if name not in self._properties else f"{place}_{name}".replace("-", "_")
        self._properties[key], self.places[key] = part, place
        if key != name:
            self.sent_as[key] = name
        if style is not None:
            self.lists[key] = style
        if needed:
            self._required.add(key)

    def shape(self, at: str) -> Shape:
        """The object."""
        required = frozenset(self._required)
        return Shape(types=frozenset({"object"}), properties=self._properties, required=required, at=at)


class _Reader:
    def __init__(self, parsed: Parsed, data: Mapping[str, Any]) -> None:
        self.parsed, self.data = parsed, data
        self.faults: list[CatalogFault] = []
        home = Path(parsed.file).resolve()
        registry, resource = registry_of(data, retrieve=_Files(home.parent))
        uri = home.as_uri()
        self.resolver = registry.with_resource(uri, resource).resolver(uri)

    def tools(self) -> Iterator[Tool]:
        """Every operation that can be read; the faults of the others are kept."""
        paths = self.data.get("paths", {})
        if not isinstance(paths, Mapping):
            self.faults.append(self.parsed.fault(("paths",), paths, "path items by path", "correct the paths"))
            return
        for path, item in paths.items():
            if str(path).startswith("x-"):
                continue
            try:
                at = Spot(item, self.resolver, f"/paths/{_escaped(str(path))}")
                found = resolved(at)
                item = _mapping(found, "a path item")
                if not str(path).startswith("/"):
                    raise SchemaFault(at.at, path, "a path that begins with /", "correct the path")
            except SchemaFault as fault:
                self._fault(fault)
                continue
            for method in METHODS:
                if method.lower() in item:
                    spot = Spot(item[method.lower()], found.resolver, f"{found.at}/{method.lower()}")
                    try:
                        yield self._tool(str(path), method, found, spot)
                    except SchemaFault as fault:
                        self._fault(fault)

    def _fault(self, fault: SchemaFault) -> None:
        keys = tuple(part.replace("~1", "/").replace("~0", "~") for part in fault.at.split("/")[1:])
        if "#" in fault.at.split("/")[0] or not fault.at.startswith("/"):
            self.faults.append(
                CatalogFault(self.parsed.file, fault.at, str(fault.found), fault.expected, fault.next_step)
            )
        else:
            self.faults.append(self.parsed.fault(keys, fault.found, fault.expected, fault.next_step))

    def _tool(self, path: str, method: HttpMethod, item: Spot, spot: Spot) -> Tool:
        operation = _mapping(spot, "an operation")
        arguments = _Arguments()
        for one in self._parameters(_mapping(item, "a path item"), item, operation, spot):
            arguments.put(*one)
        media_type = self._body(operation, spot, arguments)
        for name in re.findall(r"\{([^{}]+)\}", path):
            if "path" not in {arguments.places.get(name), arguments.places.get(f"path_{name}")}:
                raise SchemaFault(spot.at, f"{{{name}}} in {path!r}", "a parameter of it in the path", "describe it")
        outputs, nothing = self._outputs(operation, spot)
        names = [one for one in operation.get("tags") or () if isinstance(one, str)]
        names += ["deprecated"] if operation.get("deprecated") is True else []
        named = operation.get("operationId")
        return Tool(
            name=named if isinstance(named, str) and named.strip() else f"{method} {path}",
            path=("paths", path, method.lower()),
            binding=HttpBinding(
                kind="http",
                method=method, server=self._server(operation, _mapping(item, "a path item")), path=path,
                media_type=media_type,
            ),
            title=_text(operation, "summary", spot),
            description=_text(operation, "description", spot),
            inputs=arguments.shape(spot.at),
            outputs=outputs,
            gives_nothing=nothing,
            effects=Effects(
                read_only=True if method in _SAFE else None if method == "POST" else False,
                destructive=True if method == "DELETE" else None,
                idempotent=method in _SAFE or method in ("PUT", "DELETE"),
            ),
            places=arguments.places,
            lists=arguments.lists,
            sent_as=arguments.sent_as,
            tags=tuple(dict.fromkeys(map(type_part, names))),
            permissions=self._permissions(operation),
        )  # fmt: skip

    def _parameters(
        self, item: Mapping[str, Any], item_at: Spot, operation: Mapping[str, Any], at: Spot
    ) -> Iterator[tuple[str, Part, Place, bool, ListStyle | None]]:
        """Name, schema, place, whether it must be given, how a list stands; an operation's own win over its path's."""
        found: dict[tuple[str, str], tuple[Spot, Mapping[str, Any]]] = {}
        for owner, raw in ((item_at, item), (at, operation)):
            listed = raw.get("parameters", [])
            if not isinstance(listed, list):
                raise SchemaFault(f"{owner.at}/parameters", listed, "a list of parameters", "correct the list")
            for index, one in enumerate(listed):
                spot = resolved(Spot(one, owner.resolver, f"{owner.at}/parameters/{index}"))
                parameter = _mapping(spot, "a parameter")
                name, where = parameter.get("name"), parameter.get("in")
                if not isinstance(name, str) or not name:
                    raise SchemaFault(f"{spot.at}/name", name, "the name of the parameter", "add it")
                if where not in ("path", "query", "header", "cookie"):
                    raise SchemaFault(f"{spot.at}/in", where, "path, query, header or cookie", "correct it")
                found[name, where] = spot, parameter
        for (name, where), (spot, parameter) in found.items():
            if where == "header" and name.lower() in ("accept", "content-type", "authorization"):
                continue  # the specification says that these are told elsewhere
            place: Any = where
            part = _described(spot, parameter)
            style = _list_style(parameter, where) if shape_of(part).types == frozenset({"array"}) else None
            yield name, part, place, parameter.get("required") is True or where == "path", style

    def _body(self, operation: Mapping[str, Any], at: Spot, arguments: _Arguments) -> str | None:
        """Put what a body holds among the arguments; its media type, None where there is no body."""
        if "requestBody" not in operation:
            return None
        spot = resolved(Spot(operation["requestBody"], at.resolver, f"{at.at}/requestBody"))
        body = _mapping(spot, "a request body")
        content = body.get("content", {})
        if not isinstance(content, Mapping):
            raise SchemaFault(f"{spot.at}/content", content, "schemas by media type", "correct the content")
        media_type = next(
            (str(one) for one in content if _JSON.fullmatch(one)),
            next((one for one in _FORMS if one in content), next(iter(content), None)),
        )
        if media_type is None:
            return None
        part = _schema(Spot(content[media_type], spot.resolver, f"{spot.at}/content/{_escaped(media_type)}"))
        shape, needed = shape_of(part), body.get("required") is True
        if shape.types == frozenset({"object"}) and shape.properties and not shape.nullable:
            for key, one in shape.properties.items():
                arguments.put(key, one, "body", needed and key in shape.required)
        else:
            arguments.put(BODY, part, "whole-body", needed)
        return media_type

    def _outputs(self, operation: Mapping[str, Any], at: Spot) -> tuple[Part | None, bool]:
        """What comes back where the operation succeeds, None where the file does not say; and whether it is nothing."""
        responses = operation.get("responses", {})
        if not isinstance(responses, Mapping):
            raise SchemaFault(f"{at.at}/responses", responses, "responses by status", "correct the responses")
        parts: list[Part] = []
        empty = False
        for status, raw in responses.items():
            if not _SUCCESS.fullmatch(str(status)):
                continue
            spot = resolved(Spot(raw, at.resolver, f"{at.at}/responses/{status}"))
            content = _mapping(spot, "a response").get("content", {})
            if not isinstance(content, Mapping):
                raise SchemaFault(f"{spot.at}/content", content, "schemas by media type", "correct the content")
            empty = empty or not content
            media_type = next((one for one in content if _JSON.fullmatch(one)), next(iter(content), None))
            if media_type is not None:
                parts.append(
                    _schema(Spot(content[media_type], spot.resolver, f"{spot.at}/content/{_escaped(media_type)}"))
                )
        if not parts:
            return None, empty
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts)), False

    def _server(self, operation: Mapping[str, Any], item: Mapping[str, Any]) -> str | None:
        """The first address that is given, nearest to the operation, its variables at their defaults."""
        for owner in (operation, item, self.data):
            servers = owner.get("servers")
            server = servers[0] if isinstance(servers, list) and servers else None
            if isinstance(server, Mapping) and isinstance(server.get("url"), str):
                url, variables = server["url"], server.get("variables")
                for name, one in variables.items() if isinstance(variables, Mapping) else ():
                    if isinstance(one, Mapping):
                        url = url.replace(f"{{{name}}}", str(one.get("default", f"{{{name}}}")))
                return str(url)
        return None

    def _permissions(self, operation: Mapping[str, Any]) -> tuple[str, ...]:
        """The scopes that a caller needs, where there is one way to be let in."""
        ways = operation.get("security", self.data.get("security"))
        if not isinstance(ways, list) or len(ways) != 1 or not isinstance(ways[0], Mapping):
            return ()
        scopes = [scope for listed in ways[0].values() if isinstance(listed, list) for scope in listed]
        return tuple(dict.fromkeys(scope for scope in scopes if isinstance(scope, str)))


class _Files:
    """Gives files that stand beside the one that is read, or below it; no other, and nothing over a network."""

    def __init__(self, home: Path) -> None:
        self._home, self._read = home, 0

    def __call__(self, uri: str) -> Any:
        """The resource at an address.

        Raises:
            SchemaFault: it is not there, or not to be read.
        """
        from referencing.jsonschema import DRAFT202012

        parts = urlsplit(urldefrag(uri).url)
        path = Path(unquote(parts.path)).resolve()
        if parts.scheme != "file" or not path.is_relative_to(self._home):
            raise SchemaFault(uri, "an address elsewhere", "a file beside this one or below", "put the file there")
        self._read += 1
        if self._read > MOST_FILES:
            raise SchemaFault(uri, "one file more", f"at most {MOST_FILES} files", "put them together")
        try:
            data = read_source(path).data
        except CompilerError as error:
            raise SchemaFault(uri, str(error.args[0]), "a file of JSON or YAML", "correct it") from error
        return DRAFT202012.create_resource(data if isinstance(data, dict) else {})


def _described(spot: Spot, parameter: Mapping[str, Any]) -> Part:
    """The schema of a parameter, with the parameter's own description."""
    if "schema" not in parameter and isinstance(parameter.get("content"), Mapping) and parameter["content"]:
        key, media = next(iter(parameter["content"].items()))
        part = _schema(Spot(media, spot.resolver, f"{spot.at}/content/{_escaped(str(key))}"))
    else:
        part = Spot(parameter.get("schema", {}), spot.resolver, f"{spot.at}/schema")
    description = parameter.get("description")
    if not isinstance(description, str) or not isinstance(part.schema, Mapping):
        return part
    if "$ref" in part.schema:
        return Spot({"description": description, "allOf": [part.schema]}, part.resolver, part.at)
    return Spot({**part.schema, "description": description}, part.resolver, part.at)


def _list_style(parameter: Mapping[str, Any], where: str) -> ListStyle | None:
    """How a list stands in a parameter, by the specification's defaults; None for ways that are not noted.

    >>> _list_style({}, "query"), _list_style({"explode": False}, "query"), _list_style({}, "path")
    ('repeat', 'comma', 'comma')
    >>> _list_style({"style": "pipeDelimited"}, "query") is None
    True
    """
    usual = "form" if where in ("query", "cookie") else "simple"
    style = parameter.get("style", usual)
    if "content" in parameter or style != usual or where == "cookie":
        return None
    return "repeat" if style == "form" and parameter.get("explode", True) is True else "comma"


def _schema(media: Spot) -> Spot:
    return Spot(_mapping(media, "a media type").get("schema", {}), media.resolver, f"{media.at}/schema")


def _mapping(spot: Spot, expected: str) -> Mapping[str, Any]:
    if not isinstance(spot.schema, Mapping):
        raise SchemaFault(spot.at, spot.schema, expected, "correct the file")
    return spot.schema


def _text(operation: Mapping[str, Any], key: str, at: Spot) -> str | None:
    text = operation.get(key)
    if text is not None and not isinstance(text, str):
        raise SchemaFault(f"{at.at}/{key}", text, "a text", "correct it")
    return text


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
