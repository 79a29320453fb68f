"""What a check is given, and how it says what it found."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from catalog.load import Catalog
from ir.diagnostics import Diagnostic, Location, Severity
from ir.workflow import Edge, Workflow
from validator.analysis.call_graph import CallGraph
from validator.runs.workflow_analysis import Analysis


@dataclass(frozen=True, eq=False)
class CheckInput:
    """A workflow and what it can be held against without its documents.

    Args:
        workflows: others that are at hand, which it may call.
    """

    workflow: Workflow
    catalog: Catalog
    workflows: tuple[Workflow, ...] = ()

    @cached_property
    def analysis(self) -> Analysis:
        """What is found out about the graph and its runs, shared by the checks."""
        return Analysis(self.workflow, self.catalog, CallGraph.from_workflows(self.workflow, self.workflows))

    @cached_property
    def leaving(self) -> Mapping[str, dict[int, Edge]]:
        """The edges for success by the node that they leave and by index, also those that lead nowhere, or back."""
        found: dict[str, dict[int, Edge]] = {}
        for index, edge in enumerate(self.workflow.edges):
            if edge.on == "success":
                found.setdefault(edge.source, {})[index] = edge
        return found


Check = Callable[[CheckInput], Iterator[Diagnostic]]


def error(code: str, message: str, location: Location, **rest: Any) -> Diagnostic:
    """An error; `rest` are other fields of the diagnostic."""
    return Diagnostic(error_code=code, severity=Severity.ERROR, message=message, location=location, **rest)


def warning(code: str, message: str, location: Location, **rest: Any) -> Diagnostic:
    """A warning; `rest` are other fields of the diagnostic."""
    return Diagnostic(error_code=code, severity=Severity.WARNING, message=message, location=location, **rest)
