"""Formulas of rule packs as terms of the solver: exactly where they are linear, else within bounds.

A part becomes a term, with a formula that says when it is known. What makes the whole have no value (a division by
zero, a date before all dates) is a hazard, with when it comes about, counting only the parts that are looked at. Lists
that stand in a formula are known element by element; of other lists, products of two values and texts that are made
nothing is known but bounds: then the encoder is `loose`, and what the solver finds must show in the walk.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

import z3

from ir.faults import LARGEST_NUMBER
from ir.formula import Call, Constant, Expression, Item
from ir.predicate import Ref
from ir.quantities.units import ratio
from validator.analysis.formula_types import TypeKind, type_formula
from validator.proofs.dates import Dates
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, both, negation
from validator.proofs.kinds import NUMERIC, Kind, Opaque, Term, amount_of, bounds, constant, variable
from validator.proofs.numbers import Numbers, constant_of

_LOOSE: dict[TypeKind, Kind] = {
    "number": "number", "boolean": "boolean", "text": "text", "date": "date", "datetime": "zoned", "duration": "clock",
}  # fmt: skip


@dataclass(frozen=True)
class Scalar:
    """A value: a term of some kind, and when it is known. Numbers are real numbers.

    Args:
        kind: None for null.
        literal: of a text that stands in the formula, the text; it may be meant as a date or a duration.
    """

    kind: Kind | None
    term: Term
    known: Formula
    literal: str | None = None


@dataclass(frozen=True)
class Group:
    """A list: its elements, each with when it is there, and when the list is known."""

    elements: tuple[tuple[Formula, Scalar], ...]
    known: Formula


@dataclass(frozen=True)
class Hazard:
    """What keeps a formula from having a value.

    Args:
        at: JSON pointer to the part, inside the formula.
        code: the error code with which the node fails; empty where it is not known.
        when: when it comes about.
    """

    at: str
    code: str
    when: Formula


@dataclass(frozen=True)
class Encoded:
    """A formula as the solver sees it.

    Args:
        limits: what holds for the parts of which only bounds are known.
        loose: there are such parts.
    """

    value: Scalar
    hazards: tuple[Hazard, ...]
    limits: tuple[Formula, ...]
    loose: bool


def encode_formula(encoder: Encoder, tree: Expression) -> Encoded:
    """A formula over the workflow's own values.

    Raises:
        Opaque: the solver cannot be asked about it, as of a list.
    """
    known = encoder.encoded.get(tree)
    if known is None:
        work = _Encoding(encoder)
        value = work.scalar(tree, "")
        if value.kind == "number":
            limit = constant(LARGEST_NUMBER, encoder.ctx)
            work.hazard("", "OUT_OF_RANGE", value.known, z3.Or(value.term > limit, value.term < -limit))
        known = encoder.encoded[tree] = Encoded(value, tuple(work.hazards), tuple(work.limits), work.loose)
    assert isinstance(known, Encoded)
    return known


def differing_values(encoder: Encoder, one: Scalar, other: Scalar) -> Formula:
    """When two values are not the same: both known and unequal, or one known alone.

    Raises:
        Opaque: they are of different types.
    """
    work = _Encoding(encoder)
    alone = z3.Xor(one.known, other.known)
    if one.kind is None or other.kind is None:
        return alone
    unequal = negation(work.compared("eq", one, other))
    return encoder.any([alone, encoder.all([one.known, other.known, unequal])])


class _Encoding:
    """One formula being encoded."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.ctx = encoder, encoder.ctx
        self.yes, self.no = encoder.yes, encoder.no
        self.hazards: list[Hazard] = []
        self.path: list[Formula] = []
        self.items: list[Scalar] = []
        self.loose = False
        self.limits: list[Formula] = []
        self.dates = Dates(self.fresh, self.hazard)
        self.numbers = Numbers(self.ctx, encoder.scope, self.fresh)
        self.real = self.numbers.real

    def hazard(self, at: str, code: str, *when: Formula) -> None:
        """Keep that the formula has no value there."""
        self.hazards.append(Hazard(at, code, self.encoder.all([*self.path, *when])))

    def fresh(self, kind: Kind, given: Formula = None, low: Term = None, high: Term = None) -> Term:
        """A term of which only bounds are known, where the part is looked at and something is given."""
        self.loose = True
        self.encoder.unknowns += 1
        term = variable(f"unknown {self.encoder.unknowns}", kind, self.ctx)
        self.limits += bounds(term, kind)
        limits = [*([] if low is None else [term >= low]), *([] if high is None else [term <= high])]
        if limits:
            path = self.encoder.all([*self.path, *([] if given is None else [given])])
            self.limits.append(self.encoder.any([negation(path), self.encoder.all(limits)]))
        return term

    @contextmanager
    def only_if(self, condition: Formula) -> Iterator[None]:
        """What is encoded inside is looked at only if something holds."""
        self.path.append(condition)
        yield
        self.path.pop()

    def value(self, tree: Expression, at: str) -> Scalar | Group:
        """A part; within bounds where it cannot be told exactly."""
        mark = len(self.hazards)
        try:
            return self.exact(tree, at)
        except Opaque:
            if self.items:
                raise
            del self.hazards[mark:]
            return self.within_bounds(tree, at)

    def within_bounds(self, tree: Expression, at: str) -> Scalar:
        """A part of which only its type and its range are known."""
        found, faults = type_formula(tree, self.encoder.scope.spec, [*self.encoder.scope.workflow.calendars])
        kind = _LOOSE.get(found.kind)
        if kind is None or any(fault.code == "operand-mismatch" for fault in faults):
            raise Opaque(f"of {'a list' if found.kind == 'list' else 'a formula'} nothing is known")
        known, fails = self.fresh("boolean"), self.fresh("boolean")
        self.hazard(at, "", fails)
        sound = both(known, negation(fails))
        return Scalar(kind, self.numbers.within(tree, sound) if kind == "number" else self.fresh(kind), known)

    def scalar(self, tree: Expression, at: str) -> Scalar:
        """A part that is no list."""
        found = self.value(tree, at)
        if isinstance(found, Group):
            raise Opaque("a list where a value was expected")
        return found

    def group(self, tree: Expression, at: str) -> Group:
        """A part that is a list."""
        found = self.value(tree, at)
        if isinstance(found, Scalar):
            raise Opaque("a value where a list was expected")
        return found

    def exact(self, tree: Expression, at: str) -> Scalar | Group:
        """A part, exactly."""
        match tree:
            case Ref():
                field, known = self.encoder.field(tree), negation(self.encoder.is_null(tree))
                if field.kind in NUMERIC:
                    term = z3.ToReal(field.term) if field.kind == "integer" else field.term
                    return Scalar("number", term, known)
                return Scalar(field.kind, field.term, known)
            case Item(path):
                if path or not self.items:
                    raise Opaque("a part of an element")
                return self.items[-1]
            case Constant(value):
                return self.literal(value)
            case Call(op, args):
                return self.call(
                    op, args, [f"{at}/{n}" if op == "list" else f"{at}/{op}/{n}" for n in range(len(args))]
                )

    def literal(self, value: object) -> Scalar:
        """A literal."""
        if isinstance(value, bool):
            return Scalar("boolean", z3.BoolVal(value, self.ctx), self.yes)
        if isinstance(value, str):
            return Scalar("text", constant(self.encoder.texts.code(value), self.ctx), self.yes, value)
        return Scalar("number", self.real(Fraction(str(value))), self.yes) if value is not None else self.null()

    def null(self) -> Scalar:
        """What is not known."""
        return Scalar(None, self.no, self.no)

    def call(self, op: str, args: tuple[Expression, ...], at: list[str]) -> Scalar | Group:
        """An operation."""
        match op:
            case "if":
                return self.choice(args, at)
            case "and" | "or":
                return self.junction(op, args, at)
            case "is_null":
                return Scalar("boolean", negation(self.value(args[0], at[0]).known), self.yes)
            case "list":
                return Group(tuple((self.yes, self.scalar(a, p)) for a, p in zip(args, at, strict=True)), self.yes)
            case "known" | "min" | "max" | "sum" | "mean" | "count":
                return self.aggregate(op, self.operands(args, at))
            case "for" | "filter":
                return self.through(op, args, at)
            case "append" | "concatenate":
                return self.grown(op, args, at)
            case "in":
                return self.contained(self.scalar(args[0], at[0]), self.group(args[1], at[1]))
        given = [self.scalar(arg, place) for arg, place in zip(args, at, strict=True)]
        if any(each.kind is None for each in given):
            return self.null()
        known = self.encoder.all(each.known for each in given)
        if op == "not":
            return Scalar("boolean", negation(given[0].term), known)
        if op in ("eq", "ne", "lt", "lte", "gt", "gte"):
            return Scalar("boolean", self.compared(op, given[0], given[1]), known)
        return self.computed(op, args, at, given, known)

    def choice(self, args: tuple[Expression, ...], at: list[str]) -> Scalar | Group:
        """`if`, of values or of lists."""
        condition = self.scalar(args[0], at[0])
        if condition.kind is None:
            return self.null()
        yes, no = both(condition.known, condition.term), both(condition.known, negation(condition.term))
        with self.only_if(yes):
            first = self.value(args[1], at[1])
        with self.only_if(no):
            second = self.value(args[2], at[2])
        known = self.encoder.any([both(yes, first.known), both(no, second.known)])
        if isinstance(first, Group) and isinstance(second, Group):
            elements = [(both(yes, there), one) for there, one in first.elements]
            return Group((*elements, *((both(no, there), one) for there, one in second.elements)), known)
        if isinstance(first, Group) or isinstance(second, Group):
            raise Opaque("a list or a value")
        first, second = self.alike(first, second)
        return replace(first, term=z3.If(yes, first.term, second.term), known=known, literal=None)

    def junction(self, op: str, args: tuple[Expression, ...], at: list[str]) -> Scalar:
        """`and` and `or`, which stop where they are decided."""
        true: list[Formula] = []
        false: list[Formula] = []
        for arg, place in zip(args, at, strict=True):
            with self.only_if(negation(self.encoder.any(false if op == "and" else true))):
                found = self.scalar(arg, place)
            if found.kind not in ("boolean", None):
                raise Opaque("what is neither true nor false")
            true.append(both(found.known, found.term))
            false.append(both(found.known, negation(found.term)))
        holds = self.encoder.all(true) if op == "and" else self.encoder.any(true)
        fails = self.encoder.any(false) if op == "and" else self.encoder.all(false)
        return Scalar("boolean", holds, self.encoder.any([holds, fails]))

    def alike(self, left: Scalar, right: Scalar) -> tuple[Scalar, Scalar]:
        """Two values as such of one kind: null as any, a text in the formula as a date or a duration."""
        if left.kind == right.kind:
            return left, right
        if left.kind is None or right.kind is None:
            kind = left.kind or right.kind
            assert kind is not None
            some = z3.BoolVal(False, self.ctx) if kind == "boolean" else self.real(0) if kind == "number" else None
            term = constant(0, self.ctx) if some is None else some
            empty = Scalar(kind, term, self.no)
            return (empty, right) if left.kind is None else (left, empty)
        if left.literal is not None:
            return self.read_as(left, right.kind), right
        return left, self.read_as(right, left.kind)

    def read_as(self, value: Scalar, kind: Kind) -> Scalar:
        """A text that stands in the formula as a value of another kind."""
        amount = amount_of(value.literal, kind, self.encoder.texts) if value.literal is not None else None
        if amount is None:
            raise Opaque("values of different types")
        return Scalar(kind, constant(amount, self.ctx), value.known)

    def as_one_of(self, value: Scalar, *kinds: Kind) -> Scalar:
        """A text that stands in the formula as a value of the first kind that it may be of."""
        for kind in kinds if value.literal is not None else ():
            if amount_of(value.literal, kind, self.encoder.texts) is not None:
                return self.read_as(value, kind)
        return value

    def compared(self, op: str, left: Scalar, right: Scalar) -> Formula:
        """When a comparison of two known values holds."""
        left, right = self.alike(left, right)
        if op in ("eq", "ne"):
            return left.term == right.term if op == "eq" else left.term != right.term
        if left.kind in ("text", "boolean"):
            raise Opaque("texts are compared by their order")
        one, other = left.term, right.term
        return {"lt": one < other, "lte": one <= other, "gt": one > other, "gte": one >= other}[op]

    def operands(self, args: tuple[Expression, ...], at: list[str]) -> Group:
        """The elements of an aggregate: of one list, or its operands."""
        if len(args) == 1:
            return self.group(args[0], at[0])
        return Group(tuple((self.yes, self.scalar(a, p)) for a, p in zip(args, at, strict=True)), self.yes)

    def grown(self, op: str, args: tuple[Expression, ...], at: list[str]) -> Group:
        """`append` and `concatenate`."""
        pairs = list(zip(args, at, strict=True))
        split = len(pairs) if op == "concatenate" else 1
        lists = [self.group(arg, place) for arg, place in pairs[:split]]
        more = [(self.yes, self.scalar(arg, place)) for arg, place in pairs[split:]]
        elements = [element for one in lists for element in one.elements]
        return Group((*elements, *more), self.encoder.all(one.known for one in lists))

    def through(self, op: str, args: tuple[Expression, ...], at: list[str]) -> Group:
        """`for` and `filter`, element by element."""
        found = self.group(args[0], at[0])
        elements: list[tuple[Formula, Scalar]] = []
        known = [found.known]
        for there, element in found.elements:
            self.items.append(element)
            with self.only_if(self.encoder.all([there, *known])):
                body = self.scalar(args[1], at[1])
            self.items.pop()
            if op == "for":
                elements.append((there, body))
            else:
                known.append(self.encoder.any([negation(there), body.known]))
                elements.append((self.encoder.all([there, body.known, body.term]), element))
        return Group(tuple(elements), self.encoder.all(known))

    def contained(self, item: Scalar, members: Group) -> Scalar:
        """Whether a list holds a value."""
        true: list[Formula] = []
        false = [item.known, members.known]
        for there, member in members.elements:
            if item.kind is None or member.kind is None:
                false.append(negation(there))
                continue
            same = self.compared("eq", item, member)
            true.append(self.encoder.all([item.known, members.known, there, member.known, same]))
            false.append(self.encoder.any([negation(there), both(member.known, negation(same))]))
        holds = self.encoder.any(true)
        return Scalar("boolean", holds, self.encoder.any([holds, self.encoder.all(false)]))

    def aggregate(self, op: str, given: Group) -> Scalar | Group:
        """One value, or a shorter list, of the elements of a list."""
        if op == "known":
            return Group(tuple((both(there, one.known), one) for there, one in given.elements), given.known)
        count = self.real(0)
        for there, _ in given.elements:
            count = count + z3.If(there, self.real(1), self.real(0))
        if op == "count":
            return Scalar("number", count, given.known)
        kept = [(there, one) for there, one in given.elements if one.kind is not None]
        if not kept:
            return self.null()
        every = [self.encoder.any([negation(there), one.known]) for there, one in given.elements]
        known = self.encoder.all([given.known, *every, self.encoder.any(there for there, _ in given.elements)])
        if op in ("min", "max"):
            return replace(self.extreme(op, kept), known=known, literal=None)
        if any(one.kind != "number" for _, one in kept):
            raise Opaque("what is no number is added up")
        total = self.real(0)
        for there, one in kept:
            total = total + z3.If(there, one.term, self.real(0))
        if op == "mean":
            mean = total
            for size in range(2, len(kept) + 1):
                mean = z3.If(count == self.real(size), total * self.real(Fraction(1, size)), mean)
            return Scalar("number", mean, known)
        return Scalar("number", total, known)

    def extreme(self, op: str, kept: Sequence[tuple[Formula, Scalar]]) -> Scalar:
        """The least or the greatest of the elements that are there."""
        some, best = kept[0]
        for there, one in kept[1:]:
            best, one = self.alike(best, one)
            better = self.compared("lt" if op == "min" else "gt", one, best)
            takes = both(there, self.encoder.any([negation(some), better]))
            best = replace(best, term=z3.If(takes, one.term, best.term), literal=None)
            some = self.encoder.any([some, there])
        if best.kind in ("text", "boolean"):
            raise Opaque("texts have no order")
        return best

    def computed(
        self, op: str, args: tuple[Expression, ...], at: list[str], given: list[Scalar], known: Formula
    ) -> Scalar:
        """An operation on values that are known."""
        if op in _ON_DATES or (op in ("add", "sub") and given[0].kind != "number"):
            return self.on_dates(op, args, at, given, known)
        if any(each.kind != "number" for each in given[:1] if op == "convert" or len(given) == 1):
            raise Opaque("what is no number")
        if op in ("add", "sub", "mul", "div") and given[1].kind != "number":
            raise Opaque("what is no number")
        terms = [each.term for each in given]
        first = terms[0]
        match op:
            case "add" | "sub":
                return Scalar("number", first + given[1].term if op == "add" else first - given[1].term, known)
            case "mul":
                return Scalar("number", self.numbers.product(args, terms, known), known)
            case "div":
                self.hazard(at[1].rsplit("/", 2)[0], "DIVISION_BY_ZERO", known, given[1].term == self.real(0))
                return Scalar("number", self.numbers.quotient(args, terms, known), known)
            case "convert":
                times = ratio(str(getattr(args[1], "value", "")), str(getattr(args[2], "value", "")))
                if times is None:
                    raise Opaque("units without a fixed factor")
                return Scalar("number", first * self.real(times), known)
        if op.startswith("round_"):
            digits = constant_of(args[1]) if len(args) > 1 else Fraction(0)
            if digits is None or digits.denominator != 1 or abs(digits) > 20:
                raise Opaque("rounding to digits that are not written out")
            return Scalar("number", self.numbers.rounded(op.removeprefix("round_"), first, int(digits)), known)
        if op not in _SIMPLE:
            raise Opaque(f"{op} makes a text")
        return Scalar("number", _SIMPLE[op](first), known)

    def on_dates(
        self, op: str, args: Sequence[Expression], at: list[str], given: list[Scalar], known: Formula
    ) -> Scalar:
        """An operation on dates and durations."""
        place = at[0].rsplit("/", 2)[0]
        if op in ("add", "sub"):
            left = self.as_one_of(given[0], "date", "zoned", "local", "clock", "month", "business")
            right = self.as_one_of(given[1], "clock", "month", "business")
            found = self.dates.shifted(place, left.kind, left.term, right.kind, right.term, op == "add", known)
        elif op == "duration":
            unit = args[1].value if isinstance(args[1], Constant) else None
            found = self.dates.duration(place, given[0].term, str(unit), known)
        else:
            count = constant_of(args[1]) if op == "add_working_days" else None
            dates = [self.as_one_of(one, "date") for one in given[: 1 + (count is None)]]
            if any(one.kind != "date" for one in dates):
                raise Opaque("what is no date")
            fails = self.fresh("boolean") if "working" in op else self.no
            self.hazard(place, "", known, fails)
            found = self.dates.counted(op, [one.term for one in dates], count, both(known, negation(fails)))
        return Scalar(found[0], found[1], known)


_ON_DATES = ("duration", "days_between", "months_between", "add_working_days", "working_days_between")
_SIMPLE: dict[str, Callable[[Term], Term]] = {
    "neg": lambda term: -term,
    "percent": lambda term: term / 100,
    "to_percent": lambda term: term * 100,
    "abs": lambda term: z3.If(term >= 0, term, -term),
    "floor": lambda term: z3.ToReal(z3.ToInt(term)),
    "ceiling": lambda term: -z3.ToReal(z3.ToInt(-term)),
}
