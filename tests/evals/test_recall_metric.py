"""Recall of Types over the sample, worked out by hand: 3 steps have a Type of their own, 5 are left to people."""

from eval_samples import Drafted, changed_node, one_missing_one_invented, workflow

from evals.metrics.recall import recall
from evals.tally import share

pytest_plugins = ("eval_fixtures",)


def test_gold_itself_is_all_right(drafted: Drafted) -> None:
    """3 Types first among the candidates and taken, 5 steps left to people."""
    found = recall(drafted())
    hits = {f"recall.hits@{k}": share(3, 3) for k in (1, 5, 10)}
    assert found == hits | {"recall.type": share(3, 3), "recall.unmapped": share(5, 5)}


def test_hits_count_how_far_down_a_type_stands(drafted: Drafted) -> None:
    """One is second, one is sixth, one is not there: 0, 1 and 2 of 3 among the first 1, 5 and 10."""
    candidates = {
        "enter": ("record.create", "record.register"),
        "refuse": ("a.a", "b.b", "c.c", "d.d", "e.e", "notify.message"),
        "remind": ("schedule.wait",),
    }
    found = recall(drafted(candidates=candidates))
    assert [found[f"recall.hits@{k}"] for k in (1, 5, 10)] == [share(0, 3), share(1, 3), share(2, 3)]
    assert found["recall.type"] == share(3, 3)


def test_a_step_without_candidates_is_no_hit(drafted: Drafted) -> None:
    """Search gave nothing at all: 0 of 3 at every depth."""
    found = recall(drafted(candidates={}))
    assert [found[f"recall.hits@{k}"] for k in (1, 5, 10)] == [share(0, 3)] * 3


def test_another_type_was_taken(drafted: Drafted) -> None:
    """The message goes by e-mail: 2 of 3 have gold's Type, though search had it."""
    found = recall(drafted(None, changed_node(workflow(), "refuse", type="notify.email")))
    assert (found["recall.type"], found["recall.unmapped"]) == (share(2, 3), share(5, 5))


def test_a_type_taken_where_gold_leaves_it_to_people(drafted: Drafted) -> None:
    """A person's step became a message: 4 of 5 are left to people; an approval for a task is still a person's."""
    other = changed_node(workflow(), "give_back", type="notify.message")
    assert recall(drafted(None, other))["recall.unmapped"] == share(4, 5)
    asked = changed_node(workflow(), "give_back", type="human.approval")
    assert recall(drafted(None, asked))["recall.unmapped"] == share(5, 5)


def test_a_step_that_no_node_carries_out(drafted: Drafted) -> None:
    """Two nodes forget their steps: neither the Type nor the person counts as right."""
    forgotten = changed_node(changed_node(workflow(), "enter", step_ids=()), "submit", step_ids=())
    found = recall(drafted(None, forgotten))
    assert (found["recall.type"], found["recall.unmapped"]) == (share(2, 3), share(4, 5))


def test_only_steps_that_were_found_are_looked_at(drafted: Drafted) -> None:
    """Without the reminder 2 steps have a Type, and the invented step is nobody's."""
    found = recall(drafted(*one_missing_one_invented()))
    assert found["recall.type"] == found["recall.hits@1"] == share(2, 2)
    assert found["recall.unmapped"] == share(5, 5)
