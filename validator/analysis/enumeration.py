"""Values that stand for all values: enough of them that conditions which differ anywhere differ on one of them.

A field with an enumeration is tried with its members, a number with each constant that it is compared with and one
value in each interval between them, a string with each constant and one other. Over so few values, what a node does
can be decided by trying all of them; `Space.exact` says whether the values stand for all.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise, product

from pydantic import JsonValue

from ir.duration import duration_length
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref, Tree, leaves, references
from validator.analysis.fit import in_range
from validator.analysis.types import above, below

LIMIT = 20_000
_ARRAY_LIMIT = 6
_FIRST, _LAST = (moment.replace(tzinfo=UTC).timestamp() for moment in (datetime.min, datetime(9999, 12, 31)))
Values = tuple[JsonValue, ...]
SpecOf = Callable[[Ref], FieldSpec | None]
Nulls = Callable[[Ref], Iterable[Ref]]
"""From where a null can come when a reference is read: the reference itself, objects that it is in, its node."""


@dataclass(frozen=True)
class Assignment:
    """One value for each reference; what lies below a null is null.

    Args:
        above: for each reference those that it is a part of.
    """

    values: Mapping[Ref, JsonValue]
    above: Mapping[Ref, tuple[Ref, ...]]

    @classmethod
    def from_values(cls, values: Mapping[Ref, JsonValue]) -> "Assignment":
        """The values of some references."""
        return cls(values, {ref: tuple(whole for whole in above(ref) if whole in values) for ref in values})

    def __call__(self, ref: Ref) -> JsonValue:
        """The value of a reference."""
        value = self.values[ref]
        if not self.above[ref]:
            return value
        return None if value is None or any(self.values[whole] is None for whole in self.above[ref]) else value

    def witness(self) -> dict[str, JsonValue]:
        """The values by reference, those of whole objects left out."""
        return {ref.text: self(ref) for ref in self.values if self(ref) != {}}


@dataclass(frozen=True)
class Space:
    """The combinations of values to be tried.

    Args:
        exact: the values stand for all; else a combination not tried may behave otherwise.
    """

    domains: Mapping[Ref, Values]
    exact: bool

    @property
    def size(self) -> int:
        """The number of combinations."""
        return math.prod(len(values) for values in self.domains.values())

    @property
    def small(self) -> bool:
        """Whether all combinations can be tried."""
        return self.size <= LIMIT

    def __iter__(self) -> Iterator[Assignment]:
        above = {
            ref: tuple(other for other in self.domains if other != ref and below(ref, other)) for ref in self.domains
        }
        for values in product(*self.domains.values()):
            yield Assignment(dict(zip(self.domains, values, strict=True)), above)


def space_of(
    trees: Iterable[Tree],
    spec_of: SpecOf,
    fixed: Mapping[Ref, JsonValue] | None = None,
    nulls: Nulls = lambda ref: (),
) -> Space:
    """The values to try for the references that conditions read.

    Args:
        spec_of: the type of a reference, None where it is not known.
        fixed: references whose value is given; a null stands for all below it as well.
        nulls: from where the others can be null. What may make several of them null, or is read itself, is tried as a
            value of its own, so that no combination has one of them null by it and another not.
    """
    trees = tuple(trees)
    refs = tuple(dict.fromkeys(ref for tree in trees for ref in references(tree)))
    sources = {ref: tuple(nulls(ref)) for ref in refs}
    named = Counter(source for own in sources.values() for source in own)
    shared = [source for source, count in named.items() if count > 1 and source not in refs]
    groups, exact = _groups(trees, refs, spec_of), True
    domains: dict[Ref, Values] = dict.fromkeys(shared, ({}, None))
    for ref in refs:
        given = next((value for known, value in (fixed or {}).items() if _settles(known, value, ref)), ...)
        if given is not ...:
            domains[ref] = (given,)
            continue
        whole = any((other := spec_of(one)) is not None and other.type == "integer" for one in groups[ref].refs)
        values, complete = _domain(spec_of(ref), groups[ref], whole)
        exact = exact and complete
        alone = any(source == ref or (source not in refs and named[source] == 1) for source in sources[ref])
        domains[ref] = values + ((None,) if alone else ())
    return Space(domains, exact)


def _settles(known: Ref, value: JsonValue, ref: Ref) -> bool:
    return known == ref or (value is None and below(ref, known))


@dataclass
class _Group:
    """References that are compared with each other, and the constants that any of them is compared with."""

    refs: set[Ref]
    constants: list[JsonValue]


def _groups(trees: Iterable[Tree], refs: Iterable[Ref], spec_of: SpecOf) -> dict[Ref, _Group]:
    groups = {ref: _Group({ref}, []) for ref in refs}
    for leaf in (leaf for tree in trees for leaf in leaves(tree) if isinstance(leaf, Compare)):
        sides = [side for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
        if len(sides) == 2 and groups[sides[0]] is not groups[sides[1]]:
            left, right = groups[sides[0]], groups[sides[1]]
            listed = [value for side in sides for value in _listed(spec_of(side))]
            merged = _Group(left.refs | right.refs, left.constants + right.constants + listed)
            groups |= dict.fromkeys(merged.refs, merged)
        for side in (leaf.left, leaf.right):
            if isinstance(side, Literally) and sides:
                value = side.value
                groups[sides[0]].constants += value if leaf.op == "in" and isinstance(value, list) else [value]
    return groups


def _listed(spec: FieldSpec | None) -> list[JsonValue]:
    """The values of an enumeration, of a field or of what it holds: others that are compared with it may be these."""
    listed = spec.enum or (spec.items.enum if spec.items else None) if spec else None
    return [value for value in listed or () if value is not None]


def _domain(spec: FieldSpec | None, group: _Group, whole: bool = False) -> tuple[Values, bool]:
    """Values for one reference, and whether they stand for all.

    Args:
        whole: it is compared with a whole number, which a number may equal.
    """
    spread = len(group.refs)
    if spec is None:
        return (*_unique(value for value in group.constants if value is not None), "other"), False
    if spec.type == "boolean":
        return (False, True), True
    if spec.enum is not None:
        return _unique(value for value in spec.enum if value is not None), True
    if spec.type in ("integer", "number"):
        limits = [end for end in (spec.minimum, spec.maximum) if end is not None]
        told = (*group.constants, *limits)
        constants = [v for v in told if isinstance(v, int | float) and not isinstance(v, bool)]
        found = points(constants, spread, integer=spec.type == "integer")
        if whole and spec.type == "number":
            found = sorted({*found, *points(constants, spread, integer=True)})
        return tuple(value for value in found if in_range(value, spec)), True
    if spec.type == "array":
        return _arrays(group, spec.items)
    if spec.type == "object":
        return ({},), True
    texts = [value for value in _unique(group.constants) if isinstance(value, str)]
    if spec.type == "string":
        return (*texts, *_others(texts, spread)), True
    return _ordered_texts(spec.type, texts, spread)


def points(constants: Iterable[float], spread: int, *, integer: bool) -> list[int | float]:
    """Each constant and `spread` values in each interval between them and beyond; whole numbers where asked.

    >>> points([10], 1, integer=True), points([1, 2], 1, integer=False)
    ([9, 10, 11], [0, 1, 1.5, 2, 3])
    """
    borders = sorted(set(constants)) or [0]
    found: list[int | float] = [borders[0] - step for step in range(spread, 0, -1)]
    for low, high in pairwise(borders):
        shares = [step / (spread + 1) for step in range(1, spread + 1)]
        inside = [low * (1 - share) + high * share for share in shares]  # `high - low` may be beyond all numbers
        if integer:
            first, last = math.floor(low) + 1, math.ceil(high) - 1
            whole = sorted({math.floor(value) for value in inside} | {first + step for step in range(spread)})
            inside = [value for value in whole if first <= value <= last]
        found += [low, *inside]
    found += [borders[-1], *(borders[-1] + step for step in range(1, spread + 1))]
    if integer:
        found = sorted({whole for value in found for whole in (math.floor(value), math.ceil(value))})
    return [int(value) if value == int(value) else value for value in found]


def _ordered_texts(kind: str, texts: list[str], spread: int) -> tuple[Values, bool]:
    """Dates, datetimes or durations about the given ones."""
    if kind == "date":
        days = [date.fromisoformat(text).toordinal() for text in texts if _is_date(text)]
        found = points(days or [date(2026, 1, 1).toordinal()], spread, integer=True)
        return tuple(date.fromordinal(int(day)).isoformat() for day in found if 1 <= day <= date.max.toordinal()), True
    if kind == "datetime":
        moments = [moment for text in texts if (moment := _moment(text))]
        zoned = {moment.tzinfo is not None for moment in moments}
        seconds = [moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() for moment in moments]
        found = points(seconds or [1767225600], spread, integer=False)
        made = [datetime.fromtimestamp(second, UTC) for second in found if _FIRST <= second <= _LAST]
        local = zoned == {False}
        return tuple((m.replace(tzinfo=None) if local else m).isoformat() for m in made), len(zoned) < 2
    lengths = [length for text in texts if (length := duration_length(text))]
    units = {unit for _, unit in lengths} or {"clock"}
    written: list[JsonValue] = []
    for unit in sorted(units):
        amounts = [amount for amount, of in lengths if of == unit] or [86400]
        written += [_duration(int(n), unit) for n in points(amounts, spread, integer=True) if n >= 0]
    return tuple(written), len(units) == 1


def _duration(amount: int, unit: str) -> str:
    if unit != "clock":
        return f"P{amount}M" if unit == "month" else f"P{amount}BD"
    for length, before, after in ((86400, "P", "D"), (3600, "PT", "H"), (60, "PT", "M")):
        if amount % length == 0:
            return f"{before}{amount // length}{after}"
    return f"PT{amount}S"


def _is_date(text: str) -> bool:
    return len(text) == 10 and _moment(text) is not None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _arrays(group: _Group, items: FieldSpec | None) -> tuple[Values, bool]:
    """The lists that the array is compared with, and every set of the members that it is asked for.

    Where one of the sets is a list, another array that holds the same is tried, too. Among the members are the values
    of references compared with it.

    Args:
        items: what it holds.
    """
    values = _domain(items, group)[0] if items else ()
    asked = _unique((*group.constants, *(values if len(group.refs) > 1 else ())))
    enum = items.enum if items else None
    members = [value for value in asked if not isinstance(value, list) and (enum is None or value in enum)]
    kept = members[:_ARRAY_LIMIT]
    lists = tuple(v for v in asked if isinstance(v, list) and (enum is None or all(m in enum for m in v)))
    unsaid = tuple(value for value in (values if items else ("other",)) if value not in asked)[:1]
    sets = [tuple(m for bit, m in enumerate(kept) if mask >> bit & 1) for mask in range(2 ** len(kept))]
    besides = [_unlike(one, one[-1:] or unsaid, lists) for one in sets if list(one) in lists]
    written: list[JsonValue] = [[*one] for one in sets]
    tried = _unique((*written, *lists, *(one for one in besides if one is not None)))
    told = items.type not in ("object", "array") if items else True
    whole = not any(lists) or (items is not None and told)
    return tried, len(kept) == len(members) and whole and len(group.refs) == 1


def _unlike(members: Values, more: Values, lists: Values) -> JsonValue:
    """An array that holds these and more, and is none of the lists; None where there is nothing more."""
    longer = ([*members, *more * times] for times in range(1, len(lists) + 2))
    return next((one for one in longer if one not in lists), None) if more else None


def _others(texts: list[str], count: int) -> list[str]:
    return [name for number in range(1, len(texts) + count + 1) if (name := f"other-{number}") not in texts][:count]


def _unique(values: Iterable[JsonValue]) -> Values:
    found: list[JsonValue] = []
    for value in values:
        if not any(type(value) is type(known) and value == known for known in found):
            found.append(value)
    return tuple(found)
