"""A workflow that is right, and a copy of it into which one fault is put."""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from catalog.load import Catalog
from ir.document import Document
from ir.fields import Fields, FieldSpec
from ir.predicate import Ref, Tree
from ir.procedure import Procedure
from ir.workflow import Workflow
from validator.analysis.locations import edge_name
from validator.runs.workflow_analysis import Analysis

Json = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A workflow with one fault.

    Args:
        what: the fault and its place, in words.
        raw: the workflow's JSON form; it need not be readable any more.
        origin: for each of its edges the index that it had before the fault; None for a new one.
        procedures: what it is held against, where the fault is in both; None stands for the unchanged ones.
    """

    what: str
    raw: Json
    origin: tuple[int | None, ...]
    procedures: tuple[Procedure, ...] | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """A workflow that is right, with all that it is held against."""

    workflow: Workflow
    catalog: Catalog
    procedures: tuple[Procedure, ...] = ()
    documents: tuple[Document, ...] = ()

    @cached_property
    def raw(self) -> Json:
        """Its JSON form."""
        return self.workflow.to_json()

    @cached_property
    def analysis(self) -> Analysis:
        """What is found out about its graph and runs."""
        return Analysis(self.workflow, self.catalog)

    @cached_property
    def fields(self) -> tuple[tuple[Ref, FieldSpec], ...]:
        """All that could be read: inputs, outputs of nodes and the fields below both."""
        found = list(_below("$.inputs", dict(self.workflow.inputs)))
        for name in self.workflow.nodes:
            found += _below(f"$.outputs.{name}", self.analysis.scope.outputs(name) or {})
        return tuple(found)

    def readable(self, node: str) -> Iterator[tuple[Ref, FieldSpec]]:
        """What a node could read: inputs, and outputs of the nodes before it."""
        before = self.analysis.graph.ancestors.get(node, frozenset())
        yield from ((ref, spec) for ref, spec in self.fields if ref.node is None or ref.node in before)

    def edge_name(self, index: int) -> str:
        """`FROM->TO` of an edge."""
        return edge_name(self.workflow.edges[index])

    def trees(self) -> Iterator[tuple[int, Tree]]:
        """The edges with conditions to be decided, by index."""
        for index, edge in enumerate(self.workflow.edges):
            if isinstance(edge.condition, Tree):
                yield index, edge.condition

    def siblings(self) -> Iterator[tuple[str, list[int]]]:
        """For each node the edges that leave it on success, by index; at least two."""
        for name in self.workflow.nodes:
            leaving = [
                index for index, edge in enumerate(self.workflow.edges) if edge.source == name and edge.on == "success"
            ]
            if len(leaving) > 1:
                yield name, leaving

    def copy(self) -> "Copy":
        """A copy to put a fault into."""
        return Copy(deepcopy(self.raw), list(range(len(self.workflow.edges))))


Kind = Callable[[Subject], Iterator[Mutant]]


@dataclass
class Copy:
    """A workflow's JSON form while a fault is put into it."""

    raw: Json
    origin: list[int | None]

    def put(self, value: object, *path: str | int) -> "Copy":
        """Set what stands at a path; objects on the way that are not there are made."""
        at: Any = self.raw
        for key in path[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        at[path[-1]] = deepcopy(value)
        return self

    def drop(self, *path: str | int) -> "Copy":
        """Take out a member of an object, if it is there."""
        at: Any = self.raw
        for key in path[:-1]:
            at = at.get(key, {}) if isinstance(at, dict) else at[key]
        at.pop(path[-1], None)
        return self

    def drop_edges(self, indexes: Iterable[int]) -> "Copy":
        """Take out edges, by the index that they had at first."""
        gone = set(indexes)
        kept = [position for position, index in enumerate(self.origin) if index is None or index not in gone]
        self.raw["edges"] = [self.raw["edges"][position] for position in kept]
        self.origin = [self.origin[position] for position in kept]
        return self

    def drop_node(self, name: str) -> "Copy":
        """Take out a node with its edges."""
        del self.raw["nodes"][name]
        edges = zip(self.origin, self.raw["edges"], strict=True)
        return self.drop_edges(
            index for index, edge in edges if index is not None and name in (edge["from"], edge["to"])
        )

    def add_edge(self, edge: Json) -> "Copy":
        """Put an edge at the end."""
        self.raw["edges"].append(deepcopy(edge))
        self.origin.append(None)
        return self

    def done(self, what: str, procedures: tuple[Procedure, ...] | None = None) -> Mutant:
        """The mutant."""
        return Mutant(what, self.raw, tuple(self.origin), procedures)


def _below(prefix: str, fields: Fields) -> Iterator[tuple[Ref, FieldSpec]]:
    for name, spec in fields.items():
        yield Ref(f"{prefix}.{name}"), spec
        yield from _below(f"{prefix}.{name}", spec.properties or {})
