"""What comes out: the results that an answer tells of, each formula with the words that bear out its numbers."""

import math
import re
from collections.abc import Mapping, Sequence

from compiler.extract.model.form import AnsweredFact, AnsweredProcedure, AnsweredResult, AnsweredRow
from compiler.extract.model.values import KnownFact
from compiler.grounding import literal_supported
from ir.fields import FieldType
from ir.formula import Call, Constant, Expression, is_number
from ir.formulas.infix import parse_formula
from ir.infix import InfixError
from ir.predicate import Literally
from ir.quantities.numerals import find_numbers, minus_before
from ir.quantities.units import find_quantities

_MISSING = re.compile(r"\b(?:missing|is_missing|is_null)\(\s*([^()\s]+)\s*\)")


def as_fact(result: AnsweredResult) -> AnsweredFact:
    """A result as conditions compare it."""
    kind = "string" if result.type == "list" else result.type
    return AnsweredFact(id=result.id, name=result.name, type=kind, unit=result.unit, values=result.values, at=result.at)


def field_type(result: AnsweredResult, known: KnownFact) -> FieldType:
    """The type of the field that holds a result."""
    return "array" if result.type == "list" else known.type


class Formulas:
    """Reads the values of rows.

    Args:
        names: references by the ids of facts, steps and results.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def formula(self, row: AnsweredRow, result: AnsweredResult, words: Sequence[str]) -> Expression | None:
        """A row's value as a formula; None where it is none, or the words do not bear out a number or text of it.

        Args:
            words: of the row, and of the result, which may give a number or a text as well.
        """
        said = _MISSING.sub(r"(\1 is null)", row.value.strip())
        plain = said.strip("\"'“”")
        if plain in map(str, result.values or ()):
            return self._borne(Constant(_value(plain, result)), words)
        try:
            tree = parse_formula(said, self._names)
        except InfixError:
            if result.type in ("string", "list") and plain and not re.search(r"[=<>*+/()]", plain):
                return self._borne(Constant(plain), words)
            return None
        return self._borne(tree, words)

    def _borne(self, tree: Expression, words: Sequence[str]) -> Expression | None:
        """The formula with the words of its literals; None where one has none.

        How many places something is rounded to, the hundred of a percentage, and the one and nothing by which it is
        counted how many of several things hold, need none.
        """
        match tree:
            case Call("sum" | "add" as op, args) if all(map(_is_counted, args)):
                counts = [self._count(arg, words) for arg in args]
                return None if None in counts else Call(op, tuple(part for part in counts if part is not None))
            case Call(op, (of, *rest)) if op.startswith("round"):
                inner = self._borne(of, words)
                return None if inner is None else Call(op, (inner, *rest))
            case Call("mul" | "div" as op, (of, Constant(100) as hundred)):
                inner = self._borne(of, words)
                return None if inner is None else Call(op, (inner, hundred))
            case Call(op, args):
                parts = [self._borne(arg, words) for arg in args]
                return None if None in parts else Call(op, tuple(part for part in parts if part is not None))
            case Constant(value, unit) if value is not None and not isinstance(value, bool):
                quote = _words_of(tree, words)
                return None if quote is None else Constant(value, unit, quote, "converted", quote)
        return tree

    def _count(self, part: Expression, words: Sequence[str]) -> Expression | None:
        if not isinstance(part, Call) or part.op != "if":
            return self._borne(part, words)
        holds, one, none = part.args
        inner = self._borne(holds, words)
        return None if inner is None else Call("if", (inner, one, none))


def _is_counted(part: Expression) -> bool:
    """Whether a part of a sum is one where something holds and else nothing, or a sum of such parts."""
    match part:
        case Call("if", (_, Constant(int() as one), Constant(int() as none))):
            return (one, none) == (1, 0) and not isinstance(one, bool)
        case Call("sum" | "add", args):
            return all(map(_is_counted, args))
    return False


def _value(text: str, result: AnsweredResult) -> str | int:
    return next((value for value in result.values or () if str(value) == text), text)


def _words_of(part: Constant, words: Sequence[str]) -> str | None:
    """The words that bear out a literal, if any do; those of a negative number hold its sign."""
    if is_number(part.value) and float(part.value) < 0:  # type: ignore[arg-type]
        for text in words:
            for number in find_numbers(text):
                start = minus_before(text, number)
                if start is not None and math.isclose(-number.value, float(part.value)):  # type: ignore[arg-type]
                    return text[start : number.end].strip()
        return None
    if is_number(part.value):
        for text in words:
            for quantity in find_quantities(text):
                for scale in (1, 0.01 if quantity.unit.id == "%" else 1):
                    if math.isclose(quantity.value * scale, float(part.value)):  # type: ignore[arg-type]
                        return quantity.text
            for number in find_numbers(text):
                if math.isclose(number.value, float(part.value)):  # type: ignore[arg-type]
                    return number.text.strip()
        return None
    literal = Literally(part.value, None, "quoted")
    found = next((text for text in words if literal_supported(literal, [text])), None)
    return None if found is None else str(part.value) if str(part.value) in found else found


def results_of(answer: AnsweredProcedure) -> list[AnsweredResult]:
    """The results of an answer, each id once, none of them that of a fact or a step."""
    taken = {fact.id for fact in answer.facts} | {step.id for step in answer.steps}
    found: dict[str, AnsweredResult] = {}
    for result in answer.results:
        if result.id not in taken:
            found.setdefault(result.id, result)
    return list(found.values())
