"""A workflow's edges as the document has them: approvals that were put in turn, beside each other again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from compiler.conformance.flow_conformance import FlowConformance
from ir.predicate import Compare, Literally, Ref, Tree, conjoin, evaluate, references
from ir.workflow import HUMAN_APPROVAL, Edge
from validator.analysis.graph import graph_of

IndexedEdge = tuple[int, Edge]


@dataclass(frozen=True, eq=False)
class ApprovalsInTurn:
    """The approvals of which one is asked after another by edges that the document does not have.

    The document leads from one step to each of them, and from each on to one step; that one waits for the other is put
    in (`validator.fixes.approvals_in_turn`).
    """

    conformance: FlowConformance

    @cached_property
    def _put_in(self) -> dict[int, Edge]:
        """The edges from one approval to the next, by index; none where edges form a cycle."""
        found = {index: edge for index, edge in enumerate(self.conformance.workflow.edges) if self._is_put_in(edge)}
        return found if found and not graph_of(self.conformance.workflow).back else {}

    def _is_put_in(self, edge: Edge) -> bool:
        nodes = self.conformance.workflow.nodes
        ends = [nodes.get(edge.source), nodes.get(edge.target)]
        both = all(node is not None and node.type == HUMAN_APPROVAL and self.conformance.steps(node) for node in ends)
        return both and edge.on == "success" and edge.origin.startswith("primer:")

    def asked_after(self, names: Iterable[str]) -> frozenset[str]:
        """The approvals that are asked after some nodes, if all grant."""
        found = {edge.target for edge in self._put_in.values() if edge.source in set(names)}
        return frozenset(found | self.asked_after(found)) if found else frozenset()

    def edges(self, node: str) -> Iterator[IndexedEdge]:
        """Those that leave a node on success, where each approval is asked whatever the ones before it decide.

        What leads from one approval to the next leads on where the last of them leads; what leads to an approval leads
        to those after it as well.
        """
        for index, edge in self.conformance.edges(node):
            if index in self._put_in:
                yield index, edge.model_copy(update={"target": self._granted_target(edge.target)})
            elif edge.on == "success":
                yield index, edge
                yield from self._led_further(edge)

    def _led_further(self, edge: Edge) -> Iterator[IndexedEdge]:
        """What an edge leads to beyond the approval that it leads to, if all on the way grant."""
        for index, following in self._put_in.items():
            if following.source == edge.target and isinstance(edge.condition, Tree):
                further = following.condition if isinstance(following.condition, Tree) else None
                condition = conjoin(edge.condition, further)
                reached = edge.model_copy(update={"target": following.target, "condition": condition})
                yield index, reached
                yield from self._led_further(reached)

    def _granted_target(self, approval: str) -> str:
        """Where the last approval leads that is asked after one, if all grant."""
        following = next((edge.target for edge in self._put_in.values() if edge.source == approval), None)
        if following is not None:
            return self._granted_target(following)
        decision = Ref(f"$.outputs.{approval}.approved")
        conditions = ((edge.target, edge.condition) for _, edge in self.conformance.edges(approval))
        granted = (to for to, tree in conditions if isinstance(tree, Tree) and evaluate(tree, {decision: True}.get))
        return next(granted, approval)

    def granting_before(self, edges: Iterable[Edge]) -> Tree | None:
        """That each approval grants, but for the source, that some edges lead past; None where they lead past none."""
        edges = tuple(edges)
        decisions = {Ref(f"$.outputs.{edge.source}.approved") for edge in self._put_in.values()}
        read = dict.fromkeys(
            ref for edge in edges for ref in references(edge.condition) if ref in decisions and ref.node != edge.source
        )
        return conjoin(*(Compare("eq", ref, Literally(True)) for ref in read))
