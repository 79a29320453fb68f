"""A workflow beside the procedure that it was drawn from: where the procedure leads, and where the edges do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ir.procedure import END, START, EndStatus, Flow, Procedure, Step
from ir.source import Evidence
from ir.workflow import CONTROL_END, Edge, Node, Workflow


@dataclass(frozen=True)
class ProcedurePath:
    """Where the procedure leads from a step: to another that a node carries, or to an end.

    Args:
        source, target: ids of steps, `start` or `end`.
        flows: one after the other; all but the last lead to steps that no node carries.
        ends: for an end its status, where the procedure says it.
    """

    source: str
    target: str
    flows: tuple[Flow, ...]
    ends: EndStatus | None = None


@dataclass(frozen=True)
class WorkflowPath:
    """Where edges lead from a node: to another that carries a step, or to an end.

    Args:
        edges: indexes, one after the other; all but the last lead to nodes that carry no step (a person asked, a join).
        on_success: whether the source need not fail for it.
    """

    source: str
    target: str
    edges: tuple[int, ...]
    on_success: bool = True


@dataclass(frozen=True, eq=False)
class FlowConformance:
    """A workflow and its procedure."""

    workflow: Workflow
    procedure: Procedure

    @cached_property
    def nodes_by_step(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes that carry each step; steps that none carries are left out."""
        found: dict[str, tuple[str, ...]] = {}
        for name, node in self.workflow.nodes.items():
            for step in node.step_ids:
                found[step] = (*found.get(step, ()), name)
        return found

    @cached_property
    def _steps(self) -> Mapping[str, Step]:
        return {step.id: step for step in self.procedure.steps}

    def steps(self, node: Node) -> tuple[Step, ...]:
        """The steps that a node carries; names of no step are left out."""
        return tuple(self._steps[step] for step in node.step_ids if step in self._steps)

    @cached_property
    def nodes_with_steps(self) -> tuple[tuple[str, Node, tuple[Step, ...]], ...]:
        """The nodes that carry steps, with them."""
        pairs = ((name, node, self.steps(node)) for name, node in self.workflow.nodes.items())
        return tuple((name, node, steps) for name, node, steps in pairs if steps)

    @cached_property
    def procedure_paths(self) -> tuple[ProcedurePath, ...]:
        """All paths from the start and from steps that a node carries; a step named `start` counts as the start."""
        return tuple(
            path for step in dict.fromkeys((START, *self.nodes_by_step)) for path in self._procedure_paths_from(step)
        )

    @cached_property
    def paths_by_source(self) -> Mapping[str, tuple[ProcedurePath, ...]]:
        """The same by the step that they begin at."""
        found: dict[str, tuple[ProcedurePath, ...]] = {}
        for path in self.procedure_paths:
            found[path.source] = (*found.get(path.source, ()), path)
        return found

    def _procedure_paths_from(self, start: str) -> Iterator[ProcedurePath]:
        waiting: list[tuple[Flow, ...]] = [(flow,) for flow in self.leaving(start)]
        seen: set[str] = set()
        while waiting:
            flows = waiting.pop(0)
            last = flows[-1]
            step = self._steps.get(last.target)
            if last.target == END or last.target in self.nodes_by_step:
                yield ProcedurePath(start, last.target, flows, last.ends)
            elif step is not None and step.kind == "end":
                yield ProcedurePath(start, END, flows, step.ends)
            elif last.target not in seen:
                seen.add(last.target)
                waiting += [(*flows, flow) for flow in self.leaving(last.target)]

    def leaving(self, step: str) -> list[Flow]:
        """The flows that leave a step."""
        return self._flows_by_source.get(step, [])

    @cached_property
    def _flows_by_source(self) -> dict[str, list[Flow]]:
        found: dict[str, list[Flow]] = {}
        for flow in self.procedure.flows:
            found.setdefault(flow.source, []).append(flow)
        return found

    def evidence_of(self, path: ProcedurePath) -> tuple[Evidence, ...]:
        """The words that a path rests on: its own, its condition's, and those of the step that it leads to."""
        conditions = {flow.condition for flow in path.flows}
        said = [flow.evidence for flow in path.flows]
        said += [one.evidence for one in self.procedure.conditions if one.id in conditions]
        said += [self._steps[flow.target].evidence for flow in path.flows if flow.target in self._steps]
        return tuple(evidence for group in said for evidence in group)

    @cached_property
    def workflow_paths(self) -> tuple[WorkflowPath, ...]:
        """All paths from nodes that carry steps, and from nodes that carry none and that no edge enters."""
        entered = {edge.target for edge in self.workflow.edges}
        starts = [name for name, node in self.workflow.nodes.items() if self.steps(node) or name not in entered]
        return tuple(route for start in starts for route in self._workflow_paths_from(start))

    def _workflow_paths_from(self, start: str) -> Iterator[WorkflowPath]:
        waiting: list[tuple[int, ...]] = [(index,) for index, _ in self.edges(start)]
        seen: set[str] = set()
        while waiting:
            edges = waiting.pop(0)
            target = self.workflow.edges[edges[-1]].target
            node = self.workflow.nodes.get(target)
            if node is None:
                continue
            if node.type == CONTROL_END or self.steps(node):
                yield WorkflowPath(start, target, edges, self.workflow.edges[edges[0]].on == "success")
            elif target not in seen:
                seen.add(target)
                waiting += [(*edges, index) for index, _ in self.edges(target)]

    def edges(self, node: str) -> list[tuple[int, Edge]]:
        """The edges that leave a node, each with its index."""
        return self._edges_by_source.get(node, [])

    @cached_property
    def _edges_by_source(self) -> dict[str, list[tuple[int, Edge]]]:
        """The edges by the node that they leave, each with its index."""
        found: dict[str, list[tuple[int, Edge]]] = {}
        for index, edge in enumerate(self.workflow.edges):
            found.setdefault(edge.source, []).append((index, edge))
        return found

    @cached_property
    def entries(self) -> frozenset[str]:
        """The nodes that a run begins with, and those that carry the first steps after others that carry none."""
        entered = {edge.target for edge in self.workflow.edges}
        first = {name for name in self.workflow.nodes if name not in entered}
        led = {route.target for route in self.workflow_paths if not self.steps(self.workflow.nodes[route.source])}
        return frozenset(first | led)


def end_status(node: Node) -> EndStatus:
    """The status with which a run ends at a `control.end`."""
    return node.status or "completed"


def share_words(one: Evidence, other: Evidence) -> bool:
    """Whether two pieces of evidence share words of the document; by the quotes where a place is not known."""
    if one.doc_id != other.doc_id:
        return False
    if one.span is not None and other.span is not None:
        mine, theirs = one.span, other.span
        return mine.block == theirs.block and mine.start < theirs.end and theirs.start < mine.end
    return one.quote in other.quote or other.quote in one.quote
