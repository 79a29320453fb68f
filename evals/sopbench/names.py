"""Which name stands for which: columns of a benchmark, inputs and results of a workflow, arguments of tools."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from catalog.importing.names import identifier_words
from catalog.load import Catalog
from ir.fields import FieldSpec

ALIKE = 88.0
"""From which likeness of their words on, of 100, two names may be one."""


def plain(name: str) -> str:
    """A name by its words alone.

    >>> plain("barcodeMatch"), plain("Barcode-match")
    ('barcode match', 'barcode match')
    """
    return " ".join(word.lower() for word in identifier_words(name))


def known_as(name: str, spec: FieldSpec | None, catalog: Catalog) -> tuple[str, ...]:
    """What a field may be called: its name, what it is described as, the names of its concept."""
    concept = catalog.concepts.get(spec.concept) if spec is not None and spec.concept else None
    described = (spec.description,) if spec is not None and spec.description else ()
    return (name, *described, *(concept.names() if concept is not None else ()))


def paired(
    wanted: Mapping[str, Sequence[str]],
    offered: Iterable[str],
    may_be: Callable[[str, str], bool] = lambda name, other: True,
) -> dict[str, str]:
    """For each name of some that are wanted, the offered one that means it; none twice, the surest first.

    A name that is alike to two offered ones is left out, since nobody says which.

    Args:
        wanted: with each name what else the thing is called.
        may_be: whether two may stand for each other, whatever they are called.

    >>> paired({"amount_requested": ["amount_requested", "requested amount"], "x": ["x"]}, ["requestedAmount", "y"])
    {'amount_requested': 'requestedAmount'}
    """
    offered = list(offered)
    scores = {(name, other): _likeness(names, other) for name, names in wanted.items() for other in offered}
    scores = {pair: score for pair, score in scores.items() if score >= ALIKE and may_be(*pair)}
    found: dict[str, str] = {}
    for (name, other), score in sorted(scores.items(), key=lambda one: -one[1]):
        if name in found or other in found.values():
            continue
        rivals = [one for one in offered if one not in (other, *found.values()) and scores.get((name, one)) == score]
        if not rivals:
            found[name] = other
    return {name: found[name] for name in wanted if name in found}


def _likeness(names: Sequence[str], other: str) -> float:
    return max((fuzz.token_sort_ratio(plain(name), plain(other)) for name in names), default=0.0)
