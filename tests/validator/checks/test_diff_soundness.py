"""Comparisons against all walks: random workflows with one edge changed, every combination of values."""

from typing import Any

import pytest
from effort import drawn
from hypothesis import given, settings
from hypothesis import strategies as st
from test_soundness import CATALOG, condition, walks, workflows

from ir.walk import Walk
from ir.workflow import Workflow
from validator.diff import compare

pytestmark = pytest.mark.slow


@st.composite
def versions(draw: st.DrawFn) -> tuple[Workflow, Workflow]:
    """A workflow, and the same with the condition, priority or target of one edge changed."""
    old = draw(workflows())
    whole: dict[str, Any] = old.to_json()
    edges = whole["edges"]
    if not edges:
        return old, old
    edge = edges[draw(st.integers(0, len(edges) - 1))]
    names = list(whole["nodes"])
    later = names[names.index(edge["from"]) + 1 :]
    change = draw(st.sampled_from(["condition", "priority", "target", "split"]))
    if change == "condition" and edge.get("on") != "error":
        edge["condition"] = draw(condition([edge["from"]]))
    elif change == "priority":
        edge["priority"] = draw(st.sampled_from([1, 2, 3]))
    elif change == "target":
        edge["to"] = draw(st.sampled_from(later))
    else:
        whole["nodes"][edge["from"]]["split"] = draw(st.sampled_from(["exclusive", "inclusive"]))
    return old, Workflow.model_validate(whole)


def told(walk: Walk) -> tuple[Any, ...]:
    """What a difference is about: path and end, and that a walk stops, not for which reason."""
    return walk.path, walk.result.status, walk.result.reason_code


@settings(max_examples=drawn(20, 40))
@given(versions())
def test_what_is_the_same_walks_the_same(pair: tuple[Workflow, Workflow]) -> None:
    """Where every choice is said to be the same, all walks are; every example shows that, or says it does not."""
    difference = compare(*pair, CATALOG)
    assert difference.same == (pair[0] == pair[1] or not difference.changes)
    for choice in difference.choices:
        assert choice.verdict != "undecided"
        for example in choice.examples:
            if example.run:
                both = [example.run.walk(one) for one in pair]
                assert both[0] is not None and both[1] is not None
                assert (told(both[0]) == told(both[1])) == example.same_steps
    if all(choice.verdict == "same" for choice in difference.choices):
        for (old, _), (new, _) in zip(walks(pair[0]), walks(pair[1]), strict=True):
            assert told(old) == told(new)
