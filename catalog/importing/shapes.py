"""What values a JSON Schema describes, with references followed and combinations put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from catalog.read import shown

if TYPE_CHECKING:
    from referencing import Registry, Resource
    from referencing._core import Resolver

LONGEST_CHAIN = 50
"""References that lead to references, or combinations within combinations."""


@dataclass(frozen=True)
class Spot:
    """A schema where it stands: what its references are relative to, and its place for messages."""

    schema: object
    resolver: Resolver[Any]
    at: str


@dataclass(frozen=True)
class AnyOf:
    """A value is as one of these say."""

    of: tuple[Part, ...]


@dataclass(frozen=True)
class AllOf:
    """A value is as all of these say."""

    of: tuple[Part, ...]


Part: TypeAlias = Spot | AnyOf | AllOf


class SchemaFault(Exception):  # noqa: N818 - named for the fault
    """A schema cannot be followed."""

    def __init__(self, at: str, found: object, expected: str, next_step: str) -> None:
        super().__init__(found)
        self.at, self.found, self.expected, self.next_step = at, found, expected, next_step


@dataclass(frozen=True)
class Shape:
    """What a schema says of values.

    Args:
        types: JSON types but `null`; None where it does not say.
        at: place in the source.
        read_only, write_only: it is only given, or only taken.
        identity: schemas that lead here by reference; one that leads to itself is a ring.
    """

    types: frozenset[str] | None = None
    nullable: bool = False
    enum: tuple[object, ...] | None = None
    format: str | None = None
    properties: Mapping[str, Part] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: Part | None = None
    description: str | None = None
    default: object = None
    at: str = ""
    read_only: bool = False
    write_only: bool = False
    identity: frozenset[str] = frozenset()


def shape_of(part: Part, depth: int = 0) -> Shape:
    """The shape of values that a part describes.

    Raises:
        SchemaFault: a reference leads nowhere or round in a ring, or a keyword is malformed.
    """
    if depth > LONGEST_CHAIN:
        at = part.at if isinstance(part, Spot) else ""
        raise SchemaFault(at, "references or combinations that lead round in a ring", "a schema", "cut the ring")
    if isinstance(part, AnyOf):
        return _alternatives([shape_of(one, depth + 1) for one in part.of])
    if isinstance(part, AllOf):
        return _together(shape_of(one, depth + 1) for one in part.of)
    schema = part.schema
    if schema is True or schema == {}:
        return Shape(at=part.at)
    if not isinstance(schema, dict):
        raise SchemaFault(part.at, schema, "a JSON Schema, which is an object", "correct the schema")
    shape = _own(part, schema)
    if (reference := schema.get("$ref")) is not None:
        target = follow(part, reference)
        aimed = shape_of(target, depth + 1)
        shape = _together([shape, replace(aimed, identity=aimed.identity | {target.at})])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            of = tuple(Spot(one, part.resolver, f"{part.at}/{key}/{i}") for i, one in enumerate(_listed(part, key)))
            if of:
                shape = _together([shape, shape_of(AllOf(of) if key == "allOf" else AnyOf(of), depth + 1)])
    return shape


def follow(part: Spot, reference: object) -> Spot:
    """The schema that a reference leads to.

    Raises:
        SchemaFault: it leads nowhere.
    """
    from referencing.exceptions import Unresolvable

    expected, advice = "a reference to a part of the file, or of one beside it", "correct the reference"
    if not isinstance(reference, str):
        raise SchemaFault(f"{part.at}/$ref", reference, expected, advice)
    try:
        found = part.resolver.lookup(reference)
    except (Unresolvable, ValueError, LookupError, TypeError) as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, SchemaFault):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, SchemaFault):
            raise SchemaFault(f"{part.at}/$ref", f"{reference!r}: {cause.found}", cause.expected, advice) from error
        raise SchemaFault(f"{part.at}/$ref", reference, expected, advice) from error
    file, _, pointer = reference.partition("#")
    at = f"{file}#{pointer}" if file else pointer or reference
    return Spot(found.contents, found.resolver, at)


def resolved(part: Spot) -> Spot:
    """What stands at the end of a chain of references; schemas are left as they are, see `shape_of`.

    Raises:
        SchemaFault: it leads nowhere or round in a ring.
    """
    for _ in range(LONGEST_CHAIN):
        if not (isinstance(part.schema, dict) and "$ref" in part.schema):
            return part
        part = follow(part, part.schema["$ref"])
    raise SchemaFault(part.at, "references that lead round in a ring", "what they refer to", "cut the ring")


def registry_of(contents: Mapping[str, Any], retrieve: Any = None) -> tuple[Registry[Any], Resource[Any]]:
    """Where references from a document lead.

    Args:
        retrieve: gives what stands at another address, or raises a `SchemaFault`.
    """
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    resource = DRAFT202012.create_resource(dict(contents))
    registry: Registry[Any] = Registry(retrieve=retrieve) if retrieve else Registry()  # type: ignore[call-arg]
    return registry, resource


def _own(part: Spot, schema: Mapping[str, Any]) -> Shape:
    """What the keywords of one schema say, those that combine others aside."""
    kinds = schema.get("type")
    names = frozenset(kinds if isinstance(kinds, list) else [kinds] if kinds is not None else [])
    if unknown := names - {"null", "boolean", "integer", "number", "string", "array", "object", "file"}:
        raise SchemaFault(f"{part.at}/type", sorted(map(str, unknown))[0], "a type of JSON Schema", "correct the type")
    enum = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if enum is not None and not isinstance(enum, list):
        raise SchemaFault(f"{part.at}/enum", enum, "a list of values", "correct the enumeration")
    nullable = schema.get("nullable") is True or "null" in names or None in (enum or ())
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict):
        raise SchemaFault(f"{part.at}/properties", properties, "schemas by name", "correct the properties")
    if not isinstance(required, list):  # older drafts: `required: true` at a property
        required = []
    items = schema.get("items")
    if isinstance(items, list):  # older drafts: one schema for each place
        items = {"anyOf": items} if items else None
    types = names - {"null"}
    if not types and "properties" in schema:
        types = frozenset({"object"})
    if not types and items is not None:
        types = frozenset({"array"})
    return Shape(
        types=frozenset("string" if one == "file" else one for one in types) or None,
        nullable=nullable,
        enum=None if enum is None else tuple(one for one in enum if one is not None),
        format=schema["format"] if isinstance(schema.get("format"), str) else None,
        properties={
            str(key): Spot(one, part.resolver, f"{part.at}/properties/{_escaped(key)}")
            for key, one in properties.items()
        },
        required=frozenset(one for one in required if isinstance(one, str)),
        items=None if items is None else Spot(items, part.resolver, f"{part.at}/items"),
        description=_text(schema.get("description")) or _text(schema.get("title")),
        default=schema.get("default"),
        at=part.at,
        read_only=schema.get("readOnly") is True,
        write_only=schema.get("writeOnly") is True,
    )  # fmt: skip


def _together(shapes: Iterable[Shape]) -> Shape:
    """What values are of which all the shapes hold; what says nothing of a matter leaves it to the others.

    `nullable` is what the shape says that has types: a reference beside `nullable: true` may be null, as its authors
    mean it.
    """
    known = list(shapes)
    found = known[0]
    for one in known[1:]:
        types = one.types if found.types is None else found.types
        if found.types is not None and one.types is not None:
            types = _common(found.types, one.types)
        enum = one.enum if found.enum is None else found.enum
        if found.enum is not None and one.enum is not None:
            enum = tuple(value for value in found.enum if value in one.enum)
        properties = dict(found.properties)
        for key, part in one.properties.items():
            properties[key] = AllOf((properties[key], part)) if key in properties else part
        both = tuple(part for part in (found.items, one.items) if part is not None)
        found = Shape(
            types=types,
            nullable=found.nullable or one.nullable,
            enum=enum,
            format=found.format or one.format,
            properties=properties,
            required=found.required | one.required,
            items=AllOf(both) if len(both) == 2 else both[0] if both else None,
            description=found.description or one.description,
            default=one.default if found.default is None else found.default,
            at=found.at or one.at,
            read_only=found.read_only or one.read_only,
            write_only=found.write_only or one.write_only,
            identity=found.identity | one.identity,
        )
    return found


def _common(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Types that are in both, where a whole number is a number; the first where they contradict each other."""
    wide = [types | {"integer"} if "number" in types else types for types in (one, other)]
    common = wide[0] & wide[1]
    return (common - {"integer"} if "number" in common else common) or one


