"""A workflow as boxes and lines: what is written on each, and where each stands."""

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from compiler.report.graph.lanes import Lane, arrange_lanes
from compiler.report.graph.layering import Item, Link
from compiler.report.graph.layout import Layout, arrange
from compiler.report.graph.text_size import text_width, wrap_text
from compiler.report.readers_words import Reader
from ir.predicate import Always
from ir.workflow import Edge, Node, RiskLevel, Workflow

START_ITEM = "\x00start"  # no node's id has this form
TITLE, CAPTION, SUB, LABEL = 13.0, 10.5, 11.0, 11.0
TITLE_LINE, SUB_LINE, LABEL_LINE, CAPTION_LINE = 17.0, 15.0, 14.5, 16.0
PAD_X, PAD_Y, ICON, BADGE_GAP = 12.0, 8.0, 17.0, 6.0
_TEXT_MOST, _LABEL_MOST, _TITLE_LINES = 164.0, 168.0, 3
_SIDE = {"decision": 12.0, "end": 8.0}


@dataclass(frozen=True)
class Card:
    """What is written on a node.

    Args:
        caption: the kind in words; of an end, how it ends.
        badge: `primer` and the like; None for what the document says.
        risk: only where it is medium or high.
        side: room that the shape takes left and right.
    """

    kind: str
    caption: str
    title: tuple[str, ...]
    sub: tuple[str, ...]
    badge: str | None = None
    risk: RiskLevel | None = None
    risk_word: str = ""
    side: float = 0.0

    @property
    def width(self) -> float:
        """Width in pixels that the words need."""
        caption = ICON + text_width(self.caption, CAPTION, bold=True)
        for word in (self.badge, self.risk_word):
            caption += badge_width(word) + BADGE_GAP if word else 0.0
        lines = [caption, *(text_width(line, TITLE, bold=True) for line in self.title)]
        widest = max([*lines, *(text_width(line, SUB) for line in self.sub)])
        return max(widest, 84.0) + 2 * (PAD_X + self.side)

    @property
    def height(self) -> float:
        """Height in pixels that the words need."""
        return 2 * PAD_Y + CAPTION_LINE + TITLE_LINE * len(self.title) + SUB_LINE * len(self.sub)


