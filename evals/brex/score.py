"""How well the rules of drafts match those of the set.

`exact`: variable, relation, values and action are the same words, but for spaces, punctuation and the words that join a
list. `aligned`: rules are paired one to one so that the sum of their likeness is greatest; a pair counts where the
relation is the same, the words of variable and value are alike (at least half of their pairs of letters), and so are
those of the action, or neither has one. Likeness is Dice's coefficient over pairs of letters. A dependency counts where
both of its rules are aligned, with the same direction and kind. Counts are summed over texts; precision, recall and F1
are of the sums.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from evals.brex.rules import Rule, RuleSet
from evals.matching.assignment import assign
from evals.tally import Tally, pooled

ALIKE, ALIKE_ACTION = 0.5, 0.4
LISTS = "包含"
_LOOSE = re.compile(r"[\s，。、；：,.;:“”\"'‘’（）()《》<>]+")
_JOINED = re.compile(r"[、，,]|或者|或|和|以及|及|与")


@dataclass(frozen=True)
class Scored:
    """The counts of one text, or of several together."""

    exact: Tally
    condition: Tally
    aligned: Tally
    steering: Tally
    links: Tally


def score(gold: RuleSet, found: RuleSet) -> Scored:
    """The counts of one text; `condition` is `aligned` without the action, `steering` that of the rules that compare.

    Most rules of the set only list what something may be (`包含`), and nothing hangs on it.
    """
    weights = [[_likeness(g, f) for f in found.rules] for g in gold.rules]
    pairs = dict(assign(weights))
    alike = {g: f for g, f in pairs.items() if _same_condition(gold.rules[g], found.rules[f])}
    whole = {g: f for g, f in alike.items() if _same_action(gold.rules[g], found.rules[f])}
    wanted, got = len(gold.rules), len(found.rules)
    exact = sum((Counter(map(_written, gold.rules)) & Counter(map(_written, found.rules))).values())
    linked = sum(found.links.get((alike.get(i, -1), alike.get(j, -1))) == kind for (i, j), kind in gold.links.items())
    return Scored(
        Tally(right=exact, wanted=wanted, found=got),
        Tally(right=len(alike), wanted=wanted, found=got),
        Tally(right=len(whole), wanted=wanted, found=got),
        Tally(
            right=sum(gold.rules[g].relation != LISTS for g in alike),
            wanted=sum(one.relation != LISTS for one in gold.rules),
            found=sum(one.relation != LISTS for one in found.rules),
        ),
        Tally(right=linked, wanted=len(gold.links), found=len(found.links)),
    )


def alike(one: str, other: str) -> float:
    """Dice's coefficient over pairs of letters, in 0..1; of single letters over these.

    >>> alike("审核结果", "审核的结果"), alike("", "")
    (0.5714285714285714, 1.0)
    """
    left, right = _pairs(one), _pairs(other)
    if not left and not right:
        return 1.0
    return 2 * (left & right).total() / (left.total() + right.total())


def _pairs(text: str) -> Counter[str]:
    text = _LOOSE.sub("", text)
    return Counter(text) if len(text) < 2 else Counter(map("".join, pairwise(text)))


def _likeness(gold: Rule, found: Rule) -> float:
    condition = _condition(gold, found)
    return 2 * condition + (gold.relation == found.relation) + alike(gold.action, found.action)


def _condition(gold: Rule, found: Rule) -> float:
    """The words of variable and value together: where the one ends and the other begins is a matter of wording."""
    return alike(*(one.variable + _JOINED.sub("", one.value) for one in (gold, found)))


def _same_condition(gold: Rule, found: Rule) -> bool:
    return gold.relation == found.relation and _condition(gold, found) >= ALIKE


def _same_action(gold: Rule, found: Rule) -> bool:
    return bool(gold.action) == bool(found.action) and alike(gold.action, found.action) >= ALIKE_ACTION


def _written(rule: Rule) -> tuple[str, str, frozenset[str], str]:
    values = frozenset(_LOOSE.sub("", one) for one in _JOINED.split(rule.value.removesuffix("等")) if one)
    return _LOOSE.sub("", rule.variable), rule.relation, values, _LOOSE.sub("", rule.action)


def summed(scores: Iterable[Scored]) -> Scored:
    """All texts together."""
    listed = list(scores)
    return Scored(
        pooled(one.exact for one in listed),
        pooled(one.condition for one in listed),
        pooled(one.aligned for one in listed),
        pooled(one.steering for one in listed),
        pooled(one.links for one in listed),
    )
