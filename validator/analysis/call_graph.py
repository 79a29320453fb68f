"""The workflows that a workflow may call, and where calls lead."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ir.fields import FieldSpec
from ir.workflow import CONTROL_CALL, CalledWorkflow, Workflow

Outputs = dict[str, FieldSpec | None]


def call_reference(workflow: Workflow) -> CalledWorkflow:
    """A workflow as a call names it."""
    return CalledWorkflow(workflow_id=workflow.workflow_id, version=workflow.version)


def call_nodes(workflow: Workflow) -> Iterator[tuple[str, CalledWorkflow]]:
    """The nodes that call, each with what it calls."""
    for name, node in workflow.nodes.items():
        if node.type == CONTROL_CALL and node.call is not None:
            yield name, node.call


@dataclass(frozen=True, eq=False)
class CallGraph:
    """The workflows at hand, by id and version.

    Args:
        outputs: what each gives, as far as it has been found out; None for a field of which no type is known.
    """

    workflows: tuple[Workflow, ...] = ()
    outputs: dict[CalledWorkflow, Outputs] = field(default_factory=dict)

    @classmethod
    def from_workflows(cls, workflow: Workflow, others: tuple[Workflow, ...]) -> "CallGraph":
        """A workflow with others; what has its own id and version is the workflow itself."""
        return cls((workflow, *(other for other in others if call_reference(other) != call_reference(workflow))))

    @cached_property
    def _known(self) -> dict[CalledWorkflow, list[Workflow]]:
        known: dict[CalledWorkflow, list[Workflow]] = {}
        for workflow in self.workflows:
            same = known.setdefault(call_reference(workflow), [])
            if workflow not in same:
                same.append(workflow)
        return known

    def find(self, call: CalledWorkflow | None) -> Workflow | None:
        """The workflow that is called; None where it is not at hand, or where several are that differ."""
        found = self._known.get(call, []) if call else []
        return found[0] if len(found) == 1 else None

    def count_versions_at_hand(self, call: CalledWorkflow) -> int:
        """How many different workflows at hand have this id and version."""
        return len(self._known.get(call, []))

    def versions(self, workflow_id: str) -> tuple[str, ...]:
        """The versions at hand of a workflow, the oldest first."""
        found = {call.version for call in self._known if call.workflow_id == workflow_id}
        return tuple(sorted(found, key=lambda version: int(version[1:])))

    def ids(self) -> tuple[str, ...]:
        """The ids of the workflows at hand."""
        return tuple(dict.fromkeys(call.workflow_id for call in self._known))

    def callees_first(self, start: Workflow) -> tuple[Workflow, ...]:
        """A workflow and all that it calls, directly or not, each after those that it calls; in a cycle, after some."""
        done: dict[CalledWorkflow, Workflow] = {}
        entered, stack = {call_reference(start)}, [(start, call_nodes(start))]
        while stack:
            workflow, left = stack[-1]
            call = next((call for _, call in left if call not in entered), None)
            if call is None:
                stack.pop()
                done[call_reference(workflow)] = workflow
                continue
            entered.add(call)
            if inner := self.find(call):
                stack.append((inner, call_nodes(inner)))
        return tuple(done.values())

    def first_cycle(self, start: Workflow, first: CalledWorkflow) -> tuple[CalledWorkflow, ...] | None:
        """The first cycle that a call of a workflow leads into, first and last the same: a, b, a; None without any."""
        path, done = [call_reference(start)], set[CalledWorkflow]()
        if first in path:
            return (first, first)
        inner = self.find(first)
        stack = [(inner, call_nodes(inner))] if inner else []
        path.append(first)
        while stack:
            workflow, left = stack[-1]
            call = next((call for _, call in left if call not in done), None)
            if call is None:
                stack.pop()
                done.add(call_reference(workflow))
                path.pop()
            elif call in path:
                return (*path[path.index(call) :], call)
            elif deeper := self.find(call):
                path.append(call)
                stack.append((deeper, call_nodes(deeper)))
            else:
                done.add(call)
        return None

    def callers(self, cycle: tuple[CalledWorkflow, ...]) -> Iterator[tuple[Workflow, str]]:
        """The calls that make up a cycle: each workflow with the node that calls the next."""
        for outer, inner in pairwise(cycle):
            workflow = self.find(outer)
            if workflow is not None:
                yield workflow, next(name for name, call in call_nodes(workflow) if call == inner)
