"""How the graph of a draft in review is drawn: from the top down, in lanes by who acts, or by section, folded."""

from collections.abc import Set
from typing import Literal, get_args

from compiler.report.graph.sections import fold, sections_of
from compiler.report.markup import Markup
from compiler.report.review.page import drawing
from compiler.report.review.parts import Page
from server.errors import BadForm

View = Literal["flow", "lanes", "sections"]
MANY = 40
"""Nodes from which on a graph is folded at first."""


def views_of(page: Page) -> tuple[View, ...]:
    """How a graph can be drawn; by section where its nodes stand in several."""
    sections = sections_of(page.workflow, page.documents[0]) if page.documents else {}
    several = len(set(sections.values())) > 1
    return ("flow", "lanes", "sections") if several else ("flow", "lanes")


def first_view(page: Page) -> View:
    """How it is drawn until somebody chooses: folded where it is large."""
    return "sections" if len(page.workflow.nodes) > MANY and "sections" in views_of(page) else "flow"


def drawn(page: Page, view: str, unfolded: Set[str] = frozenset()) -> Markup:
    """The graph.

    Args:
        unfolded: sections that are not folded, by the address of their heading.

    Raises:
        BadForm: there is no such view.
    """
    if view not in get_args(View):
        raise BadForm(f"a graph is drawn as one of {', '.join(get_args(View))}, not as {view!r}")
    if view == "sections":
        sections = sections_of(page.workflow, page.documents[0]) if page.documents else {}
        folded = fold(page.workflow, sections, unfolded, page.words)
        return drawing(page, folded.workflow, folded.edges)
    return drawing(page, lanes=view == "lanes")
