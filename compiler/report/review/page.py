"""The review page of a workflow: its graph, the source text with the evidence marked, and what a reviewer must decide.

One HTML file that needs nothing else: no network, styles and script inline, the script allowed by its digest alone, so
that nothing a document says could run.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import Template

from compiler.fates.verdict import asked
from compiler.report.graph.legend import legend_entries, legend_swatch
from compiler.report.graph.svg import render_svg
from compiler.report.graph.theme import LIGHT
from compiler.report.markup import Attributes, Markup, element, join, plain
from compiler.report.review.details import render_details
from compiler.report.review.fates import constraints_panel, fate_chip
from compiler.report.review.how_it_runs import how_it_runs_panel
from compiler.report.review.panels import (
    data_panel,
    diagnostics_panel,
    policy_panel,
    provenance_panel,
    questions_panel,
    unplaced_panel,
    unplaced_statements,
)
from compiler.report.review.parts import Page, Review, chip
from compiler.report.review.source_pane import Opener, SourcePane
from compiler.report.templates import read_template
from compiler.report.words import Words
from ir.diagnostics import Severity
from ir.workflow import CONTROL_END, Workflow

__all__ = ["PageBody", "Review", "html_page", "render_review", "review_body"]


def render_review(review: Review) -> str:
    """The whole page as HTML, in Chinese for Chinese workflows, else in English.

    The address may end in `#node=ID`, `#edge=INDEX`, `#gap=ID`, `#diag=INDEX`, `#input=NAME` or `#unplaced=INDEX`, and
    the page then opens with that selected.
    """
    made = review_body(review)
    return html_page(made.title, made.words, made.body, style="review.css", script="review.js")


@dataclass(frozen=True)
class PageBody:
    """What stands in a page, for whoever puts style and script around it.

    Args:
        title: of the window.
    """

    title: str
    words: Words
    body: Markup


def review_body(review: Review) -> PageBody:
    """The review page without what is around it; it needs `review.css` and `review.js`."""
    page = Page(review)
    title = page.workflow.metadata.title or page.workflow.workflow_id
    panes = (graph_pane(page), splitter(page, 0), source_pane(page), splitter(page, 1), side_pane(page))
    body = join([page_header(page, title), element("main", {}, panes)])
    return PageBody(f"{title} · {page.words('review')}", page.words, body)


def html_page(title: str, words: Words, body: Markup, *, style: str, script: str, pictures: bool = False) -> str:
    """A page of its own: the shared style, its style and its script put inline, everything else forbidden.

    Args:
        pictures: whether pictures that stand in the page as data may be shown.
    """
    css = read_template("base.css") + read_template(style)
    code = read_template(script)
    policy = (
        f"default-src 'none'; style-src '{_hash(css)}'; script-src '{_hash(code)}'; base-uri 'none'; form-action 'none'"
    )
    policy += "; img-src data:" if pictures else ""
    return Template(read_template("page.html")).substitute(
        language="zh-CN" if words.language == "zh" else "en",
        policy=plain(policy),
        title=plain(title),
        style=css,
        body=body,
        script=code,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_header(page: Page, title: str) -> Markup:
    """What the draft is, and the figures that say how it stands."""
    words, workflow, policy = page.words, page.workflow, page.workflow.execution_policy
    head = element(
        "div",
        {"class": "title"},
        element("h1", {}, title),
        chip(words(f"status.{workflow.status}"), f"state-{workflow.status}"),
        element("code", {}, f"{workflow.workflow_id} · {workflow.version}"),
        element("button", {"type": "button", "class": "tool", "data-do": "print"}, words("print")),
    )
    risk = element(
        "span",
        {"class": f"fact risk-{policy.risk_level}"},
        f"{words('risk')} ",
        element("b", {}, words(f"risk.{policy.risk_level}")),
    )
    rules = [
        (words("allow_auto"), words("allow_auto.yes" if policy.allow_auto else "allow_auto.no")),
        (
            words("require_approval"),
            words("require_approval.yes" if policy.require_approval else "require_approval.no"),
        ),
    ]
    facts = [
        element("span", {"class": "fact read-by"}, f"{words('read_by')} ", element("b", {}, read_by_words(page))),
        risk,
        *(element("span", {"class": "fact"}, f"{name} ", element("b", {}, value)) for name, value in rules),
        *_figures(page),
    ]
    return element("header", {"class": "top"}, head, element("div", {"class": "facts"}, facts, _counts(page)))


def read_by_words(page: Page) -> str:
    """Who read the document: rules alone, a model by name, or rules as the model failed."""
    who = page.verdict.read_by
    failed = re.fullmatch(r"rules \((.*) failed\)", who)
    if failed:
        return page.words("read_by.failed", failed[1])
    return page.words("read_by.rules") if who == "rules" else page.words("read_by.model", who)


def _figures(page: Page) -> list[Markup]:
    """What the draft says of itself: steps, prohibitions, statements."""
    words, said = page.words, page.verdict
    comma = words("list_comma").join
    parts = [
        (words("count.document"), said.steps.all, "steps", said.steps, ("executable", "manual", "unmapped")),
        (words("count.prohibitions"), said.prohibitions.all, "prohibitions", said.prohibitions,
         ("enforced", "accepted", "unenforced")),
        (words("count.statements"), said.statements.all, "statements", said.statements,
         ("carried", "constraint", "question", "unplaced", "set_aside")),
    ]  # fmt: skip
    shown = [part for part in parts if part[1]]
    put_in = sum(n.origin.startswith("primer:") and n.type != CONTROL_END for n in page.workflow.nodes.values())
    added = element("span", {"class": "fact"}, f"{words('count.primers')} ", element("b", {}, str(put_in)))
    counted = [
        element(
            "span",
            {"class": f"fact {sort}"},
            f"{name} ",
            element("b", {}, str(total)),
            f" ({comma(words(f'{sort}.{key}') + f' {getattr(group, key)}' for key in keys)})",
        )
        for name, total, sort, group, keys in shown
    ]
    return [added, *counted]


def _counts(page: Page) -> list[Markup]:
    severities = [one.severity for one in page.review.diagnostics]
    counts = [
        ("errors", severities.count(Severity.ERROR), "diagnostics"),
        ("warnings", severities.count(Severity.WARNING), "diagnostics"),
        ("gaps", page.verdict.questions.all, "questions"),
        ("weighty", page.verdict.questions.weighty, "questions"),
    ]
    return [
        element(
            "button",
            {"type": "button", "class": f"fact count {name}" + ("" if number else " zero"), "data-tab": tab},
            f"{page.words(f'count.{name}')} ",
            element("b", {}, str(number)),
        )
        for name, number, tab in counts
    ]


def splitter(page: Page, index: int) -> Markup:
    """What two panes are made wider and narrower with."""
    label = page.words("resize")
    return element(
        "div",
        {
            "class": "splitter",
            "role": "separator",
            "aria-orientation": "vertical",
            "tabindex": "0",
            "aria-label": label,
            "aria-valuenow": 50,
            "data-split": index,
        },
    )


def drawing(
    page: Page, workflow: Workflow | None = None, numbers: Sequence[int] | None = None, *, lanes: bool = False
) -> Markup:  # fmt: skip
    """The graph with the worst finding at each node.

    Args:
        workflow, numbers: what is drawn in the workflow's place, and which edges of it those are.
        lanes: in a column for each that acts.
    """
    faults: dict[str, Severity] = {}
    order = list(Severity)
    by_key = {key: node_id for node_id, key in page.node_keys.items()}
    for one in page.review.diagnostics:
        for key in page.keys_at(one.location):
            node_id = by_key.get(key)
            if node_id is not None:
                faults[node_id] = min(faults.get(node_id, one.severity), one.severity, key=order.index)
    svg = render_svg(
        workflow or page.workflow, catalog=page.review.catalog, language=page.words.language, faults=faults,
        interactive=True, lanes=lanes, numbers=numbers,
    )  # fmt: skip
    return Markup(svg)


def graph_pane(page: Page, *also: Markup, drawn: Markup | None = None) -> Markup:
    """The graph, with what it is moved by.

    Args:
        also: what stands before the tools.
        drawn: the graph, where it is drawn otherwise than from the top down.
    """
    words = page.words
    tools = [("out", "−", "zoom_out"), ("in", "+", "zoom_in"), ("width", "↔", "fit_width"), ("fit", "⤢", "fit")]
    buttons = [
        element(
            "button",
            {"type": "button", "class": "tool", "data-do": name, "title": words(key), "aria-label": words(key)},
            sign,
        )
        for name, sign, key in tools
    ]
    return element(
        "section",
        {"class": "pane graph", "aria-label": words("graph")},
        element(
            "div",
            {"class": "bar"},
            element("h2", {}, words("graph")),
            *also,
            element("div", {"class": "tools"}, buttons),
        ),
        element("div", {"class": "canvas"}, drawn or drawing(page)),
        element("div", {"class": "key"}, _legend(page)),
    )


def _legend(page: Page) -> list[Markup]:
    size: Attributes = {"xmlns": "http://www.w3.org/2000/svg", "width": 30, "height": 18, "aria-hidden": "true"}
    return [
        element("span", {}, element("svg", size, legend_swatch(kind, 2, 2, LIGHT)), word)
        for kind, word in legend_entries(page.reader)
    ]


def source_pane(page: Page, opener: Opener | None = None) -> Markup:
    """The documents, with the words marked that something rests on."""
    pane = source_of(page, opener)
    documents = [pane.document(document, index) for index, document in enumerate(page.documents)]
    jumps = [
        element(
            "button",
            {"type": "button", "class": "doc-tab", "data-doc": index, "title": document.doc_id},
            document.title,
        )
        for index, document in enumerate(page.documents)
    ]
    return element(
        "section",
        {"class": "pane source", "aria-label": page.words("source")},
        element(
            "div", {"class": "bar"}, element("h2", {}, page.words("source")), element("div", {"class": "docs"}, jumps)
        ),
        element("div", {"class": "text", "tabindex": "0"}, documents or _no_source(page)),
    )


def source_of(page: Page, opener: Opener | None = None) -> SourcePane:
    """What renders the documents of a page."""
    procedure = page.review.procedure
    main, extent = (procedure.doc_id, frozenset(procedure.extent)) if procedure else (None, frozenset[str]())
    chips: dict[str, list[tuple[int, Markup]]] = {}
    for index, one in enumerate(page.review.statements):
        mark = fate_chip(page, index)
        if mark is not None:
            chips.setdefault(one.block, []).append((one.end, mark))
    return SourcePane(page.words, page.citations, page.names, main, extent, chips, opener)


def _no_source(page: Page) -> Markup:
    return element("p", {"class": "empty"}, page.words("source.none"))


@dataclass(frozen=True)
class Panel:
    """What stands under one tab at the side.

    Args:
        count: of what is in it; None where nothing is counted.
    """

    name: str
    title: str
    count: int | None
    content: Markup


def side_pane(page: Page, *also: Panel, panels: Sequence[Panel] | None = None) -> Markup:
    """The panels, of which one is open.

    Args:
        also: what stands before those that every page has.
        panels: those, where they are made already.
    """
    made = [*also, *(side_panels(page) if panels is None else panels)]
    tabs = [_tab(one.name, one.title, one.count, chosen=index == 0) for index, one in enumerate(made)]
    bodies = [
        _panel(one.name, page.words.get(f"print.{one.name}", one.title), one.content, chosen=index == 0)
        for index, one in enumerate(made)
    ]
    return element(
        "section",
        {"class": "pane side", "aria-label": page.words("panels")},
        element("div", {"class": "tabs", "role": "tablist"}, tabs),
        bodies,
    )


def side_panels(page: Page) -> tuple[Panel, ...]:
    """The panels that every page has."""
    words = page.words
    hint = element("div", {"class": "hint"}, element("p", {}, words("hint")), element("p", {}, words("hint.keys")))
    panels: list[tuple[str, int | None, Callable[[Page], Markup]]] = [
        ("questions", len(asked(page.workflow)), questions_panel),
        ("diagnostics", len(page.review.diagnostics), diagnostics_panel),
        ("selection", None, lambda page: join([hint, *render_details(page)])),
        ("runs", None, how_it_runs_panel),
        ("data", None, data_panel),
        ("policy", None, policy_panel),
        ("constraints", _constraints(page), constraints_panel),
        ("unplaced", len(unplaced_statements(page)), unplaced_panel),
        ("provenance", None, provenance_panel),
    ]
    return tuple(Panel(name, words(f"tab.{name}"), count, render(page)) for name, count, render in panels)


def _constraints(page: Page) -> int:
    return page.verdict.statements.constraint


def _tab(name: str, title: str, count: int | None, *, chosen: bool) -> Markup:
    attributes: Attributes = {
        "type": "button",
        "role": "tab",
        "id": f"tab-{name}",
        "aria-controls": f"panel-{name}",
        "aria-selected": "true" if chosen else "false",
        "tabindex": "0" if chosen else "-1",
        "data-tab": name,
    }
    number = element("span", {"class": "number" if count else "number zero"}, str(count)) if count is not None else None
    return element("button", attributes, title, number)


def _panel(name: str, title: str, content: Markup, *, chosen: bool) -> Markup:
    attributes: Attributes = {
        "role": "tabpanel",
        "id": f"panel-{name}",
        "aria-labelledby": f"tab-{name}",
        "class": "panel open" if chosen else "panel",
        "tabindex": "0",
    }
    return element("div", attributes, element("h2", {"class": "print-only"}, title), content)
