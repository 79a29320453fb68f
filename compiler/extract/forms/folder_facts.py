"""What the forms and reference tables of a folder say, before it is known which workflow wants it."""

from dataclasses import dataclass

from pydantic import JsonValue

from ir.facts import Quantity, Reference
from ir.source import Evidence


@dataclass(frozen=True)
class FormFact:
    """A value that a form gives to a concept; `concept` is None where no concept has the key's name."""

    doc_id: str
    key: str
    concept: str | None
    value: JsonValue
    unit: str | None
    converted_from: Quantity | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class FolderFacts:
    """What the documents beside the policies say."""

    facts: tuple[FormFact, ...] = ()
    references: tuple[Reference, ...] = ()