@dataclass(frozen=True)
class EdgeLabel:
    """What is written on an edge; no lines where it has no label."""

    lines: tuple[str, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pixels."""
        if not self.lines:
            return 0.0, 0.0
        return max(text_width(line, LABEL) for line in self.lines) + 14, LABEL_LINE * len(self.lines) + 6


@dataclass(frozen=True)
class Drawing:
    """A workflow laid out.

    Args:
        cards: by node id; nodes that edges name but the workflow lacks are among them, of kind `missing`.
        labels: in the order of the workflow's edges.
        entries: the nodes that the start leads to.
        layout: its routes are those of the workflow's edges, then one from the start to each entry.
        lanes: the columns of those who act; none where it is not drawn in lanes.
    """

    cards: dict[str, Card]
    labels: tuple[EdgeLabel, ...]
    entries: tuple[str, ...]
    layout: Layout
    lanes: tuple[Lane, ...] = ()


def badge_width(word: str) -> float:
    """The width of a badge with that word, in pixels."""
    return text_width(word, CAPTION - 1, bold=True) + 9


def draw(workflow: Workflow, reader: Reader, *, lanes: bool = False) -> Drawing:
    """Lay a workflow out; one with faults (cycles, edges to nowhere) is drawn all the same.

    Args:
        lanes: in a column for each that acts.
    """
    cards = {node_id: _card(node_id, node, reader) for node_id, node in workflow.nodes.items()}
    for edge in workflow.edges:
        for end in (edge.source, edge.target):
            cards.setdefault(
                end, Card("missing", reader.words("kind.missing"), wrap_text(end, _TEXT_MOST, TITLE, 2), ())
            )
    labels = tuple(EdgeLabel(_label(edge, reader)) for edge in workflow.edges)
    entered = {edge.target for edge in workflow.edges if edge.source != edge.target}
    entries = tuple(node_id for node_id in workflow.nodes if node_id not in entered)
    spine = main_path(workflow)
    items = [Item(node_id, card.width, card.height) for node_id, card in cards.items()]
    links = [
        Link(edge.source, edge.target, *label.size, weight=3 if (edge.source, edge.target) in spine else 1)
        for edge, label in zip(workflow.edges, labels, strict=True)
    ]
    if entries:
        word = reader.words("start")
        items.insert(0, Item(START_ITEM, text_width(word, SUB) + 28, 24))
        links += [Link(START_ITEM, entry, weight=3 if len(entries) == 1 else 1) for entry in entries]
    if not lanes:
        return Drawing(cards, labels, entries, arrange(items, links))
    nobody = reader.words("graph.nobody")
    who = {name: acting(node, reader).strip("?") or nobody for name, node in workflow.nodes.items()}
    names = list(dict.fromkeys(who.values()))
    lane_of = {item.id: names.index(who[item.id]) if item.id in who else 0 for item in items}
    lane_of |= {entry_item: lane_of[entries[0]] for entry_item in (START_ITEM,) if entries}
    return Drawing(cards, labels, entries, *arrange_lanes(items, links, names or [""], lane_of))


def acting(node: Node, reader: Reader) -> str:
    """Who does what a node stands for; empty where nobody is named."""
    return node.actor or node.assignee or reader.words("list_comma").join(node.approvers or ())


def main_path(workflow: Workflow) -> frozenset[tuple[str, str]]:
    """The edges of the path to be drawn straight: the longest one, what the document says counting most."""
    before: dict[str, list[str]] = {node_id: [] for node_id in workflow.nodes}
    for edge in workflow.edges:
        if edge.on == "success" and edge.source in before and edge.target in before:
            before[edge.target].append(edge.source)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError:
        return frozenset()
    length: dict[str, int] = {}
    through: dict[str, str] = {}
    for node_id in order:
        node = workflow.nodes[node_id]
        own = 1 if node.origin.startswith("primer:") and node.type.startswith("human.") else 3
        best = max(before[node_id], key=lambda other: length[other], default=None)
        length[node_id] = own + (length[best] if best is not None else 0)
        if best is not None:
            through[node_id] = best
    path: set[tuple[str, str]] = set()
    last = max(length, key=lambda node_id: length[node_id], default=None)
    while last is not None and last in through:
        path.add((through[last], last))
        last = through[last]
    return frozenset(path)


def effective_risk(node: Node, reader: Reader) -> RiskLevel | None:
    """The risk of a node: its own where set, else its Type's."""
    node_type = reader.node_type(node)
    return node.policy.risk_level or (node_type.governance.risk_level_default if node_type else None)


def edge_text(edge: Edge, reader: Reader) -> str:
    """What an edge says: its label, `on failure`, or its condition in short words; empty for always."""
    if edge.on == "error":
        return edge.label or reader.words("on_error")
    if isinstance(edge.condition, Always):
        return edge.label or ""
    return reader.condition(edge.condition, edge.source)


def _label(edge: Edge, reader: Reader) -> tuple[str, ...]:
    return wrap_text(edge_text(edge, reader), _LABEL_MOST, LABEL, 3)


def _card(node_id: str, node: Node, reader: Reader) -> Card:
    kind = reader.kind(node)
    caption = reader.words(f"kind.{kind}")
    if node.status:
        caption = reader.words(f"end.{node.status}")
    title = reader.node_name(node_id)
    risk = effective_risk(node, reader)
    shown = risk if risk in ("medium", "high") else None
    who = acting(node, reader)
    return Card(
        kind=kind,
        caption=caption,
        title=wrap_text(title, _TEXT_MOST, TITLE, _TITLE_LINES) or (node_id,),
        sub=wrap_text(who, _TEXT_MOST, SUB, 1),
        badge=_origin_badge(node.origin, reader),
        risk=shown,
        risk_word=f"▲ {reader.words(f'risk_badge.{shown}')}" if shown else "",
        side=_SIDE.get(kind, 0.0),
    )


def _origin_badge(origin: str, reader: Reader) -> str | None:
    kind = origin.partition(":")[0]
    return None if kind == "document" else reader.words(f"origin.{kind}")
