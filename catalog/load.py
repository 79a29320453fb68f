"""Loads the catalog: one YAML file per Node Type, files of concepts, all checked before anything is compiled."""

import gc
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from pydantic import JsonValue

from catalog.concept import Concept
from catalog.contract import OLDER_NAME, Entry, clashes, concept_faults, fold, type_faults
from catalog.errors import CatalogClash, CatalogError, CatalogFault
from catalog.node_type import NodeType
from catalog.read import Parsed, parse, validate

NODE_TYPES, CONCEPTS = "node_types", "concepts"
BUILTIN = "builtin"
"""The catalog that comes with flowc, where folders of catalogs are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Catalog:
    """The Node Types and concepts that workflows may use; nothing in it changes after it is loaded.

    Args:
        node_types: by type, in the order of their names.
        concepts: by id, in the order of their ids.
    """

    node_types: Mapping[str, NodeType]
    concepts: Mapping[str, Concept]

    def __post_init__(self) -> None:
        object.__setattr__(self, "node_types", MappingProxyType(dict(sorted(self.node_types.items()))))
        object.__setattr__(self, "concepts", MappingProxyType(dict(sorted(self.concepts.items()))))

    def __reduce__(self) -> tuple[type["Catalog"], tuple[dict[str, NodeType], dict[str, Concept]]]:
        """Pickle as plain dictionaries, so that worker processes can be given the catalog."""
        return Catalog, (dict(self.node_types), dict(self.concepts))

    def __repr__(self) -> str:
        """Sizes and digest; the whole would fill pages."""
        return f"Catalog({len(self.node_types)} types, {len(self.concepts)} concepts, {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the content: neither order, comments nor layout of the files change it."""
        content = [
            {name: _without_later_keys(record.model_dump(mode="json")) for name, record in group.items()}
            for group in (self.node_types, self.concepts)
        ]
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _older_names(self) -> Mapping[str, str]:
        return {
            alias: node_type.type
            for node_type in self.node_types.values()
            for alias in node_type.aliases
            if OLDER_NAME.fullmatch(alias)
        }

    def resolve(self, name: str) -> NodeType | None:
        """The Node Type with this type, or with this older type name among its aliases (`check_filing`)."""
        return self.node_types.get(name) or self.node_types.get(self._older_names.get(name, ""))

    def node_type(self, name: str) -> NodeType:
        """The Node Type with exactly this type.

        Raises:
            KeyError: there is none.
        """
        return self.node_types[name]

    def concept_named(self, name: str) -> Concept | None:
        """The concept that bears this name as label or synonym in any language, whatever the case; names are unique."""
        return self.concepts.get(self._concept_names.get(fold(name), ""))

    def broader(self, concept: str) -> tuple[str, ...]:
        """The ids of the concepts that a concept is a narrower one of, the nearest first; none for an unknown one."""
        found: list[str] = []
        at = self.concepts.get(concept)
        while at is not None and at.broader is not None:
            found.append(at.broader)
            at = self.concepts.get(at.broader)
        return tuple(found)

    @cached_property
    def _concept_names(self) -> Mapping[str, str]:
        return {fold(name): concept.id for concept in self.concepts.values() for name in concept.names()}


def load_catalog(*folders: Path | str) -> Catalog:
    """Load and check a catalog, or several that are used as one.

    Args:
        folders: each holds `node_types/<namespace>/<name>.yaml` and, where it has concepts of its own,
            `concepts/*.yaml`; `builtin` is the one that is shipped, and what none means. Types may name the concepts
            of any of them.

    Raises:
        CatalogError: a folder is missing or an entry breaks its contract; it lists all faults.
        CatalogClash: two of the catalogs give a name to different things.
    """
    own = Path(__file__).parent
    roots = tuple(dict.fromkeys(own if one == BUILTIN else Path(one) for one in folders or (BUILTIN,)))
    if roots == (own,) and BUILTIN in (folders or (BUILTIN,)):
        return _shipped(own)
    with _collector_paused():
        return _loaded(roots)


@cache
def _shipped(root: Path) -> Catalog:
    """The catalog that comes with flowc, read once a process."""
    with _collector_paused():
        return _loaded((root,))


