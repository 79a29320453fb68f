"""Two readers who review a draft apart: how far they agree, what they are shown, and what settles a difference."""

import pytest
from reviewed_build import Bench
from test_corrections import item

from ir.decisions.decision import DecisionKind
from review.agreement import FEWEST, KINDS, agreement, alpha, readers, settle
from review.decide import decide, decide_all, new_decision, undo
from review.draft import ReviewDraft, seen_by
from review.errors import Conflict, Refused
from review.forms import operation_from
from review.queue import Item, queue


def own(draft: ReviewDraft) -> list[Item]:
    """What agreement is counted over."""
    return [one for one in queue(draft) if one.subject in KINDS]


def judged(bench: Bench, author: str, kinds: dict[str, DecisionKind] | None = None) -> None:
    """Have a reader judge everything, accepting but for the items of some keys."""
    draft = bench.draft
    made = [
        new_decision(draft, one, (kinds or {}).get(one.key, "accept"), author=author, reason="read")
        for one in own(seen_by(draft, author))
    ]
    decide_all(draft, made)


def test_alpha_of_a_worked_example() -> None:
    """Ten units, nine alike, 13 a and 7 b among twenty: 1 - (20-1) * 2 / (2 * 13 * 7)."""
    pairs = [("a", "a")] * 6 + [("b", "b")] * 3 + [("a", "b")]
    figure, why_not = alpha(pairs)
    assert why_not is None
    assert figure == pytest.approx(1 - 19 * 2 / (2 * 13 * 7))


def test_no_figure_where_it_says_nothing() -> None:
    """Too few units, or one value alone, give the reason instead of a figure."""
    few = alpha([("a", "b")] * (FEWEST - 1))
    assert few[0] is None and str(FEWEST) in str(few[1])
    same = alpha([("a", "a")] * FEWEST)
    assert same[0] is None and "the same" in str(same[1])


def test_a_reader_is_not_shown_the_other(bench: Bench) -> None:
    """Under another's name the queue is as if nobody had decided; differences wait until both are done."""
    draft = bench.draft
    made = new_decision(draft, own(draft)[0], "reject", author="Ng", reason="wrong")
    after = decide(draft, made)
    assert any(one.decision for one in queue(seen_by(after, "Ng")))
    assert not any(one.decision for one in queue(seen_by(after, "Wu")))
    assert not agreement((after,), "Ng", "Wu").done
    judged(bench, "Wu")
    assert not agreement((bench.draft,), "Ng", "Wu").done
    judged(bench, "Ng")
    assert agreement((bench.draft,), "Ng", "Wu").done


def test_differences_are_listed_with_their_words_and_counted_by_kind(bench: Bench) -> None:
    """A rejected step differs from an accepted one; two that want the same correction agree."""
    step = item(bench.draft, "step", "enters the order")
    judged(bench, "Ng", {step.key: "reject"})
    judged(bench, "Wu")
    found = agreement((bench.draft,), "Ng", "Wu")
    (difference,) = found.differences
    assert (difference.first.value, difference.second.value) == ("rejected", "accepted")
    assert "enters the order" in difference.words[0]
    assert found.whole.both == sum(count.both for count in found.by_kind.values()) == found.whole.elements
    assert found.by_kind["step"].same == found.by_kind["step"].both - 1
    assert found.whole.alpha is not None and found.whole.alpha < 1


def test_corrections_agree_where_they_want_the_same(bench: Bench) -> None:
    """What they want is compared, not when, why or in how many words."""
    step = item(bench.draft, "step", "enters the order")
    for author, actor in (("Ng", "Registrar"), ("Wu", "Registrar")):
        draft = bench.draft
        operation = operation_from(draft, step, "change_step.actor", {"value": actor})
        decide(draft, new_decision(draft, step, "correct", author=author, reason=f"{author} knows", value=operation))
    assert not agreement((bench.draft,), "Ng", "Wu").differences
    draft = undo(bench.draft, "Wu")
    operation = operation_from(draft, step, "change_step.actor", {"value": "Storekeeper"})
    decide(draft, new_decision(draft, step, "correct", author="Wu", reason="seen", value=operation))
    (difference,) = agreement((bench.draft,), "Ng", "Wu").differences
    assert "Registrar" in difference.first.value and "Storekeeper" in difference.second.value


