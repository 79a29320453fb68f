"""Two versions of a choice as formulas of the solver."""

from collections.abc import Iterable

from validator.analysis.tables import Table
from validator.diff.places import STOPS, Fork, Place, Rows, Start, Taken, rejected, row_gives
from validator.proofs.choice import choice
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, both, either, exclusive_or, negation

Outcome = dict[str, Formula]
"""For each node that can follow, or word in brackets, when it does."""


def difference_formula(encoder: Encoder, old: Place, new: Place, excluded: Iterable[tuple[Taken, Taken]]) -> Formula:
    """When two versions of a place choose differently, and not in one of the cases excluded.

    Raises:
        Opaque: the solver cannot be asked.
    """
    outcomes = [_outcome(encoder, old), _outcome(encoder, new)]
    names = sorted({name for outcome in outcomes for name in outcome})
    first, second = ({name: outcome.get(name, encoder.no) for name in names} for outcome in outcomes)
    apart = encoder.any(exclusive_or(first[name], second[name]) for name in names)
    known = [both(_is(encoder, first, pair[0]), _is(encoder, second, pair[1])) for pair in excluded]
    return both(apart, negation(encoder.any(known)))


def _is(encoder: Encoder, outcome: Outcome, taken: Taken) -> Formula:
    """When just these nodes follow."""
    return encoder.all(one if name in taken else negation(one) for name, one in outcome.items())


def _outcome(encoder: Encoder, place: Place) -> Outcome:
    if isinstance(place, Rows):
        return _rows(encoder, place.table)
    return _start(encoder, place) if isinstance(place, Start) else _fork(encoder, place)


def _start(encoder: Encoder, start: Start) -> Outcome:
    """Guards one after the other: the first that does not hold decides."""
    outcome: Outcome = {}
    before = encoder.yes
    for guard in start.guards:
        truths = encoder.truths(guard.condition)
        (word,) = rejected(guard)
        for name, here in ((word, truths.false), (STOPS[0], truths.unknown)):
            outcome[name] = either(outcome.get(name, encoder.no), both(before, here))
        before = both(before, truths.true)
    return outcome | dict.fromkeys(start.entries, before)


def _fork(encoder: Encoder, fork: Fork) -> Outcome:
    edges = dict(enumerate(fork.edges))
    if not edges:
        return dict.fromkeys(fork.ends, encoder.yes)
    made = choice(encoder, edges, fork.split)
    stops = either(made.unknown, made.overlap, made.gap)
    outcome: Outcome = {STOPS[0]: stops}
    for index, taken in made.taken.items():
        target = fork.edges[index].target
        outcome[target] = either(outcome.get(target, encoder.no), both(taken, negation(stops)))
    return outcome


def _rows(encoder: Encoder, table: Table) -> Outcome:
    """All rows that hold, each with what it gives; `otherwise` where the conditions of all others are false."""
    truths = {row: encoder.truths(tree) for row, tree in table.trees.items()}
    rest = encoder.no if table.always else encoder.all(own.false for own in truths.values())
    held = {row: own.true for row, own in truths.items()}
    held |= dict.fromkeys(table.always, encoder.yes) | dict.fromkeys(table.otherwise, rest)
    outcome: Outcome = {}
    for row, holds in held.items():
        for given in row_gives(table.rules[row]):
            outcome[given] = either(outcome.get(given, encoder.no), holds)
    return outcome
