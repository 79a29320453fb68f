"""The picture of a run: the graph of its version, with what becomes of each node."""

from collections.abc import Mapping
from typing import Any

from compiler.report.graph.svg import RunMarks, render_svg
from compiler.report.markup import Markup
from ir.source import Language
from registry.forms import Version
from runtime.views.standing import NodeStands, Standing
from server.site import Site

MARKS: Mapping[NodeStands, str] = {
    "succeeded": "✓", "failed": "✗", "skipped": "–", "undecided": "?", "waiting": "…", "calling": "↪", "delayed": "↻",
    "running": "▶", "pending": "",
}  # fmt: skip
"""What stands at a node, so that its state is told without colour."""


def picture(site: Site, version: Version, language: Language, now: Standing) -> Markup:
    """The graph as the run stands."""
    states, signs = dict[str, str](now.nodes), {str(state): sign for state, sign in MARKS.items()}
    marks = RunMarks(states, signs, now.taken)
    return Markup(render_svg(version.definition, catalog=site.host.catalog, language=language, run=marks))


def picture_changes(now: Standing) -> dict[str, Any]:
    """What in the picture depends on how the run stands, as the page's script puts it there."""
    return {
        "revision": now.revision,
        "ended": now.ended,
        "nodes": {name: [state, MARKS[state]] for name, state in now.nodes.items()},
        "taken": sorted(now.taken),
    }
