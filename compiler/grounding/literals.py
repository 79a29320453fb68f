"""Whether the values in a condition are the document's: each stands in the evidence or follows from its words."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from pydantic import JsonValue

from compiler.grounding.borders import cut_words
from compiler.grounding.normalise import normalise
from compiler.grounding.tokens import guard_words, tokens
from compiler.text.lexicon import lexicon
from compiler.text.measures import measure_of
from ir.base import canonical_json
from ir.duration import duration_length
from ir.predicate import AnyCondition, Compare, Literally, Ref, leaves
from ir.quantities.numerals import Number, find_numbers, minus_before
from ir.quantities.units import Measured, convert, find_quantities, units
from ir.source import Evidence

Readings = Callable[[str], Collection[JsonValue]]
_OUTCOMES = {"approved": "pass", "pass": "pass", "rejected": "fail", "fail": "fail"}
_ROMAN = {"Ⅰ": 1, "Ⅱ": 2, "Ⅲ": 3, "Ⅳ": 4, "Ⅴ": 5, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
_ROMAN_NUMERAL = re.compile(r"[ⅠⅡⅢⅣⅤ]|(?<![A-Za-z])(?:I{1,3}|IV|V)(?![A-Za-z])")
_RANGE = re.compile(r"^\s*(?:[至到~～\-–—]|to)\s*(?:第)?\s*$", re.IGNORECASE)


def unsupported_literals(
    tree: AnyCondition,
    evidence: Iterable[Evidence],
    *,
    field_units: Mapping[str, str] | None = None,
    readings: Readings | None = None,
) -> tuple[Literally, ...]:
    """The literals of a condition that its evidence does not bear out, left to right.

    Only evidence that was located counts; see `literal_supported` for what bears a literal out.

    Args:
        field_units: for a reference's text (`$.facts.amount`) the unit that literals compared with it are in.
        readings: what else some words can mean, as the catalog's words for a concept's values.
    """
    quotes = [item.quote for item in evidence if item.supports]
    known = field_units or {}
    found: list[Literally] = []
    for leaf in leaves(tree):
        if isinstance(leaf, Compare):
            refs = [side.text for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
            unit = next((known[ref] for ref in refs if ref in known), None)
            literals = (side for side in (leaf.left, leaf.right) if isinstance(side, Literally))
            found += [lit for lit in literals if not literal_supported(lit, quotes, unit=unit, readings=readings)]
    return tuple(found)


def literal_supported(
    literal: Literally, quotes: Iterable[str], *, unit: str | None = None, readings: Readings | None = None
) -> bool:
    """Whether a literal stands in the quotes, or is marked as converted and the conversion can be done again.

    A `default` comes from a rule and needs no words. A literal's own quote has to stand in the evidence. A truth value
    is never written out: the words of its proposition bear it out. Words and numbers stand as a whole: 3 is not in 13.

    Args:
        unit: the unit that the literal is in, where it is known; else any unit of the quantity's dimension will do.

    >>> literal_supported(Literally(5000, "5吨", "converted", "5 吨"), ["数量超过5吨的"], unit="kg")
    True
    >>> literal_supported(Literally(3, None, "quoted"), ["within 13 days"])
    False
    """
    if literal.status == "default":
        return True
    texts = everything = [text for text in quotes if text]
    if literal.quote is not None:
        if not literal.quote or not any(holds(text, literal.quote) for text in texts):
            return False
        if (composed := _composed(literal.source, literal.quote, texts)) is not None:
            return _amounts(composed, literal.value, unit)
        texts = [literal.quote]
    if literal.status == "converted":
        return any(_follows(literal, text, everything, unit, readings) for text in texts)
    members = literal.value if isinstance(literal.value, list) else [literal.value]
    return bool(texts) and all(any(_stands(member, text, readings) for text in texts) for member in members)


def holds(text: str, words: str) -> bool:
    """Whether a text holds some words, whatever their spacing, width and case, and not as part of another word.

    >>> holds("不超过 12.5 吨", "12.5吨"), holds("不超过12.5吨", "2.5吨"), holds("reporting", "port")
    (True, False, False)
    """
    there, wanted = normalise(text), normalise(words).text
    at = there.text.find(wanted) if wanted else -1
    while at >= 0:
        if cut_words(there.cased, at, at + len(wanted), bound=False) is None:
            return True
        at = there.text.find(wanted, at + 1)
    return False


def _stands(value: JsonValue, text: str, readings: Readings | None) -> bool:
    """Whether a value is written in a text."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return any(math.isclose(number, value) for number in _numbers(text)) or _among_readings(value, text, readings)
    return (isinstance(value, str) and holds(text, value)) or _among_readings(value, text, readings)


