"""Whether conditions exclude or imply each other, by trying the values they mention and the ones between."""

from collections.abc import Iterator
from itertools import islice, pairwise, product

from pydantic import JsonValue

from ir.predicate import Compare, Literally, Null, Ref, Tree, evaluate, leaves

_LIMIT = 20_000


def contradict(one: Tree | None, other: Tree | None) -> bool:
    """Whether no values make both true, as far as the constants that they mention can tell.

    >>> from ir.predicate import parse_tree
    >>> a, b = parse_tree({"gt": ["$.facts.x", 5]}), parse_tree({"lte": ["$.facts.x", 5]})
    >>> contradict(a, b), contradict(a, a)
    (True, False)
    """
    if one is None or other is None:
        return False
    return not any(evaluate(one, w) and evaluate(other, w) for w in _worlds(one, other))


def implies(one: Tree | None, other: Tree | None) -> bool:
    """Whether whatever makes the first true makes the second true."""
    if other is None:
        return True
    if one is None:
        return False
    return one == other or all(evaluate(other, w) for w in _worlds(one, other) if evaluate(one, w))


def exhaustive(trees: list[Tree]) -> bool:
    """Whether one of the trees is true whatever the (known) values are."""
    return all(any(evaluate(tree, w) for tree in trees) for w in _worlds(*trees)) if trees else False


class _World(dict[str, JsonValue]):
    def __call__(self, ref: Ref) -> JsonValue:
        return self.get(ref.text)


def _worlds(*trees: Tree) -> Iterator[_World]:
    domains = _domains(trees)
    yield from islice((_World(zip(domains, values, strict=True)) for values in product(*domains.values())), _LIMIT)


def _domains(trees: tuple[Tree, ...]) -> dict[str, list[JsonValue]]:
    """For each reference the constants it is compared with, the borders around numbers, and one value besides."""
    found: dict[str, list[JsonValue]] = {}
    for leaf in (leaf for tree in trees for leaf in leaves(tree)):
        if isinstance(leaf, Null):
            found.setdefault(leaf.ref.text, [])
            continue
        for ref, constant in _pairs(leaf):
            values = constant if isinstance(constant, list) else [constant]
            found.setdefault(ref.text, []).extend(v for v in values if v not in found[ref.text])
    return {name: _around(name, values) for name, values in found.items()}


def _pairs(leaf: Compare) -> Iterator[tuple[Ref, JsonValue]]:
    for side, other in ((leaf.left, leaf.right), (leaf.right, leaf.left)):
        if isinstance(side, Ref):
            yield side, other.value if isinstance(other, Literally) else None


def _around(name: str, values: list[JsonValue]) -> list[JsonValue]:
    if name.endswith(".outcome"):
        pairs = (["approved", "rejected"], ["pass", "fail"])
        return next((list(pair) for pair in pairs if any(v in pair for v in values)), [*values, "other"])
    if any(isinstance(v, bool) for v in values):
        return [True, False]
    numbers = sorted({v for v in values if isinstance(v, int | float)})
    if numbers:
        between: list[JsonValue] = [(a + b) / 2 for a, b in pairwise(numbers)]
        return [numbers[0] - 1, *numbers, *between, numbers[-1] + 1]
    return [*[v for v in values if v is not None], "\x00other"]