def _alternatives(shapes: list[Shape]) -> Shape:
    """What values are of which one of the shapes holds; a property that one lacks need not be there."""
    nullable = any(shape.nullable for shape in shapes)
    known = [shape for shape in shapes if not _only_null(shape)]
    if not known:
        return Shape(nullable=True, at=shapes[0].at if shapes else "")
    if len(known) == 1:
        return replace(known[0], nullable=nullable or len(known) < len(shapes))
    types: frozenset[str] | None = frozenset()
    for shape in known:
        types = None if types is None or shape.types is None else types | shape.types
    objects = [shape for shape in known if shape.properties]
    properties: dict[str, Part] = {}
    for key in dict.fromkeys(key for shape in objects for key in shape.properties):
        parts = tuple(shape.properties[key] for shape in objects if key in shape.properties)
        properties[key] = parts[0] if len(parts) == 1 else AnyOf(parts)
    items = tuple(shape.items for shape in known if shape.items is not None)
    enums = [shape.enum for shape in known]
    return Shape(
        types=types,
        nullable=nullable or len(known) < len(shapes),
        enum=None if None in enums else _unique(value for enum in enums for value in enum or ()),
        format=known[0].format if len({shape.format for shape in known}) == 1 else None,
        properties=properties,
        required=frozenset.intersection(*(shape.required for shape in known)),
        items=items[0] if len(items) == 1 else AnyOf(items) if items else None,
        description=next((shape.description for shape in known if shape.description), None),
        default=next((shape.default for shape in known if shape.default is not None), None),
        at=known[0].at,
        identity=frozenset().union(*(shape.identity for shape in known)),
    )


def _unique(values: Iterable[object]) -> tuple[object, ...]:
    """Each value once; `1` and `true` are two."""
    return tuple({(type(value), repr(value)): value for value in values}.values())


def _only_null(shape: Shape) -> bool:
    return shape.nullable and not shape.types and not shape.enum and not shape.properties


def _listed(part: Spot, key: str) -> list[object]:
    of = part.schema[key]  # type: ignore[index]  # looked up before
    if not isinstance(of, list):
        raise SchemaFault(f"{part.at}/{key}", shown(of), "a list of schemas", "correct the schema")
    return of


def _text(value: object) -> str | None:
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _escaped(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
