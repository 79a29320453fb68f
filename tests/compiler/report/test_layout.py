"""The layout keeps nodes, labels and edges off each other, whatever the graph."""

import random
import time
from itertools import combinations, pairwise

import pytest
from effort import drawn
from hypothesis import example, given, settings
from hypothesis import strategies as st

from compiler.report.graph.layering import Item, Link, make_layers
from compiler.report.graph.layout import Box, Layout, Point, arrange
from compiler.report.graph.ordering import count_crossings, order_layers


def random_graph(seed: int, count: int, extra: float = 0.6, *, cyclic: bool = False) -> tuple[list[Item], list[Link]]:
    """A connected graph with long edges, labels of many sizes and parallel edges."""
    chance = random.Random(seed)
    items = [Item(f"n{index}", chance.uniform(60, 220), chance.uniform(24, 90)) for index in range(count)]
    pairs = [(chance.randrange(max(0, index - 6), index), index) for index in range(1, count)]
    pairs += [(chance.randrange(count), chance.randrange(count)) for _ in range(int(extra * count))]
    links = []
    for first, second in pairs:
        if first == second and not cyclic:
            continue
        source, target = (first, second) if cyclic else (min(first, second), max(first, second))
        labelled = chance.random() < 0.5
        size = (chance.uniform(20, 180), chance.uniform(14, 44)) if labelled else (0.0, 0.0)
        links.append(Link(items[source].id, items[target].id, *size))
    return items, links


def curve(first: Point, second: Point, steps: int = 16) -> list[Point]:
    """Points on the S-curve between two points of a route."""
    (x1, y1), (x2, y2) = first, second
    middle = (y1 + y2) / 2
    points = []
    for step in range(steps + 1):
        t = step / steps
        a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
        points.append((a * x1 + b * x1 + c * x2 + d * x2, a * y1 + b * middle + c * middle + d * y2))
    return points


def inside(point: Point, box: Box, slack: float = 0.01) -> bool:
    """Whether a point lies within a box, its border not counted."""
    x, y = point
    return box.x + slack < x < box.right - slack and box.y + slack < y < box.bottom - slack


def assert_nothing_overlaps(layout: Layout, links: list[Link]) -> None:
    """No two boxes or labels share an area, and no edge runs through a node or another edge's label."""
    labels = {index: route.label for index, route in enumerate(layout.routes) if route.label}
    assert {index for index, link in enumerate(links) if link.labelled} == set(labels)
    for first, second in combinations([*layout.boxes.values(), *labels.values()], 2):
        assert not first.meets(second)
    for index, route in enumerate(layout.routes):
        foreign = [*layout.boxes.values(), *(label for other, label in labels.items() if other != index)]
        for start, end in pairwise(route.points):
            for point in [start, end] if route.loop else curve(start, end):
                assert not any(inside(point, box) for box in foreign)
                assert 0 <= point[0] <= layout.width
                assert 0 <= point[1] <= layout.height


@settings(max_examples=drawn(30, 60), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(0, 1.5))
def test_nothing_overlaps_in_acyclic_graphs(seed: int, count: int, extra: float) -> None:
    """Random acyclic graphs are drawn without overlap."""
    items, links = random_graph(seed, count, extra)
    assert_nothing_overlaps(arrange(items, links), links)


@settings(max_examples=drawn(20, 40), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
@example(0, 2)
def test_nothing_overlaps_in_cyclic_graphs(seed: int, count: int) -> None:
    """Faulty drafts may have cycles and edges from a node to itself; they are drawn as well."""
    items, links = random_graph(seed, count, cyclic=True)
    assert_nothing_overlaps(arrange(items, links), links)


@settings(max_examples=drawn(20, 40), deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40))
def test_edges_of_acyclic_graphs_lead_down(seed: int, count: int) -> None:
    """Every edge starts at its source's lower border, ends at its target's upper border and never turns up."""
    items, links = random_graph(seed, count)
    layout = arrange(items, links)
    for link, route in zip(links, layout.routes, strict=True):
        heights = [y for _, y in route.points]
        assert all(lower >= upper - 1e-6 for upper, lower in pairwise(heights))
        assert heights[0] == pytest.approx(layout.boxes[link.source].bottom)
        assert heights[-1] == pytest.approx(layout.boxes[link.target].y)


def test_same_input_gives_same_drawing() -> None:
    """The layout is deterministic."""
    items, links = random_graph(7, 60)
    assert arrange(items, links) == arrange(items, links)


def test_three_hundred_nodes_are_laid_out_in_seconds() -> None:
    """The largest graphs that are meant take a few seconds and do not overlap."""
    items, links = random_graph(3, 300, 0.25)
    start = time.process_time()
    layout = arrange(items, links)
    assert time.process_time() - start < 20
    for first, second in combinations(layout.boxes.values(), 2):
        assert not first.meets(second)


def test_long_edge_is_straight() -> None:
    """Between its ends an edge over many layers keeps to one line."""
    items = [Item(name, 100, 40) for name in "abcde"]
    links = [Link("a", "b"), Link("b", "c"), Link("c", "d"), Link("d", "e"), Link("a", "e")]
    inner = arrange(items, links).routes[-1].points[2:-2]
    assert len({round(x, 3) for x, _ in inner}) == 1


def test_heavy_path_is_straight() -> None:
    """A main path given more weight stands in one column although branches hang off it."""
    items = [Item(name, 100, 40) for name in "abcdxyz"]
    spine = [Link("a", "b", weight=3), Link("b", "c", weight=3), Link("c", "d", weight=3)]
    layout = arrange(items, [*spine, Link("a", "x"), Link("b", "y"), Link("c", "z")])
    assert len({round(layout.boxes[name].centre[0], 3) for name in "abcd"}) == 1


def test_order_takes_crossings_away() -> None:
    """Two edges that cross as given do not cross in the order found."""
    items = [Item(name, 50, 20) for name in "abcd"]
    graph = make_layers(items, [Link("a", "d"), Link("b", "c"), Link("a", "d")])
    layers = order_layers(graph)
    assert count_crossings(graph, graph.layers) > count_crossings(graph, layers) == 0


def test_link_to_a_missing_item_raises() -> None:
    """A link's ends must be among the items."""
    with pytest.raises(KeyError):
        arrange([Item("a", 10, 10)], [Link("a", "b")])


def test_empty_graph_has_a_size() -> None:
    """Nothing to draw is drawn as an empty page."""
    assert arrange([], []).width > 0
