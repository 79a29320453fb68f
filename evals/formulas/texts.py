"""Texts that state a computation, each with the values that follow from it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue


@dataclass(frozen=True)
class Given:
    """An input of a computation.

    Args:
        words: those of the text that name it.
        unit: the unit of the values in the cases; None for a plain number and for what has none.
    """

    words: str
    type: str
    unit: str | None = None


@dataclass(frozen=True)
class Case:
    """Inputs by id, null for a missing one, and the value that a person computes of them; null where there is none."""

    inputs: Mapping[str, JsonValue]
    value: JsonValue


@dataclass(frozen=True)
class FormulaText:
    """A text that states a computation.

    Args:
        result: what is computed, in the words of the text.
        unit: that of the cases' values.
        missing: what it leaves open, so that some of the cases, or all, have no value.
    """

    id: str
    language: str
    kind: str
    text: str
    result: str
    unit: str | None
    inputs: Mapping[str, Given]
    cases: tuple[Case, ...]
    missing: str | None = None


def read_texts(file: Path) -> tuple[FormulaText, ...]:
    """The texts of a file, which is named after their language."""
    return tuple(_text(raw, file.stem) for raw in json.loads(file.read_text("utf-8")))


def _text(raw: dict[str, JsonValue], language: str) -> FormulaText:
    inputs: dict[str, dict[str, str]] = raw["inputs"]  # type: ignore[assignment]
    cases: list[dict[str, JsonValue]] = raw["cases"]  # type: ignore[assignment]
    return FormulaText(
        id=str(raw["id"]),
        language=language,
        kind=str(raw["kind"]),
        text=str(raw["text"]),
        result=str(raw["result"]),
        unit=raw.get("unit"),  # type: ignore[arg-type]
        inputs={name: Given(one["words"], one["type"], one.get("unit")) for name, one in inputs.items()},
        cases=tuple(Case(one["inputs"], one["value"]) for one in cases),  # type: ignore[arg-type]
        missing=raw.get("missing"),  # type: ignore[arg-type]
    )
