"""Faults of the constants in conditions: thresholds, units, words, members."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta

from pydantic import JsonValue

from evals.mutation.rewrite import each_part
from evals.mutation.subject import Kind, Mutant, Subject
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref, Tree


def threshold_raised(subject: Subject) -> Iterator[Mutant]:
    """A threshold is higher by a tenth, at least by one."""
    yield from _constants(subject, lambda value, spec: _shifted(value, spec, 1))


def threshold_lowered(subject: Subject) -> Iterator[Mutant]:
    """A threshold is lower by a tenth, at least by one."""
    yield from _constants(subject, lambda value, spec: _shifted(value, spec, -1))


def unit_misread(subject: Subject) -> Iterator[Mutant]:
    """A number is a thousand times as large, as if its unit were another."""

    def change(value: JsonValue, spec: FieldSpec | None) -> JsonValue:
        return value * 1000 if isinstance(value, int | float) and not isinstance(value, bool) else None

    yield from _constants(subject, change)


def constant_misspelt(subject: Subject) -> Iterator[Mutant]:
    """A word has lost its last letter, or stands twice where it has only one."""

    def change(value: JsonValue, spec: FieldSpec | None) -> JsonValue:
        return (value[:-1] or value * 2) if isinstance(value, str) and value else None

    yield from _constants(subject, change)


def constant_exchanged(subject: Subject) -> Iterator[Mutant]:
    """Another member of the enumeration is asked for."""

    def change(value: JsonValue, spec: FieldSpec | None) -> JsonValue:
        others = [other for other in (spec.enum if spec else None) or () if other not in (value, None)]
        return others[0] if others and not isinstance(value, bool) else None

    yield from _constants(subject, change)


def constant_of_wrong_type(subject: Subject) -> Iterator[Mutant]:
    """A number or truth value is written as a word, a word as a number."""

    def change(value: JsonValue, spec: FieldSpec | None) -> JsonValue:
        return 1 if isinstance(value, str) else str(value).lower()

    yield from _constants(subject, change)


def member_dropped(subject: Subject) -> Iterator[Mutant]:
    """A list of values has lost one."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if isinstance(tree, Compare) and isinstance(tree.right, Literally) and isinstance(tree.right.value, list):
            values = tree.right.value
            for index, value in enumerate(values if len(values) > 1 else ()):
                rest = values[:index] + values[index + 1 :]
                yield f"{value!r} dropped", replace(tree, right=_literal(tree.right, rest))

    yield from each_part(subject, change)


def _constants(subject: Subject, other: Callable[[JsonValue, FieldSpec | None], JsonValue]) -> Iterator[Mutant]:
    """Each constant replaced, members of lists one at a time; None stands for none."""

    def change(tree: Tree) -> Iterator[tuple[str, Tree]]:
        if not isinstance(tree, Compare) or not isinstance(tree.right, Literally):
            return
        spec = subject.analysis.scope.spec(tree.left) if isinstance(tree.left, Ref) else None
        value = tree.right.value
        members = value if isinstance(value, list) else [value]
        for index, member in enumerate(members):
            new = other(member, spec)
            if new is not None:
                changed = [*members[:index], new, *members[index + 1 :]]
                right = _literal(tree.right, changed if isinstance(value, list) else new)
                yield f"{member!r} read as {new!r}", replace(tree, right=right)

    yield from each_part(subject, change)


def _literal(old: Literally, value: JsonValue) -> Literally:
    return Literally(value, old.quote, old.status, old.source)


def _shifted(value: JsonValue, spec: FieldSpec | None, sign: int) -> JsonValue:
    if isinstance(value, int | float) and not isinstance(value, bool) and (spec is None or spec.enum is None):
        return value + sign * max(1, round(abs(value) / 10))
    if isinstance(value, str) and spec is not None and spec.type == "date":
        return (date.fromisoformat(value) + timedelta(days=sign)).isoformat()
    return None


KINDS: tuple[Kind, ...] = (
    threshold_raised,
    threshold_lowered,
    unit_misread,
    constant_misspelt,
    constant_exchanged,
    constant_of_wrong_type,
    member_dropped,
)
