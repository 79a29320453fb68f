"""The facts and literals of an answer in the catalog's terms: concept, unit, value, each literal with its words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from catalog.concept import Concept
from compiler.extract.forms.tables import concept_named
from compiler.extract.model.form import AnsweredFact
from compiler.grounding import literal_supported
from compiler.text.measures import named_measure
from compiler.text.mentions import Mentions, Scalar
from ir.fields import FieldType
from ir.predicate import Literally
from ir.quantities.numerals import find_numbers
from ir.quantities.units import convert, find_quantities, unit_word, units

_NUMBERS = frozenset({"integer", "number"})


@dataclass(frozen=True)
class KnownFact:
    """What is known of a fact.

    Args:
        type, unit: of its values in the procedure; the concept's where there is one.
        answer_unit: unit of the answer's numbers.
        factor: how many of it the answer's unit is: 10,000 yuan for 万元.
    """

    concept: Concept | None
    type: FieldType
    unit: str | None
    answer_unit: str | None
    factor: float = 1.0


class Values:
    """Brings facts and literals into the catalog's terms.

    Args:
        mentions: finds the concepts that facts are named after, and the words of their values.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions

    def known(self, fact: AnsweredFact) -> KnownFact:
        """The concept of the fact's name, where its values can be said as values of the concept."""
        said, factor = unit_said(fact.unit)
        concept = self._mentions.concepts.get(concept_named(fact.name, self._mentions) or "")
        if concept is not None and self._fits(fact, concept, said):
            return KnownFact(concept, concept.type, concept.unit or said, said, factor)
        return KnownFact(None, fact.type, said, said, factor)

    def enum(self, fact: AnsweredFact, known: KnownFact) -> tuple[str | int, ...] | None:
        """The values that the answer names, as the concept has them."""
        values = [self._canonical(value, known) for value in fact.values or () if not _beyond(value)]
        return tuple(v for v in values if isinstance(v, str | int) and not isinstance(v, bool)) or None

    def literal(self, literal: Literally, known: KnownFact | None, words: Sequence[str]) -> Literally:
        """The literal with the words that bear it out; without any where none do, so that it is found out.

        Args:
            known: what it is compared with; None for an outcome.
            words: quotes of the condition.
        """
        value = literal.value
        if any(_beyond(one) for one in (value if isinstance(value, list) else [value])):
            return literal
        if isinstance(value, bool) or known is None:  # words of a proposition or an outcome stand for it as a whole
            return Literally(value, words[0], "converted", words[0]) if words else literal
        value = [self._canonical(v, known) for v in value] if isinstance(value, list) else self._canonical(value, known)
        if isinstance(value, int | float):
            for quantity in (found for text in words for found in find_quantities(text)):
                same = convert(quantity.value, quantity.unit.id, known.unit) if known.unit else quantity.value
                if same is not None and math.isclose(same, value):
                    return Literally(_int_if_whole(value), quantity.text, "converted", quantity.text)
            if (apart := _composed(value, known.unit, words)) is not None:
                return apart
        quoted = Literally(value, None, "quoted")
        return quoted if literal_supported(quoted, words, readings=self._readings) else Literally(value)

    def _readings(self, text: str) -> tuple[Scalar, ...]:
        return tuple(m.value for m in self._mentions.find(text) if m.value is not None)

    def _fits(self, fact: AnsweredFact, concept: Concept, said: str | None) -> bool:
        if concept.unit is not None:
            return fact.type in _NUMBERS and (said is None or convert(1, said, concept.unit) is not None)
        if fact.type == concept.type or {fact.type, concept.type} <= _NUMBERS:
            return True
        return bool(fact.values) and all(_of_type(self._value(v, concept), concept.type) for v in fact.values or ())

    def _canonical(self, value: JsonValue, known: KnownFact) -> JsonValue:
        """A value of the answer as one of the fact's."""
        if isinstance(value, bool):
            return value
        if isinstance(value, int | float) and known.answer_unit and known.unit:
            converted = convert(value * known.factor, known.answer_unit, known.unit)
            return value if converted is None else _int_if_whole(converted)
        if known.concept is not None and isinstance(value, str):
            return self._value(value, known.concept)
        return value

    def _value(self, said: str | int, concept: Concept) -> Scalar:
        """The concept's value that some words stand for; the words themselves where they stand for none."""
        found = {m.value for m in self._mentions.find(str(said)) if m.concept == concept.id and m.value is not None}
        return found.pop() if len(found) == 1 else said


def _beyond(value: JsonValue) -> bool:
    """Whether no document can mean a number so large."""
    return isinstance(value, int | float) and not abs(value) < 1e30


def _composed(value: float, unit: str | None, words: Sequence[str]) -> Literally | None:
    """A number that stands in one place and its unit in another: `X＜5` in a cell under `金额（万元）`."""
    measures = [found[0] for text in words if (found := named_measure(text)) is not None]
    for number in (number for text in words for number in find_numbers(text)):
        for measure in measures:
            said = measure.apply_to(number)
            same = convert(said.value, said.unit.id, unit) if said.unit.id and unit else None
            if same is not None and math.isclose(same, value):
                return Literally(_int_if_whole(value), said.text, "converted", said.said)
    return None


def unit_said(said: str | None) -> tuple[str | None, float]:
    """The id of a unit, and how many of it the words are; the words themselves where no unit bears them.

    >>> unit_said("万元"), unit_said("kg"), unit_said("parts")
    (('CNY', 10000.0), ('kg', 1.0), ('parts', 1.0))
    """
    if not said:
        return None, 1.0
    found = units().get(said) or unit_word(said)
    if found is not None:
        return found.id, 1.0
    whole = [quantity for quantity in find_quantities(f"1{said}") if quantity.end == len(said) + 1]
    return (whole[0].unit.id, whole[0].value) if whole else (said, 1.0)


def _of_type(value: Scalar, wanted: FieldType) -> bool:
    kinds: dict[FieldType, type] = {"integer": int, "number": int, "boolean": bool, "string": str}
    return wanted in kinds and isinstance(value, kinds[wanted]) and (wanted == "boolean" or not isinstance(value, bool))


def _int_if_whole(value: float) -> float:
    """A whole number as an integer."""
    return int(value) if value == int(value) else value
