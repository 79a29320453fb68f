"""Which edges a node can take together, decided by trying the values that its conditions can tell apart."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

from pydantic import JsonValue

from ir.base import canonical_json
from ir.predicate import Always, Junction, Lookup, Otherwise, Ref, Tree, Truth, evaluate, references
from ir.walk import OpenChoice, Why, choose_among, edges_without_test, rank
from ir.workflow import Edge
from validator.analysis.enumeration import Assignment, Nulls, Space, SpecOf, space_of
from validator.analysis.graph import Link
from validator.analysis.intervals import numbers_of
from validator.analysis.remembered import Remembered

Split = Literal["exclusive", "inclusive"]
Fixed = Mapping[Ref, JsonValue]


@dataclass(frozen=True)
class Choice:
    """Edges that can be taken together, by index; `failed` where the node fails."""

    taken: frozenset[int]
    failed: bool = False


@dataclass(frozen=True)
class Stuck:
    """A case in which a node does not lead on.

    Args:
        edges: those that are unknown, that overlap, or that are all false.
        values: for which it happens; None where it was not tried but cannot be excluded.
    """

    why: Why
    edges: tuple[int, ...]
    values: dict[str, JsonValue] | None


@dataclass(frozen=True)
class BranchOutcomes:
    """All that a node can do.

    Args:
        choices: where edges overlap, each of them alone, as it will be once the overlap is fixed.
        exact: False where not all values could be tried; then there may be choices too many, and cases of being stuck
            without values.
    """

    choices: tuple[Choice, ...]
    stuck: tuple[Stuck, ...]
    exact: bool = True

    def possible(self, index: int) -> bool:
        """Whether an edge can be taken at all."""
        return any(index in choice.taken for choice in self.choices)

    def renumbered(self, indexes: Sequence[int]) -> "BranchOutcomes":
        """The same for edges that have other indexes, by the ones that they have here."""
        choices = (Choice(frozenset(indexes[at] for at in one.taken), one.failed) for one in self.choices)
        stuck = (Stuck(one.why, tuple(indexes[at] for at in one.edges), one.values) for one in self.stuck)
        return BranchOutcomes(tuple(choices), tuple(stuck), self.exact)


_KNOWN = Remembered[BranchOutcomes]()


def branch_outcomes(
    links: tuple[Link, ...],
    split: Split,
    spec_of: SpecOf,
    fixed: Fixed,
    nulls: Nulls,
) -> BranchOutcomes:
    """What a node can do, given the edges that leave it.

    Args:
        fixed: references whose value is given; a null stands for all below it as well.
        nulls: from where the other references can be null.
    """
    given = tuple((ref, canonical_json(value)) for ref, value in sorted(fixed.items(), key=lambda pair: pair[0].text))
    ways = tuple((one.source, one.target, one.edge.condition, one.edge.priority, one.edge.on) for one in links)
    numbered = tuple(Link(number, one.edge) for number, one in enumerate(links))
    found = _KNOWN.get(
        (ways, split, given),
        lambda spec, null: _branch_outcomes(numbered, split, spec, fixed, null),
        spec_of,
        lambda ref: tuple(nulls(ref)),
    )
    return found.renumbered([one.index for one in links])


def _branch_outcomes(
    links: tuple[Link, ...], split: Split, spec_of: SpecOf, fixed: Fixed, nulls: Nulls
) -> BranchOutcomes:  # fmt: skip
    failure = tuple(link.index for link in links if not link.on_success)
    failing = (Choice(frozenset(failure), failed=True),) if failure else ()
    edges = {link.index: link.edge for link in links if link.on_success}
    if not edges:
        return BranchOutcomes((Choice(frozenset()), *failing), ())
    space = space_of(conditions(edges).values(), spec_of, fixed, nulls)
    if not (space.small and space.exact):
        truths = {i: _truths(tree, spec_of, fixed, nulls) for i, tree in conditions(edges).items()}
        outcomes = _outcomes_by_condition(edges, split, truths)
        true = {index: tree for index, tree in conditions(edges).items() if True in truths[index]}
        overlaps = tuple(_overlapping_pairs(edges, true, spec_of, fixed, nulls)) if split == "exclusive" else ()
        return BranchOutcomes(outcomes.choices + failing, outcomes.stuck + overlaps, exact=False)
    untested = edges_without_test(edges)
    choices: dict[frozenset[int], Choice] = {}
    stuck: dict[tuple[Why, tuple[int, ...]], Stuck] = {}
    for values, holding, unknown in _cases(conditions(edges), space):
        outcome = choose_among(edges, split, holding, unknown, untested)
        if isinstance(outcome, OpenChoice):
            if (outcome.why, outcome.edges) not in stuck:
                stuck[outcome.why, outcome.edges] = Stuck(outcome.why, outcome.edges, values.witness())
            for index in outcome.edges if outcome.why == "overlap" else ():
                alone = untested[0] | {index}
                choices.setdefault(alone, Choice(alone))
        else:
            choices.setdefault(outcome, Choice(outcome))
    return BranchOutcomes((*choices.values(), *failing), tuple(stuck.values()), space.exact)


def _cases(trees: Mapping[int, Tree], space: Space) -> Iterator[tuple[Assignment, Set[int], Set[int]]]:
    """Each combination of values, with the conditions that are then true, and those that are unknown, by index."""
    by_value = _true_by_number(trees, space)
    if by_value is not None:
        ((ref, _),) = space.domains.items()
        for values, true in zip(space, by_value, strict=True):
            null = values(ref) is None
            yield values, true, frozenset(trees) if null else frozenset()
        return
    reads = {index: tuple(dict.fromkeys(references(tree))) for index, tree in trees.items()}
    known: dict[int, dict[tuple[str, ...], Truth]] = {index: {} for index in trees}
    for values in space:
        written = {ref: repr(values(ref)) for ref in space.domains}
        truths: dict[int, Truth] = {}
        for index, tree in trees.items():
            read = tuple(written[ref] for ref in reads[index])
            if read not in known[index]:
                known[index][read] = evaluate(tree, values)
            truths[index] = known[index][read]
        true = {index for index, truth in truths.items() if truth}
        yield values, true, {index for index, truth in truths.items() if truth is None}


def _true_by_number(trees: Mapping[int, Tree], space: Space) -> list[set[int]] | None:
    """The conditions that are true, value by value, where all read one number; found from their borders."""
    if len(space.domains) != 1:
        return None
    ((ref, domain),) = space.domains.items()
    numbers = {index: numbers_of(tree) for index, tree in trees.items()}
    if any(own is None or own[0] != ref for own in numbers.values()):
        return None
    if not all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in domain):
        return None
    order = sorted((value, at) for at, value in enumerate(domain) if isinstance(value, int | float))
    borders = [(value, 0) for value, _ in order]
    found: list[set[int]] = [set() for _ in domain]
    for index, own in numbers.items():
        for low, high in own[1].parts if own is not None else ():
            for _, at in order[bisect_left(borders, low) : bisect_left(borders, high)]:
                found[at].add(index)
    return found


def truth_for(lookup: Lookup) -> Callable[[Tree], Truth]:
    """What conditions come to with these values."""
    return lambda tree: evaluate(tree, lookup)


def conditions(edges: Mapping[int, Edge]) -> dict[int, Tree]:
    """The conditions of those edges that have a tree."""
    return {
        index: edge.condition for index, edge in edges.items() if not isinstance(edge.condition, Always | Otherwise)
    }


def _truths(tree: Tree, spec_of: SpecOf, fixed: Fixed, nulls: Nulls) -> frozenset[Truth]:
    """What one condition can come to, tried on its own; too much where its values do not stand for all.

    Parts that read nothing in common are independent, so that what the whole can come to follows from what each can.
    """
    if isinstance(tree, Junction) and _independent(tree.items):
        decisive = tree.op == "or"
        possible: frozenset[Truth] = frozenset((not decisive,))
        for item in tree.items:
            own = _truths(item, spec_of, fixed, nulls)
            pairs = product(possible, own)
            possible = frozenset(
                decisive if decisive in pair else None if None in pair else not decisive for pair in pairs
            )
        return possible
    space = space_of([tree], spec_of, fixed, nulls)
    if not space.small:
        return frozenset((True, False, None))
    tried: set[Truth] = set()
    for values in space:
        tried.add(evaluate(tree, values))
        if len(tried) == 3 or (None in tried and len(tried) == 2 and not space.exact):
            break  # no other value adds anything
    return frozenset(tried if space.exact or tried == {None} else tried | {True, False})


def _independent(items: tuple[Tree, ...]) -> bool:
    """Whether no two of the conditions read the same node or input."""
    read = [{(ref.root, ref.path[:1]) for ref in references(item)} for item in items]
    return sum(len(names) for names in read) == len(set().union(*read))


def _overlapping_pairs(
    edges: Mapping[int, Edge], true: Mapping[int, Tree], spec_of: SpecOf, fixed: Fixed, nulls: Nulls
) -> Iterator[Stuck]:
    """Pairs of edges of one priority that can both be true, or of which that could not be tried.

    Args:
        true: the conditions that can be true by themselves, by edge.
    """
    for first, second in combinations(true.items(), 2):
        pair = (first[0], second[0])
        if edges[pair[0]].priority != edges[pair[1]].priority:
            continue
        space = space_of((first[1], second[1]), spec_of, fixed, nulls)
        if not space.small:
            yield Stuck("overlap", pair, None)
            continue
        for values in space:
            if evaluate(first[1], values) and evaluate(second[1], values):
                yield Stuck("overlap", pair, values.witness())
                break


def _outcomes_by_condition(
    edges: Mapping[int, Edge], split: Split, truths: Mapping[int, frozenset[Truth]]
) -> BranchOutcomes:
    """What a node may do as far as each condition tells on its own; too much rather than too little."""
    always = frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Always))
    otherwise = frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Otherwise))
    ranks = {index: rank(edges[index]) for index in truths}
    sure = [index for index in truths if truths[index] == {True}]
    true = [index for index in truths if True in truths[index]]
    unknown = [index for index in truths if None in truths[index]]
    first = min((ranks[index] for index in sure), default=math.inf)
    true = [index for index in true if ranks[index] <= first]
    if split == "inclusive":
        groups = [group for size in (1, 2) for group in combinations(true, size) if len({ranks[i] for i in group}) == 1]
        sets = [frozenset((*group, *(i for i in sure if ranks[i] == ranks[group[0]]))) for group in groups]
        unknown = [index for index in unknown if ranks[index] <= first]
    else:
        sets = [frozenset((index,)) for index in true]
        unknown = [index for index in unknown if not sure or ranks[index] < first]
    stuck = [Stuck("unknown", tuple(unknown), None)] if unknown else []
    if not sure:
        rest = always | otherwise
        sets += [otherwise] if rest else []
        stuck += [] if rest else [Stuck("no-way-on", tuple(edges), None)]
    return BranchOutcomes(tuple(Choice(always | group) for group in sets), tuple(stuck), exact=False)
