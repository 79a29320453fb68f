"""How well an annotation of a text matches gold: mentions, relations and the graph of activities.

Counts are of one document; they add up to those of many, from which precision, recall and F1 are taken (micro). All
matching is greedy and one to one: the pairs with the greatest likeness first, of equal ones the earliest.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TypeVar

from evals.pet.read import Annotation, Mention, MentionType, RelationType

Item = TypeVar("Item", bound=Hashable)
Likeness = Callable[[Mention, Mention], float]
Pair = tuple[Mention, Mention]
Link = tuple[RelationType, Mention, Mention]


@dataclass(frozen=True)
class Counts:
    """How many items gold has, how many were found, and how many of these match.

    >>> both = Counts(gold=4, found=2, right=2) + Counts(gold=2, found=2, right=1)
    >>> both.precision, both.recall, round(both.f1, 3)
    (0.75, 0.5, 0.6)
    >>> Counts().f1
    0.0
    """

    gold: int = 0
    found: int = 0
    right: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.gold + other.gold, self.found + other.found, self.right + other.right)

    @property
    def precision(self) -> float:
        """The share of what was found that is right, in 0..1; 0 where nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of gold that was found, in 0..1; 0 where gold has nothing."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in 0..1."""
        return 2 * self.right / (self.gold + self.found) if self.gold + self.found else 0.0


@dataclass(frozen=True)
class Scores:
    """All counts of one document, or of several together.

    Args:
        mentions: same type, and at least one token in common.
        mentions_exact: same type and the same tokens.
        relations: same type, and head and tail each have a token in common with gold's.
        relations_exact: same type, and head and tail are gold's.
        graph: activity to activity, gateways and conditions taken out; both ends have a token in common with gold's.
        mention_types: `mentions` by type.
        relation_types: `relations` by type.
    """

    mentions: Counts = Counts()
    mentions_exact: Counts = Counts()
    relations: Counts = Counts()
    relations_exact: Counts = Counts()
    graph: Counts = Counts()
    mention_types: Mapping[MentionType, Counts] = field(default_factory=dict)
    relation_types: Mapping[RelationType, Counts] = field(default_factory=dict)

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(
            self.mentions + other.mentions,
            self.mentions_exact + other.mentions_exact,
            self.relations + other.relations,
            self.relations_exact + other.relations_exact,
            self.graph + other.graph,
            {
                one: self.mention_types.get(one, Counts()) + other.mention_types.get(one, Counts())
                for one in MentionType
            },
            {
                one: self.relation_types.get(one, Counts()) + other.relation_types.get(one, Counts())
                for one in RelationType
            },
        )


def pooled(scores: Iterable[Scores]) -> Scores:
    """The counts of several documents together."""
    return reduce(add, scores, Scores())


def score(gold: Annotation, found: Annotation) -> Scores:
    """Compare what was found in one document to gold."""
    links, ours = _links(gold), _links(found)
    return Scores(
        _mentions(gold.mentions, found.mentions, overlap),
        _mentions(gold.mentions, found.mentions, sameness),
        _relations(links, ours, overlap),
        _relations(links, ours, sameness),
        _match(activity_graph(gold), activity_graph(found), _both(overlap)),
        {one: _mentions(_of_type(gold.mentions, one), _of_type(found.mentions, one), overlap) for one in MentionType},
        {
            one: _relations([k for k in links if k[0] is one], [k for k in ours if k[0] is one], overlap)
            for one in RelationType
        },
    )


def overlap(one: Mention, other: Mention) -> float:
    """How much of two mentions of one type is the same, in 0..1; 0 where the types differ.

    >>> overlap(Mention(MentionType.ACTOR, (1, 2)), Mention(MentionType.ACTOR, (2, 3, 4)))
    0.25
    """
    if one.type is not other.type:
        return 0.0
    mine, theirs = set(one.tokens), set(other.tokens)
    return len(mine & theirs) / len(mine | theirs)


def sameness(one: Mention, other: Mention) -> float:
    """1 where two mentions are the same, else 0."""
    return float(one == other)


def activity_graph(annotation: Annotation) -> list[Pair]:
    """Which activity follows which when gateways and conditions are taken out, each pair once, in order.

    Gateways that are the same one (`same gateway`) count as one: what leads into any of them leads out of all.
    """
    mentions = annotation.mentions
    one_of = _merged(annotation)
    following: dict[int, list[int]] = {}
    for relation in annotation.relations:
        if relation.type is RelationType.FLOW:
            following.setdefault(one_of[relation.head], []).append(one_of[relation.tail])
    edges: dict[tuple[int, int], None] = {}
    for source, mention in enumerate(mentions):
        if mention.type is not MentionType.ACTIVITY:
            continue
        seen: set[int] = set()
        ahead = list(following.get(source, ()))
        while ahead:
            target = ahead.pop(0)
            if mentions[target].type is MentionType.ACTIVITY:
                edges[source, target] = None
            elif target not in seen:
                seen.add(target)
                ahead += following.get(target, ())
    return [(mentions[source], mentions[target]) for source, target in sorted(edges)]


def _merged(annotation: Annotation) -> list[int]:
    """For each mention the first of those that are one gateway with it; for others itself."""
    one_of = list(range(len(annotation.mentions)))
    for relation in annotation.relations:
        if relation.type is RelationType.SAME_GATEWAY:
            kept, gone = sorted((one_of[relation.head], one_of[relation.tail]))
            one_of = [kept if now == gone else now for now in one_of]
    return one_of


def _links(annotation: Annotation) -> list[Link]:
    mentions = annotation.mentions
    return [(one.type, mentions[one.head], mentions[one.tail]) for one in annotation.relations]


def _of_type(mentions: Sequence[Mention], wanted: MentionType) -> list[Mention]:
    return [mention for mention in mentions if mention.type is wanted]


def _mentions(gold: Sequence[Mention], found: Sequence[Mention], likeness: Likeness) -> Counts:
    return _match(gold, found, likeness)


def _relations(gold: Sequence[Link], found: Sequence[Link], likeness: Likeness) -> Counts:
    both = _both(likeness)
    return _match(gold, found, lambda one, other: both(one[1:], other[1:]) if one[0] is other[0] else 0.0)


def _both(likeness: Likeness) -> Callable[[Pair, Pair], float]:
    """The likeness of two pairs: that of both ends together, 0 where one of them has none."""

    def of_pairs(one: Pair, other: Pair) -> float:
        heads, tails = likeness(one[0], other[0]), likeness(one[1], other[1])
        return heads + tails if heads and tails else 0.0

    return of_pairs


def _match(gold: Sequence[Item], found: Sequence[Item], likeness: Callable[[Item, Item], float]) -> Counts:
    """Count the pairs of a greedy one-to-one matching."""
    pairs = [
        (-alike, g, f) for g, one in enumerate(gold) for f, other in enumerate(found) if (alike := likeness(one, other))
    ]
    taken_gold: set[int] = set()
    taken_found: set[int] = set()
    for _, g, f in sorted(pairs):
        if g not in taken_gold and f not in taken_found:
            taken_gold.add(g)
            taken_found.add(f)
    return Counts(len(gold), len(found), len(taken_gold))
