"""A workflow as an SVG picture, by itself or inside a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.load import Catalog
from compiler.report.graph.drawing import (
    BADGE_GAP,
    CAPTION,
    CAPTION_LINE,
    ICON,
    LABEL,
    LABEL_LINE,
    PAD_X,
    PAD_Y,
    START_ITEM,
    SUB,
    SUB_LINE,
    TITLE,
    TITLE_LINE,
    Card,
    Drawing,
    EdgeLabel,
    badge_width,
    draw,
    edge_text,
)
from compiler.report.graph.layout import Box, Route
from compiler.report.graph.legend import LEGEND_HEIGHT, legend_width, render_legend
from compiler.report.graph.shapes import arrow_head, badge, icon, outline, route_path, text_lines
from compiler.report.graph.text_size import wrap_text
from compiler.report.graph.theme import FONT, LIGHT, Theme
from compiler.report.markup import Attributes, Markup, element, join
from compiler.report.readers_words import Reader
from ir.diagnostics import Severity
from ir.workflow import Edge, Workflow


@dataclass(frozen=True)
class RunMarks:
    """How far a run came, to be seen in the picture: the classes say it to a style sheet, the marks without colour.

    Args:
        states: by node its state, which becomes the class `is-STATE`.
        marks: by state a sign.
        taken: indexes of the edges that were taken, which get the class `is-taken`.
    """

    states: Mapping[str, str]
    marks: Mapping[str, str]
    taken: frozenset[int]


def render_svg(
    workflow: Workflow,
    *,
    catalog: Catalog | None = None,
    theme: Theme = LIGHT,
    language: str | None = None,
    faults: Mapping[str, Severity] | None = None,
    interactive: bool = False,
    lanes: bool = False,
    numbers: Sequence[int] | None = None,
    run: RunMarks | None = None,
) -> str:
    """Draw a workflow.

    Nodes bear `data-node`, edges `data-edge` (their index in the workflow), `data-from` and `data-to`. Each has a
    title that says in full what the picture shortens.

    Args:
        catalog: for the kinds of nodes and the names of fields and values.
        language: `zh` or `en`; by default the workflow's own.
        faults: the gravest diagnostic by node id; such nodes get a mark.
        interactive: for use inside a page: nodes and edges can be reached by keyboard, and there is no legend.
        lanes: in a column for each that acts.
        numbers: by edge, the index that `data-edge` names; None for the workflow's own.
        run: how far a run of it came; None where it is drawn without one.
    """
    reader = Reader(workflow, catalog, language)
    drawing = draw(workflow, reader, lanes=lanes)
    layout = drawing.layout
    title = workflow.metadata.title or workflow.workflow_id
    legend = None if interactive else render_legend(reader, theme, layout.height)
    width = max(layout.width, 0.0 if interactive else legend_width(reader))
    height = layout.height + (0.0 if interactive else LEGEND_HEIGHT)
    attributes: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "width": round(width),
        "height": round(height),
        "font-family": FONT,
        "role": "group" if interactive else "img",
        "aria-label": title,
    }
    ground = element("rect", {"width": "100%", "height": "100%", "fill": theme.background, "class": "ground"})
    edges = _edges(workflow.edges, numbers, drawing, reader, theme, run, interactive=interactive)
    nodes = [
        _node(node_id, card, drawing, reader, theme, (faults or {}).get(node_id), run, interactive=interactive)
        for node_id, card in drawing.cards.items()
    ]
    return element(
        "svg",
        attributes,
        None if interactive else element("title", {}, title),
        ground,
        _lanes(drawing, theme),
        element("g", {"class": "edges"}, _start_edges(drawing, theme), edges),
        element("g", {"class": "nodes"}, _start(drawing, reader, theme), nodes),
        legend,
    )


def _edges(
    edges: Sequence[Edge],
    numbers: Sequence[int] | None,
    drawing: Drawing,
    reader: Reader,
    theme: Theme,
    run: RunMarks | None,
    *,
    interactive: bool,
) -> list[Markup]:
    names = numbers or range(len(edges))
    return [
        _edge(index, edge, drawing, reader, theme, run, interactive=interactive, name=names[index])
        for index, edge in enumerate(edges)
    ]


def _control(interactive: bool, name: str) -> dict[str, str]:
    return {"tabindex": "0", "role": "button", "aria-label": name} if interactive else {}


def _lanes(drawing: Drawing, theme: Theme) -> Markup | None:
    if not drawing.lanes:
        return None
    parts: list[Markup] = []
    for lane in drawing.lanes:
        size: Attributes = {"x": lane.x, "y": 4, "width": lane.width, "height": drawing.layout.height - 8, "rx": 6}
        parts.append(element("rect", {**size, "fill": theme.lane, "stroke": theme.line, "stroke-width": 0.5}))
        name = wrap_text(lane.name, lane.width - 16, TITLE, 1)
        parts.append(
            text_lines(name, lane.x + lane.width / 2, 10, TITLE, TITLE_LINE, theme.text, anchor="middle", weight=600)
        )
    return element("g", {"class": "lanes"}, parts)


def _edge(
    index: int,
    edge: Edge,
    drawing: Drawing,
    reader: Reader,
    theme: Theme,
    run: RunMarks | None,
    *,
    interactive: bool,
    name: int,
) -> Markup:
    route, label = drawing.layout.routes[index], drawing.labels[index]
    full = _edge_title(edge, reader)
    colour = theme.error if edge.on == "error" else theme.line
    primer = edge.origin.startswith("primer:")
    dash = "2 4" if edge.on == "error" else "6 4" if primer else None
    classes = f"edge on-{edge.on}" + (" primer" if primer else "") + (" is-taken" if run and index in run.taken else "")
    attributes = {"class": classes, "data-edge": str(name)}
    ends = {"data-from": edge.source, "data-to": edge.target}
    path = route_path(route)
    return element(
        "g",
        attributes | ends | _control(interactive, full),
        element("title", {}, full),
        element("path", {"class": "hit", "d": path, "fill": "none", "stroke": "transparent", "stroke-width": 12}),
        element(
            "path",
            {
                "class": "line",
                "d": path,
                "fill": "none",
                "stroke": colour,
                "stroke-width": 1.4,
                "stroke-dasharray": dash,
            },
        ),
        arrow_head(route.points, colour),
        _edge_label(label, route.label, colour if edge.on == "error" else theme.label, theme, dash),
    )


def _edge_title(edge: Edge, reader: Reader) -> str:
    text = f"{reader.node_name(edge.source)} → {reader.node_name(edge.target)}"
    said = edge_text(edge, reader)
    if said:
        text += f"\n{said}"
    exact = reader.exact(edge.condition)
    if exact not in (said, reader.words("always")):
        text += f"\n{exact}"
    if edge.priority is not None:
        text += f"\n{reader.words('priority')} {edge.priority}"
    if edge.origin != "document":
        text += f"\n{edge.origin}"
    return text


def _edge_label(label: EdgeLabel, box: Box | None, colour: str, theme: Theme, dash: str | None) -> Markup | None:
    if box is None:
        return None
    frame = element(
        "rect",
        {
            "class": "chip",
            "x": box.x,
            "y": box.y,
            "width": box.width,
            "height": box.height,
            "rx": 5,
            "fill": theme.background,
            "stroke": theme.line,
            "stroke-width": 0.7,
            "stroke-dasharray": "3 2" if dash else None,
        },
    )
    x, y = box.centre[0], box.y + 3
    return join([frame, text_lines(label.lines, x, y, LABEL, LABEL_LINE, colour, anchor="middle")])


def _node(
    node_id: str,
    card: Card,
    drawing: Drawing,
    reader: Reader,
    theme: Theme,
    fault: Severity | None,
    run: RunMarks | None,
    *,
    interactive: bool,
) -> Markup:
    box, paint = drawing.layout.boxes[node_id], theme.kinds[card.kind]
    left, top = box.x + PAD_X + card.side, box.y + PAD_Y
    title_top = top + CAPTION_LINE
    sub_top = title_top + TITLE_LINE * len(card.title)
    full = _node_title(node_id, card, reader)
    primer = card.badge is not None
    state = run.states.get(node_id) if run is not None else None
    classes = f"node kind-{card.kind}" + (" added" if primer else "") + (f" is-{state}" if state else "")
    return element(
        "g",
        {"class": classes, "data-node": node_id} | _control(interactive, full),
        element("title", {}, full),
        outline(card.kind, box, paint, dashed=primer),
        icon(card.kind, left, top + 1.5, paint.stroke),
        text_lines([card.caption], left + ICON, top, CAPTION, CAPTION_LINE - 1, paint.stroke, weight=600),
        _badges(card, box.right - PAD_X - card.side, top, paint.stroke, theme),
        text_lines(card.title, left, title_top, TITLE, TITLE_LINE, theme.text, weight=600),
        text_lines(card.sub, left, sub_top, SUB, SUB_LINE, theme.muted),
        _fault_mark(box, fault, theme),
        _run_mark(box, run.marks.get(state or "", ""), theme) if run is not None else None,
    )


def _run_mark(box: Box, sign: str, theme: Theme) -> Markup:
    """What became of a node in a run, at its corner."""
    circle: Attributes = {"cx": box.x + 2, "cy": box.y + 2, "r": 8.5, "fill": theme.background, "stroke": theme.line}
    text: Attributes = {"x": box.x + 2, "y": box.y + 6, "font-size": 11, "font-weight": 700, "text-anchor": "middle"}
    return element("g", {"class": "state"}, element("circle", circle), element("text", text, sign))


def _node_title(node_id: str, card: Card, reader: Reader) -> str:
    node = reader.workflow.nodes.get(node_id)
    if node is None:
        return f"{card.caption}: {node_id}"
    parts = [
        f"{card.caption}: {reader.node_name(node_id)}",
        f"{node_id} · {node.type} {node.type_version or ''}".rstrip(),
    ]
    node_type = reader.node_type(node)
    if node_type:
        parts.append(reader.summary(node_type))
    if card.sub:
        parts.append(f"{reader.words('actor')}: {node.actor or node.assignee or ', '.join(node.approvers or ())}")
    if node.reason_code:
        parts.append(f"{reader.words('reason_code')}: {node.reason_code}")
    if card.risk:
        parts.append(reader.words(f"risk_badge.{card.risk}"))
    if node.origin != "document":
        parts.append(f"{reader.words('origin')}: {node.origin}")
    return "\n".join(parts)


def _badges(card: Card, right: float, top: float, stroke: str, theme: Theme) -> Markup:
    parts: list[Markup] = []
    if card.risk:
        paint = theme.risks[card.risk]
        width = badge_width(card.risk_word)
        parts.append(badge(card.risk_word, right - width, top, width, fill=paint.fill, stroke=None, text=paint.stroke))
        right -= width + BADGE_GAP
    if card.badge:
        width = badge_width(card.badge)
        parts.append(badge(card.badge, right - width, top, width, fill=theme.background, stroke=stroke, text=stroke))
    return join(parts)


def _fault_mark(box: Box, fault: Severity | None, theme: Theme) -> Markup | None:
    if fault is None or fault is Severity.INFO:
        return None
    colour = theme.error if fault is Severity.ERROR else theme.warning
    circle: Attributes = {
        "class": "fault",
        "cx": box.right - 3,
        "cy": box.y + 2,
        "r": 8,
        "fill": colour,
        "stroke": theme.background,
    }
    mark: Attributes = {
        "x": box.right - 3,
        "y": box.y + 6,
        "font-size": 11,
        "font-weight": 700,
        "fill": "#ffffff",
        "text-anchor": "middle",
    }
    return join([element("circle", circle), element("text", mark, "!")])


def _start(drawing: Drawing, reader: Reader, theme: Theme) -> Markup | None:
    box = drawing.layout.boxes.get(START_ITEM)
    if box is None:
        return None
    shape: Attributes = {
        "x": box.x,
        "y": box.y,
        "width": box.width,
        "height": box.height,
        "rx": box.height / 2,
        "fill": theme.muted,
    }
    y = box.y + (box.height - SUB_LINE) / 2
    word = text_lines(
        [reader.words("start")], box.centre[0], y, SUB, SUB_LINE, theme.background, anchor="middle", weight=600
    )
    return element("g", {"class": "start"}, element("rect", shape), word)


def _start_edges(drawing: Drawing, theme: Theme) -> Markup:
    routes: tuple[Route, ...] = drawing.layout.routes[len(drawing.labels) :]
    line: Attributes = {"fill": "none", "stroke": theme.line, "stroke-width": 1.4}
    return join(
        join([element("path", {"d": route_path(route), **line}), arrow_head(route.points, theme.line)])
        for route in routes
    )