def _loaded(roots: Sequence[Path]) -> Catalog:
    faults: list[CatalogFault] = []
    concepts = [tuple(_read_concepts(root, faults)) for root in roots]
    types = [tuple(_read_types(root, faults)) for root in roots]
    known = {entry.record.id: entry.record for own in concepts for entry in own}
    for own in concepts:
        faults += concept_faults(own, known)
    for of_root in types:
        faults += type_faults(of_root, known)
    if faults:
        raise CatalogError(_in_order(faults))
    if clashing := tuple(clashes(zip(types, concepts, strict=True))):
        raise CatalogClash(_in_order(clashing))
    return Catalog({entry.record.type: entry.record for own in types for entry in own}, known)


def _in_order(faults: Iterable[CatalogFault]) -> list[CatalogFault]:
    return sorted(faults, key=lambda fault: (fault.file, fault.line or 0))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking the files' many objects over and over: it takes longer than reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def parse_node_type(text: str, file: str) -> NodeType:
    """One Node Type from YAML (or JSON, which is YAML) text; concept ids are not looked up.

    Raises:
        CatalogError: the text breaks the contract.
    """
    parsed = parse(text, file)
    faults = list(parsed.faults)
    entry = None if faults else _type_entry(parsed, faults)
    if entry is None or faults:
        raise CatalogError(faults)
    return entry.record


def _read_types(root: Path, faults: list[CatalogFault]) -> Iterator[Entry[NodeType]]:
    for parsed in _yaml_files(root / NODE_TYPES, root, faults):
        entry = _type_entry(parsed, faults)
        if entry is None:
            continue
        place = f"{NODE_TYPES}/{entry.record.type.replace('.', '/')}.yaml"
        if parsed.file != str(root / place):
            faults.append(entry.fault(("type",), entry.record.type, f"the file {place}", "move the file or rename it"))
        yield entry


def _type_entry(parsed: Parsed, faults: list[CatalogFault]) -> Entry[NodeType] | None:
    record, found = validate(parsed, NodeType, parsed.data)
    faults += found
    return Entry(record, parsed) if record else None


def _read_concepts(root: Path, faults: list[CatalogFault]) -> Iterator[Entry[Concept]]:
    if not (root / CONCEPTS).exists() and (root / NODE_TYPES).is_dir():
        return  # a catalog may have none of its own
    for parsed in _yaml_files(root / CONCEPTS, root, faults):
        if not isinstance(parsed.data, list):
            faults.append(parsed.fault((), parsed.data, "a list of concepts", "begin each concept with `- id:`"))
            continue
        for index, raw in enumerate(parsed.data):
            record, found = validate(parsed, Concept, raw, (index,))
            faults += found
            if record:
                yield Entry(record, parsed, (index,))


def _yaml_files(folder: Path, root: Path, faults: list[CatalogFault]) -> Iterable[Parsed]:
    """The YAML files below a folder that parse, in a stable order; the faults of the others are added."""
    if not folder.is_dir():
        faults.append(CatalogFault(str(folder), "", "no such folder", "a folder of YAML files", f"see {root}"))
        return
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name.startswith(".") or path.suffix == ".md":
            continue
        if path.suffix != ".yaml":
            name = CatalogFault(
                str(path), "", repr(path.name), "a name that ends in .yaml", "rename or remove the file"
            )
            faults.append(name)
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            faults.append(CatalogFault(str(path), "", str(error), "readable UTF-8 text", "repair the file"))
            continue
        parsed = parse(text, str(path))
        faults.extend(parsed.faults)
        if not parsed.faults:
            yield parsed


_LATER_KEYS = ("minimum", "maximum", "binding", "imported", "owner", "lifecycle", "replaced_by")
"""Keys of fields that came after the first digests: where they say nothing, a digest is what it was."""


def _without_later_keys(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_later_keys(item) for item in value]
    if not isinstance(value, dict):
        return value
    said = {key: item for key, item in value.items() if item is not None or key not in _LATER_KEYS}
    return {key: _without_later_keys(item) for key, item in said.items()}
