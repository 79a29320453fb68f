"""What conditions of different nodes have in common, so that it can be seen whether they hold together.

Conditions that read something in common form a group. Of each group all values that its conditions can tell apart are
listed, and a set of them is written as the bits of a number: which values an edge allows, and which are left after
several edges.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from ir.predicate import Ref, evaluate, references
from validator.analysis.enumeration import Assignment, Nulls, Space, space_of
from validator.analysis.graph import Link
from validator.analysis.path_conditions import PathCondition
from validator.analysis.types import whole_output
from validator.runs.workflow_analysis import Analysis

MOST_COMBINED, MOST_VALUES, MOST_TRIALS = 4_096, 512, 150_000
EdgeCondition = tuple[Link, PathCondition]


@dataclass(frozen=True)
class SharedVariables:
    """Conditions that read something in common, with all values that they can tell apart.

    Args:
        readers: the nodes whose edges have these conditions; of each the nodes of `ran` that stand before it.
        first, last: the places of the first and last of them in the order of the nodes.
        every: all values, as bits.
        ran: for each node that may have been skipped when its outputs are read, the values in which it ran, as bits.
        allowed: for each edge, by index, the values with which it can be taken, as bits.
    """

    readers: Mapping[str, tuple[str, ...]]
    first: int
    last: int
    every: int
    ran: Mapping[str, int]
    allowed: Mapping[int, int]

    def remaining(self, bits: int, link: Link, *, alone: bool) -> int:
        """The values that are left of some once an edge is taken.

        Args:
            alone: nothing runs beside the route, so that what it did not pass did not run.
        """
        ran = self.ran.get(link.source)
        if ran is not None:
            bits &= ran if link.on_success else self.every & ~ran
        if link.source not in self.readers:
            return bits
        for earlier in self.readers[link.source] if alone else ():
            bits = bits & ~self.ran[earlier] or bits  # a node that the route passed ran with every value left
        return bits & self.allowed.get(link.index, self.every)


def shared_variables(analysis: Analysis, needed: Iterable[EdgeCondition]) -> tuple[tuple[SharedVariables, ...], bool]:
    """The groups by which a route can contradict itself, those that are over soonest first; and whether these are all.

    Args:
        needed: what must hold where edges are taken.
    """
    kept: list[SharedVariables] = []
    complete, trials = True, 0
    guards = {guard.condition for guard in analysis.workflow.guards}
    for own in _grouped(needed):
        readers = {link.source for link, _ in own}
        refs = dict.fromkeys(ref for _, condition in own for ref in references(condition.tree))
        skipped = _skipped(analysis, refs, {link for link, _ in own})
        guarded = any(condition.tree in guards for _, condition in own)
        if len(readers) < 2 and not skipped and not guarded:
            continue
        trees = dict.fromkeys(condition.tree for _, condition in own)
        space = space_of(trees, analysis.scope.spec, None, _nulls(analysis, {link for link, _ in own}))
        if not space.exact or space.size > MOST_COMBINED:
            complete = False
            continue
        values = _distinct(space)
        size = len(values) * 2 ** len([node for node in skipped if Ref(f"$.outputs.{node}") not in space.domains])
        trials += size * len(own) if size <= MOST_VALUES else 0
        if size > MOST_VALUES or trials > MOST_TRIALS:
            complete = False
        else:
            kept.append(_shared_by(analysis, own, skipped, values))
    return tuple(sorted(kept, key=lambda group: group.last - group.first)), complete


def can_contradict(analysis: Analysis) -> frozenset[str]:
    """The nodes whose conditions could contradict what holds elsewhere; of the others none is in a group that counts.

    Such a node reads what another node or a guard reads, or what was possibly never given.
    """
    reading: dict[str, set[str]] = {}
    for name, links in analysis.graph.out.items():
        for link in links:
            for key in map(_key, references(link.edge.condition)):
                reading.setdefault(key, set()).add(name)
    guarded = {_key(ref) for guard in analysis.workflow.guards for ref in references(guard.condition)}
    found = {name for key, names in reading.items() if len(names) > 1 or key in guarded for name in names}
    for key, names in reading.items():
        if key in analysis.workflow.nodes:
            found |= {one for one in names if key == one or key not in analysis.dominators.get(one, frozenset())}
    return frozenset(found)


def _key(ref: Ref) -> str:
    """What conditions are grouped by: the node whose output is read, or the input."""
    return ref.node or f"$.inputs.{ref.path[0]}"


def _distinct(space: Space) -> list[Assignment]:
    """The combinations of values that differ; those that differ only in parts of something that is null do not."""
    found = {repr([values(ref) for ref in space.domains]): values for values in space}
    return list(found.values())


def _nulls(analysis: Analysis, links: Iterable[Link]) -> Nulls:
    """From where references can be null where some edge reads them: a node that failed gave nothing."""
    readers = sorted({link.source for link in links})
    failed = {link.source for link in links if not link.on_success}

    def nulls(ref: Ref) -> Iterable[Ref]:
        own = (whole_output(ref),) if ref.node in failed else ()
        return dict.fromkeys((*own, *(source for reader in readers for source in analysis.null_sources(ref, reader))))

    return nulls


def _skipped(analysis: Analysis, refs: Iterable[Ref], links: Iterable[Link]) -> list[str]:
    """The nodes whose output is read at a place that a route may come to past them, or after their failure."""
    nodes = dict.fromkeys(ref.node for ref in refs if ref.node in analysis.workflow.nodes)
    certain = frozenset.intersection(*(analysis.dominators[link.source] for link in links))
    failed = {link.source for link in links if not link.on_success}
    return [node for node in nodes if node is not None and (node not in certain or node in failed)]


def _shared_by(
    analysis: Analysis, own: list[EdgeCondition], skipped: list[str], values: list[Assignment]
) -> SharedVariables:
    whole = [
        (one, dict(zip(skipped, ran, strict=True)))
        for one in values
        for ran in product(*(_may_have_run(one, node) for node in skipped))
    ]
    rows = [(one, ran) for one, ran in whole if all(_fits(analysis, one, node, ran[node]) for node in skipped)]
    every = (1 << len(rows)) - 1
    allowed: dict[int, int] = {}
    for link, condition in own:
        bits = sum(1 << at for at, (one, _) in enumerate(rows) if evaluate(condition.tree, one) in condition.truths)
        allowed[link.index] = allowed.get(link.index, every) & bits
    position = analysis.graph.position
    readers = dict.fromkeys(link.source for link, _ in own)
    places = [position[reader] for reader in readers]
    return SharedVariables(
        readers={one: tuple(node for node in skipped if position[node] < position[one]) for one in readers},
        first=min(places),
        last=max(places),
        every=every,
        ran={node: sum(1 << at for at, (_, ran) in enumerate(rows) if ran[node]) for node in skipped},
        allowed=allowed,
    )


def _may_have_run(values: Assignment, node: str) -> tuple[bool, ...]:
    known = values.values.get(Ref(f"$.outputs.{node}"), ...)
    return (True, False) if known is ... else (known is not None,)


def _fits(analysis: Analysis, values: Assignment, node: str, ran: bool) -> bool:
    """Whether a node can have run, or not, where its outputs are these."""
    own = [ref for ref in values.values if ref.node == node]
    if not ran:
        return all(values(ref) is None for ref in own)
    return all(values(ref) is not None or analysis.scope.null_sources(ref) for ref in own)


def _grouped(needed: Iterable[EdgeCondition]) -> list[list[EdgeCondition]]:
    """The conditions, those together that read the same node or the same input; what reads nothing is left out."""
    leader: dict[str, str] = {}

    def led(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = name = leader[leader[name]]
        return name

    read = [(one, [*map(_key, references(one[1].tree))]) for one in needed]
    for _, names in read:
        for name in names[1:]:
            leader[led(name)] = led(names[0])
    groups: dict[str, list[EdgeCondition]] = {}
    for one, names in read:
        if names:
            groups.setdefault(led(names[0]), []).append(one)
    return list(groups.values())
