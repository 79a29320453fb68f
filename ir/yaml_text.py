"""YAML as a way to write JSON: YAML 1.2's plain scalars, no aliases, no tags, no key twice.

PyYAML's own loader follows YAML 1.1, in which the key `on` is a boolean, `2026-01-31` a date and `12:30` a number.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import JsonValue

from ir.diagnostics import Diagnostic
from ir.faults import DEEPEST_VALUE, fault, fraction, pointer_to

_TAG = "tag:yaml.org,2002:"
SCALARS = (
    ("null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""]),
    ("bool", re.compile(r"^(?:true|false)$"), list("tf")),
    ("int", re.compile(r"^-?(?:0|[1-9][0-9]*)$"), list("-0123456789")),
    ("float", re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$"), list("-0123456789")),
)
"""What YAML 1.2 takes for something other than text: kind, pattern, first characters."""


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.1 or 1.2 would take for something other than text; indents lists."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # The breaks that only YAML knows would be read back as spaces, were they not escaped.
    return dumper.represent_scalar(_TAG + "str", text, style='"' if set(text) & set("\x85\u2028\u2029") else None)


_Dumper.add_representer(str, _text)
for _name, _pattern, _first in SCALARS:
    _Loader.add_implicit_resolver(_TAG + _name, _pattern, _first)
    _Dumper.add_implicit_resolver(_TAG + _name, _pattern, _first)


def parse_yaml(text: str) -> tuple[JsonValue, tuple[Diagnostic, ...]]:
    """The JSON value that a YAML text says; None and diagnostics where it says none."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except RecursionError:
        return None, (_too_deep(()),)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        return None, (fault("malformed-yaml", where + problem, "", expected="one YAML document"),)
    if node is None:
        return None, (fault("malformed-yaml", "the text is empty", "", expected="one YAML document"),)
    reader = _Reader()
    value = reader.value(node, ())
    return (None, tuple(reader.faults)) if reader.faults else (value, ())


def dump_yaml(value: JsonValue) -> str:
    """A JSON value as YAML, keys in their order."""
    return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=120)


class _Reader:
    """Turns YAML nodes into JSON values and keeps what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[Diagnostic] = []
        self.visited: set[int] = set()

    def value(self, node: yaml.Node, path: tuple[str | int, ...]) -> JsonValue:
        """The JSON value of a node."""
        if len(path) > DEEPEST_VALUE:
            self.faults.append(_too_deep(path))
            return None
        if id(node) in self.visited:
            self.report(node, path, "aliases are not allowed; write the value out")
            return None
        self.visited.add(id(node))
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return dict(self.members(node, path))
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self.scalar(node, path)

    def members(self, node: yaml.MappingNode, path: tuple[str | int, ...]) -> Iterator[tuple[str, JsonValue]]:
        """The keys and values of a mapping; keys are text as they stand."""
        seen: set[str] = set()
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.report(key, path, "a key is no plain text")
                continue
            if key.value in seen:
                message = f'the key "{key.value}" is there twice'
                self.report(key, (*path, key.value), message, "duplicate-key")
            seen.add(key.value)
            yield key.value, self.value(item, (*path, key.value))

    def scalar(self, node: yaml.Node, path: tuple[str | int, ...]) -> JsonValue:
        """The text, number, boolean or null of a scalar node."""
        kind, text = node.tag.removeprefix(_TAG), str(node.value)
        match kind:
            case "str":
                return text
            case "null":
                return None
            case "bool":
                return text == "true"
            case "int" | "float" if len(text) <= 40:
                return int(text) if kind == "int" else fraction(text)
            case "int" | "float":
                self.report(node, path, "a number too long to be exact", "number-out-of-range")
            case _:
                self.report(node, path, f"the tag {node.tag} is not allowed")
        return None

    def report(self, node: yaml.Node, path: tuple[str | int, ...], message: str, code: str = "malformed-yaml") -> None:
        """Keep a fault at a node."""
        mark = node.start_mark
        self.faults.append(fault(code, f"line {mark.line + 1}, column {mark.column + 1}: {message}", pointer_to(path)))


def _too_deep(path: tuple[str | int, ...]) -> Diagnostic:
    return fault("too-deep", f"nested more than {DEEPEST_VALUE} levels deep", pointer_to(path))
