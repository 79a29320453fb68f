"""The formats in which a workflow can be drawn."""

from collections.abc import Mapping

from catalog.load import Catalog
from compiler.report.protocol import Drawing
from ir.diagnostics import Severity
from ir.workflow import Workflow


class SvgDrawing:
    """A picture, in which nodes with faults are marked."""

    name = "svg"
    suffixes = (".svg",)

    def draw(self, workflow: Workflow, catalog: Catalog, faults: Mapping[str, Severity]) -> str:
        """See `Drawing`."""
        from compiler.report.graph.svg import render_svg

        return str(render_svg(workflow, catalog=catalog, faults=faults))


class MermaidDrawing:
    """Text for Markdown pages that draw it themselves; it has no marks for faults."""

    name = "mermaid"
    suffixes = (".mmd", ".mermaid")

    def draw(self, workflow: Workflow, catalog: Catalog, faults: Mapping[str, Severity]) -> str:
        """See `Drawing`."""
        from compiler.report.graph.mermaid import render_mermaid

        return render_mermaid(workflow, catalog=catalog)


DRAWINGS: tuple[Drawing, ...] = (SvgDrawing(), MermaidDrawing())


def drawing_for(suffix: str) -> Drawing | None:
    """The format of files with a suffix, None where there is none."""
    return next((drawing for drawing in DRAWINGS if suffix.lower() in drawing.suffixes), None)


def drawing_named(name: str) -> Drawing:
    """The format of a name.

    Raises:
        StopIteration: there is none.
    """
    return next(drawing for drawing in DRAWINGS if drawing.name == name)
