"""The types of a reference table's columns where no concept of the catalog gives them: told by all of their cells."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.extract.forms.tables import date_of
from compiler.text.lexicon import Lexicon
from compiler.text.measures import PLAIN, named_measure, quantities_in
from ir.fields import FieldSpec
from ir.quantities.numerals import find_numbers
from ir.quantities.units import Measured

_BLANK = re.compile(r"^[\s—–\-/／*]*$|^(?:n/?a|nil|none|not applicable)\.?$|^(?:不适用|无|缺)$", re.IGNORECASE)
_CODE = re.compile(r"0\d|\d+(?:-\d+)+$")
FEWEST, MOST_VALUES = 4, 6


@dataclass(frozen=True)
class ColumnType:
    """How the cells of one column are read.

    Args:
        read: the value of a cell's words, None where they are none of its type.
    """

    spec: FieldSpec
    read: Callable[[str], JsonValue]


def is_blank(text: str) -> bool:
    """Whether a cell says that there is no value: empty, a dash, `N/A`, `不适用`."""
    return _BLANK.match(text.strip()) is not None


def column_type(heading: str, cells: Sequence[str], cues: Lexicon) -> ColumnType:
    """The narrowest type that all cells of a column with a value are of.

    Truth values, dates, whole and other numbers with the unit that heading or cells name, few recurring words, else
    text. A cell with a limit or a range (`≤ 1.5`, `10–50`) is no number, so that nothing of it is lost.

    >>> from compiler.text.lexicon import lexicon
    >>> made = column_type("Limit (mg)", ["5", "0.5", "-"], lexicon("en"))
    >>> made.spec.type, made.spec.unit, column_type("备案", ["是", "否"], lexicon("zh")).spec.type
    ('number', 'mg', 'boolean')
    """
    filled = [cell.strip() for cell in cells if not is_blank(cell)]

    def spec(kind: str, **more: object) -> FieldSpec:
        return FieldSpec.model_validate({"type": kind, "description": heading, "nullable": True, **more})

    if not filled:
        return ColumnType(spec("string"), lambda text: text.strip())
    if all(cues.answer(text) is not None for text in filled):
        return ColumnType(spec("boolean"), cues.answer)
    if all(date_of(text) is not None for text in filled):
        return ColumnType(spec("date"), date_of)
    number = _number_of(heading, filled)
    if number is not None:
        unit, whole = number
        return ColumnType(spec("integer" if whole else "number", unit=unit), lambda text: _value(text, heading))
    distinct = list(dict.fromkeys(filled))
    recurring = len(filled) >= FEWEST and len(distinct) <= min(MOST_VALUES, len(filled) // 2)
    return ColumnType(spec("string", **({"enum": tuple(distinct)} if recurring else {})), lambda text: text.strip())


def _number_of(heading: str, cells: Sequence[str]) -> tuple[str | None, bool] | None:
    """The unit of a column of numbers and whether all are whole; None where it is no such column."""
    values = [_value(cell, heading) for cell in cells]
    if any(value is None for value in values) or any(_CODE.match(cell) for cell in cells):
        return None
    units = {quantity.unit.id for cell in cells for quantity in _measured(cell, heading)}
    return (next(iter(units)) or None, all(isinstance(value, int) for value in values)) if len(units) == 1 else None


def _value(text: str, heading: str) -> int | float | None:
    """The number that a cell is, in the unit of the column; None where other words stand beside it."""
    found = _measured(text, heading)
    if len(found) != 1 or len(find_numbers(text)) != 1:
        return None
    rest = (text[: found[0].start] + text[found[0].end :]).strip()
    value = found[0].value
    return None if rest else int(value) if value == int(value) else value


def _measured(text: str, heading: str) -> tuple[Measured, ...]:
    named = named_measure(heading)
    return quantities_in(text.strip(), named[0] if named else PLAIN)
