"""Forms made from fields: a control for each, what was typed in it, and values read back from it.

What cannot be read as a field's type stays the text that was typed, so that the one who holds answers against fields
(`runtime.values`) says what is wrong with it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue
from starlette.datastructures import FormData

from compiler.report.readers_words import Reader
from ir.fields import Fields, FieldSpec
from runtime.values import faults
from server.words import Words

PREFIX, UNKNOWN = "field", "?"
"""What names of controls begin with; what the name of the box ends with that says that a value is not known."""
Kind = Literal["yes_no", "one_of", "several_of", "number", "date", "datetime", "text", "lines", "json", "group"]
FaultKind = Literal["missing", "unfit", "both"]
_INPUTS: Mapping[str, Kind] = {
    "boolean": "yes_no", "integer": "number", "number": "number", "date": "date", "datetime": "datetime",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_SCALARS = frozenset({"string", "integer", "number", "date", "datetime", "duration"})
_LONG = 200
"""Characters from which on a text has several lines."""


@dataclass(frozen=True)
class Control:
    """A field of a form.

    Args:
        name: of the control.
        takes: what the field takes, in words.
        required: None where it may be left as it is.
        must: whether the form may not be sent without it; a field of an object that may be left out has not to be
            filled in until another one is.
        value: that was typed, or that stands in it.
        chosen: the options that are chosen.
        options: values as they are sent, with their words.
        unknown: whether the box is ticked that says that it is not known; None where there is no such box.
        below: the fields of an object.
        fault: what is wrong with it.
    """

    name: str
    label: str
    kind: Kind
    takes: str
    required: bool | None
    must: bool
    description: str = ""
    value: str = ""
    chosen: frozenset[str] = frozenset()
    options: tuple[tuple[str, str], ...] = ()
    unknown: bool | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    whole: bool = False
    below: tuple["Control", ...] = ()
    fault: FaultKind | None = None

    @property
    def faulty(self) -> Iterator["Control"]:
        """This and those below it that something is wrong with."""
        if self.fault is not None and not any(one.fault for one in self.below):
            yield self
        for one in self.below:
            yield from one.faulty


@dataclass(frozen=True)
class Typed:
    """What was typed into a form; nothing, where it was not sent yet."""

    form: Mapping[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, form: FormData) -> "Typed":
        """What was sent with a form, but files."""
        found: dict[str, list[str]] = {}
        for name, value in form.multi_items():
            if isinstance(value, str):
                found.setdefault(name, []).append(value)
        return cls(found)

    def text(self, name: str) -> str:
        """What was typed in a control."""
        return self.form.get(name, [""])[-1].strip()

    def all(self, name: str) -> list[str]:
        """What was chosen in a control."""
        return [one for one in self.form.get(name, []) if one]

    def ticked(self, name: str) -> bool:
        """Whether a box was."""
        return bool(self.all(name))


NOTHING = Typed()
"""A form that was not sent yet."""


def values_of(fields: Fields, typed: Typed, prefix: str = PREFIX) -> dict[str, JsonValue]:
    """The values that were typed; what was left empty is not among them, what is said not to be known is null."""
    read = ((name, _read(f"{prefix}/{name}", spec, typed)) for name, spec in fields.items())
    return {name: value for name, (given, value) in read if given}


def clashing(typed: Typed) -> frozenset[str]:
    """The controls of which it is said that the value is not known, and that are filled in all the same."""
    said = {name.removesuffix(UNKNOWN) for name in typed.form if name.endswith(UNKNOWN) and typed.ticked(name)}
    return frozenset(
        one for one in said
        if any(typed.text(name) for name in typed.form if name == one or name.startswith(f"{one}/"))
    )  # fmt: skip


def _read(name: str, spec: FieldSpec, typed: Typed) -> tuple[bool, JsonValue]:
    """Whether something was typed, and the value."""
    if spec.nullable and typed.ticked(name + UNKNOWN):
        return True, None
    match _kind(spec):
        case "group":
            below = values_of(spec.properties or {}, typed, name)
            return bool(below) or spec.required is True, below
        case "several_of":
            chosen = [_option(text, spec.items) for text in typed.all(name)]
            return bool(chosen) or spec.required is not True, chosen
        case "lines":
            lines = [line.strip() for line in typed.text(name).splitlines() if line.strip()]
            assert spec.items is not None
            return bool(lines), [_scalar(line, spec.items) for line in lines]
        case "one_of":
            return bool(typed.text(name)), _option(typed.text(name), spec)
        case "json":
            return bool(typed.text(name)), _json(typed.text(name))
    return bool(typed.text(name)), _scalar(typed.text(name), spec)


def _option(text: str, spec: FieldSpec | None) -> JsonValue:
    known = {_sent(one): one for one in (spec.enum or ())} if spec is not None else {}
    return known.get(text, text)


def _sent(value: JsonValue) -> str:
    """An option as its control sends it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _scalar(text: str, spec: FieldSpec) -> JsonValue:
    if spec.type == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if spec.type in ("integer", "number") and _NUMBER.fullmatch(text) and len(text) < 40:
        return float(text) if "." in text else int(text)
    return text


