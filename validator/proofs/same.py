"""Whether two ways to choose are the same for all values, nulls apart; where not, values for which they differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from ir.predicate import Always, AnyCondition, Otherwise, Ref, Tree, references
from validator.analysis.remembered import Remembered
from validator.analysis.types import Scope
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, both, exclusive_or, negation
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover

Difference = dict[str, JsonValue]


@dataclass(frozen=True)
class Option:
    """One of several ways on from one place.

    Args:
        key: where it leads; options of one key are taken together.
        condition: None where it is not known.
        priority: the smallest true one is taken; None comes last.
    """

    key: Any
    condition: AnyCondition | None
    priority: int | None = None


def difference(
    mine: Sequence[Option],
    other: Sequence[Option],
    key: Any,
    scope: Scope,
    *,
    given: Tree | None = None,
) -> Difference | None:
    """Values for which the one leads to a key and the other does not; None where there are none, or it is not known.

    Each is looked at by its conditions, and, where these differ or are `otherwise`, by when it is taken beside its
    siblings; only what differs in both is a difference.

    Args:
        given: what holds in every case that counts.
    """
    read = dict.fromkeys((*_references_of((mine, other)), *(references(given) if given is not None else ())))
    types = tuple((ref, repr(scope.spec(ref))) for ref in read)  # all that the question hangs on beside what it says
    case = (tuple(mine), tuple(other), key, given, types)
    found = _KNOWN.get(case, lambda: _difference(mine, other, key, scope, given))
    return dict(found) if found is not None else None


_KNOWN = Remembered[Difference | None]()


def _difference(
    mine: Sequence[Option], other: Sequence[Option], key: Any, scope: Scope, given: Tree | None
) -> Difference | None:  # fmt: skip
    own = [[option for option in side if option.key == key] for side in (mine, other)]
    if any(option.condition is None for side in own for option in side):
        return None
    if all(isinstance(option.condition, Otherwise) for side in own for option in side):
        return None  # they differ only where their siblings do
    if all(side and all(isinstance(option.condition, Always) for option in side) for side in own):
        return None  # both are always taken, whatever stands beside them
    written = [{repr(option.condition) for option in side if isinstance(option.condition, Tree)} for side in own]
    if written[0] == written[1] and all(isinstance(option.condition, Tree) for side in own for option in side):
        return None  # nothing need be asked
    trees = [option.condition for side in (mine, other) for option in side if isinstance(option.condition, Tree)]
    known = [given] if given is not None else []
    encoder = Encoder([*trees, *known], scope, lambda ref: None)
    try:
        assumed = encoder.all(encoder.truths(tree).true for tree in known)
        if all(isinstance(option.condition, Tree) for side in own for option in side):
            plain = [encoder.any(_true(encoder, option) for option in side) for side in own]
            found = _apart(encoder, plain, own, assumed)
            if found is None or not _ranked(mine, other):
                return found
        if any(option.condition is None for side in (mine, other) for option in side):
            return None
        taken = [
            encoder.any(_taken(encoder, option, side) for option in side if option.key == key) for side in (mine, other)
        ]
        return _apart(encoder, taken, (mine, other), assumed)
    except Opaque:
        return None


def _ranked(*sides: Iterable[Option]) -> bool:
    return any(option.priority is not None for side in sides for option in side)


def _true(encoder: Encoder, option: Option) -> Formula:
    return encoder.truths(option.condition).true if isinstance(option.condition, Tree) else encoder.no


def _taken(encoder: Encoder, option: Option, side: Sequence[Option]) -> Formula:
    """When an option is taken beside its siblings."""
    if isinstance(option.condition, Always):
        return encoder.yes
    if isinstance(option.condition, Otherwise):
        return negation(encoder.any(_true(encoder, one) for one in side))
    before = [one for one in side if _before(one.priority, option.priority)]
    return both(_true(encoder, option), negation(encoder.any(_true(encoder, one) for one in before)))


def _before(one: int | None, other: int | None) -> bool:
    return one is not None and (other is None or one < other)


def _apart(
    encoder: Encoder, formulas: Sequence[Formula], sides: Iterable[Sequence[Option]], assumed: Formula
) -> Difference | None:
    refs = dict.fromkeys(_references_of(sides))
    found = Prover(encoder).values((exclusive_or(*formulas), assumed, *encoder.facts(refs)), refs)
    return {ref.text: value for ref, value in found.items()} if isinstance(found, dict) else None


def _references_of(sides: Iterable[Sequence[Option]]) -> Iterable[Ref]:
    for side in sides:
        for option in side:
            if option.condition is not None:
                yield from references(option.condition)
