"""What must hold where an edge is taken, and values for which several such conditions hold together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ir.predicate import Otherwise, Ref, Tree, Truth, evaluate, references
from ir.walk import rank
from validator.analysis.branch_outcomes import Split, conditions
from validator.analysis.enumeration import Assignment, Values
from validator.analysis.graph import Link
from validator.analysis.types import above

TRIED = 20_000
"""The most values that are tried for one question."""


@dataclass(frozen=True)
class PathCondition:
    """A condition that must come to one of these truths."""

    tree: Tree
    truths: frozenset[Truth]


TRUE, FALSE, KNOWN = frozenset((True,)), frozenset((False,)), frozenset((True, False))


def path_conditions(link: Link, siblings: Iterable[Link], split: Split) -> Iterator[PathCondition]:
    """What must hold where an edge is taken, by `ir.walk.choose`; an overlap counts as fixed.

    Args:
        siblings: the edges that leave the same node, the edge among them.
    """
    condition = link.edge.condition
    edges = {other.index: other.edge for other in siblings if other.on_success == link.on_success}
    trees = conditions(edges)
    if isinstance(condition, Tree):
        yield PathCondition(condition, TRUE)
    for index, tree in trees.items():
        if index == link.index:
            continue
        if isinstance(condition, Otherwise) or (isinstance(condition, Tree) and rank(edges[index]) < rank(link.edge)):
            yield PathCondition(tree, FALSE)
        elif split == "inclusive" and not (isinstance(condition, Tree) and rank(edges[index]) > rank(link.edge)):
            yield PathCondition(tree, KNOWN)


@dataclass(frozen=True)
class Constraint:
    """Something that values must fulfil, and what it reads."""

    refs: tuple[Ref, ...]
    holds: Callable[[Assignment], bool]

    @classmethod
    def from_condition(cls, condition: PathCondition) -> "Constraint":
        """A path condition as a constraint."""
        refs = tuple(dict.fromkeys(references(condition.tree)))
        return cls(refs, lambda values: evaluate(condition.tree, values) in condition.truths)


class TooManyValuesError(Exception):
    """More values would have to be tried than are allowed."""


def fulfil(domains: Mapping[Ref, Values], constraints: Sequence[Constraint], tried: int = TRIED) -> Assignment | None:
    """Values that fulfil all constraints; None where no values of these domains do.

    Args:
        domains: the values to try for every reference that the constraints read, likelier ones first.

    Raises:
        TooManyValuesError: more than `tried` values were tried.
    """
    order = _order(domains, constraints)
    due = _due(order, constraints)
    chosen: dict[Ref, object] = {}
    waiting = [iter(domains[order[0]])] if order else []
    if not order:
        nothing = Assignment.from_values({})
        return nothing if all(constraint.holds(nothing) for constraint in constraints) else None
    while waiting:
        depth = len(waiting) - 1
        value = next(waiting[-1], ...)
        if value is ...:
            chosen.pop(order[depth], None)
            waiting.pop()
            continue
        tried -= 1
        if tried < 0:
            raise TooManyValuesError
        chosen[order[depth]] = value
        values = Assignment.from_values({ref: chosen[ref] for ref in order[: depth + 1]})  # type: ignore[misc]
        if all(constraint.holds(values) for constraint in due[depth]):
            if depth + 1 == len(order):
                return values
            waiting.append(iter(domains[order[depth + 1]]))
    return None


def _order(domains: Mapping[Ref, Values], constraints: Sequence[Constraint]) -> tuple[Ref, ...]:
    """The references, those of constraints that read little first, what holds others before them."""
    read = [ref for constraint in sorted(constraints, key=lambda one: len(one.refs)) for ref in constraint.refs]
    named = dict.fromkeys([*read, *domains])
    return tuple(dict.fromkeys(one for ref in named for one in (*(up for up in above(ref) if up in named), ref)))


def _due(order: Sequence[Ref], constraints: Sequence[Constraint]) -> list[list[Constraint]]:
    """For each place in the order the constraints that can be judged once it has a value."""
    place = {ref: index for index, ref in enumerate(order)}
    due: list[list[Constraint]] = [[] for _ in order]
    for constraint in constraints:
        if order:
            due[max((place[ref] for ref in constraint.refs), default=0)].append(constraint)
    return due
