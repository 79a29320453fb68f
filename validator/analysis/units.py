"""Units of fields and literals: whether one converts into another, and the node that does so."""

import math
from dataclasses import dataclass
from fractions import Fraction
from unicodedata import normalize

from pydantic import JsonValue

from ir.duration import duration_length
from ir.fields import Fields, FieldSpec
from ir.predicate import Literally, Ref
from ir.quantities.numerals import find_numbers
from ir.quantities.units import CURRENCIES, Measured, Unit, convert, find_quantities, ratio, unit_named
from ir.workflow import Node

CONVERT_UNIT = "utility.convert_unit"
"""The Type whose result is in the unit that its literal `to_unit` names."""


def same_unit(left: str, right: str) -> bool:
    """Whether two texts name one unit, however it is spelt.

    >>> same_unit("kg", "公斤"), same_unit("kg", "t"), same_unit("mg/m³", "mg/m3")
    (True, False, True)
    """
    return _spelt(left) == _spelt(right)


def _spelt(text: str) -> str:
    """A unit as it is spelt everywhere: each part that a table knows by its id, powers as plain digits."""
    whole = unit_named(text)
    if whole is not None:
        return whole.id
    parts = [part.strip() for part in normalize("NFKC", text).split("/")]
    return "/".join(known.id if (known := unit_named(part)) else part for part in parts)


def factor(found: str, expected: str) -> float | None:
    """How many of the one unit a single other is; None where no fixed factor is known.

    >>> factor("t", "kg"), factor("t", "L")
    (1000.0, None)
    """
    one, other = unit_named(found), unit_named(expected)
    return convert(1, one.id, other.id) if one and other else None


def convert_value(value: JsonValue, found: str, expected: str) -> JsonValue:
    """A number of one unit as one of another; as it is where it is no number or no fixed factor is known.

    >>> convert_value(700, "kg", "t"), convert_value(1.5, "t", "kg"), convert_value("x", "t", "kg")
    (0.7, 1500, 'x')
    """
    times = ratio(found, expected)
    if times is None or isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    made = Fraction(str(value)) * times
    return int(made) if made.denominator == 1 else float(made)


def same_dimension(left: str, right: str) -> bool:
    """Whether two units measure the same, with a fixed factor between them or without.

    >>> same_dimension("BD", "d"), same_dimension("t", "L")
    (True, False)
    """
    one, other = unit_named(left), unit_named(right)
    return one is not None and other is not None and one.dimension == other.dimension


def conversion_words(found: str, expected: str) -> str:
    """How one unit converts into another, or why not; empty where a unit is in no table.

    >>> conversion_words("t", "kg"), conversion_words("t", "L")
    ('1 t is 1000 kg', 'mass and volume are different measures')
    """
    one, other, times = unit_named(found), unit_named(expected), factor(found, expected)
    if one is None or other is None:
        return ""
    if times is not None:
        return f"1 {found} is {times:.12g} {expected}"
    if one.id in CURRENCIES and other.id in CURRENCIES:
        return f"no rate between {found} and {expected} is fixed"
    if one.dimension == other.dimension:
        return f"no fixed number of {expected} makes 1 {found}"
    return f"{_measure(one)} and {_measure(other)} are different measures"


def _measure(unit: Unit) -> str:
    return "money" if unit.id in CURRENCIES else unit.dimension


@dataclass(frozen=True)
class WrongAmount:
    """A literal whose own words say another amount.

    Args:
        words: the quantity in the literal's words.
        amount: that quantity in the unit of the field; None where no fixed factor is known.
    """

    words: str
    unit: str
    amount: float | None


def wrong_amount(literal: Literally, unit: str | None) -> WrongAmount | None:
    """What the words of a number say, where that is not the number in the field's unit.

    The words are those before conversion, else those quoted. Of quoted words only a quantity counts that has the very
    number, or that is all they say; where the number follows from any quantity of the words, it is right.

    >>> wrong_amount(Literally(5, quote="5 t", status="quoted"), "kg")
    WrongAmount(words='5 t', unit='t', amount=5000.0)
    >>> wrong_amount(Literally(5000, quote="5 t", status="converted", source="5 t"), "kg") is None
    True
    """
    value, into = literal.value, unit_named(unit) if unit else None
    if into is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    words = _words(literal)
    said = find_quantities(words)
    amounts = [(each, convert(each.value, each.unit.id, into.id)) for each in said]
    if any(amount is not None and math.isclose(amount, value) for _, amount in amounts):
        return None
    converted = literal.source is not None and len(said) == 1
    alone = len(said) == 1 and len(find_numbers(words)) == 1 and amounts[0][1] is not None
    for each, amount in amounts:
        if converted or alone or math.isclose(each.value, value):
            return WrongAmount(each.said, each.unit.id, amount)
    return None


def wrong_duration(literal: Literally) -> Measured | None:
    """What the words of a duration say, where they say just one and that is another.

    >>> found = wrong_duration(Literally("PT24H", quote="48 hours", status="converted"))
    >>> found.duration if found else None
    'PT48H'
    >>> wrong_duration(Literally("P2D", quote="48 hours", status="converted")) is None
    True
    """
    length = duration_length(literal.value) if isinstance(literal.value, str) else None
    words = _words(literal)
    said = find_quantities(words)
    if length is None or len(said) != 1 or len(find_numbers(words)) != 1 or said[0].duration is None:
        return None
    return None if duration_length(said[0].duration) == length else said[0]


def _words(literal: Literally) -> str:
    """The words of a literal before conversion, else those quoted."""
    source = literal.source
    if isinstance(source, dict):
        return f"{source.get('value')} {source.get('unit')}"
    return (source if isinstance(source, str) else literal.quote) or ""


def conversion_inputs(node: Node, fields: Fields) -> Fields:
    """The inputs of a node that converts: its value is in the unit of `from_unit`, and of any concept."""
    given = _literal(node, "from_unit")
    if "value" not in fields:
        return fields
    return fields | {"value": fields["value"].model_copy(update={"unit": given, "concept": None})}


def conversion_outputs(node: Node, fields: Fields, source: FieldSpec | None) -> Fields:
    """The outputs of a node that converts: its result is in the unit of `to_unit`, and of the concept of its value.

    Args:
        source: the field that its value is read from, where that is known; else the result is of any concept.
    """
    if "result" not in fields:
        return fields
    changed = {"unit": _literal(node, "to_unit"), "concept": source.concept if source else None}
    return fields | {"result": fields["result"].model_copy(update=changed)}


def named_unit(node: Node, name: str) -> str | None:
    """The unit that a literal input of a node names."""
    return _literal(node, name)


def unconvertible(node: Node) -> tuple[str, str] | None:
    """The two units of a node that converts, where no fixed factor leads from the one to the other."""
    given, wanted = _literal(node, "from_unit"), _literal(node, "to_unit")
    if given is None or wanted is None or unit_named(given) is None or unit_named(wanted) is None:
        return None
    return None if factor(given, wanted) is not None else (given, wanted)


def _literal(node: Node, name: str) -> str | None:
    value = node.inputs.get(name)
    if isinstance(value, Ref) or value is None or not isinstance(value.value, str):
        return None
    known = unit_named(value.value)
    return known.id if known else value.value
