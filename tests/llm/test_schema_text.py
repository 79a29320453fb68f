"""Forms as text for a prompt: which enumerations are written out."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, create_model

from llm.schema_text import MOST_SHOWN, schema_text


def values(number: int) -> tuple[str, ...]:
    """So many values of an enumeration."""
    return tuple(f"v{each}" for each in range(1, number + 1))


def form(number: int, description: str | None) -> type[BaseModel]:
    """A form with one field that takes one of so many values."""
    kind: Any = Literal.__getitem__(values(number))
    made: Any = create_model("Answer", type=(kind, Field(description=description)))
    return made


def field_of(shown: type[BaseModel]) -> str:
    """The line of the form's field."""
    return next(line for line in schema_text(shown).splitlines() if line.startswith("  type"))


def written_out(number: int) -> str:
    """So many values as a union."""
    return " | ".join(f'"{value}"' for value in values(number))


@pytest.mark.parametrize("number", [2, MOST_SHOWN])
def test_a_short_enumeration_is_written_out(number: int) -> None:
    """With a description or without."""
    assert field_of(form(number, "Which.")) == f"  type: {written_out(number)}  // Which."
    assert field_of(form(number, None)) == f"  type: {written_out(number)}"


def test_twelve_values_are_the_most_that_are_written_out() -> None:
    """Where a description says which they are, thirteen are text."""
    assert MOST_SHOWN == 12
    assert field_of(form(13, "One of those named.")) == "  type: string  // One of those named."


def test_a_long_enumeration_that_nothing_else_names_is_written_out() -> None:
    """Else the model could not know its values."""
    assert field_of(form(40, None)) == f"  type: {written_out(40)}"


def test_a_long_enumeration_in_a_list_or_left_out_is_written_out() -> None:
    """Its own field's description speaks of the whole, not of each value."""
    kind: Any = Literal.__getitem__(values(13))
    made: Any = create_model("Answer", type=(list[kind], Field([], description="Some.")))
    assert field_of(made) == f"  type?: ({written_out(13)})[]  // Some."
    none: Any = create_model("Answer", type=(kind | None, Field(None, description="One, or none.")))
    assert field_of(none) == f"  type?: {written_out(13)} | null  // One, or none."


def test_what_a_prompt_leaves_out_the_form_still_refuses() -> None:
    """The text is short; what comes back is held against all values."""
    with pytest.raises(ValueError, match="type"):
        form(13, "One of those named.").model_validate({"type": "v14"})
