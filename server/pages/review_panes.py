"""What the page of a draft in review shows whatever was ruled on it: made once, and kept at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from compiler.report.markup import Markup
from compiler.report.review.page import Panel, side_panels, source_pane
from compiler.report.review.parts import Page
from review.drafted import Drafted
from server.builds.folders import BuildFolder
from server.errors import UnknownPlace
from server.pages.review_desk import Desk
from server.pages.review_graph import View, drawn, first_view, views_of
from server.pages.review_source import opener

_KEPT = 8
"""Drafts whose panes are kept; those of a long one are some megabytes."""


@dataclass(frozen=True)
class Panes:
    """The panes of a draft, without what its verdict and its reader change.

    Args:
        view: how the graph is drawn at first, one of `views`.
        panels: at the side.
    """

    page: Page
    views: Sequence[View]
    view: View
    graph: Markup
    source: Markup
    panels: tuple[Panel, ...]


def panes_of(desk: Desk) -> Panes:
    """The panes of a draft."""
    return _panes(desk.build, desk.address, desk.draft.drafted)


@lru_cache(maxsize=_KEPT)
def _panes(build: BuildFolder, address: str, drafted: Drafted) -> Panes:
    made = build.read()
    entry = made.draft(drafted.workflow.workflow_id)
    if entry is None:
        raise UnknownPlace(f"the build {build.title} has this draft no more; its page lists those that it has")
    review = replace(
        made.review(entry, drafted.catalog), workflow=drafted.workflow, procedure=drafted.procedure,
        diagnostics=drafted.diagnostics, statements=drafted.statements, verdict=drafted.verdict,
    )  # fmt: skip
    page = Page(review)
    view = first_view(page)
    return Panes(
        page, views_of(page), view, drawn(page, view), source_pane(page, opener(address, drafted.document)),
        side_panels(page),
    )  # fmt: skip