def _json(text: str) -> JsonValue:
    """JSON where it is some; else the text."""
    try:
        found: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def _kind(spec: FieldSpec) -> Kind:
    if spec.enum is not None:
        return "one_of"
    if spec.type == "array" and spec.items is not None:
        return "several_of" if spec.items.enum else "lines" if spec.items.type in _SCALARS else "json"
    if spec.type == "object" and spec.properties:
        return "group"
    return "json" if spec.type in ("array", "object") else _INPUTS.get(spec.type, "text")


@dataclass(frozen=True)
class Form:
    """Makes the controls of a form.

    Args:
        reader: for the names of fields and values.
        words: of the page.
        told: what does not fit, as `runtime.values` says it.
        partial: every field may be left as it is.
    """

    reader: Reader
    words: Words
    typed: Typed = field(default_factory=Typed)
    told: tuple[str, ...] = ()
    partial: bool = False

    def controls(self, fields: Fields, prefix: str = PREFIX) -> tuple[Control, ...]:
        """A control for each field."""
        return tuple(
            self._control(f"{prefix}/{name}", name, spec, spec.required is not False, must=True)
            for name, spec in fields.items()
        )

    def _control(self, name: str, own: str, spec: FieldSpec, required: bool, *, must: bool) -> Control:
        kind = _kind(spec)
        must = must and required and not spec.nullable and not self.partial
        text = self.typed.text(name)
        listed = spec.items if kind == "several_of" else spec
        below = [
            self._control(f"{name}/{one}", one, sub, sub.required is True, must=must)
            for one, sub in (spec.properties or {}).items()
        ]
        return Control(
            name, self.reader.field_name(own, spec), "lines" if kind == "text" and len(text) > _LONG else kind,
            takes(spec, self.words), None if self.partial else required, must, spec.description or "", text,
            frozenset(self.typed.all(name)),
            self._options(kind, listed), self.typed.ticked(name + UNKNOWN) if spec.nullable else None, spec.minimum,
            spec.maximum, spec.type == "integer", tuple(below) if kind == "group" else (), self._fault(name),
        )  # fmt: skip

    def _options(self, kind: Kind, spec: FieldSpec | None) -> tuple[tuple[str, str], ...]:
        if kind == "yes_no":
            return tuple((sent, self.reader.value(value, spec)) for sent, value in (("true", True), ("false", False)))
        return tuple((_sent(one), self.reader.value(one, spec)) for one in (spec.enum if spec else None) or ())

    def _fault(self, name: str) -> FaultKind | None:
        if name in clashing(self.typed):
            return "both"
        path = name.split("/", 1)[1].replace("/", ".")
        for told in self.told:
            where = told.partition(":")[0]
            if where == path or where.startswith((f"{path}[", f"{path}.")):
                return "missing" if told.startswith(f"{path}: missing") else "unfit"
        return None


def unfit(values: Mapping[str, JsonValue], fields: Fields) -> tuple[str, ...]:
    """What does not fit the fields that were filled in; what is missing is not told."""
    return tuple(faults(values, {name: fields[name] for name in values}))


def takes(spec: FieldSpec, words: Words) -> str:
    """What a field takes, in words.

    >>> takes(FieldSpec(type="number", unit="kg", minimum=0), Words("en"))
    'a number in kg, at least 0'
    """
    parts = [words("takes.choice") if spec.enum is not None else words(f"takes.{spec.type}")]
    if spec.type == "array" and spec.items is not None and spec.items.type in _SCALARS and not spec.items.enum:
        parts = [words("takes.lines", takes(spec.items, words))]
    if spec.unit:
        parts[0] = words("takes.in", parts[0], spec.unit)
    if spec.minimum is not None:
        parts.append(words("takes.least", spec.minimum))
    if spec.maximum is not None:
        parts.append(words("takes.most", spec.maximum))
    return words("takes.and").join(parts)


def faulty(controls: Iterable[Control]) -> list[Control]:
    """The controls that something is wrong with, in their order."""
    return [found for one in controls for found in one.faulty]
