"""What comes out: the results that an answer tells of, each formula with the words that bear out its numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from compiler.extract.model.form import AnsweredFact, AnsweredProcedure, AnsweredResult, AnsweredRow
from compiler.extract.model.formula_words import FormulaWords
from compiler.extract.model.values import KnownFact, unit_said
from ir.duration import duration_length
from ir.fields import FieldType
from ir.formula import Call, Constant, Expression, Item, is_number, parts, replace_parts
from ir.formulas.infix import parse_formula
from ir.infix import InfixError
from ir.predicate import REFERENCE, Ref
from ir.quantities.units import ratio

MISSING = re.compile(r"\b(?:missing|is_missing)\(\s*([^()\s]+)\s*\)")
"""How answers say that a value is not there."""
_BELOW_ZERO = re.compile(r"\b(?:negative|minus|below zero)\b|负", re.IGNORECASE)
WEEKDAYS = "weekdays@1"
_LENGTH = re.compile(r"""@["'](P[0-9A-Z]+)["']""")


@dataclass(frozen=True)
class ReadFormula:
    """A row's value.

    Args:
        assumed: it is held to be zero at least, though no words say so.
        working_days: it counts working days, by the calendar that every workflow has.
        below_zero: it may come out below zero, of which no words speak.
    """

    tree: Expression
    assumed: bool
    working_days: bool
    below_zero: bool


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
        known: what is known of facts and results, by their ids.
    """

    def __init__(self, names: Mapping[str, str], known: Mapping[str, KnownFact]) -> None:
        self._names = names
        self._known = {names[name]: one for name, one in known.items()}

    def formula(self, row: AnsweredRow, result: AnsweredResult, words: Sequence[str]) -> ReadFormula | None:
        """A row's value as a formula; None where it is none, or the words do not bear out a number or text of it.

        Args:
            words: of the row, and of the result, which may give a number or a text as well.
        """
        own = self._known[f"$.results.{result.id}"]
        units = {unit for one in self._known.values() for unit in (one.answer_unit, one.unit) if unit}
        borne = FormulaWords(words, units, {one.factor for one in self._known.values() if one.factor != 1})
        tree = self._read(row.value.strip(), result)
        if tree is not None:
            tree = borne.borne(tree)
        if tree is None:
            return None
        tree = self._of_kind(self._measured(tree), own)
        below = _least(tree) < 0 and not any(_BELOW_ZERO.search(text) for text in words)
        return ReadFormula(tree, borne.assumed, _days_counted(tree), below)

    def _read(self, text: str, result: AnsweredResult) -> Expression | None:
        """A row's value as it was answered."""
        plain = text.strip("\"'“”")
        if plain in map(str, result.values or ()):
            return Constant(_value(plain, result))
        try:
            tree = parse_formula(_LENGTH.sub(r'"\1"', MISSING.sub(r"(\1 is null)", text)), self._names)
        except InfixError:
            alone = result.type in ("string", "list") and plain and not re.search(r"[=<>*+/()]", plain)
            return Constant(plain) if alone else None
        return self._dated(tree)

    def _dated(self, tree: Expression) -> Expression:
        """The formula with what is said of dates as the operations on dates."""
        if not isinstance(tree, Call):
            return tree
        args = tuple(map(self._dated, tree.args))
        match tree.op, args:
            case "convert", (of, Constant(str() as said), Constant(str() as into)):
                (unit, factor), (other, most) = unit_said(said), unit_said(into)
                if unit == other and factor != most:  # 万元 and 元 are one unit
                    scale = factor / most
                    plain = isinstance(of, Constant) and is_number(of.value)
                    return Constant(of.value * scale) if plain else Call("mul", (of, Constant(scale)))  # type: ignore
            case "sub", (later, earlier) if self._is_date(later) and self._is_date(earlier):
                return Call("days_between", (earlier, later))
            case "add" | "sub" as op, (day, Constant(str() as length)) if self._is_date(day):
                amount, calendar = duration_length(length) or (0, "")
                if calendar == "business":
                    count = Constant(int(amount) if op == "add" else -int(amount))
                    return Call("add_working_days", (day, count, Constant(WEEKDAYS)))
        return Call(tree.op, args)

    def _is_date(self, tree: Expression) -> bool:
        match tree:
            case Ref(text):
                return text in self._known and self._known[text].type == "date"
            case Call("add_working_days", _):
                return True
            case Call("add" | "sub", (first, _)):
                return self._is_date(first)
            case Call("if", (_, *values)) | Call("min" | "max", tuple(values)):
                return any(map(self._is_date, values))
        return False

    def _measured(self, tree: Expression) -> Expression:
        """The formula over values in the units in which they are kept, where it was answered in others."""

        def kept(part: Ref | Constant | Item) -> Expression:
            known = self._known.get(part.text) if isinstance(part, Ref) else None
            return part if known is None else _times(part, known, back=False)

        return replace_parts(tree, kept)

    def _of_kind(self, tree: Expression, own: KnownFact) -> Expression:
        if own.type == "duration" and isinstance(tree, Call) and tree.op == "days_between":
            return Call("duration", (tree, Constant("d")))
        return _times(tree, own, back=True)


def _times(tree: Expression, known: KnownFact, *, back: bool) -> Expression:
    """A value that is kept in one unit and said in another, said so; or, back, one that is said, as it is kept."""
    if known.unit is None or known.answer_unit is None:
        return tree
    if known.unit != known.answer_unit and ratio(known.unit, known.answer_unit) is not None:
        ways = (known.answer_unit, known.unit) if back else (known.unit, known.answer_unit)
        tree = Call("convert", (tree, Constant(ways[0]), Constant(ways[1])))
    if known.factor == 1:
        return tree
    return Call("mul" if back else "div", (tree, Constant(int(known.factor))))


def _days_counted(tree: Expression) -> bool:
    """Whether working days are counted."""
    return any(isinstance(part, Call) and "working_days" in part.op for part, _ in parts(tree))


def _least(tree: Expression) -> float:
    """The least that a formula gives of values that are not below zero themselves.

    >>> names = {"a": "$.facts.a", "b": "$.facts.b"}
    >>> [_least(parse_formula(text, names)) for text in ("a * 3 + b", "(a - 5) * 2", "max(a - b, 0)", "-3")]
    [0.0, -10.0, 0.0, -3.0]
    """
    low, _ = _range(tree)
    return low


def _range(tree: Expression) -> tuple[float, float]:
    """The least and the most of a formula; of what is no number, nothing below zero."""
    if isinstance(tree, Constant):
        value = float(tree.value) if is_number(tree.value) else 0.0  # type: ignore[arg-type]
        return value, value
    if not isinstance(tree, Call):
        return 0.0, inf
    parts_ = [_range(arg) for arg in tree.args]
    match tree.op:
        case "add" | "sum":
            return sum(low for low, _ in parts_), sum(high for _, high in parts_)
        case "sub" if len(parts_) == 2:
            return parts_[0][0] - parts_[1][1], parts_[0][1] - parts_[1][0]
        case "neg":
            return -parts_[0][1], -parts_[0][0]
        case "mul" | "div":
            (a, b), (c, d) = parts_[:2]
            if a >= 0 and c >= 0:
                return 0.0, inf
            ends = [x * y for x in (a, b) for y in (c, d) if not (x == 0 or y == 0)] if tree.op == "mul" else [-inf]
            return min(ends, default=0.0), inf
        case "if":
            return min(low for low, _ in parts_[1:]), max(high for _, high in parts_[1:])
        case "min":
            return min(low for low, _ in parts_), min(high for _, high in parts_)
        case "max":
            return max(low for low, _ in parts_), max(high for _, high in parts_)
        case "percent":
            return parts_[0][0] / 100, parts_[0][1] / 100
        case "mean" | "to_percent" | "convert" | "floor" | "ceiling":
            return parts_[0]
    return parts_[0] if tree.op.startswith("round") else (0.0, inf)


def _value(text: str, result: AnsweredResult) -> str | int:
    return next((value for value in result.values or () if str(value) == text), text)


def results_of(answer: AnsweredProcedure) -> dict[str, AnsweredResult]:
    """The results of an answer by the ids that it uses, each once, none of them that of a fact or a step.

    One whose id no reference can hold has another.
    """
    taken = {fact.id for fact in answer.facts} | {step.id for step in answer.steps}
    found: dict[str, AnsweredResult] = {}
    for number, result in enumerate(answer.results, 1):
        if result.id not in taken and result.id not in found:
            usable = REFERENCE.fullmatch(f"$.results.{result.id}") and "." not in result.id
            found[result.id] = result if usable else result.model_copy(update={"id": f"result-{number}"})
    return found
