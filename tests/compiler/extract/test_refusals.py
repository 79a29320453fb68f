"""What leads to a refusal goes before what leads on."""

import pytest

from catalog.load import load_catalog
from compiler.context import Context
from compiler.extract.refusals import put_refusals_first
from ir.predicate import parse_tree
from ir.procedure import END, START, ConditionText, Fact, Flow, Procedure, Step
from primers.load import load_primers

SHORT = {"eq": ["$.facts.short", True]}


@pytest.fixture
def ctx() -> Context:
    """A context that recalls nothing."""
    return Context(load_catalog(), load_primers(), None, subject="leave.md")  # type: ignore[arg-type]


def procedure(refused: object, first: object, second: object, *, told: bool = False, **flow: object) -> Procedure:
    """An application that is refused, decided by the head, or by the board; with `told`, who is refused is told."""
    conditions = {"refused": refused, "head": first, "board": second}
    to_refusal = Flow(
        source="apply", target="tell" if told else END, condition="refused", ends=None if told else "rejected"
    )
    return Procedure(
        id="leave", title="Leave", doc_id="leave.md", language="en",
        facts=(
            Fact(id="short", name="short", type="boolean", evidence=()),
            Fact(id="days", name="days", type="number", evidence=()),
        ),
        steps=tuple(Step(id=name, text=name, kind="task") for name in ("apply", "head", "board", "tell")),
        conditions=tuple(
            ConditionText(id=name, text=name, predicate=parse_tree(tree)) for name, tree in conditions.items()
        ),
        flows=(
            Flow(source=START, target="apply"),
            to_refusal.model_copy(update=flow),
            Flow(source="apply", target="head", condition="head"),
            Flow(source="apply", target="board", condition="board"),
            Flow(source="head", target=END), Flow(source="board", target=END, ends="completed"),
            Flow(source="tell", target=END, ends="rejected"),
        ),
    )  # fmt: skip


UP_TO, OVER = {"lte": ["$.facts.days", 3]}, {"gt": ["$.facts.days", 3]}


@pytest.mark.parametrize("told", [False, True], ids=["ends", "is told, and it ends"])
def test_a_refusal_goes_before_the_ways_on_that_may_hold_with_it(ctx: Context, told: bool) -> None:
    made = put_refusals_first(ctx, procedure(SHORT, UP_TO, OVER, told=told))
    assert [flow.priority for flow in made.flows if flow.source == "apply"] == [1, None, None]


def test_ways_that_exclude_each_other_need_no_priority(ctx: Context) -> None:
    given = procedure({"gt": ["$.facts.days", 30]}, UP_TO, {"and": [OVER, {"lte": ["$.facts.days", 30]}]})
    assert put_refusals_first(ctx, given) is given


def test_a_narrower_case_than_the_refusal_is_left_to_the_validator(ctx: Context) -> None:
    given = procedure(OVER, UP_TO, {"gt": ["$.facts.days", 10]})
    assert put_refusals_first(ctx, given) is given


def test_a_way_on_that_cannot_be_decided_lets_no_refusal_go_on(ctx: Context) -> None:
    """It has no edge in the draft; the others still come after the refusal."""
    given = procedure(SHORT, UP_TO, OVER)
    unread = tuple(c.model_copy(update={"predicate": None}) if c.id == "board" else c for c in given.conditions)
    made = put_refusals_first(ctx, given.model_copy(update={"conditions": unread}))
    assert [flow.priority for flow in made.flows if flow.source == "apply"] == [1, None, None]


def test_one_refusal_with_a_narrower_case_leaves_the_others_first(ctx: Context) -> None:
    """The one that is carved out of stays beside its case; the other goes before both."""
    given = procedure(OVER, UP_TO, {"gt": ["$.facts.days", 10]})
    more = ConditionText(id="late", text="late", predicate=parse_tree(SHORT))
    flow = Flow(source="apply", target=END, condition="late", ends="rejected")
    made = put_refusals_first(
        ctx,
        given.model_copy(update={"conditions": (*given.conditions, more), "flows": (*given.flows, flow)}),
    )
    assert [f.priority for f in made.flows if f.source == "apply"] == [None, None, None, 1]


@pytest.mark.parametrize("changed", [{"ends": "completed"}, {"priority": 2}, {"condition": "otherwise"}])
def test_what_completes_is_ordered_or_is_for_the_rest_stays(ctx: Context, changed: dict[str, object]) -> None:
    given = procedure(SHORT, UP_TO, OVER, **changed)
    assert put_refusals_first(ctx, given) is given
