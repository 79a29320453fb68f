"""What catalog entries must keep among themselves: unique names, known concepts, fields that agree with them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import JsonValue

from catalog.concept import Concept
from catalog.errors import CatalogFault
from catalog.node_type import NodeType
from catalog.read import Parsed, Path
from ir.fields import Fields, FieldSpec, FieldType

Record = TypeVar("Record")
_PYTHON: dict[FieldType, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_NUMERIC = ("integer", "number")
OLDER_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._][a-z0-9]+)+")
"""An alias by which older workflows name a Type, as opposed to words of documents."""
_CURRENCY = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True)
class Entry(Generic[Record]):
    """A record and where in which file it stands."""

    record: Record
    parsed: Parsed
    path: Path = ()

    def fault(self, path: Path, found: object, expected: str, next_step: str) -> CatalogFault:
        """A fault at a path inside the record."""
        return self.parsed.fault((*self.path, *path), found, expected, next_step)


def type_faults(types: Iterable[Entry[NodeType]], concepts: Mapping[str, Concept]) -> Iterator[CatalogFault]:
    """Faults of the Node Types against one another and against the concepts."""
    types = tuple(types)
    yield from _repeats(types, lambda entry: [(("type",), entry.record.type)], "a type of its own")
    names = {entry.record.type for entry in types}
    yield from _repeats(
        types,
        lambda entry: [(("aliases", i), fold(alias)) for i, alias in enumerate(entry.record.aliases)],
        "an alias that no other Node Type has and that stands once",
    )
    for entry in types:
        for index, alias in enumerate(entry.record.aliases):
            if alias in names:
                yield entry.fault(("aliases", index), alias, "an alias, not the name of a Node Type", "remove it")
        for index, concept in enumerate(entry.record.concepts):
            if concept not in concepts:
                yield entry.fault(("concepts", index), concept, "the id of a concept", _define(concept))
        yield from _writes_faults(entry)
        yield from _unit_faults(entry)
        for side in ("inputs_schema", "outputs_schema"):
            yield from _fields_faults(entry, getattr(entry.record, side), (side,), concepts)


def _unit_faults(entry: Entry[NodeType]) -> Iterator[CatalogFault]:
    inputs = entry.record.inputs_schema
    for name, by in entry.record.units.items():
        for said in (name, by):
            if said not in inputs:
                yield entry.fault(("units", name), said, "an input of the Type", "correct the name")


def _writes_faults(entry: Entry[NodeType]) -> Iterator[CatalogFault]:
    """What a Type is said to change: only with side effects, and told by inputs that every node has."""
    record = entry.record
    for kind, names in record.writes.items():
        if not record.capabilities.side_effect:
            yield entry.fault(("writes", kind), kind, "side_effect true beside `writes`", "correct one of the two")
        if not names:
            yield entry.fault(("writes", kind), [], "the inputs that say which one", f"name them or remove {kind!r}")
        for index, name in enumerate(names):
            if name not in record.inputs_schema or not record.inputs_schema[name].required:
                yield entry.fault(("writes", kind, index), name, "a required input of the Type", "correct the name")


def concept_faults(
    concepts: Iterable[Entry[Concept]], others: Mapping[str, Concept] | None = None
) -> Iterator[CatalogFault]:
    """Faults of the concepts: repeated ids and names, values of another type, unknown or circular broader concepts.

    Args:
        others: concepts of other catalogs, which may be broader ones of these.
    """
    concepts = tuple(concepts)
    yield from _repeats(concepts, lambda entry: [(("id",), entry.record.id)], "an id of its own")
    yield from _repeats(concepts, _concept_names, "a name that no other concept has and that stands once")
    broader = {name: one.broader for name, one in (others or {}).items()}
    broader |= {entry.record.id: entry.record.broader for entry in concepts}
    for entry in concepts:
        concept = entry.record
        if concept.broader is not None and concept.broader not in broader:
            yield entry.fault(("broader",), concept.broader, "the id of a concept", _define(concept.broader))
        elif _circular(concept.id, broader):
            yield entry.fault(("broader",), concept.broader, "a concept that is not narrower than this", "cut the ring")
        for key, found in (("unit", concept.unit), ("measure", concept.measure)):
            if found and concept.type not in _NUMERIC:
                yield entry.fault((key,), found, f"no {key}, since the concept is no number", f"remove the {key}")
        if concept.unit and concept.measure:
            yield entry.fault(("unit",), concept.unit, "no unit, since money comes in any currency", "remove the unit")
        seen: list[tuple[type, object]] = []
        for index, value in enumerate(concept.values):
            at = ("values", index, "value")
            if not fits(value.value, concept.type):
                yield entry.fault(at, value.value, f"a value of type {concept.type}", "correct the value or the type")
            if (type(value.value), value.value) in seen:
                yield entry.fault(at, value.value, "each value once", "merge the two")
            seen.append((type(value.value), value.value))


def clashes(
    catalogs: Iterable[tuple[Iterable[Entry[NodeType]], Iterable[Entry[Concept]]]],
) -> Iterator[CatalogFault]:
    """Names that two catalogs give to different things, so that nobody could say which is meant."""
    catalogs = tuple((tuple(types), tuple(concepts)) for types, concepts in catalogs)
    of_types = [{name: (entry, at) for entry in types for at, name in _type_names(entry)} for types, _ in catalogs]
    of_concepts = [{fold(name): (entry, at) for entry in own for at, name in _all_names(entry)} for _, own in catalogs]
    yield from _shared(of_types, "a name that no other of the catalogs gives to a Node Type")
    yield from _shared(of_concepts, "a name that no other of the catalogs gives to a concept")


def _shared(catalogs: Iterable[Mapping[str, tuple[Entry[Record], Path]]], expected: str) -> Iterator[CatalogFault]:
    first: dict[str, str] = {}
    for names in catalogs:
        for name, (entry, at) in names.items():
            if name in first:
                advice = f"{first[name]} has it already: rename one, or leave one of the catalogs out"
                yield entry.fault(at, name, expected, advice)
        first |= {name: entry.parsed.file for name, (entry, _) in names.items() if name not in first}


def _type_names(entry: Entry[NodeType]) -> Iterator[tuple[Path, str]]:
    """What workflows may call a Type: its name, and older names of it. Other aliases only help to find it."""
    yield ("type",), entry.record.type
    for index, alias in enumerate(entry.record.aliases):
        if OLDER_NAME.fullmatch(alias):
            yield ("aliases", index), alias


def _all_names(entry: Entry[Concept]) -> list[tuple[Path, str]]:
    return [(("id",), entry.record.id), *_concept_names(entry)]


def fold(name: str) -> str:
    """A name as it is compared: neither case, width nor spacing tells two names apart.

    >>> fold(" Hazard  Level "), fold("ＣＡＳ号")
    ('hazard level', 'cas号')
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _concept_names(entry: Entry[Concept]) -> list[tuple[Path, str]]:
    concept = entry.record
    labels: list[tuple[Path, str]] = [(("labels", language), fold(text)) for language, text in concept.labels.items()]
    return labels + [
        (("synonyms", language, index), fold(word))
        for language, words in concept.synonyms.items()
        for index, word in enumerate(words)
    ]


