"""The scores of PET, worked out by hand."""

from collections.abc import Sequence

from evals.pet import Annotation, Counts, Mention, MentionType, Relation, RelationType, pooled, score
from evals.pet.score import activity_graph

#  0   1     2   3   4 5  6  7  8     9 10  11    12 13 14    15 16
# Ann opens the box . If it is empty , she fills it or burns it .
M, R = MentionType, RelationType
GOLD_MENTIONS = (
    Mention(M.ACTOR, (0,)),  # 0
    Mention(M.ACTIVITY, (1,)),  # 1 opens
    Mention(M.ACTIVITY_DATA, (2, 3)),  # 2
    Mention(M.XOR_GATEWAY, (5,)),  # 3 If
    Mention(M.CONDITION, (6, 7, 8)),  # 4
    Mention(M.ACTIVITY, (11,)),  # 5 fills
    Mention(M.ACTOR, (10,)),  # 6
    Mention(M.ACTIVITY_DATA, (12,)),  # 7
    Mention(M.ACTIVITY, (14,)),  # 8 burns
    Mention(M.XOR_GATEWAY, (13,)),  # 9 or
)
GOLD = Annotation(
    GOLD_MENTIONS,
    (
        Relation(R.PERFORMER, 1, 0),
        Relation(R.USES, 1, 2),
        Relation(R.FLOW, 1, 3),  # opens → If
        Relation(R.FLOW, 3, 4),
        Relation(R.FLOW, 4, 5),
        Relation(R.SAME_GATEWAY, 3, 9),
        Relation(R.FLOW, 9, 8),  # or → burns
    ),
)
FOUND = Annotation(
    (
        Mention(M.ACTOR, (0,)),  # 0 exact
        Mention(M.ACTIVITY, (1,)),  # 1 exact
        Mention(M.ACTIVITY_DATA, (3,)),  # 2 overlaps
        Mention(M.XOR_GATEWAY, (5,)),  # 3 exact
        Mention(M.CONDITION, (7, 8)),  # 4 overlaps
        Mention(M.ACTIVITY, (11,)),  # 5 exact
        Mention(M.ACTIVITY_DATA, (10,)),  # 6 of the wrong type
    ),
    (
        Relation(R.PERFORMER, 1, 0),  # exact
        Relation(R.USES, 1, 2),  # overlaps
        Relation(R.FLOW, 1, 3),  # exact
        Relation(R.FLOW, 3, 4),  # overlaps
        Relation(R.FLOW, 4, 5),  # overlaps
        Relation(R.FLOW, 5, 1),  # wrong: fills → opens
    ),
)


def test_the_example() -> None:
    """Each measure has the counts of the comments above."""
    found = score(GOLD, FOUND)
    assert found.mentions == Counts(gold=10, found=7, right=6)
    assert found.mentions_exact == Counts(gold=10, found=7, right=4)
    assert found.relations == Counts(gold=7, found=6, right=5)
    assert found.relations_exact == Counts(gold=7, found=6, right=2)
    assert found.graph == Counts(gold=2, found=2, right=1)  # opens → fills is right, opens → burns missing
    assert found.mention_types[M.ACTIVITY_DATA] == Counts(gold=2, found=2, right=1)
    assert found.mention_types[M.FURTHER] == Counts()
    assert found.relation_types[R.FLOW] == Counts(gold=4, found=4, right=3)
    assert (found.mentions.precision, found.mentions.recall) == (6 / 7, 6 / 10)
    assert found.mentions.f1 == 12 / 17


def test_gold_against_itself() -> None:
    """Everything is right, and nothing is wrong where there is nothing."""
    found = score(GOLD, GOLD)
    measures = (found.mentions, found.mentions_exact, found.relations, found.relations_exact, found.graph)
    assert [counts.f1 for counts in measures] == [1.0] * 5
    assert score(Annotation((), ()), Annotation((), ())).mentions.f1 == 0.0


def test_counts_are_pooled() -> None:
    """Of several documents the counts are added, not the figures."""
    both = pooled([score(GOLD, FOUND), score(GOLD, Annotation((), ()))])
    assert both.mentions == Counts(gold=20, found=7, right=6)
    assert both.mention_types[M.ACTOR] == Counts(gold=4, found=1, right=1)
    assert pooled([]).graph == Counts()


def test_one_to_one_the_most_alike_first() -> None:
    """Two mentions in one of gold's count once; a mention goes to the one that it is most like."""

    def actors(*tokens: Sequence[int]) -> Annotation:
        return Annotation(tuple(Mention(M.ACTOR, tuple(one)) for one in tokens), ())

    assert score(actors((1, 2, 3)), actors((1,), (3,))).mentions == Counts(1, 2, 1)
    assert score(actors((1, 2), (2, 3, 4)), actors((2, 3, 4), (1,))).mentions == Counts(2, 2, 2)


def test_the_graph_leaves_gateways_out() -> None:
    """What leads into one of the gateways of a choice leads out of all; a circle of gateways is no endless walk."""
    assert [(a.tokens, b.tokens) for a, b in activity_graph(GOLD)] == [((1,), (11,)), ((1,), (14,))]
    circle = Annotation(GOLD_MENTIONS, tuple(Relation(R.FLOW, a, b) for a, b in ((1, 3), (3, 9), (9, 3), (9, 8))))
    assert [(a.tokens, b.tokens) for a, b in activity_graph(circle)] == [((1,), (14,))]