def _among_readings(value: JsonValue, text: str, readings: Readings | None) -> bool:
    known = readings(text) if readings else ()
    return canonical_json(value) in {canonical_json(reading) for reading in known}


def _composed(source: JsonValue, quote: str, texts: Sequence[str]) -> Measured | None:
    """The quantity of a number and a unit that stand apart, as in a cell `10` under `金额（万元）`; both must stand."""
    numbers = find_numbers(quote)
    if not isinstance(source, str) or quote not in source or source == quote or len(numbers) != 1:
        return None
    words = source.replace(quote, "", 1).strip()
    measure = measure_of(words)
    if measure is None or not any(holds(text, words) for text in texts):
        return None
    return measure.apply_to(numbers[0], 0 if quote.startswith("-") else None)


def _follows(
    literal: Literally, text: str, everything: Sequence[str], unit: str | None, readings: Readings | None
) -> bool:
    """Whether the literal's value comes out again when its words are converted; they have to be there."""
    source = literal.source
    if isinstance(source, str):
        if not holds(text, source) and not any(holds(each, source) for each in everything):
            return False
        text = source
    if isinstance(source, dict):
        given = [q for q in find_quantities(text) if q.value == source.get("value") and q.unit.id == source.get("unit")]
        return any(_amounts(q, literal.value, unit) for q in given)
    members = literal.value if isinstance(literal.value, list) else [literal.value]
    return bool(members) and all(_converts(member, text, unit, readings) for member in members)


def _converts(value: JsonValue, text: str, unit: str | None, readings: Readings | None) -> bool:
    quantities = find_quantities(text)
    if any(_amounts(quantity, value, unit) for quantity in quantities):
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        if quantities and unit is not None and unit in units():
            return False
        return any(math.isclose(number, value) for number in _expanded(text)) or _among_readings(value, text, readings)
    if isinstance(value, str) and (_outcome(value, text) or _date(value, text)):
        return True
    return _stands(value, text, readings)


def _amounts(quantity: Measured, value: JsonValue, unit: str | None) -> bool:
    """Whether a quantity, in the unit or some unit of its dimension, has the value; or is that duration."""
    if isinstance(value, str):
        duration = quantity.duration
        return duration is not None and duration_length(duration) == duration_length(value) is not None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    into = [unit] if unit else [u.id for u in units().values() if u.dimension == quantity.unit.dimension]
    amounts = (convert(quantity.value, quantity.unit.id, one) for one in into)
    share = quantity.unit.id == "%" and unit is None and math.isclose(quantity.value / 100, value)
    return share or any(amount is not None and math.isclose(amount, value) for amount in amounts)


def _numbers(text: str) -> Iterator[float]:
    yield from (number.value for number in find_numbers(normalise(text).cased))
    yield from _signed(text, find_numbers(text))


def _signed(text: str, numbers: Iterable[Number]) -> Iterator[float]:
    """The numbers, and those that have a minus as negative ones."""
    for number in numbers:
        yield number.value
        if minus_before(text, number) is not None:
            yield -number.value


def _expanded(text: str) -> Iterator[float]:
    """The numbers of a text, Roman ones too, and those between the ends of a range of whole numbers."""
    found = find_numbers(text)
    yield from _signed(text, found)
    yield from (float(_ROMAN[match[0]]) for match in _ROMAN_NUMERAL.finditer(text))
    for one, other in pairwise(found):
        if _RANGE.match(text[one.end : other.start]) and 0 < other.value - one.value < 100:
            yield from (float(n) for n in range(math.ceil(one.value), math.floor(other.value) + 1))


def _outcome(value: str, text: str) -> bool:
    """Whether the words say how a step came out; a failing word may hold a passing one (不通过)."""
    polarity = _OUTCOMES.get(value)
    if polarity is None:
        return False
    failing, passing = (_verdicts(kind).search(text) is not None for kind in ("fail", "pass"))
    return failing if polarity == "fail" else passing and not failing


@cache
def _verdicts(kind: str) -> re.Pattern[str]:
    chinese = "|".join(re.escape(word) for word in lexicon("zh").words("verdict", kind))
    english = "|".join(re.escape(word) for word in guard_words("verdicts")[kind])
    return re.compile(rf"{chinese}|\b(?:{english})\b", re.IGNORECASE)


def _date(value: str, text: str) -> bool:
    wanted = [token.key for token in tokens(normalise(value)) if token.kind == "date"]
    return bool(wanted) and all(key in {t.key for t in tokens(normalise(text)) if t.kind == "date"} for key in wanted)
