"""In which order the acts of an account follow one another, and through which gateways and conditions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from evals.pet.narration_form import ToldAct
from ir.source import Span

NodeKind = Literal["act", "xor", "and", "condition"]
Way = tuple[int, ...]
_MOST = 500  # places looked at on the ways out of one act: an order with more was not meant


@dataclass(frozen=True)
class Node:
    """What a flow runs through.

    Args:
        first, last: numbers of its words; the first is its name.
    """

    first: int
    last: int
    span: Span
    kind: NodeKind
    act: ToldAct | None = None
    same: int | None = None


class Order:
    """The order in which nodes were said to follow one another.

    Args:
        nodes: by name, in order of the answer.
        chains: names (or other words) of nodes that follow one another.
        report: told what of it has no sense, with the number of a word near it, if any.
    """

    def __init__(
        self, nodes: Mapping[int, Node], chains: Sequence[Sequence[int]], report: Callable[[str, int | None], None]
    ) -> None:
        self.nodes, self._chains, self._report = nodes, chains, report

    def ways(self, first: int | None) -> list[tuple[Way, int | None]]:
        """Through which gateways and conditions it goes on after an act, and to which act; None for start and end."""
        found: list[tuple[Way, int | None]] = []
        ahead: list[Way] = [()]
        for _ in range(_MOST):
            if not ahead:
                return found
            way = ahead.pop()
            after = self._after(way[-1] if way else first)
            if not after:
                found.append((way, None))
            found += [(way, one) for one in after if self.nodes[one].act is not None]
            ahead += [(*way, one) for one in reversed(after) if self.nodes[one].act is None and one not in way]
        self._report(f"flows from {first or 'the start'}: too many ways, some are left out", first)
        return found

    @cached_property
    def _following(self) -> dict[int, list[int]]:
        """For each node what follows it, without the later gateways of a choice."""
        following: dict[int, dict[int, None]] = {}
        for chain in self._chains:
            nodes = [self._found(number, "flow") for number in chain]
            for one, other in pairwise(nodes):
                if one is not None and other is not None:
                    following.setdefault(one.first, {})[other.first] = None
        return {first: list(others) for first, others in following.items()}

    @cached_property
    def _later(self) -> dict[int, list[int]]:
        """For each gateway the next one of the same choice, where nothing else leads to that."""
        led = {other for others in self._following.values() for other in others}
        later: dict[int, list[int]] = {}
        for node in self.nodes.values():
            if node.same is None:
                continue
            before = self._found(node.same, f"same gateway as {node.first}:")
            if before is node:
                self._report(f"same gateway as {node.first}: itself", node.first)
            elif before is not None and node.first not in led:
                later.setdefault(before.first, []).append(node.first)
        return later

    @cached_property
    def _idle(self) -> set[int]:
        """The gateways and conditions that stand in no flow; each is a gap."""
        placed = {
            one for each in (self._following, self._later) for key, others in each.items() for one in (key, *others)
        }
        idle = {node.first for node in self.nodes.values() if node.act is None and node.first not in placed}
        for first in sorted(idle):
            self._report(f"{self.nodes[first].kind} {first}: in no flow", first)
        return idle

    def _after(self, first: int | None) -> list[int]:
        """What comes after a node; None for the start."""
        if first is None:
            led = {other for each in (self._following, self._later) for others in each.values() for other in others}
            ahead = [one for one in self.nodes if one not in led | self._idle] or [
                min(one for one, node in self.nodes.items() if node.act is not None)
            ]
        else:
            ahead = list(self._following.get(first, ()))
        found: dict[int, None] = {}
        while ahead:
            one = ahead.pop(0)
            if one not in found:
                found[one] = None
                ahead = [*self._later.get(one, ()), *ahead]
        return list(found)

    def _found(self, number: int, what: str) -> Node | None:
        """The node that is named by a number, or has that word."""
        inside = (node for node in self.nodes.values() if node.first <= number <= node.last)
        node = self.nodes.get(number) or next(inside, None)
        if node is None:
            self._report(f"{what} {number}: neither an act nor a gateway nor a condition", number)
        return node
