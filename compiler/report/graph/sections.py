"""A long workflow with the sections of its document folded: each is one box, until it is opened."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from compiler.report.readers_words import SECTION
from compiler.report.words import Words
from ir.document import Document
from ir.predicate import ALWAYS
from ir.workflow import Edge, Node, Workflow

PREFIX = "section:"


@dataclass(frozen=True)
class Section:
    """A part of a document under one heading.

    Args:
        address: of the heading.
    """

    address: str
    title: str


@dataclass(frozen=True)
class Folded:
    """A workflow to be drawn.

    Args:
        edges: by edge of it, the number that it has in the whole workflow.
    """

    workflow: Workflow
    edges: tuple[int, ...]


def sections_of(workflow: Workflow, document: Document) -> dict[str, Section]:
    """The section that each node's words stand in; without nodes that rest on no words, or stand under no heading.

    Headings that all of them stand under, as the document's title, make no sections.
    """
    blocks = {block.address: block for block in document.blocks}
    blocks |= {cell.address: block for block in document.blocks for cell in block.cells}
    ways: dict[str, list[Section]] = {}
    for name, node in workflow.nodes.items():
        place = next((one.block for one in node.evidence if one.block in blocks), None)
        way: list[Section] = []
        parent = blocks[place].parent if place is not None else None
        while parent in blocks and len(way) < len(blocks):
            block = blocks[parent]
            if block.kind == "heading":
                way.insert(0, Section(block.address, block.text))
            parent = block.parent
        if way:
            ways[name] = way
    while ways and len({way[0] for way in ways.values()}) == 1 and all(len(way) > 1 for way in ways.values()):
        ways = {name: way[1:] for name, way in ways.items()}
    return {name: way[0] for name, way in ways.items()}


def fold(workflow: Workflow, sections: Mapping[str, Section], unfolded: Set[str], words: Words) -> Folded:
    """A workflow with each section of several nodes as one node, but for those that are unfolded.

    Args:
        unfolded: addresses of headings.
    """
    members: dict[Section, list[str]] = {}
    for name, section in sections.items():
        if section.address not in unfolded:
            members.setdefault(section, []).append(name)
    drawn = {name: name for name in workflow.nodes}
    nodes: dict[str, Node] = {}
    for section, names in members.items():
        if len(names) > 1:
            drawn |= dict.fromkeys(names, PREFIX + section.address)
    by_box = {PREFIX + section.address: (section, names) for section, names in members.items()}
    for name, node in workflow.nodes.items():
        box = drawn[name]
        if box == name:
            nodes[name] = node
        elif box not in nodes:
            section, names = by_box[box]
            count = words("graph.steps", len(names))
            nodes[box] = Node(type=SECTION, label=section.title, actor=count, evidence=node.evidence)
    edges, numbers, seen = list[Edge](), list[int](), dict[tuple[str, str], int]()
    for number, edge in enumerate(workflow.edges):
        source, target = drawn.get(edge.source, edge.source), drawn.get(edge.target, edge.target)
        if source == target and edge.source != edge.target:
            continue
        if (source, target) in seen and (source, target) != (edge.source, edge.target):
            first = seen[source, target]
            edges[first] = edges[first].model_copy(update={"condition": ALWAYS, "label": None})
            continue
        seen[source, target] = len(edges)
        edges.append(edge.model_copy(update={"source": source, "target": target}))
        numbers.append(number)
    return Folded(workflow.model_copy(update={"nodes": nodes, "edges": tuple(edges)}), tuple(numbers))
