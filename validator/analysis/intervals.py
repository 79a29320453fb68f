"""The numbers for which a condition over one reference is true, as intervals in order.

Whether two such conditions exclude or imply each other is then seen from their borders, without trying values.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ir.predicate import Compare, Junction, Literally, Not, Ref, Tree

LARGEST = 1e15  # beyond it numbers of a computer no longer tell neighbours apart
Border = tuple[float, int]  # a number, and 1 where the interval begins or ends just above it, else 0
_LOWEST, _HIGHEST = (-math.inf, 0), (math.inf, 0)


@dataclass(frozen=True)
class NumberSet:
    """Intervals from one border up to another, in order and apart from each other."""

    parts: tuple[tuple[Border, Border], ...]

    def __bool__(self) -> bool:
        """Whether there are any numbers in it."""
        return bool(self.parts)

    def __invert__(self) -> "NumberSet":
        borders = [_LOWEST, *(border for part in self.parts for border in part), _HIGHEST]
        pairs = zip(borders[::2], borders[1::2], strict=True)
        return NumberSet(tuple((low, high) for low, high in pairs if low < high))

    def __or__(self, other: "NumberSet") -> "NumberSet":
        found: list[tuple[Border, Border]] = []
        for low, high in sorted((*self.parts, *other.parts)):
            if found and low <= found[-1][1]:
                found[-1] = found[-1][0], max(high, found[-1][1])
            else:
                found.append((low, high))
        return NumberSet(tuple(found))

    def __and__(self, other: "NumberSet") -> "NumberSet":
        found, mine, theirs = list[tuple[Border, Border]](), 0, 0
        while mine < len(self.parts) and theirs < len(other.parts):
            (low, high), (below, above) = self.parts[mine], other.parts[theirs]
            if max(low, below) < min(high, above):
                found.append((max(low, below), min(high, above)))
            mine, theirs = (mine + 1, theirs) if high <= above else (mine, theirs + 1)
        return NumberSet(tuple(found))

    def meets(self, other: "NumberSet") -> bool:
        """Whether the two have a number in common."""
        mine = theirs = 0
        while mine < len(self.parts) and theirs < len(other.parts):
            (low, high), (below, above) = self.parts[mine], other.parts[theirs]
            if low < above and below < high:
                return True
            mine, theirs = (mine + 1, theirs) if high <= above else (mine, theirs + 1)
        return False

    def whole(self) -> "NumberSet":
        """The whole numbers of it: each interval from its first one to just above its last."""
        kept = NumberSet(())
        for (low, above), (high, over) in self.parts:
            first = low if math.isinf(low) else math.floor(low) + 1 if above or low != math.floor(low) else low
            last = high if math.isinf(high) else math.floor(high) if over or high != math.floor(high) else high - 1
            if first <= last:
                begin = _LOWEST if math.isinf(first) else (first - 1, 1)  # neighbours meet: 1 and 2 are one interval
                kept |= NumberSet(((begin, _HIGHEST if math.isinf(last) else (last, 1)),))
        return kept


def numbers_of(tree: Tree) -> tuple[Ref, NumberSet] | None:
    """The reference that a condition is about, and the numbers for which it holds.

    None where it reads several references, or anything but comparisons with numbers.

    >>> from ir.predicate import parse_tree
    >>> ref, numbers = numbers_of(parse_tree({"gt": ["$.facts.x", 5]}))
    >>> ref.text, numbers.parts
    ('$.facts.x', (((5, 1), (inf, 0)),))
    """
    match tree:
        case Compare(op, Ref() as ref, Literally(value)):
            numbers = _compared(op, value)
            return None if numbers is None else (ref, numbers)
        case Not(item):
            inner = numbers_of(item)
            return None if inner is None else (inner[0], ~inner[1])
        case Junction(op, items):
            return _joined(op, [numbers_of(item) for item in items])
        case _:
            return None


def _joined(op: str, parts: Sequence[tuple[Ref, NumberSet] | None]) -> tuple[Ref, NumberSet] | None:
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts) or any(ref != known[0][0] for ref, _ in known):
        return None
    found = known[0][1]
    for _, numbers in known[1:]:
        found = found & numbers if op == "and" else found | numbers
    return known[0][0], found


def _compared(op: str, value: object) -> NumberSet | None:
    if op == "in":
        return _listed(value) if isinstance(value, list) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        return None
    at, over = (value, 0), (value, 1)
    found = {
        "eq": ((at, over),), "ne": ((_LOWEST, at), (over, _HIGHEST)), "lt": ((_LOWEST, at),),
        "lte": ((_LOWEST, over),), "gt": ((over, _HIGHEST),), "gte": ((at, _HIGHEST),),
    }.get(op)  # fmt: skip
    return None if found is None else NumberSet(found)


def _listed(values: Iterable[object]) -> NumberSet | None:
    found = NumberSet(())
    for value in values:
        one = _compared("eq", value)
        if one is None:
            return None
        found |= one
    return found
