"""Which edges no run takes.

Way by way: from each entry the edges are followed as deep as they lead, with the conditions of the way held together;
an edge for which they can all hold is possible. What is left in doubt, since the way by which its node was first come
to leaves no values for it, is asked over all runs.
"""

from collections.abc import Iterable, Iterator

from ir.predicate import Ref, references
from validator.proofs.formulas import Formula, negation
from validator.proofs.prover import Prover
from validator.proofs.runs import Runs


def never_taken(runs: Runs, impossible: Iterable[int]) -> frozenset[int]:
    """The edges, by index, of which it is proved that no run takes them.

    An edge counts as possible where a way to it was found on which all conditions can hold, whatever other nodes did.

    Args:
        impossible: edges that their node never chooses, whatever came before.
    """
    possible = _PathWalk(runs, frozenset(impossible)).possible
    doubtful = [link.index for link in runs.graph.links if link.index not in possible]
    if not doubtful or runs.graph.back:
        return frozenset()
    runs.define({link.source for link in runs.graph.links if link.index in doubtful})
    can, unknown = runs.whole.possible({index: runs.names.taken(index) for index in doubtful})
    return frozenset(doubtful) - can - unknown


class _PathWalk:
    """A walk over the graph, in depth, one way to each node."""

    def __init__(self, runs: Runs, impossible: frozenset[int]) -> None:
        self.runs, self.impossible = runs, impossible
        self.prover = Prover(runs.encoder)
        self.possible: set[int] = set()
        self._seen: set[str] = set()
        self._read: list[frozenset[Ref]] = [self._guarded()]  # of the guards, then by edge of the way
        self._own = {node: frozenset(runs.reads(node)) for node in runs.graph.order}
        for node in runs.graph.order:
            self.prover.add(*runs.judgements(node))
        if self.prover.can_hold() is not False:
            for entry in runs.graph.entries:
                self._follow(entry)

    def _guarded(self) -> frozenset[Ref]:
        """Let the guards hold; what they read."""
        own = frozenset[Ref]()
        for tree in self.runs.guards():
            refs = frozenset(references(tree))
            self.prover.add(self.runs.encoder.truths(tree).true, *self.runs.encoder.facts(refs))
            own |= refs
        return own

    def _follow(self, entry: str) -> None:
        self._seen.add(entry)
        waiting = [self._leaving(entry)]
        while waiting:
            target = next(waiting[-1], None)
            if target is None:
                waiting.pop()
                if waiting:
                    self._back()
            elif target in self._seen:
                self._back()
            else:
                self._seen.add(target)
                waiting.append(self._leaving(target))

    def _leaving(self, node: str) -> Iterator[str]:
        """The targets to which the way can go on, one after the other; the solver holds the conditions so far."""
        choice, names = self.runs.choice(node), self.runs.names
        for link in self.runs.graph.out[node]:
            if link.index in self.impossible or not self.runs.may_leave(link):
                continue
            taken: list[Formula] = [names.succeeds(node) if link.on_success else negation(names.succeeds(node))]
            own = frozenset[Ref]()
            chosen = choice.taken[link.index] if link.on_success and choice is not None and choice.truths else None
            if chosen is not None or (link.on_success and self.runs.judgements(node)):
                own = self._own[node]
                taken += [*([] if chosen is None else [chosen]), *self.runs.encoder.facts(own)]
            self.prover.solver.push()
            self.prover.add(*taken)
            if not self._related(node, own) or self.prover.can_hold() is not False:
                self.possible.add(link.index)
                self._read.append(own)
                yield link.target
            else:
                self.prover.solver.pop()

    def _back(self) -> None:
        self.prover.solver.pop()
        self._read.pop()

    def _related(self, node: str, own: frozenset[Ref]) -> bool:
        """Whether a node's conditions read what the conditions of the way read before, or what other nodes gave."""
        others = any(ref.node not in (None, node) for ref in own)
        return bool(self.runs.judgements(node)) or others or any(not own.isdisjoint(read) for read in self._read)
