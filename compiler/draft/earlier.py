"""Which steps come before a step: on some path, and in every run that comes to it.

Sets of steps are bits of a number, a place for each step, so that what comes before a thousand steps stays small.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter

from ir.procedure import START, Flow

Steps = int  # a set of steps


@dataclass(frozen=True)
class Earlier:
    """What comes before each node.

    Args:
        nodes: in the order of their places.
        possibly: by node those before it on some path.
        surely: those before it in every run that comes to it.
    """

    nodes: tuple[str, ...] = ()
    possibly: Mapping[str, Steps] | None = None
    surely: Mapping[str, Steps] | None = None

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each node."""
        return {name: place for place, name in enumerate(self.nodes)}

    def before(self, node: str, *, surely: bool = False) -> Steps:
        """Those before a node; none where nothing is known of it."""
        return ((self.surely if surely else self.possibly) or {}).get(node, 0)

    def alone(self, node: str) -> Steps:
        """A set of one node."""
        return 1 << self.places[node] if node in self.places else 0

    def holds(self, steps: Steps, node: str) -> bool:
        """Whether a node is among some."""
        return bool(steps & self.alone(node))

    def last(self, steps: Steps) -> str | None:
        """Of some nodes the one with the last place; None of none."""
        return self.nodes[steps.bit_length() - 1] if steps else None


def find_earlier(node_of: Mapping[str, str], steps: Sequence[str], flows: Sequence[Flow]) -> Earlier:
    """What comes before each step along the flows, as nodes.

    A step surely runs before another that comes behind it where, if it did not run, neither would the other: a step
    does not run where one does not run to which it always leads, or where none runs that leads to it.
    """
    into: dict[str, set[str]] = {step: set() for step in steps}
    for flow in flows:
        if flow.target in into:
            into[flow.target].add(flow.source)
    always = {(flow.source, flow.target) for flow in flows if flow.condition is None}
    order = [step for step in TopologicalSorter(into).static_order() if step != START]
    place = {step: number for number, step in enumerate(node_of)}
    bit = {step: 1 << place[step] if step in place else 0 for step in order}
    some = {START: 0}
    for step in order:
        some[step] = 0
        for source in into.get(step, ()):
            some[step] |= some.get(source, 0) | bit.get(source, 0)
    certain, needed = _Absence(order, into, always).consequences(bit)
    return Earlier(
        tuple(node_of.values()),
        {node: some.get(step, 0) for step, node in node_of.items()},
        {node: some.get(step, 0) & (certain | needed.get(step, 0)) for step, node in node_of.items()},
    )


class _Absence:
    """What else does not run where a step does not.

    Steps of which each always leads to the next, and nothing else to it, stand and fall together: they are one link.
    """

    def __init__(self, order: Sequence[str], into: Mapping[str, set[str]], always: set[tuple[str, str]]) -> None:
        self.order, self.link_of = order, {START: START}
        for step in order:
            only = next(iter(into[step])) if step in into and len(into[step]) == 1 else START
            together = only != START and (only, step) in always
            self.link_of[step] = self.link_of[only] if together else step
        links = self.link_of
        self.sources = {
            step: {links.get(one, one) for one in into.get(step, ())} for step in order if links[step] == step
        }
        self.feeds: dict[str, list[str]] = {}
        for step, sources in self.sources.items():
            for source in sources:
                self.feeds.setdefault(source, []).append(step)
        self.leading: dict[str, set[str]] = {}
        for source, target in always:
            if target in links:
                self.leading.setdefault(links[target], set()).add(links.get(source, source))

    def consequences(self, bit: Mapping[str, Steps]) -> tuple[Steps, dict[str, Steps]]:
        """The steps that run in every case, and for each step those without which it does not run."""
        members: dict[str, Steps] = {}
        for step in self.order:
            members[self.link_of[step]] = members.get(self.link_of[step], 0) | bit[step]
        certain: set[str] = {START}
        needed: dict[str, Steps] = {}
        for link in (step for step in self.order if self.link_of[step] == step):
            gone = list(self._gone_without(link, certain))
            if gone[-1] in certain:
                certain.add(link)
                continue
            for other in gone:
                needed[other] = needed.get(other, 0) | members[link]
        surely = 0
        for link in certain - {START}:
            surely |= members[link]
        return surely, {step: needed.get(self.link_of[step], 0) for step in self.order}

    def _gone_without(self, link: str, certain: set[str]) -> Iterator[str]:
        """The links that do not run where one does not, up to the first of those that always run."""
        gone, waiting, left = {link}, [link], dict[str, int]()
        while waiting:
            one = waiting.pop()
            yield one
            if one in certain:
                return
            behind = list(self.leading.get(one, ()))
            for step in self.feeds.get(one, ()):
                left[step] = left.get(step, len(self.sources[step])) - 1
                if not left[step]:
                    behind.append(step)
            for other in behind:
                if other not in gone:
                    gone.add(other)
                    waiting.append(other)
