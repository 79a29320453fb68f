"""Numbers with which formulas come to wanted values, where the solver only knows bounds of what they compute."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10

from pydantic import JsonValue

from ir.formula import expression_references
from ir.formulas.evaluate import FormulaFault, compute
from ir.predicate import Ref, evaluate
from validator.examples.play import Facts
from validator.examples.targets import Targets

HALVINGS = 40
Off = Callable[[float], float | None]
"""By how much a field is too large with a number; None where it has no value."""
_SHARES = (0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0, 100.0)


@dataclass(frozen=True, eq=False)
class Aim:
    """Moves one number after the other until what is computed from them is as wanted.

    Args:
        computed: by field what formulas read for it, through other computed fields, numbers that are given alone.
    """

    targets: Targets
    computed: Mapping[Ref, tuple[Ref, ...]]

    @classmethod
    def of(cls, targets: Targets) -> "Aim":
        """For the formulas of a workflow."""
        return cls(targets, dict(_computed(targets)))

    def at(self, facts: Facts, wanted: Mapping[Ref, JsonValue]) -> Facts:
        """The facts with numbers moved so that computed fields have wanted values, as far as that is found.

        Args:
            wanted: values of computed fields, those that are computed first in front.
        """
        moved: set[Ref] = set()
        for field, value in wanted.items():
            if not isinstance(value, int | float) or isinstance(value, bool):
                continue
            for ref in self.computed.get(field, ()):
                if ref in moved or not isinstance(facts.values.get(ref), int | float):
                    continue
                found = self._solved(facts, field, float(value), ref)
                if found is not None:
                    facts = facts.with_values({ref: found})
                    moved.add(ref)
                    break
        return facts

    def _solved(self, facts: Facts, field: Ref, wanted: float, ref: Ref) -> float | None:
        """A number for one reference with which a field is as wanted."""

        def off(number: float) -> float | None:
            found = self._value(field, {**facts.values, ref: _plain(number)})
            known = isinstance(found, int | float) and not isinstance(found, bool)
            return float(found) - wanted if known else None  # type: ignore[arg-type]

        now = facts.values[ref]
        assert isinstance(now, int | float)
        if off(float(now)) == 0:
            return now
        tried = [(number, miss) for number in _spread(float(now)) if (miss := off(number)) is not None]
        for number, miss in sorted(tried, key=lambda pair: abs(pair[0] - now)):
            if miss == 0:
                return _plain(number)
        tried = sorted([*tried, *_dips(off, tried)])
        between = [(one[0], other[0]) for one, other in pairwise(tried) if one[1] * other[1] < 0]
        for low, high in sorted(between, key=lambda pair: abs(pair[0] - now)):
            found = _halved(off, low, high)
            if found is not None:
                return _plain(found)
        return None

    def _value(self, ref: Ref, values: Mapping[Ref, JsonValue]) -> JsonValue:
        """What a reference reads with these values; of a computed field what the row comes to that holds."""
        table = self.targets.tables.get(ref.node or "")
        if ref not in self.computed or table is None:
            return values.get(ref)

        def lookup(other: Ref) -> JsonValue:
            return self._value(other, values)

        rows = table.rows_computing(ref.path[-1])
        held = [row for row in table.rows_holding(lambda tree: evaluate(tree, lookup)) if row in rows]
        if len(held) != 1:
            return None
        found = compute(rows[held[0]], lookup, self.targets.analysis.workflow.calendars)
        return None if isinstance(found, FormulaFault) else found


def _dips(off: Off, tried: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The lowest points between numbers beside which a field is larger, as where it is how far others are apart."""
    for before, at, after in zip(tried, tried[1:], tried[2:], strict=False):
        if not before[1] > at[1] < after[1]:
            continue
        low, high = before[0], after[0]
        for _ in range(HALVINGS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            one, other = off(left), off(right)
            if one is None or other is None:
                break
            low, high = (low, right) if one < other else (left, high)
        middle = (low + high) / 2
        miss = off(middle)
        if miss is not None:
            yield middle, miss


def _halved(off: Off, low: float, high: float) -> float | None:
    """A number between two others, on whose sides a field is too small and too large, with which it is right."""
    side = off(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        for digits in range(1, 8):
            rounded = round(middle, digits - 1 - floor(log10(abs(middle)))) if middle else 0.0
            if low < rounded < high and off(rounded) == 0:
                return rounded
        miss = off(middle)
        if miss is None or side is None:
            return None
        low, high = (middle, high) if (miss < 0) == (side < 0) else (low, middle)
    return None


def _spread(now: float) -> list[float]:
    return sorted({*(now * share for share in _SHARES), 0.0, 1.0, 10.0, 100.0, 1000.0})


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _computed(targets: Targets) -> Iterator[tuple[Ref, tuple[Ref, ...]]]:
    reads: dict[Ref, list[Ref]] = {}
    for node in targets.analysis.graph.order:
        table = targets.tables.get(node)
        for (_, name), tree in table.formulas.items() if table is not None else ():
            reads.setdefault(Ref(f"$.outputs.{node}.{name}"), []).extend(expression_references(tree))
    for field in reads:
        given: list[Ref] = []
        waiting = [field]
        while waiting:
            own = waiting.pop(0)
            given += [] if own in reads else [own]
            waiting += reads.get(own, [])
        yield field, tuple(dict.fromkeys(given))
