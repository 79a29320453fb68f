"""Plain values: for what does not matter in a case, and in place of odd ones that the solver found."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10

from pydantic import JsonValue

from ir.fields import FieldSpec
from ir.formula import expression_references
from ir.predicate import Compare, Literally, Ref, Tree, leaves, references
from validator.analysis.fit import in_range
from validator.examples.aim import Aim
from validator.examples.play import Facts, play
from validator.examples.search import Search, deciding
from validator.examples.targets import Target, Targets, neighbours
from validator.runs.example_runs import sample

MOST_TRIED = 6
"""Of a field with more values so many are tried."""
_USUAL: Mapping[str, JsonValue] = {
    "boolean": True,
    "date": "2026-03-02",
    "datetime": "2026-03-02T09:00:00+08:00",
    "duration": "P3D",
    "integer": 10,
    "number": 10,
}


@dataclass(frozen=True, eq=False)
class PlainValues:
    """Plain values of the fields of a workflow.

    Args:
        other: a text that stands for any other than those which conditions name, in the workflow's language.
    """

    targets: Targets
    other: str = "other"

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """All that is given a value: required inputs, and all that decides; not what rows always give."""
        workflow = self.targets.analysis.workflow
        required = [Ref(f"$.inputs.{name}") for name, spec in workflow.inputs.items() if spec.is_required]
        by_rows = {
            Ref(f"$.outputs.{node}.{name}")
            for node, table in self.targets.tables.items()
            if workflow.rule_packs[table.pack].computes or table.otherwise or table.always
            for rule in table.rules
            for name in rule.names
        }
        return tuple(one for one in dict.fromkeys([*required, *deciding(self.targets)]) if one not in by_rows)

    @cached_property
    def _constants(self) -> Mapping[Ref, tuple[JsonValue, ...]]:
        """What each reference, or one that it is compared with, is compared with."""
        found: dict[Ref, list[JsonValue]] = {}
        for leaf in (leaf for tree in self._trees() for leaf in leaves(tree) if isinstance(leaf, Compare)):
            sides = [side for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
            shared = [value for side in sides for value in found.get(side, [])]
            for side in (leaf.left, leaf.right):
                if isinstance(side, Literally):
                    shared += side.value if isinstance(side.value, list) else [side.value]
            found |= dict.fromkeys(sides, shared)
        return {ref: tuple(value for value in own if value is not None) for ref, own in found.items()}

    def _trees(self) -> Iterator[Tree]:
        workflow = self.targets.analysis.workflow
        yield from (guard.condition for guard in workflow.guards)
        yield from (edge.condition for edge in workflow.edges if isinstance(edge.condition, Tree))
        for table in self.targets.tables.values():
            yield from table.trees.values()

    def spec(self, ref: Ref) -> FieldSpec | None:
        """The type of a reference."""
        return self.targets.analysis.scope.spec(ref)

    def may_be_null(self, ref: Ref) -> bool:
        """Whether a field may have no value."""
        return bool(self.targets.analysis.scope.null_sources(ref))

    def plain(self, ref: Ref) -> JsonValue:
        """A plain value of a field, whatever decides."""
        return next(iter(self.values(ref)), None)

    def values(self, ref: Ref) -> tuple[JsonValue, ...]:
        """Values of a field that conditions may tell apart, plain ones first; no null."""
        spec, constants = self.spec(ref), self._constants.get(ref, ())
        if spec is None:
            return (*dict.fromkeys(map(_hashable, constants)), self.other)
        if spec.enum is not None:
            return tuple(value for value in spec.enum if value is not None)
        if spec.type == "boolean":
            return (True, False)
        if spec.type in ("integer", "number"):
            return self._numbers(spec, _numbers(constants))
        if spec.type == "array":
            return ([], *([value] for value in dict.fromkeys(map(_hashable, constants))))
        texts = [value for value in dict.fromkeys(map(_hashable, constants)) if isinstance(value, str)]
        if spec.type == "string":
            word = next(one for rank in range(len(texts) + 1) if (one := self.other + str(rank or "")) not in texts)
            return (*texts, word)
        return (_USUAL.get(spec.type, sample(spec)), *texts)

    def _numbers(self, spec: FieldSpec, constants: Iterable[float]) -> tuple[JsonValue, ...]:
        borders = sorted(set(constants))
        between = [*zip([None, *borders], [*borders, None], strict=True)]
        inside = [value for low, high in between if (value := round_between(low, high, spec)) is not None]
        return (*sorted(inside, key=lambda value: value < 0), *borders)

    @cached_property
    def estimated(self) -> frozenset[Ref]:
        """What formulas read: a few values of it do not stand for all."""
        formed = (
            ref
            for table in self.targets.tables.values()
            for tree in table.formulas.values()
            for ref in expression_references(tree)
        )
        return frozenset(formed)

    def beside_borders(self, ref: Ref) -> tuple[JsonValue, ...]:
        """The values just beside what a reference is compared with."""
        borders, scope = self._constants.get(ref, ()), self.targets.analysis.scope
        return tuple(value for border in borders for value in neighbours(border, scope, ref))

    def around(self, ref: Ref, value: JsonValue) -> JsonValue:
        """A plain value between the same borders as another; itself where there is none."""
        spec = self.spec(ref)
        if spec is None or spec.type not in ("integer", "number") or not _numbers([value]):
            return value
        (number,), borders = _numbers([value]), sorted({*_numbers(self._constants.get(ref, ()))})
        if number in borders:
            return value
        low = max((one for one in borders if one < number), default=None)
        high = min((one for one in borders if one > number), default=None)
        found = round_between(low, high, spec)
        return value if found is None else found


def round_between(low: float | None, high: float | None, spec: FieldSpec) -> int | float | None:
    """A round number between two borders that a field admits; None where there is none.

    >>> spec = FieldSpec(type="number")
    >>> round_between(500, 30000, spec), round_between(None, 5, spec), round_between(8, None, spec)
    (20000, 2, 10)
    """
    if low is None and high is None:
        found = [10.0, 1.0]
    elif low is None:
        assert high is not None
        found = [high / 2 if high > 0 else high - max(1, abs(high))]
    elif high is None:
        found = [low * 1.3 if low > 0 else low + 10]
    else:
        found = [(low + high) / 2]
    limits = [end for end in (spec.minimum, spec.maximum) if end is not None]
    for value in (*(_rounded(one, digits) for one in found for digits in (1, 2, 3, 6)), *found, *limits):
        plain = int(value) if float(value).is_integer() else value
        whole = spec.type != "integer" or isinstance(plain, int)
        if whole and (low is None or low < plain) and (high is None or plain < high) and in_range(plain, spec):
            return plain
    return None


def _rounded(value: float, digits: int) -> float:
    return 0.0 if value == 0 else round(value, digits - 1 - floor(log10(abs(value))))


def _numbers(values: Iterable[JsonValue]) -> list[float]:
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _hashable(value: JsonValue) -> JsonValue:
    return value if not isinstance(value, list | dict) else repr(value)


@dataclass(frozen=True, eq=False)
class Calm:
    """Makes whole and plain facts of those that the solver found.

    Args:
        search: for an ordinary run from which cases differ as little as they can.
    """

    plain: PlainValues
    search: Search

    @property
    def _targets(self) -> Targets:
        return self.plain.targets

    @cached_property
    def ordinary(self) -> Facts:
        """The facts of a run that completes; plain values where none was found."""
        values = {ref: self.plain.plain(ref) for ref in self.plain.refs}
        workflow = self._targets.analysis.workflow
        for target in self._targets.all:
            if target.kind != "end" or workflow.nodes[target.node or ""].status not in (None, "completed"):
                continue
            found = self.search.facts(target)
            if isinstance(found, Facts) and not found.failing:
                facts = self._nearer(found, target, values)
                if play(workflow, facts).result.status == "completed":
                    return facts
        return Facts(values)

    def whole(self, found: Facts, target: Target) -> Facts | None:
        """Facts for all that decides, as near to the ordinary run as the target admits; None where they do not show it.

        Args:
            found: those that matter to the target.
        """
        given = Facts({ref: value for ref, value in found.values.items() if ref in self._given}, found.failing)
        facts = self._nearer(given, target, self.ordinary.values)
        if self._shows(facts, target):
            return facts
        wanted = {ref: value for ref, value in found.values.items() if ref in self.aim.computed}
        formed = {ref for read in self.aim.computed.values() for ref in read}
        told = {ref: value for ref, value in given.values.items() if ref not in formed}
        for own in (told, given.values) if wanted else ():
            aimed = self.aim.at(Facts({**self.ordinary.values, **own}, found.failing), wanted)
            if self._shows(aimed, target):
                return aimed
        return None

    def near(self, target: Target, starts: Iterable[Facts]) -> Facts | None:
        """Facts that show a target and differ from others in one value; None where none are found.

        Args:
            starts: facts of runs that come to its place.
        """
        tried = [(facts, ref, value) for facts in starts for ref, value in self._moves(target, facts)]
        for facts, ref, value in tried:
            computed = ref in self.aim.computed
            moved = self.aim.at(facts, {ref: value}) if computed else facts.with_values({ref: value})
            if self._shows(moved, target):
                return moved
        return None

    def _moves(self, target: Target, facts: Facts) -> Iterator[tuple[Ref, JsonValue]]:
        """Values that may bring a target about: that which it wishes, else any of what its place reads."""
        wish = target.wish
        match wish:
            case Compare("eq", Ref() as ref, Literally(value)):
                yield ref, value
                return
        for ref in dict.fromkeys(references(wish) if wish is not None else self._targets.read_at(target)):
            now = facts.values.get(ref)
            yield from ((ref, value) for value in self.plain.values(ref) if value != now or ref in self.aim.computed)
            if self.plain.may_be_null(ref):
                yield ref, None

    @cached_property
    def aim(self) -> Aim:
        """For what is computed."""
        return Aim.of(self._targets)

    @cached_property
    def _given(self) -> frozenset[Ref]:
        return frozenset(self.plain.refs)

    def _nearer(self, found: Facts, target: Target, towards: Mapping[Ref, JsonValue]) -> Facts:
        facts = Facts({**towards, **found.values}, found.failing)
        if not self._shows(facts, target):
            return facts
        wished = set(references(target.wish)) if target.wish is not None else set()
        odd = [ref for ref, value in found.values.items() if ref not in wished and value != towards.get(ref, value)]
        facts = self._replaced(facts, target, odd, towards)
        for ref in odd:
            near = self.plain.around(ref, facts.values[ref])
            if near != facts.values[ref] and self._shows(moved := facts.with_values({ref: near}), target):
                facts = moved
        return facts

    def _replaced(self, facts: Facts, target: Target, refs: list[Ref], towards: Mapping[Ref, JsonValue]) -> Facts:
        """The facts with as many values replaced as can be, tried by halves."""
        if not refs:
            return facts
        moved = facts.with_values({ref: towards[ref] for ref in refs})
        if self._shows(moved, target):
            return moved
        if len(refs) == 1:
            return facts
        middle = len(refs) // 2
        first = self._replaced(facts, target, refs[:middle], towards)
        return self._replaced(first, target, refs[middle:], towards)

    def _shows(self, facts: Facts, target: Target) -> bool:
        return self._targets.shows(play(self._targets.analysis.workflow, facts), target)
