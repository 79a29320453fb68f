"""Optimal one-to-one assignment (the Hungarian method, after Kuhn 1955 and Munkres 1957), in O(n^3)."""

from collections.abc import Sequence


def assign(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) of the greatest total weight; pairs of weight 0 or less are left out.

    >>> assign([[0.9, 0.8], [0.8, 0.0]])
    [(0, 1), (1, 0)]
    >>> assign([[0.5, 0.0, 0.7]])
    [(0, 2)]
    """
    rows, columns = len(weights), max((len(row) for row in weights), default=0)
    size = max(rows, columns)
    if not rows or not columns:
        return []
    cost = [[-weights[r][c] if r < rows and c < len(weights[r]) else 0.0 for c in range(size)] for r in range(size)]
    column_of = _minimal(cost, size)
    return [(r, column_of[r]) for r in range(rows) if column_of[r] < columns and weights[r][column_of[r]] > 0]


def _minimal(cost: list[list[float]], size: int) -> list[int]:
    """Column of each row in an assignment of the least cost, by shortest augmenting paths with potentials."""
    row_potential, column_potential = [0.0] * (size + 1), [0.0] * (size + 1)
    row_of = [size] * (size + 1)  # row_of[column]; index `size` is the virtual column where each search starts
    for row in range(size):
        row_of[size] = row
        column, distance = size, [float("inf")] * (size + 1)
        came_from, done = [size] * (size + 1), [False] * (size + 1)
        while row_of[column] != size:
            done[column] = True
            here, best, following = row_of[column], float("inf"), size
            for other in range(size):
                if done[other]:
                    continue
                reduced = cost[here][other] - row_potential[here] - column_potential[other]
                if reduced < distance[other]:
                    distance[other], came_from[other] = reduced, column
                if distance[other] < best:
                    best, following = distance[other], other
            for other in range(size + 1):
                if done[other]:
                    row_potential[row_of[other]] += best
                    column_potential[other] -= best
                else:
                    distance[other] -= best
            column = following
        while column != size:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    columns = [0] * size
    for column in range(size):
        columns[row_of[column]] = column
    return columns
