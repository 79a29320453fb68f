"""The words that bear out the numbers and texts of a formula; what the arithmetic itself brings along needs none."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from compiler.grounding import literal_supported
from ir.duration import duration_length
from ir.formula import Call, Constant, Expression, is_number
from ir.predicate import Literally
from ir.quantities.numerals import find_numbers, minus_before
from ir.quantities.units import convert, find_quantities, ratio, unit_named

_HALF = re.compile(r"\b(?:half|halved|halves)\b|(?<![\u4e00-\u9fff])?(?:减半|一半|半数|半)", re.IGNORECASE)
_TWICE = re.compile(r"\b(?:twice|doubled?|doubles)\b|翻倍|加倍|一倍", re.IGNORECASE)
_NOTHING = re.compile(
    r"\b(?:no(?! (?:more|less|later|fewer|longer|earlier|sooner))|none|nothing|nil|zero|free|waived|negative)\b"
    r"|免|零|负|均不|都不|不予(?:奖|补|报|发|退|收|扣|计)|不(?:计|收|扣|发|享受|参与)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:next|following|preceding|previous) (?:working |business |calendar )?day\b|\bday (?:after|before)\b"
    r"|次日|翌日|(?:[次下前后]一?个?)(?:工作日|日|天)",
    re.IGNORECASE,
)
_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905
_ORDINALS = {name: number for number, name in enumerate(_FIRST, 1)} | {
    "fifteenth": 15,
    "twentieth": 20,
    "thirtieth": 30,
}
_ORDINAL = re.compile(r"\b(?:" + "|".join(_ORDINALS) + r")\b", re.IGNORECASE)
_UNIT = re.compile(r"\b(?:per|in) (?P<en>[A-Za-z]+)|(?<=[每以])(?P<zh>千?[\u4e00-\u9fff](?:时|钟|米)?)(?=[计\d为])")
_SPOKEN = ((_HALF, (0.5, 2)), (_TWICE, (2,)), (_NOTHING, (0,)))
"""Numbers that are told without a numeral."""
_SHARE = re.compile(r"%|％|\bpercent|\bper cent|百分", re.IGNORECASE)
_ROUNDS = ("floor", "ceiling", "round_up", "round_down", "round_half_up", "round_half_down", "round_half_even")
_NEUTRAL = {"mul": 1, "div": 1, "add": 0, "sub": 0, "sum": 0}
_SETTINGS = {"duration": 1, "add_working_days": 2, "working_days_between": 2, "convert": 1, "string_join": 1}
"""From which operand on the operands of a call are settings of it: a unit, a calendar, a separator."""


_ONE_DAY = (duration_length("P1D"), duration_length("P1BD"))


def says_nothing(words: str) -> bool:
    """Whether words speak of nothing, none or zero."""
    return _NOTHING.search(words) is not None


class FormulaWords:
    """Gives the literals of formulas their words.

    Args:
        words: that may give a number or a text, the nearest first.
        units: of the values at hand; a quantity of the words may be said in one of them.
        scales: how many of a unit the values at hand are said in: 10,000 for 万元.
    """

    def __init__(self, words: Sequence[str], units: Collection[str] = (), scales: Collection[float] = ()) -> None:
        self._words, self._scaled = words, {*scales, *(1 / scale for scale in scales)}
        self._shares = any(_SHARE.search(text) for text in words)
        named = (unit_named(unit) for unit in units)
        self._units = {unit.id for unit in named if unit is not None}
        self._said = self._units | {quantity.unit.id for text in words for quantity in find_quantities(text)}
        beside = (unit_named(match["en"] or match["zh"]) for text in words for match in _UNIT.finditer(text))
        self._said |= {unit.id for unit in beside if unit is not None}
        self.assumed = False
        """Whether zero is the least that a formula gives, and no words say so."""

    def borne(self, tree: Expression) -> Expression | None:
        """The formula with the words of its literals; None where one has none.

        No words are needed for how many places something is rounded to, also where that is written as a scale; for
        the hundred of a percentage and the one that a share is taken off or put on; for the ones by which it is
        counted how many of several things hold; for a part that changes nothing, such as `if a then x else 0` of a
        sum; for a factor between two units that the words or the values have; for `the day itself or the next working
        day`.
        """
        match tree:
            case Call("sum" | "add" as op, args) if all(map(_is_counted, args)):
                return _joined(op, [self._count(arg) for arg in args])
            case Call("max", args) if Constant(0) in args and len(args) > 1 and self._constant(Constant(0)) is None:
                rest = _joined("max", [self.borne(arg) for arg in args if arg != Constant(0)])
                self.assumed = self.assumed or rest is not None
                return None if rest is None else Call("max", (*_operands(rest, len(args) - 1), Constant(0)))
            case Call("add_working_days", (Call("sub", (day, Constant("P1D"))) as before, Constant(1), calendar)):
                inner = self.borne(day)
                before = replace(before, args=(inner or day, Constant("P1D")))
                return None if inner is None else Call(tree.op, (before, Constant(1), calendar))
            case Call("add_working_days", (day, Constant(1 | -1 as one), calendar)) if self._spoken(_NEXT):
                inner, said = self.borne(day), str(self._spoken(_NEXT))
                counted = Constant(one, None, said, "converted", said)
                return None if inner is None else Call(tree.op, (inner, counted, calendar))
            case Call(op, (of, *rest)) if op in _ROUNDS:
                inner = self.borne(of)
                return None if inner is None else Call(op, (inner, *rest))
            case Call("mul" | "div" as op, (of, Constant(value) as scale)) if self._scales(op, of, value):
                inner = self._rounded(of, value)
                return None if inner is None else Call(op, (inner, scale))
            case Call("mul", (Constant(value) as scale, of)) if self._scales("mul", of, value):
                inner = self._rounded(of, value)
                return None if inner is None else Call("mul", (scale, inner))
            case Call("mul" | "div" as op, (of, Constant(100) as hundred)) if self._shares:
                inner = self.borne(of)
                return None if inner is None else Call(op, (inner, hundred))
            case Call("add" | "sub" as op, (Constant(1) as whole, Call("percent", _) as share)):
                inner = self.borne(share)
                return None if inner is None else Call(op, (whole, inner))
            case Call(op, args):
                settings = _SETTINGS.get(op, len(args))
                neutral = _NEUTRAL.get(op)
                return _joined(op, [arg if n >= settings else self._part(arg, neutral) for n, arg in enumerate(args)])
            case Constant(value) if value is not None and not isinstance(value, bool):
                return self._constant(tree)
        return tree

    def _part(self, part: Expression, neutral: int | None) -> Expression | None:
        """An operand; of one by cases that changes nothing in some of them, that needs no words."""
        if neutral is None or not isinstance(part, Call) or part.op != "if":
            return self.borne(part)
        holds, *values = part.args
        told = [one if one == Constant(neutral) else self._part(one, neutral) for one in values]
        return _joined("if", [self.borne(holds), *told])

    def _count(self, part: Expression) -> Expression | None:
        if not isinstance(part, Call) or part.op != "if":
            return self.borne(part)
        holds, *values = part.args
        return _joined("if", [self.borne(holds), *(v if isinstance(v, Constant) else self._count(v) for v in values)])

    # --- rounding, written as a scale -----------------------------------------------------------------------------

    def _scales(self, op: str, of: Expression, value: object) -> bool:
        """Whether a product or quotient undoes the scale at which its other operand is rounded."""
        if not isinstance(of, Call) or of.op not in _ROUNDS or not is_number(value) or value == 0:
            return False
        inner = _unhalved(of.args[0])
        scale, other = float(value), "mul" if op == "div" else "div"  # type: ignore[arg-type]
        plain = math.isclose(math.log10(scale) % 1, 0, abs_tol=1e-9) if scale > 0 else False
        return (plain or self._constant(Constant(value)) is not None) and any(  # type: ignore[arg-type]
            math.isclose(factor, scale) or math.isclose(factor, scale * 100) for factor in _factors(inner, other)
        )

    def _rounded(self, of: Expression, value: object) -> Expression | None:
        """What is rounded at a scale, with the words of all but the scale and the half that is added to it."""
        assert isinstance(of, Call)
        scale = float(value)  # type: ignore[arg-type]
        inner, half = _unhalved(of.args[0]), of.args[0]
        told = self._unscaled(inner, scale)
        if told is None:
            return None
        if inner is not half and isinstance(half, Call):
            told = replace(half, args=tuple(told if arg is inner else arg for arg in half.args))
        return replace(of, args=(told, *of.args[1:]))

    def _unscaled(self, tree: Expression, scale: float) -> Expression | None:
        if isinstance(tree, Constant) and is_number(tree.value):
            number = float(tree.value)  # type: ignore[arg-type]
            if math.isclose(number, scale) or math.isclose(number, scale * 100):
                return tree
        if isinstance(tree, Call) and tree.op in ("mul", "div"):
            return _joined(tree.op, [self._unscaled(arg, scale) for arg in tree.args])
        return self.borne(tree)

    # --- words ----------------------------------------------------------------------------------------------------

    def _constant(self, part: Constant) -> Constant | None:
        """A literal with the words that bear it out."""
        value, unit = part.value, part.unit
        if is_number(value):
            quote = self._number(float(value))  # type: ignore[arg-type]
            if quote is None and float(value) in self._between_units() | self._scaled:  # type: ignore[arg-type]
                return part
        elif isinstance(value, str) and duration_length(value) is not None:
            length = duration_length(value)
            found_in = (q for text in self._words for q in find_quantities(text))
            quote = next((q.text for q in found_in if q.duration and duration_length(q.duration) == length), None)
            if quote is None and length in _ONE_DAY:
                quote = self._spoken(_NEXT)
            elif quote is None and length is not None and not length[0]:
                quote = self._spoken(_NOTHING)
        else:
            literal = Literally(value, None, "quoted")
            found = next((text for text in self._words if literal_supported(literal, [text])), None)
            quote = None if found is None else str(value) if str(value) in found else found
        return None if quote is None else Constant(value, unit, quote, "converted", quote)

    def _number(self, value: float) -> str | None:
        """The words that give a number; those of a negative one hold its sign."""
        if value < 0:
            return next((said for text in self._words if (said := _negative(text, value)) is not None), None)
        for text in self._words:
            for quantity in find_quantities(text):
                shares = (0.01 * quantity.value,) if quantity.unit.id == "%" else ()
                shares = (*shares, *(1 + side * share for share in shares for side in (1, -1)))
                other = [convert(quantity.value, quantity.unit.id, unit) for unit in self._units]
                other += [quantity.value * scale for scale in self._scaled]
                if any(one is not None and math.isclose(one, value) for one in (quantity.value, *shares, *other)):
                    return quantity.text
            for number in find_numbers(text):
                if math.isclose(number.value, value):
                    return number.text.strip()
            for match in _ORDINAL.finditer(text):
                if _ORDINALS[match[0].lower()] == value:
                    return match[0]
        return next((said for pattern, values in _SPOKEN if value in values and (said := self._spoken(pattern))), None)

    def _spoken(self, pattern: re.Pattern[str]) -> str | None:
        return next((match[0] for text in self._words if (match := pattern.search(text))), None)

    def _between_units(self) -> set[float]:
        """The factors between the units of the words and of the values."""
        return {float(one) for a in self._said for b in self._said if a != b and (one := ratio(a, b)) is not None}


def _joined(op: str, parts: Sequence[Expression | None]) -> Call | None:
    return None if None in parts else Call(op, tuple(part for part in parts if part is not None))


def _operands(tree: Expression, count: int) -> tuple[Expression, ...]:
    assert isinstance(tree, Call) and len(tree.args) == count
    return tree.args


def _is_counted(part: Expression) -> bool:
    """Whether a part of a sum is one where something holds and else nothing, or a sum of such parts."""
    match part:
        case Call("if", (_, *values)):
            return all(one in (Constant(1), Constant(0)) or _is_counted(one) for one in values)
        case Call("sum" | "add", args):
            return all(map(_is_counted, args))
    return False


def _unhalved(tree: Expression) -> Expression:
    """What is rounded half up by adding a half to it; all else as it is."""
    match tree:
        case Call("add", (of, Constant(0.5))) | Call("add", (Constant(0.5), of)):
            return of
    return tree


def _factors(tree: Expression, op: str) -> list[float]:
    """The numbers by which something is multiplied, or divided."""
    match tree:
        case Call("mul", (left, right)):
            both = [f for part in (left, right) for f in _factors(part, op)]
            return both + ([float(p.value) for p in (left, right) if _numeric(p)] if op == "mul" else [])  # type: ignore
        case Call("div", (left, right)):
            return _factors(left, op) + ([float(right.value)] if op == "div" and _numeric(right) else [])  # type: ignore
    return []


def _numeric(part: Expression) -> bool:
    return isinstance(part, Constant) and is_number(part.value)


def _negative(text: str, value: float) -> str | None:
    for number in find_numbers(text):
        start = minus_before(text, number)
        if start is not None and math.isclose(-number.value, value):
            return text[start : number.end].strip()
    return None
