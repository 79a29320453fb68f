"""What imports wrote into a folder, so that the next one can tell the source's words from a person's."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from catalog.node_type import NodeType
from ir.base import Model
from ir.codec import read_form, read_json, write_json
from ir.errors import BadInputFile

RECORD = "import.json"
Tree = dict[str, JsonValue]


class ImportedType(Model):
    """A Type as the last import would have had it, whatever people made of it.

    Args:
        source: what it was imported from, as it was named.
        written: the Type.
    """

    source: str
    written: Tree


class ImportRecord(Model):
    """All Types of a folder that were imported, by name."""

    types: dict[str, ImportedType] = {}

    def text(self) -> str:
        """The file."""
        return write_json(self)


def read_record(folder: Path) -> ImportRecord:
    """The record of a folder; an empty one where nothing was imported.

    Raises:
        BadInputFile: the file is not of its form.
        OSError: it cannot be read.
    """
    file = folder / RECORD
    if not file.exists():
        return ImportRecord()
    raw, faults = read_json(file.read_bytes())
    record = None
    if not faults:
        record, faults = read_form(ImportRecord, raw)
    if record is None:
        lines = "\n".join(str(fault) for fault in faults)
        raise BadInputFile(f"{file} is no record of imports; restore it, or remove it and import again:\n{lines}")
    return record


def recorded(known: ImportedType, folder: Path) -> NodeType:
    """The Type of a record.

    Raises:
        BadInputFile: it is none.
    """
    node_type, faults = read_form(NodeType, known.written)
    if node_type is None:
        lines = "\n".join(str(fault) for fault in faults)
        raise BadInputFile(f"{folder / RECORD} holds a Type that is none; restore it, or import again:\n{lines}")
    return node_type


def tree_of(node_type: NodeType) -> Tree:
    """A Type as the tree in which two are compared."""
    return dict(node_type.to_json())


def written_by_people(node_type: NodeType, record: ImportRecord) -> tuple[str, ...] | None:
    """JSON pointers to what people wrote into a Type, or took out of it; None where it was not imported.

    The version and what is said of the import follow from the rest.
    """
    known = record.types.get(node_type.type)
    if known is None:
        return None
    found = differences(known.written, tree_of(node_type))
    return tuple(at for at in found if at.split("/")[1] not in ("version", "imported"))


def differences(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue], at: str = "") -> list[str]:
    """JSON pointers to where two trees differ.

    >>> differences({"a": {"b": 1}, "c": [1]}, {"a": {"b": 2}, "d": 0, "c": [1]})
    ['/a/b', '/d']
    """
    found: list[str] = []
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        place = f"{at}/{escaped(key)}"
        if isinstance(one, dict) and isinstance(other, dict):
            found += differences(one, other, place)
        elif one != other or (key in before) != (key in after):
            found.append(place)
    return found


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
