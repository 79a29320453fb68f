"""The graph of a workflow as a picture that a printed page holds, folded where it is big."""

import pymupdf

from compiler.report.graph.svg import render_svg
from ir.predicate import Always, references
from ir.workflow import HUMAN_APPROVAL, Edge, Node, Workflow
from review.paper.parts import Picture, Section, Text
from review.paper.source import PaperSource, put_in

WIDTH, HEIGHTS = 490.0, (455.0, 670.0)
"""The most that a picture takes of a page, in points: beside the signatures, and where it needs all of it."""
SMALLEST, LARGEST = 0.46, 0.75
"""Scales between which what is written in a picture has the size of other words; the least is six points."""
_DPI = 200


def picture(source: PaperSource) -> Section:
    """The graph; folded where it would be too small to read, and left out where it still is."""
    title = source.words("paper.picture")
    added = any(put_in(node) for node in source.workflow.nodes.values())
    marked = source.words("paper.picture.put_in", source.words("origin.primer")) if added else ""
    for workflow, note in ((source.workflow, marked), (folded(source), source.words("paper.picture.folded"))):
        svg = render_svg(workflow, catalog=source.review.catalog, language=source.reader.words.language)
        seen = svg.replace('stroke="transparent"', 'stroke="none"')  # which the renderer does not know
        page = pymupdf.open("svg", seen.encode())[0]
        scales = [min(WIDTH / page.rect.width, most / page.rect.height, LARGEST) for most in HEIGHTS]
        scale = next((one for one in scales if one >= SMALLEST), None)
        if scale is not None:
            size = page.rect.width * scale, page.rect.height * scale
            zoom = scale * _DPI / 72
            png = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom)).tobytes("png")
            return Section(title, (Picture(png, *size, title=workflow.metadata.title or title, note=note),))
    return Section(title, (Text(source.words("paper.picture.large")),))


def folded(source: PaperSource) -> Workflow:
    """The workflow with steps in a row as one, and without what rules put in."""
    workflow = source.workflow
    nodes = {name: node for name, node in workflow.nodes.items() if not put_in(node)}
    edges = [one for one in workflow.edges if one.source in nodes and one.target in nodes and not put_in(one)]
    rows = _rows(source, nodes, edges)
    last = {name: row[-1] for row in rows for name in row}
    kept = {row[-1]: _as_one(source, nodes, row) for row in rows}
    joined = [
        edge.model_copy(update={"source": last[edge.source], "target": last[edge.target]})
        for edge in edges
        if last[edge.source] != last[edge.target]
    ]
    return workflow.model_copy(update={"nodes": kept, "edges": tuple(joined)})


def _rows(source: PaperSource, nodes: dict[str, Node], edges: list[Edge]) -> list[list[str]]:
    """The nodes, each with those that only ever follow it; what conditions read of is the last of its row."""
    read = {ref.node for edge in edges for ref in references(edge.condition)}
    rows: list[list[str]] = []
    row_of: dict[str, list[str]] = {}
    for name in (one for one in source.order if one in nodes):
        into = [edge for edge in edges if edge.target == name]
        follows = len(into) == 1 and into[0].source not in read and _runs_on(nodes, edges, into[0])
        row = row_of.get(into[0].source) if follows else None
        if row is None:
            row = []
            rows.append(row)
        row.append(name)
        row_of[name] = row
    return rows


def _runs_on(nodes: dict[str, Node], edges: list[Edge], edge: Edge) -> bool:
    """Whether an edge only joins two plain steps that come one after the other."""
    ends = nodes[edge.source], nodes[edge.target]
    plain = all(node.type != HUMAN_APPROVAL and node.status is None and not node.rule_pack for node in ends)
    alone = sum(one.source == edge.source for one in edges) == 1
    return plain and alone and edge.on == "success" and isinstance(edge.condition, Always)


def _as_one(source: PaperSource, nodes: dict[str, Node], row: list[str]) -> Node:
    """A node that stands for a row of them."""
    node = nodes[row[-1]]
    if len(row) == 1:
        return node
    label = source.words("paper.picture.steps", source.reader.node_name(row[0]), len(row))
    who = source.joined(name for one in row if (name := source.who(nodes[one])))
    return node.model_copy(update={"label": label, "actor": who or None, "assignee": None})
