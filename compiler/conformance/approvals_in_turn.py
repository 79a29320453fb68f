"""A workflow's edges as the document has them: approvals that were put in turn, beside each other again."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from compiler.conformance.flow_conformance import FlowConformance
from ir.predicate import ALWAYS, AnyCondition, Compare, Literally, Ref, Tree, conjoin, evaluate, references
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
        if edge.on != "success" or not edge.origin.startswith("primer:governance"):
            return False
        nodes = self.conformance.workflow.nodes
        ends = [node for name in (edge.source, edge.target) if (node := nodes.get(name)) is not None]
        stepped = len(ends) == 2 and all(self.conformance.steps(node) for node in ends)
        return stepped and any(node.type == HUMAN_APPROVAL for node in ends)

    @cached_property
    def _following(self) -> dict[str, list[IndexedEdge]]:
        """The edges from each approval to the next."""
        found: dict[str, list[IndexedEdge]] = {}
        for index, edge in self._put_in.items():
            found.setdefault(edge.source, []).append((index, edge))
        return found

    def asked_after(self, names: Iterable[str]) -> frozenset[str]:
        """The approvals that are asked after some nodes, if all grant."""
        return frozenset(edge.target for edge, _ in self._after(names))

    def led_on(self, names: Iterable[str]) -> frozenset[str]:
        """Where some nodes lead over the approvals that are asked after them, if all grant."""
        return frozenset(self._granted_target(name) for name in names if name in self._following)

    def _after(self, names: Iterable[str]) -> Iterator[tuple[Edge, int]]:
        """The edges from one approval to the next that some nodes lead to, if all grant; each once."""
        waiting = deque(dict.fromkeys(names))
        seen = set(waiting)
        while waiting:
            for index, edge in self._following.get(waiting.popleft(), ()):
                yield edge, index
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)

    def edges(self, node: str) -> Iterator[tuple[int, Edge, str | None]]:
        """Those that leave a node on success, where each approval is asked whatever the ones before it decide.

        What leads from one approval to the next leads on where the last of them leads. What leads to an approval leads
        to those after it as well: by the edges between them, each with the approval that has to be asked for it to be
        taken; None for the node's own.
        """
        first: dict[str, Edge] = {}
        for index, edge in self.conformance.edges(node):
            if index in self._put_in:
                yield index, edge.model_copy(update={"target": self._granted_target(edge.target)}), None
            elif edge.on == "success":
                yield index, edge, None
                if isinstance(edge.condition, Tree):
                    first.setdefault(edge.target, edge)
        for following, index in self._after(first):
            ranked = first.setdefault(following.target, first[following.source])
            yield index, following.model_copy(update={"source": node, "priority": ranked.priority}), following.source

    def _granted_target(self, approval: str) -> str:
        """Where the last approval leads that is asked after one, if all grant."""
        while following := self._following.get(approval):
            approval = following[0][1].target
        decision = Ref(f"$.outputs.{approval}.approved")
        conditions = ((edge.target, edge.condition) for _, edge in self.conformance.edges(approval))
        granted = (to for to, tree in conditions if _holds(tree, decision))
        return next(granted, approval)

    def granting_before(self, edges: Iterable[Edge]) -> Tree | None:
        """That each approval grants, but for the source, that some edges lead past; None where they lead past none."""
        edges = tuple(edges)
        decisions = {Ref(f"$.outputs.{edge.source}.approved") for edge in self._put_in.values()}
        read = dict.fromkeys(
            ref for edge in edges for ref in references(edge.condition) if ref in decisions and ref.node != edge.source
        )
        return conjoin(*(Compare("eq", ref, Literally(True)) for ref in read))


def _holds(condition: AnyCondition, decision: Ref) -> bool:
    """Whether an edge is taken where somebody grants, whatever else there is."""
    return condition == ALWAYS or (isinstance(condition, Tree) and bool(evaluate(condition, {decision: True}.get)))
