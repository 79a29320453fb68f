"""What every way to draw a workflow is: what it is called, which files it writes, and how it draws."""

from collections.abc import Mapping
from typing import Protocol

from catalog.load import Catalog
from ir.diagnostics import Severity
from ir.workflow import Workflow


class Drawing(Protocol):
    """Draws workflows in one format; made when a command starts, so it imports what it draws with only in `draw`."""

    @property
    def name(self) -> str:
        """As people name it: `flowc graph --format NAME`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of files that hold it, the usual one first."""

    def draw(self, workflow: Workflow, catalog: Catalog, faults: Mapping[str, Severity]) -> str:
        """The workflow as the text of a file.

        Args:
            faults: the gravest severity of the findings on each node; a format that cannot mark nodes leaves it out.
        """