def _repeats(
    entries: Iterable[Entry[Record]], names: Callable[[Entry[Record]], list[tuple[Path, str]]], expected: str
) -> Iterator[CatalogFault]:
    first: dict[str, str] = {}
    for entry in entries:
        for path, name in names(entry):
            if name in first:
                yield entry.fault(path, name, expected, f"{first[name]} has it already: remove or rename one")
            first.setdefault(name, entry.parsed.file)


def _fields_faults(
    entry: Entry[NodeType], fields: Fields, path: Path, concepts: Mapping[str, Concept]
) -> Iterator[CatalogFault]:
    for name, spec in fields.items():
        yield from _field_faults(entry, spec, (*path, name), concepts)


def _field_faults(
    entry: Entry[NodeType], spec: FieldSpec, path: Path, concepts: Mapping[str, Concept]
) -> Iterator[CatalogFault]:
    if spec.type == "array" and spec.items is None:
        yield entry.fault(path, "array", "an array with `items`", "say what the items are")
    if spec.items is not None and spec.type != "array":
        yield entry.fault((*path, "items"), spec.type, "type array beside `items`", "correct the type")
    if spec.properties is not None and spec.type != "object":
        yield entry.fault((*path, "properties"), spec.type, "type object beside `properties`", "correct the type")
    for index, value in enumerate(spec.enum or ()):
        if value is not None and not fits(value, spec.type):
            yield entry.fault((*path, "enum", index), value, f"a value of type {spec.type}", "correct the value")
    if spec.default is not None and not fits(spec.default, spec.type):
        yield entry.fault((*path, "default"), spec.default, f"a value of type {spec.type}", "correct the value")
    if spec.concept is not None:
        yield from _concept_disagreement(entry, spec, path, concepts)
    if spec.items is not None:
        yield from _field_faults(entry, spec.items, (*path, "items"), concepts)
    yield from _fields_faults(entry, spec.properties or {}, (*path, "properties"), concepts)


def _concept_disagreement(
    entry: Entry[NodeType], spec: FieldSpec, path: Path, concepts: Mapping[str, Concept]
) -> Iterator[CatalogFault]:
    concept = concepts.get(spec.concept or "")
    if concept is None:
        yield entry.fault((*path, "concept"), spec.concept, "the id of a concept", _define(str(spec.concept)))
        return
    of = f"the concept {concept.id!r}"
    if spec.type != concept.type and not (spec.type in _NUMERIC and concept.type in _NUMERIC):
        yield entry.fault((*path, "type"), spec.type, f"{concept.type}, as {of} has it", "make the two agree")
    if concept.measure == "money":
        if spec.unit is not None and not _CURRENCY.fullmatch(spec.unit):
            expected = f"a currency such as CNY, or no unit where any will do, since {of} is money"
            yield entry.fault((*path, "unit"), spec.unit, expected, "correct the unit")
    elif spec.unit != concept.unit:
        yield entry.fault((*path, "unit"), spec.unit, f"{concept.unit!r}, as {of} has it", "make the two agree")
    if spec.enum is not None and concept.values:
        allowed = {_key(value.value) for value in concept.values}
        if {_key(value) for value in spec.enum if value is not None} != allowed:
            values = [value.value for value in concept.values]
            yield entry.fault((*path, "enum"), list(spec.enum), f"{values}, as {of} has it", "make the two agree")


def fits(value: JsonValue, kind: FieldType) -> bool:
    """Whether a value is one of a type; dates and durations are texts."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _PYTHON.get(kind, (str,)))


def _key(value: object) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def _circular(concept: str, broader: Mapping[str, str | None]) -> bool:
    seen, at = {concept}, broader.get(concept)
    while at is not None and at not in seen:
        seen.add(at)
        at = broader.get(at)
    return at == concept


def _define(concept: str) -> str:
    return f"define {concept!r} under concepts/ or correct the id"
