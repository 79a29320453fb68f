"""Which of the edges that leave a node are taken, as formulas: what `ir.walk.choose` decides for one case."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from ir.predicate import Always, Otherwise
from ir.walk import rank
from ir.workflow import Edge
from validator.analysis.branch_outcomes import Split, conditions
from validator.proofs.encode import Encoder, Truths
from validator.proofs.formulas import Formula, both, either, negation


@dataclass(frozen=True)
class Choice:
    """The choice of a node that succeeded.

    Args:
        truths: of the edges that have conditions, by index.
        first: when each of them is true and none of a smaller priority number is, whether or not it is taken.
        taken: when each edge is taken, by index; where edges overlap, when it is one of them.
        unknown: when an unknown condition could change the choice.
        overlap: when several edges of one priority hold, and none of a smaller one.
        clash: when they are different edges; an edge that stands twice is one.
        gap: when no edge is taken though there are some and all conditions are known.
    """

    truths: Mapping[int, Truths]
    first: Mapping[int, Formula]
    taken: Mapping[int, Formula]
    unknown: Formula
    overlap: Formula
    clash: Formula
    gap: Formula


def choice(encoder: Encoder, edges: Mapping[int, Edge], split: Split) -> Choice:
    """The choice among edges for success, by index.

    Raises:
        Opaque: the solver cannot be asked about a condition.
    """
    truths = {index: encoder.truths(tree) for index, tree in conditions(edges).items()}
    unknowns = {index: own.unknown for index, own in truths.items()}
    none = encoder.all(own.false for own in truths.values())
    open_, overlap, clash, first = _by_priority(encoder, edges, truths, unknowns, split)
    known = negation(open_)
    taken: dict[int, Any] = {index: both(known, true) for index, true in first.items()}
    rest = [index for index, edge in edges.items() if isinstance(edge.condition, Otherwise)]
    always = [index for index, edge in edges.items() if isinstance(edge.condition, Always)]
    taken |= dict.fromkeys(rest, none) | dict.fromkeys(always, known)
    gap = encoder.no if rest or always or not edges else none  # a node that no edge leaves on success just ends
    return Choice(truths, first, taken, open_, overlap, clash, gap)


def _by_priority(
    encoder: Encoder,
    edges: Mapping[int, Edge],
    truths: Mapping[int, Truths],
    unknowns: Mapping[int, Formula],
    split: Split,
) -> tuple[Formula, Formula, Formula, dict[int, Formula]]:
    """Level by level: what is open, what overlaps, what clashes, and which edges come first."""
    levels: dict[float, list[int]] = {}
    for index in truths:
        levels.setdefault(rank(edges[index]), []).append(index)
    earlier, open_, overlaps, clashes = encoder.no, [], [], []
    first: dict[int, Formula] = {}
    for level in sorted(levels):
        own = [truths[index].true for index in levels[level]]
        before = negation(earlier)
        first |= {index: both(before, truths[index].true) for index in levels[level]}
        if split == "inclusive":  # all that are true are taken, so that each that is unknown matters
            open_ += [both(before, unknowns[index]) for index in levels[level]]
            earlier = either(earlier, *own)
            continue
        distinct = {(edges[index].target, repr(edges[index].condition)): truths[index].true for index in levels[level]}
        if len(own) > 1:
            overlaps.append(both(before, z3.AtLeast(*own, 2)))
        if len(distinct) > 1:
            clashes.append(
                both(before, z3.AtLeast(*distinct.values(), 2)) if len(distinct) < len(own) else overlaps[-1]
            )
        earlier = either(earlier, *own)
        now = negation(earlier)
        open_ += [both(now, unknowns[index]) for index in levels[level]]
    return encoder.any(open_), encoder.any(overlaps), encoder.any(clashes), first