def test_a_third_decision_settles_a_difference_and_names_both(bench: Bench) -> None:
    """The draft goes by what was taken; both judgements stay on record, and so does the figure."""
    step = item(bench.draft, "step", "enters the order")
    operation = operation_from(bench.draft, step, "change_step.actor", {"value": "Registrar"})
    draft = decide(
        bench.draft, new_decision(bench.draft, step, "correct", author="Ng", reason="renamed", value=operation)
    )
    assert draft.procedure.step(step.id).actor == "Registrar"
    decide(draft, new_decision(draft, step, "accept", author="Wu", reason="read"))
    before = agreement((bench.draft,), "Ng", "Wu")
    (difference,) = before.differences
    assert difference.settled_by is None
    after = settle(bench.draft, difference, "Wu", "Li", "the manual says clerk")
    assert after.procedure.step(step.id).actor != "Registrar"
    now = agreement((after,), "Ng", "Wu")
    (settled,) = now.differences
    assert settled.settled_by is not None and settled.settled_by.author == "Li"
    both = {one.id for side in (settled.first, settled.second) for one in side.decisions}
    assert set(settled.settled_by.settles) == both and len(both) == 2
    assert now.whole == before.whole
    with pytest.raises(Refused):
        settle(after, settled, "Ng", "Li", "again")


def test_a_kept_correction_stands(bench: Bench) -> None:
    """Where the corrected side is taken, the draft keeps the correction."""
    step = item(bench.draft, "step", "enters the order")
    draft = bench.draft
    operation = operation_from(draft, step, "change_step.actor", {"value": "Registrar"})
    draft = decide(draft, new_decision(draft, step, "correct", author="Ng", reason="renamed", value=operation))
    draft = decide(draft, new_decision(draft, step, "reject", author="Wu", reason="no such step"))
    (difference,) = agreement((draft,), "Ng", "Wu").differences
    after = settle(draft, difference, "Ng", "Li", "asked the registrar")
    assert after.procedure.step(step.id).actor == "Registrar"
    assert next(one for one in queue(after) if one.key == step.key).open is False
    with pytest.raises(Refused, match="no reader"):
        settle(draft, difference, "Somebody", "Li", "no")


def test_a_settlement_is_taken_back_and_made_the_other_way(bench: Bench) -> None:
    """What the first settlement took back holds again."""
    step = item(bench.draft, "step", "enters the order")
    operation = operation_from(bench.draft, step, "change_step.actor", {"value": "Registrar"})
    draft = bench.draft
    draft = decide(draft, new_decision(draft, step, "correct", author="Ng", reason="renamed", value=operation))
    draft = decide(draft, new_decision(draft, step, "accept", author="Wu", reason="read"))
    (difference,) = agreement((draft,), "Ng", "Wu").differences
    draft = settle(draft, difference, "Wu", "Li", "the manual says clerk")
    draft = undo(draft, "Li")
    (again,) = agreement((draft,), "Ng", "Wu").differences
    assert again.settled_by is None
    draft = settle(draft, again, "Ng", "Li", "the manual is old")
    assert draft.procedure.step(step.id).actor == "Registrar"
    (settled,) = agreement((draft,), "Ng", "Wu").differences
    assert settled.settled_by is not None and settled.settled_by.reason == "the manual is old"


def test_a_reader_decides_as_if_alone(bench: Bench) -> None:
    """Who does not see the other meets no conflict with them; both decisions stand, and they differ."""
    step = item(bench.draft, "step", "enters the order")
    for author, actor in (("Ng", "Registrar"), ("Wu", "Storekeeper")):
        blind = seen_by(bench.draft, author)
        assert blind.procedure.step(step.id).actor == bench.draft.reading.step(step.id).actor
        operation = operation_from(blind, step, "change_step.actor", {"value": actor})
        made = new_decision(blind, step, "correct", author=author, reason="seen", value=operation)
        after = decide(blind, made, seen=0)
        assert after.reader == author and after.procedure.step(step.id).actor == actor
        assert [one.author for one in after.decisions] == [author]
    assert [one.author for one in bench.draft.decisions] == ["Ng", "Wu"]
    assert len(agreement((bench.draft,), "Ng", "Wu").differences) == 1
    assert readers(bench.draft) == (("Ng", 1), ("Wu", 1))
    mine = seen_by(bench.draft, "Wu")
    with pytest.raises(Conflict, match="Wu"):
        decide(mine, new_decision(mine, step, "accept", author="Wu", reason="read"), seen=0)
    assert undo(mine, "Wu").in_force == {} and len(bench.draft.in_force) == 1
