"""Concepts: what fields hold, in both languages, so that they align across documents and Node Types."""

from typing import Literal

from pydantic import Field

from ir.base import Model
from ir.fields import FieldType

Words = dict[str, tuple[str, ...]]


class ConceptValue(Model):
    """One value of an enumerated or boolean concept and the words that documents use for it, by language."""

    value: str | int | bool
    words: Words = {}


class Concept(Model):
    """One thing that a field can hold.

    Args:
        id: lower-case name, `hazard_level`.
        labels: the one usual name by language, `{zh: 危险等级, en: hazard level}`.
        synonyms: other names by language, as documents and forms use them.
        unit: the one unit of a number; documents' other units of the same kind are converted into it.
        measure: `money` for a sum in whatever currency the document gives it; such a concept has no unit.
        values: for enumerations and booleans, the words for each value (`1: 一类, 第一类`; `true: 已备案`).
        broader: id of the more general concept.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    labels: dict[str, str]
    synonyms: Words = {}
    description: str | None = None
    type: FieldType
    unit: str | None = None
    measure: Literal["money"] | None = None
    values: tuple[ConceptValue, ...] = ()
    broader: str | None = None

    @property
    def enum(self) -> tuple[str | int | bool, ...] | None:
        """The values, or None where the concept is open; booleans need no enumeration."""
        return tuple(item.value for item in self.values) if self.values and self.type != "boolean" else None

    def names(self) -> tuple[str, ...]:
        """Label and synonyms of every language."""
        return (*self.labels.values(), *(word for words in self.synonyms.values() for word in words))
