"""Joints of an answer: ways that meet and part again, as flows between steps; and ways that only words state."""

from pathlib import Path
from typing import Any

import pytest
from readers import opened
from scripted import Scripted

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.extract.model.form import AnsweredProcedure
from compiler.extract.model.plain_flows import plain_flows
from ir.predicate import references


def told(*ways: tuple[str, str, str | None]) -> AnsweredProcedure:
    """An answer of three steps with these flows: from, to, and the condition, whose words are the condition itself."""
    steps = [{"id": name, "kind": "task", "at": [{"b": "1", "q": name}]} for name in ("s1", "s2", "s3")]
    flows = [
        {"a": a, "z": z, "when": when, "words": [{"b": "1", "q": when}] if when else [],
         "ends": "completed" if z == "end" else None}
        for a, z, when in ways
    ]  # fmt: skip
    return AnsweredProcedure.model_validate({"title": "t", "steps": steps, "flows": flows})


def led(*ways: tuple[str, str, str | None]) -> list[tuple[str, str, str | None]]:
    """The flows that are left, without their words."""
    return [(flow.a, flow.z, flow.when) for flow in plain_flows(told(*ways)).flows]


@pytest.mark.parametrize(
    ("into", "out", "left"),
    [
        pytest.param([None], ["x > 1", "otherwise"], ["x > 1", "otherwise"], id="always into it"),
        pytest.param(["y"], [None], ["y"], id="always out of it"),
        pytest.param(["y"], ["x > 1", "otherwise"], ["(y) and (x > 1)", "(y) and (not ((x > 1)))"], id="both"),
        pytest.param(["unclear"], ["x > 1"], ["unclear"], id="words into it"),
        pytest.param(["y"], ["unclear", "otherwise"], ["unclear", "unclear"], id="words out of it"),
    ],
)  # fmt: skip
def test_the_conditions_of_both_sides_hold(into: list[Any], out: list[Any], left: list[Any]) -> None:
    """A way through a joint is taken where both of its halves would be."""
    targets = ["s2", "end"]
    ways = [("s1", "j1", when) for when in into] + [("j1", targets[n], when) for n, when in enumerate(out)]
    assert led(*ways) == [("s1", targets[n], when) for n, when in enumerate(left)]


def test_otherwise_into_a_joint_is_what_the_other_ways_leave() -> None:
    """It is written out, unless what is left over stays what is left over."""
    assert led(("s1", "s2", "y"), ("s1", "j1", "otherwise"), ("j1", "s3", "x > 1"), ("j1", "end", "otherwise")) == [
        ("s1", "s2", "y"), ("s1", "s3", "(not ((y))) and (x > 1)"), ("s1", "end", "otherwise"),
    ]  # fmt: skip


def test_beside_a_way_that_holds_too_what_is_left_over_is_written_out() -> None:
    """A step that also leads on in some case: its `otherwise` would be another than the joint's."""
    assert led(("s1", "s2", "y"), ("s1", "j1", None), ("j1", "s3", "x > 1"), ("j1", "end", "otherwise")) == [
        ("s1", "s2", "y"), ("s1", "s3", "x > 1"), ("s1", "end", "not ((x > 1))"),
    ]  # fmt: skip


def test_joints_lead_on_to_joints() -> None:
    """One after another is taken apart, with the words of all."""
    (flow,) = plain_flows(told(("s1", "j1", "y"), ("j1", "j2", "x > 1"), ("j2", "s2", "z"))).flows
    assert (flow.a, flow.z, flow.when) == ("s1", "s2", "((y) and (x > 1)) and (z)")
    assert [quote.q for quote in flow.words] == ["y", "x > 1", "z"]


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param((("s1", "j1", None), ("j1", "j1", None)), id="round to itself"),
        pytest.param((("s1", "j1", None),), id="nothing leaves it"),
        pytest.param((("j1", "s1", None),), id="nothing enters it"),
        pytest.param((("s1", "s9", None), ("s9", "s2", None)), id="a step that is none"),
    ],
)
def test_what_is_no_joint_stays(ways: tuple[Any, ...]) -> None:
    """Its flows are asked about where the answer is expanded."""
    assert led(*ways) == list(ways)


def test_a_way_in_words_is_answered_with_yes_or_no(tmp_path: Path) -> None:
    """The words that no facts can tell decide by an answer, and a question shows them."""
    policy = "# Purchases\n\nThe buyer orders the goods.\n\nWhere it seems wise, the director inspects the goods.\n"
    steps = [
        {"id": "s1", "kind": "task", "actor": "buyer", "at": [{"b": "", "q": "The buyer orders the goods"}]},
        {"id": "s2", "kind": "check", "actor": "director", "at": [{"b": "", "q": "the director inspects the goods"}]},
    ]
    flows = [
        {"a": "start", "z": "s1"},
        {"a": "s1", "z": "s2", "when": "unclear", "words": [{"b": "", "q": "Where it seems wise"}]},
        {"a": "s1", "z": "end", "when": "otherwise", "ends": "completed"},
        {"a": "s2", "z": "end", "ends": "completed"},
    ]
    model = Scripted(lambda request: {"procedures": [{"title": "Purchases", "steps": steps, "flows": flows}]})
    path = tmp_path / "policy.md"
    path.write_text(policy, "utf-8")
    (one,) = compile_documents([path], Settings(model=opened(model))).procedures
    draft = one.workflow
    (name,) = (name for name, spec in draft.inputs.items() if spec.type == "boolean")
    assert draft.inputs[name].evidence[0].quote == "Where it seems wise"
    (asked,) = (gap for gap in draft.gaps if name in gap.about)
    assert (asked.kind, asked.evidence[0].quote) == ("unclear_condition", "Where it seems wise")
    assert "Where it seems wise" in asked.question
    read = {ref.text for edge in draft.edges for ref in references(edge.condition)}
    assert f"$.inputs.{name}" in read
