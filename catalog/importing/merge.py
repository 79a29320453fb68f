"""Puts a new import together with what stands in the folder: the source's words anew, a person's as they are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import yaml
from pydantic import JsonValue

from catalog.contract import fold
from catalog.errors import CatalogFault
from catalog.importing.errors import ImportClash
from catalog.importing.node_types import Import
from catalog.importing.record import (
    RECORD,
    ImportedType,
    ImportRecord,
    Tree,
    differences,
    escaped,
    read_record,
    recorded,
    tree_of,
    written_by_people,
)
from catalog.load import NODE_TYPES, parse_node_type
from catalog.node_type import NodeType
from ir.codec import write_yaml
from ir.diagnostics import Diagnostic, Location, Severity

Outcome = Literal["added", "changed", "unchanged", "left out"]
_ABSENT = object()
_CONTRACT = ("inputs_schema", "outputs_schema", "capabilities", "governance", "binding", "permissions", "writes")


@dataclass(frozen=True)
class Merged:
    """What is to be written.

    Args:
        files: text by path below the folder; only those that change.
        outcomes: what became of each Type.
        written: for each Type, JSON pointers to what people wrote, which is kept.
        diagnostics: those of the import, and where source and people differ.
    """

    files: dict[str, str]
    types: dict[str, NodeType]
    outcomes: dict[str, Outcome]
    written: dict[str, tuple[str, ...]]
    diagnostics: tuple[Diagnostic, ...]


def merge_into(imported: Import, folder: Path, *, restore: bool = False) -> Merged:
    """What a folder becomes with an import; nothing is written.

    Args:
        restore: Types whose files people removed are written again; else they stay out.

    Raises:
        ImportClash: a Type of the same name stands there that was not imported.
        CatalogError: a Type that stands there is malformed.
        BadInputFile: the record of earlier imports is.
        OSError: a file cannot be read.
    """
    record = read_record(folder)
    imported = _without_known_aliases(imported, folder)
    files: dict[str, str] = {}
    types: dict[str, NodeType] = {}
    outcomes: dict[str, Outcome] = {}
    written: dict[str, tuple[str, ...]] = {}
    notes = list(imported.diagnostics)
    kept = dict(record.types)
    for name, theirs in imported.types.items():
        place = f"{NODE_TYPES}/{name.replace('.', '/')}.yaml"
        file, earlier = folder / place, record.types.get(name)
        if not file.exists() and earlier is not None and not restore:
            outcomes[name] = "left out"
        elif not file.exists():
            types[name], outcomes[name], files[place] = theirs, "added", write_yaml(theirs)
        else:
            if earlier is None:
                raise ImportClash([_not_imported(file, name)])
            text = file.read_text(encoding="utf-8")
            mine = parse_node_type(text, str(file))
            types[name], conflicts = merged(recorded(earlier, folder), mine, theirs)
            written[name] = written_by_people(mine, record) or ()
            notes += [_conflict(file, pointer, earlier.written, tree_of(theirs)) for pointer in conflicts]
            outcomes[name] = "unchanged" if types[name] == mine else "changed"
            if types[name] != mine:
                files[place] = comments_of(text) + write_yaml(types[name])
        kept[name] = ImportedType(source=imported.source, written=tree_of(theirs))
    notes += _gone(imported, record, folder)
    if kept != record.types:
        files[RECORD] = ImportRecord(types=dict(sorted(kept.items()))).text()
    return Merged(files, types, outcomes, written, tuple(notes))


def merged(base: NodeType, mine: NodeType, theirs: NodeType) -> tuple[NodeType, tuple[str, ...]]:
    """A Type that takes over what the source changed, and keeps what people changed.

    Args:
        base: as the last import had it.
        mine: as it stands, with what people made of it.
        theirs: as the source has it now.

    Returns:
        the Type, and the JSON pointers where both changed the same thing; what people wrote stands there.
    """
    one, other, third = (_without_version(tree_of(each)) for each in (base, mine, theirs))
    conflicts: list[str] = []
    tree = _trees(one, other, third, "", conflicts)
    changed = set(differences(one, other))
    about = tree.get("imported")
    assumed = about.get("assumed") if isinstance(about, dict) else None
    if isinstance(about, dict) and isinstance(assumed, list):
        about["assumed"] = [at for at in assumed if not _touched(str(at), changed)]
    tree["version"] = _version(mine, tree)
    return NodeType.model_validate(tree), tuple(conflicts)


def _touched(pointer: str, changed: set[str]) -> bool:
    return any(at == pointer or at.startswith(f"{pointer}/") or pointer.startswith(f"{at}/") for at in changed)


def _trees(base: Mapping[str, JsonValue], mine: Tree, theirs: Tree, at: str, conflicts: list[str]) -> Tree:
    found: Tree = {}
    for key in dict.fromkeys((*theirs, *mine)):
        one, other, third = (tree.get(key, _ABSENT) for tree in (base, mine, theirs))
        value = _values(one, other, third, f"{at}/{escaped(key)}", conflicts)
        if value is not _ABSENT:
            found[key] = value  # type: ignore[assignment]  # not the mark of what is absent
    return found


def _values(base: object, mine: object, theirs: object, at: str, conflicts: list[str]) -> object:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return _trees(base if isinstance(base, dict) else {}, mine, theirs, at, conflicts)
    if mine == base:
        return theirs
    if theirs in (base, mine):
        return mine
    lists = [one if isinstance(one, list) else [] if one is _ABSENT else None for one in (base, mine, theirs)]
    before, own, new = lists
    if before is not None and own is not None and new is not None and not any(isinstance(v, dict) for v in own + new):
        return [one for one in new if one in own or one not in before] + [
            one for one in own if one not in new and one not in before
        ]
    conflicts.append(at)
    return mine


def _without_version(tree: Tree) -> Tree:
    return {key: value for key, value in tree.items() if key != "version"}


def _version(mine: NodeType, tree: Tree) -> str:
    """The version that a Type has when its contract changed: drafts name the one that they were made for."""
    before = tree_of(mine)
    changed = [at for key in _CONTRACT for at in differences({key: before.get(key)}, {key: tree.get(key)})]
    changed = [at for at in changed if not at.endswith("/description")]
    if not changed:
        return mine.version
    major, minor, _ = (int(part) for part in mine.version.split("."))
    return f"{major + 1}.0.0" if any(_breaks(at, before, tree) for at in changed) else f"{major}.{minor + 1}.0"


def _breaks(at: str, before: Tree, after: Tree) -> bool:
    """Whether a change can make a workflow wrong that was right: anything but a new output or an optional input."""
    keys = at[1:].split("/")
    old, new = _at(before, keys), _at(after, keys)
    if old is not None or len(keys) != 2 or not isinstance(new, dict):
        return True
    return keys[0] == "inputs_schema" and new.get("required") is True


def _at(tree: JsonValue, keys: list[str]) -> JsonValue:
    for key in keys:
        if not isinstance(tree, dict) or key not in tree:
            return None
        tree = tree[key]
    return tree


def _without_known_aliases(imported: Import, folder: Path) -> Import:
    """The import without aliases that other Types of the folder have."""
    known: set[str] = set()
    for file in sorted((folder / NODE_TYPES).rglob("*.yaml")):
        one = parse_node_type(file.read_text(encoding="utf-8"), str(file))
        if one.type not in imported.types:
            known |= {fold(alias) for alias in one.aliases}
    if not known:
        return imported
    kept = {
        name: one.model_copy(update={"aliases": tuple(a for a in one.aliases if fold(a) not in known)})
        for name, one in imported.types.items()
    }
    return replace(imported, types=kept)


def comments_of(text: str) -> str:
    """The comments of a YAML text, each on a line: they are no data, and would be lost where it is written anew.

    >>> comments_of("a: '#1'  # checked\\n# by hand\\nb: 2\\n")
    '# checked\\n# by hand\\n'
    """
    found: list[str] = []
    at = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        gap, at = text[at : token.start_mark.index], max(at, token.end_mark.index)
        found += [line[line.index("#") :].strip() for line in gap.splitlines() if "#" in line]
    found += [line[line.index("#") :].strip() for line in text[at:].splitlines() if "#" in line]
    return "".join(f"{line}\n" for line in found)


def _not_imported(file: Path, name: str) -> CatalogFault:
    expected = "a Type that an import wrote, since one of this name is imported"
    return CatalogFault(str(file), "/type", repr(name), expected, "import with another --namespace, or move the file")


def _conflict(file: Path, pointer: str, before: Tree, theirs: Tree) -> Diagnostic:
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer[1:].split("/")]
    old, new = _at(before, keys), _at(theirs, keys)
    return Diagnostic(
        error_code="import-conflict",
        severity=Severity.WARNING,
        message=f"the source has {new!r} now in place of {old!r}, and a person wrote something else, which stays; "
        "see whether it still holds",
        location=Location(file=str(file), pointer=pointer),
        found=new,
        expected=old,
    )


def _gone(imported: Import, record: ImportRecord, folder: Path) -> Iterator[Diagnostic]:
    for name, known in record.types.items():
        file = folder / NODE_TYPES / f"{name.replace('.', '/')}.yaml"
        same = known.source == imported.source and name.split(".")[0] == imported.namespace
        if same and name not in imported.types and file.exists():
            yield Diagnostic(
                error_code="tool-gone",
                severity=Severity.WARNING,
                message=f"{imported.source} has the tool of {name} no more; its Type stays, since workflows may use "
                "it; remove the file when none does",
                location=Location(file=str(file)),
            )
