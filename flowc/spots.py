"""Where in a JSON or YAML text a JSON pointer leads: line and column, for excerpts and annotations."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


@dataclass(frozen=True)
class Spot:
    """Where a value begins - for a member of an object, its key - and what lies inside it.

    Args:
        line: from 1.
        column: from 1, in code points.
        start: where the value itself begins, in code points of the text.
        end: where it ends, likewise.
        members: by key, or by index as text.
        name: the text of the member `id`, by which nodes in a list are known.
    """

    line: int
    column: int
    start: int
    end: int
    members: Mapping[str, "Spot"]
    name: str | None = None


def spots(text: str, *, is_yaml: bool) -> Spot | None:
    """The places of all values of a text; None where it is malformed."""
    try:
        if is_yaml:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            return _of_yaml(node, node, set()) if node else None
        return _Json(text).spot()
    except (yaml.YAMLError, IndexError, ValueError, RecursionError):
        return None


def spot_at(root: Spot, pointer: str) -> Spot:
    """The place that a pointer leads to; the deepest that exists where the text does not go as far.

    >>> root = spots('{"a": [1,\\n {"id": "x"}]}', is_yaml=False)
    >>> [(spot.line, spot.column) for spot in (spot_at(root, "/a/1/id"), spot_at(root, "/a/x"), spot_at(root, "/b"))]
    [(2, 3), (2, 2), (1, 1)]
    """
    here = root
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        below = here.members.get(key) or next((spot for spot in here.members.values() if spot.name == key), None)
        if below is None:
            break
        here = below
    return here


class _Json:
    """Reads JSON that is known to be well formed, for its places only."""

    def __init__(self, text: str) -> None:
        self.tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.next = 0

    def place(self) -> tuple[int, int]:
        """Line and column of the next token."""
        offset = self.tokens[self.next][1]
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def take(self) -> str:
        """The next token."""
        token = self.tokens[self.next][0]
        self.next += 1
        return token

    def spot(self, at: tuple[int, int] | None = None) -> Spot:
        """The place of the next value, which counts from its key's where it has one."""
        line, column = at or self.place()
        start = self.tokens[self.next][1]
        opening = self.take()
        if opening not in ("{", "["):
            return Spot(line, column, start, start + len(opening), {})
        closing = "}" if opening == "{" else "]"
        members: dict[str, Spot] = {}
        name: str | None = None
        while self.tokens[self.next][0] != closing:
            place, key = self.place(), str(len(members))
            if opening == "{":
                key = _text(self.take())
                self.take()
                if key == "id":
                    name = _text(self.tokens[self.next][0])
            members[key] = self.spot(place)
            if self.tokens[self.next][0] == ",":
                self.take()
        end = self.tokens[self.next][1] + 1
        self.take()
        return Spot(line, column, start, end, members, name)


def _text(token: str) -> str:
    import json

    value = json.loads(token)
    return value if isinstance(value, str) else token


def _of_yaml(node: yaml.Node, at: yaml.Node, open_: set[int]) -> Spot:
    mark = at.start_mark
    members: dict[str, Spot] = {}
    name: str | None = None
    if id(node) not in open_:  # an anchor may lead back to itself
        inside = open_ | {id(node)}
        if isinstance(node, yaml.MappingNode):
            members = {str(key.value): _of_yaml(value, key, inside) for key, value in node.value}
            name = next((str(value.value) for key, value in node.value if key.value == "id"), None)
        elif isinstance(node, yaml.SequenceNode):
            members = {str(index): _of_yaml(item, item, inside) for index, item in enumerate(node.value)}
    start, end = node.start_mark.index, node.end_mark.index
    return Spot(mark.line + 1, mark.column + 1, start, end, members, name)
