"""Whether conditions of a procedure exclude or imply each other, by trying the values that they can tell apart."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, pairwise
from operator import and_

from ir.duration import duration_length
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref, Tree, evaluate, leaves, references
from ir.procedure import Fact
from validator.analysis.enumeration import Assignment, SpecOf, space_of
from validator.analysis.intervals import NumberSet, numbers_of

OUTCOMES = (("approved", "rejected"), ("pass", "fail"))


class Logic:
    """Questions about conditions over facts and outcomes.

    Args:
        fact: gives a fact by its id; its type and values decide which values are tried.
        outcomes: gives the outcomes that a step names, where they are not a plain yes or no.
    """

    def __init__(
        self,
        fact: Callable[[str], Fact | None] = lambda name: None,
        outcomes: Callable[[str], tuple[str, ...]] = lambda step: (),
    ) -> None:
        self._fact, self._outcomes = fact, outcomes
        self._known: dict[tuple[str, Tree, Tree], bool] = {}
        self._numbers: dict[int, tuple[Tree, _Read]] = {}  # by identity, as a tree's hash is that of all its parts

    def contradict(self, one: Tree | None, other: Tree | None) -> bool:
        """Whether no values make both true; not, where there are too many to try.

        >>> from ir.predicate import parse_tree
        >>> a, b = parse_tree({"gt": ["$.facts.x", 5]}), parse_tree({"lte": ["$.facts.x", 5]})
        >>> Logic().contradict(a, b), Logic().contradict(a, a)
        (True, False)
        """
        if one is None or other is None:
            return False
        mine, theirs = self._read(one), self._read(other)
        if mine.names.isdisjoint(theirs.names):
            return False
        if mine.numbers is not None and theirs.numbers is not None:
            return not mine.numbers.meets(theirs.numbers)
        key = ("contradict", one, other)
        if key not in self._known:
            worlds = self._worlds(one, other)
            never = worlds is not None and not any(evaluate(one, w) and evaluate(other, w) for w in worlds)
            self._known[key] = never
        return self._known[key]

    def apart(self, trees: Sequence[Tree]) -> bool:
        """Whether no two of some conditions can hold together; not, where there are too many values to try."""
        read = [self._read(tree) for tree in trees]
        if all(one.numbers is not None and one.names == read[0].names for one in read):
            parts = sorted(part for one in read if one.numbers is not None for part in one.numbers.parts)
            return all(before[1] <= after[0] for before, after in pairwise(parts))
        return all(self.contradict(a, b) for a, b in combinations(trees, 2))

    def implies(self, one: Tree | None, other: Tree | None) -> bool:
        """Whether whatever makes the first true makes the second true; None stands for what is always true."""
        if other is None or one == other:
            return True
        if one is None:
            return False
        mine, theirs = self._read(one), self._read(other)
        if mine.names.isdisjoint(theirs.names):
            return False
        if mine.numbers is not None and theirs.numbers is not None:
            return not mine.numbers.meets(theirs.others)
        key = ("implies", one, other)
        if key not in self._known:
            worlds = self._worlds(one, other)
            self._known[key] = worlds is not None and all(evaluate(other, w) for w in worlds if evaluate(one, w))
        return self._known[key]

    def exhaustive(self, trees: list[Tree]) -> bool:
        """Whether one of the trees is true whatever the (known) values are."""
        if not trees:
            return False
        read = [self._read(tree) for tree in trees]
        if all(one.names == read[0].names and one.numbers is not None for one in read):
            return not reduce(and_, (one.others for one in read))
        worlds = self._worlds(*trees)
        return worlds is not None and all(any(evaluate(tree, w) for tree in trees) for w in worlds)

    def cover(self) -> "Cover":
        """Conditions that are gathered one by one, of which it is asked each time whether they are exhaustive."""
        return Cover(self)

    def left_over(self, tree: Tree) -> tuple[frozenset[str], NumberSet] | None:
        """What a condition reads and the numbers for which it does not hold; None where it is not about numbers."""
        read = self._read(tree)
        return None if read.numbers is None else (read.names, read.others)

    def _read(self, tree: Tree) -> "_Read":
        known = self._numbers.get(id(tree))
        if known is None:
            found = numbers_of(tree)
            spec = self._spec_of((tree,))(found[0]) if found is not None else None
            numbers = None
            if found is not None and spec is not None and spec.enum is None and spec.type in ("integer", "number"):
                numbers = found[1].whole() if spec.type == "integer" else found[1]
            names = frozenset(ref.text for ref in references(tree))
            others = ~numbers if numbers is not None else NumberSet(())
            if spec is not None and spec.type == "integer":
                others = others.whole()
            known = self._numbers[id(tree)] = tree, _Read(names, numbers, others)
        return known[1]

    def _worlds(self, *trees: Tree) -> Iterator[Assignment] | None:
        space = space_of(trees, self._spec_of(trees))
        return iter(space) if space.small else None

    def _spec_of(self, trees: tuple[Tree, ...]) -> SpecOf:
        def spec(ref: Ref) -> FieldSpec | None:
            fact = self._fact(ref.path[0]) if ref.root == "facts" else None
            if fact is not None:
                return FieldSpec(type=fact.type, enum=fact.enum, unit=fact.unit)
            if ref.root == "steps" and (named := self._outcomes(str(ref.node))):
                return FieldSpec(type="string", enum=named)
            return _guessed(ref, [value for tree in trees for value in _constants(tree, ref)])

        return spec


class Cover:
    """Conditions that are gathered one by one."""

    def __init__(self, logic: Logic) -> None:
        self._logic = logic
        self._trees: list[Tree] = []
        self._left: tuple[frozenset[str], NumberSet] | None = None

    def add(self, tree: Tree) -> bool:
        """Gather one more; whether one of them is now true whatever the values are."""
        left = self._logic.left_over(tree)
        if not self._trees:
            self._left = left
        elif self._left is not None:
            alike = left is not None and left[0] == self._left[0]
            self._left = (self._left[0], self._left[1] & left[1]) if left is not None and alike else None
        self._trees.append(tree)
        return not self._left[1] if self._left is not None else self._logic.exhaustive(self._trees)


@dataclass(frozen=True)
class _Read:
    """What a condition reads; conditions that read nothing in common say nothing of each other.

    Args:
        numbers: those for which it holds, where it compares one reference with numbers alone; else None.
        others: those for which it does not.
    """

    names: frozenset[str]
    numbers: NumberSet | None
    others: NumberSet


def _constants(tree: Tree, ref: Ref) -> Iterator[object]:
    for leaf in leaves(tree):
        if isinstance(leaf, Compare) and ref in (leaf.left, leaf.right):
            for side in (leaf.left, leaf.right):
                if isinstance(side, Literally):
                    yield from side.value if isinstance(side.value, list) else (side.value,)


def _guessed(ref: Ref, constants: list[object]) -> FieldSpec | None:
    """A type from what a reference is compared with."""
    if ref.root == "steps":
        pair = next((pair for pair in OUTCOMES if any(value in pair for value in constants)), None)
        return FieldSpec(type="string", enum=pair) if pair else None
    if any(isinstance(value, bool) for value in constants):
        return FieldSpec(type="boolean")
    if constants and all(isinstance(value, int | float) for value in constants):
        return FieldSpec(type="number")
    if constants and all(isinstance(value, str) and duration_length(value) for value in constants):
        return FieldSpec(type="duration")
    return None


PLAIN_OUTCOMES = frozenset(word for pair in OUTCOMES for word in pair)
