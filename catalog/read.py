"""Reads catalog files: YAML text to validated records, with every fault placed by pointer and line."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from catalog.binding import HttpBinding, McpBinding, PythonBinding, TableBinding
from catalog.concept import Concept, ConceptValue
from catalog.errors import CatalogFault
from catalog.node_type import Capabilities, Governance, Imported, NodeType
from ir.faults import DEEPEST_VALUE
from ir.fields import FieldSpec
from ir.yaml_text import SCALARS

Path = tuple[str | int, ...]
Record = TypeVar("Record", bound=BaseModel)

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader  # the C parser is several times faster
_LIMITS = (100_000, 50)  # values of a file and how deep; aliases of aliases make billions of a few lines
_FOREIGN_LIMITS = (2_000_000, 200)


@dataclass(frozen=True)
class Parsed:
    """One YAML file: its plain data, the node tree that knows the lines, and the faults of the YAML itself."""

    file: str
    data: object
    tree: yaml.Node | None
    faults: tuple[CatalogFault, ...] = ()

    def fault(self, path: Path, found: object, expected: str, next_step: str) -> CatalogFault:
        """A fault at a path of keys and indexes in this file."""
        return CatalogFault(self.file, pointer(path), shown(found), expected, next_step, _line(self.tree, path))


class _Foreign(_LOADER):  # type: ignore[misc, valid-type]  # one of two
    """Reads YAML 1.2, as other systems write it: `no` is a text there, and so is a date."""

    yaml_implicit_resolvers: dict[str, object] = {}


for _name, _pattern, _first in SCALARS:
    _Foreign.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", _pattern, _first)


def parse(text: str, file: str, *, foreign: bool = False) -> Parsed:
    """Parse YAML without running anything; a key given twice is a fault, since YAML itself would drop the first.

    Args:
        foreign: the file was not written for a catalog; it may be larger and deeper.
    """
    deepest = _FOREIGN_LIMITS[1] if foreign else DEEPEST_VALUE
    try:
        line = _too_deep(text, deepest)
    except yaml.YAMLError:  # which the loader finds too, and tells
        line = None
    if line is not None:
        found, most = "lists and objects one inside the other without end", f"at most {deepest} levels"
        return Parsed(file, None, None, (CatalogFault(file, "", found, most, "nest less", line),))
    loader = (_Foreign if foreign else _LOADER)(text)
    builder = _Builder(loader, file, *(_FOREIGN_LIMITS if foreign else _LIMITS))
    try:
        tree = loader.get_single_node()
        data = builder.build(tree, ()) if tree else None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date such as 2026-02-31
        mark = getattr(error, "problem_mark", None)
        found = str(getattr(error, "problem", None) or error)
        line = mark.line + 1 if mark else None
        fault = CatalogFault(file, "", found, "one valid YAML document", "correct the YAML", line)
        return Parsed(file, None, None, (fault,))
    finally:
        loader.dispose()
    return Parsed(file, data, tree, tuple(builder.faults))


def _too_deep(text: str, most: int) -> int | None:
    """The line at which a text has too many levels; the C loader would fill the stack with them and end the process."""
    openings = text.count("[") + text.count("{") + text.count("- ") + text.count("? ") + text.count(": ")
    if openings <= most:
        return None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > most:
                    return event.start_mark.line + 1 if event.start_mark else 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.MarkedYAMLError as error:  # libyaml has a bound of its own, and looks ahead
        if error.problem and "nesting" in error.problem:
            return error.problem_mark.line + 1 if error.problem_mark else 1
        raise
    return None


def validate(
    parsed: Parsed, record: type[Record], raw: object, base: Path = ()
) -> tuple[Record | None, tuple[CatalogFault, ...]]:
    """Validate part of a file (found at `base`) as a record; returns the record, or None and all its faults."""
    try:
        return record.model_validate(raw), ()
    except ValidationError as error:
        faults = [_contract_fault(parsed, raw, base, item) for item in error.errors(include_url=False)]
        return None, tuple(dict.fromkeys(faults))


def pointer(path: Sequence[str | int]) -> str:
    """JSON pointer of a path.

    >>> pointer(["inputs_schema", "a/b", 0])
    '/inputs_schema/a~1b/0'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def shown(value: object) -> str:
    """A value as it is quoted in a message, cut at 80 characters."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."


def _contract_fault(parsed: Parsed, raw: object, base: Path, item: ErrorDetails) -> CatalogFault:
    """A pydantic error as a fault."""
    path, kind = (*base, *_present(raw, item["loc"])), item["type"]
    last = str(item["loc"][-1]) if item["loc"] else ""
    if kind == "missing":
        return parsed.fault((*path, last), None, f"the required key {last!r}", "add the key")
    if kind == "extra_forbidden":
        return parsed.fault(path, last, "a known key", _spelling(last))
    message = item["msg"][0].lower() + item["msg"][1:]
    return parsed.fault(path, item["input"], message, "correct the value")


def _present(raw: object, loc: Path) -> Path:
    """The part of a pydantic location that the file has: union tags, which are no keys, are left out."""
    path: list[str | int] = []
    for part in loc:
        in_list = isinstance(raw, list) and isinstance(part, int) and part < len(raw)
        if not in_list and not (isinstance(raw, dict) and part in raw):
            continue
        raw = raw[part]  # type: ignore[index]  # just checked
        path.append(part)
    return tuple(path)


def _spelling(key: str) -> str:
    records: tuple[type[BaseModel], ...] = (
        NodeType, Capabilities, Governance, FieldSpec, Concept, ConceptValue, Imported, HttpBinding, McpBinding,
        PythonBinding, TableBinding,
    )  # fmt: skip
    known = {name for record in records for name in record.model_fields}
    close = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {close[0]!r}?" if close else "remove the key; a contract says neither how nor what comes next"


class _Builder:
    """Plain data from a node tree, in one walk that also finds repeated keys; the parser's own takes twice the time."""

    def __init__(self, loader: yaml.SafeLoader | yaml.CSafeLoader, file: str, most: int, deepest: int) -> None:
        self._loader, self._file = loader, file
        self._most = self._left = most
        self._deepest = deepest
        self._open: set[int] = set()  # an anchor may lead back to itself
        self.faults: list[CatalogFault] = []

    def build(self, node: yaml.Node, path: Path) -> object:
        """The data of a node; raises a YAMLError for tags that are not plain data and for anchors within themselves."""
        self._left -= 1
        if self._left < 0 or len(path) > self._deepest:
            fault = f"it holds more than {self._most:,} values, or values {self._deepest} deep"
            raise yaml.constructor.ConstructorError(None, None, fault, node.start_mark)
        if node.tag == "tag:yaml.org,2002:str":
            return node.value
        if node.tag == "tag:yaml.org,2002:seq" and id(node) not in self._open:
            self._open.add(id(node))
            items = [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
            self._open.remove(id(node))
            return items
        if node.tag == "tag:yaml.org,2002:map" and id(node) not in self._open:
            self._open.add(id(node))
            pairs = self._pairs(node, path)
            self._open.remove(id(node))
            return pairs
        if isinstance(node, yaml.ScalarNode):
            return self._loader.construct_object(node)
        raise yaml.constructor.ConstructorError(None, None, f"{node.tag} is no plain data", node.start_mark)

    def _pairs(self, node: yaml.Node, path: Path) -> dict[str, object]:
        pairs: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key_node, value in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in pairs:
                found = f"the key {key!r}, which line {lines[key]} has already"
                fault = CatalogFault(self._file, pointer((*path, key)), found, "each key once", "merge the two", line)
                self.faults.append(fault)
            pairs[key], lines[key] = self.build(value, (*path, key)), line
        return pairs


def _line(node: yaml.Node | None, path: Path) -> int | None:
    """Line of the deepest part of the path that the file has."""
    line = node.start_mark.line + 1 if node else None
    for part in path:
        child: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            child = next((value for key, value in node.value if str(key.value) == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            child = node.value[part]
        if child is None:
            break
        node, line = child, child.start_mark.line + 1
    return line
