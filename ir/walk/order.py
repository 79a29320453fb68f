"""The order of a workflow's nodes."""

import heapq
from collections.abc import Iterable, Sequence

from ir.workflow import Workflow


def topological_order(workflow: Workflow) -> tuple[str, ...]:
    """The ids of the nodes, each after all that lead to it; ties by the order in the file.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    for edge in workflow.edges:
        for end in (edge.source, edge.target):
            if end not in workflow.nodes:
                raise ValueError(f"edge {edge.source}->{edge.target}: there is no node {end!r}")
    order = in_order(list(workflow.nodes), [(edge.source, edge.target) for edge in workflow.edges])
    if len(order) < len(workflow.nodes):
        left = sorted(set(workflow.nodes) - set(order))
        raise ValueError("the graph has a cycle through some of " + ", ".join(left))
    return order


def in_order(names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names, each after all that lead to it, ties in their own order (Kahn 1962); those of a cycle are left out.

    Args:
        pairs: (source, target), both among the names.

    >>> in_order(["c", "a", "b"], [("a", "c")])
    ('a', 'c', 'b')
    """
    rank = {name: index for index, name in enumerate(names)}
    waiting = dict.fromkeys(names, 0)
    after: dict[str, list[str]] = {name: [] for name in names}
    for source, target in pairs:
        waiting[target] += 1
        after[source].append(target)
    ready = [rank[name] for name, count in waiting.items() if not count]
    order: list[str] = []
    while ready:
        name = names[heapq.heappop(ready)]
        order.append(name)
        for target in after[name]:
            waiting[target] -= 1
            if not waiting[target]:
                heapq.heappush(ready, rank[target])
    return tuple(order)
