"""The values of matched facts: which outcome, class or truth of a draft says what one of gold says."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue
from rapidfuzz import fuzz

from evals.matching.assignment import assign
from evals.matching.facts import Fact
from evals.matching.places import Places
from ir.base import canonical_json

BY_LABEL, BY_EDGE, BY_PLACE = 1.0, 0.9, 0.05


@dataclass(frozen=True)
class Translation:
    """How a draft says the values of a gold fact.

    Args:
        labels: draft value by gold value (canonical JSON); None where values are carried over as they are.
        rest: what the draft's fact is where gold has a value without a partner.
    """

    labels: Mapping[str, JsonValue] | None
    rest: JsonValue = None

    def __call__(self, value: JsonValue) -> JsonValue:
        """The value in the draft's words; null stays null."""
        if value is None or self.labels is None:
            return value
        return self.labels.get(canonical_json(value), self.rest if self.rest is not None else value)


def translation(gold: Fact, draft: Fact, places: Places) -> Translation:
    """Match the listed values of two facts, one to one; amounts and times are carried over.

    Equal labels count most, then the words of the edges that a value chooses. A truth without a partner is what is
    left: where gold's «incomplete» is the draft's true, everything else is its false.
    """
    if not (gold.listed and draft.listed and (gold.values or draft.values)):
        return Translation(None)
    weights = [
        [_alike(g, d, gold, draft, places) + (BY_PLACE if r == c else 0.0) for c, d in enumerate(draft.values)]
        for r, g in enumerate(gold.values)
    ]
    pairs = assign(weights)
    labels = {canonical_json(gold.values[r]): draft.values[c] for r, c in pairs}
    used = [draft.values[c] for _, c in pairs]
    rest: JsonValue = None
    if draft.type == "boolean" and len(gold.values) > len(pairs):
        strong = [(weights[r][c], draft.values[c]) for r, c in pairs]
        rest = not max(strong, key=lambda pair: pair[0])[1] if strong else None
    elif len(used) < len(draft.values):
        rest = next(value for value in draft.values if value not in used)
    return Translation(labels, rest)


def _alike(one: JsonValue, other: JsonValue, gold: Fact, draft: Fact, places: Places) -> float:
    score = 0.0
    if type(one) is type(other):
        same = fuzz.ratio(str(one).casefold(), str(other).casefold()) / 100
        score += BY_LABEL * (same if same == 1.0 else 0.6 * same)
    words = places.overlap(gold.words.get(canonical_json(one), ()), draft.words.get(canonical_json(other), ()))
    return score + BY_EDGE * words
