"""Operations entered in their forms: each changes what it says, and a fault is told at its field."""

from collections.abc import Callable

import pytest
from reviewed_build import Bench

from compiler.decisions.texts import names_of
from compiler.report.graph.svg import render_svg
from compiler.report.plain_words import PlainReader
from ir.infix import parse_infix, to_infix
from ir.predicate import Ref
from ir.procedure import Fact, Procedure
from ir.workflow import Workflow
from review.decide import decide, new_decision, preview
from review.draft import ReviewDraft
from review.errors import Refused
from review.forms import completions, forms_of, operation_from
from review.queue import Item, queue
from review.wording import shown_condition

Check = Callable[[Procedure, Workflow], bool]


def item(draft: ReviewDraft, subject: str, words: str) -> Item:
    """The item of a sort that has words in its title."""
    (found,) = [one for one in queue(draft) if one.subject == subject and words in one.title]
    return found


def step_like(workflow: Workflow, step: str) -> object:
    """The node that carries out a step."""
    return next(node for node in workflow.nodes.values() if step in node.step_ids)


CORRECTIONS: tuple[tuple[str, str, str, dict[str, str], Check], ...] = (
    ("step", "enters the order", "change_step.actor", {"value": "Porter"},
     lambda p, w: p.step("s1").actor == "Porter" and step_like(w, "s1").origin == "person"),  # type: ignore[attr-defined]
    ("step", "sends the papers", "change_step.kind", {"value": "record"}, lambda p, w: p.step("s5").kind == "record"),
    ("step", "manager approves", "set_deadline", {"duration": "P5BD"},
     lambda p, w: step_like(w, "s2").deadline.duration == "P5BD"),  # type: ignore[attr-defined]
    ("step", "enters the order", "set_deadline", {"duration": "PT4H", "from": "receipt"},
     lambda p, w: "receipt" in str(step_like(w, "s1").deadline)),  # type: ignore[attr-defined]
    ("step", "manager approves", "set_deadline", {"duration": "within 3 working days"},
     lambda p, w: step_like(w, "s2").deadline.duration == "P3BD"),  # type: ignore[attr-defined]
    ("step", "sends the papers", "set_deadline", {"duration": "8小时"},
     lambda p, w: "PT8H" in str(step_like(w, "s5").deadline)),  # type: ignore[attr-defined]
    ("step", "enters the order", "remove_step", {},
     lambda p, w: [f.target for f in p.flows if f.source == "start"] == ["s2"] and len(p.steps) == 4),
    ("step", "sends the papers", "move_step", {"after": "s1"},
     lambda p, w: [f.target for f in p.flows if f.source == "s5"] == ["s2"]),
    ("step", "enters the order", "add_step", {"id": "p1", "text": "weigh it", "kind": "check", "after": "s1"},
     lambda p, w: [f.source for f in p.flows if f.target == "s2"] == ["p1"] and bool(step_like(w, "p1"))),
    ("step", "director approves", "add_edge", {"from": "s4", "to": "end", "condition": 's4.outcome == "rejected"',
     "ends": "rejected"}, lambda p, w: any(f.source == "s4" and f.ends == "rejected" for f in p.flows)),
    ("step", "sends the papers", "map_type", {"type": "notify.email"},
     lambda p, w: step_like(w, "s5").type == "notify.email"),  # type: ignore[attr-defined]
    ("step", "sends the papers", "change_step.ends", {"value": "rejected"},
     lambda p, w: [(f.target, f.ends) for f in p.flows if f.source == "s5"] == [("end", "rejected")]
     and any(n.status == "rejected" for n in w.nodes.values())),
    ("step", "director approves", "change_step.ends", {"value": "cancelled"},
     lambda p, w: [(f.target, f.ends) for f in p.flows if f.source == "s4"] == [("end", "cancelled")]
     and any(n.status == "cancelled" for n in w.nodes.values())),
    ("condition", "exceeds 5000", "set_condition", {"text": "amount >= 8000"},
     lambda p, w: any(to_infix(c.predicate) == "$.facts.amount >= 8000" for c in p.conditions if c.predicate)),
    ("edge", "director approves the order → The storekeeper", "change_edge.condition",
     {"value": 's4.outcome == "approved"'},
     lambda p, w: any(f.source == "s4" and f.condition not in (None, "otherwise") for f in p.flows)),
    ("edge", "papers to the customer → end", "change_edge.ends", {"value": "cancelled"},
     lambda p, w: any(n.status == "cancelled" for n in w.nodes.values())),
    ("edge", "releases the goods → The storekeeper", "remove_edge", {},
     lambda p, w: not any((f.source, f.target) == ("s3", "s5") for f in p.flows)),
    ("fact", "amount", "change_fact.unit", {"value": "USD"}, lambda p, w: w.inputs["amount"].unit == "USD"),
    ("fact", "customer", "change_fact.enum", {"value": "old, new"},
     lambda p, w: [f.enum for f in p.facts if f.id == "customer"] == [("old", "new")]),
    ("step", "sends the papers", "change_step.outcomes", {"value": "sent, returned"},
     lambda p, w: p.step("s5").outcomes == ("sent", "returned")),
    ("fact", "customer", "remove_fact", {}, lambda p, w: "customer" not in {f.id for f in p.facts}),
    ("constraint", "without a label", "set_condition", {"text": "without_a_label == true and amount > 1"},
     lambda p, w: "amount" in repr(p.constraints[0].predicate)),
    ("text", "Smoking", "place_text", {"at": "step:s5"}, lambda p, w: not p.unplaced),
    ("text", "Smoking", "add_step", {"id": "p1", "text": "watch the store", "after": "start"},
     lambda p, w: not p.unplaced and bool(p.step("p1").evidence)),
    ("prohibition", "Smoking", "set_policy", {"field": "risk_level", "value": "high"},
     lambda p, w: w.execution_policy.risk_level == "high"),
    ("prohibition", "Smoking", "set_title", {"value": "Release of stored goods"},
     lambda p, w: p.title == w.metadata.title == "Release of stored goods"),
    ("prohibition", "Smoking", "add_fact", {"id": "weight", "name": "weight", "type": "number", "unit": "kg"},
     lambda p, w: "weight" in {f.id for f in p.facts}),
)  # fmt: skip


@pytest.mark.parametrize(("subject", "words", "do", "values", "holds"), CORRECTIONS, ids=lambda one: str(one)[:24])
def test_an_operation_changes_what_it_says(
    bench: Bench, subject: str, words: str, do: str, values: dict[str, str], holds: Check
) -> None:
    """It is looked at first, and the next compile goes by it."""
    draft = bench.draft
    one = item(draft, subject, words)
    defaults = {field.name: field.value for form in forms_of(draft, one) if form.do == do for field in form.fields}
    operation = operation_from(draft, one, do, defaults | values)
    made = new_decision(draft, one, "correct", author="Ng", reason="as it is done", value=operation)
    looked = preview(draft, made)
    assert looked.faults == ()
    assert looked.draft is not None
    assert holds(looked.draft.procedure, looked.draft.workflow)
    assert not holds(draft.procedure, draft.workflow)
    after = decide(draft, made)
    bench.compile()
    assert bench.draft.workflow == after.workflow == looked.draft.workflow


@pytest.mark.parametrize(
    ("subject", "words", "do", "values", "field", "said"),
    [
        ("condition", "exceeds 5000", "set_condition", {"text": "amunt > 5"}, "text", "did you mean amount"),
        ("condition", "exceeds 5000", "set_condition", {"text": "amount >"}, "text", "column 9"),
        ("condition", "exceeds 5000", "set_condition", {"text": ""}, "text", "empty"),
        ("step", "enters the order", "change_step.kind", {"value": "aproval"}, "value", "did you mean approval"),
        ("step", "enters the order", "set_deadline", {"duration": "2 or 3 days"}, "duration", "write 8小时"),
        ("step", "enters the order", "set_deadline", {"duration": "soon"}, "duration", "within 3 working days"),
        (
            "condition",
            "exceeds 5000",
            "set_condition",
            {"text": "s2.complete == false"},
            "text",
            "gives s2.outcome alone",
        ),
        ("condition", "exceeds 5000", "set_condition", {"text": "amount > 5 or s9.outcome == 1"}, "text", "column 15"),
        (
            "condition",
            "exceeds 5000",
            "set_condition",
            {"text": "$.facts.weight > 5"},
            "text",
            "$.facts.weight is not there",
        ),
        ("condition", "exceeds 5000", "set_condition", {"text": 'amount == "much"'}, "text", 'never string "much"'),
        (
            "condition",
            "exceeds 5000",
            "set_condition",
            {"text": 's2.outcome == "maybe"'},
            "text",
            "it can be approved, rejected",
        ),
        (
            "condition",
            "exceeds 5000",
            "set_condition",
            {"text": 's5.outcome == "sent"'},
            "text",
            "enter its outcomes first",
        ),
        ("step", "enters the order", "change_step.actr", {}, "do", "did you mean change_step.actor"),
        ("step", "enters the order", "change_step.actor", {"vlue": "x"}, "vlue", "no field"),
        ("edge", "papers to the customer → end", "change_edge.priority", {"value": "first"}, "value", "write a number"),
    ],
)
def test_a_fault_names_its_field(
    bench: Bench, subject: str, words: str, do: str, values: dict[str, str], field: str, said: str
) -> None:
    """With what was meant, or what could stand there."""
    draft = bench.draft
    with pytest.raises(Refused) as caught:
        operation_from(draft, item(draft, subject, words), do, values)
    (fault,) = caught.value.faults
    assert fault.field == field
    assert said in fault.message


@pytest.mark.parametrize(
    ("words", "do", "said"),
    [("manager approves", "remove_step", "rests on s2"), ("enters the order", "move_step", "cannot come after itself")],
)
def test_what_something_rests_on_stays(bench: Bench, words: str, do: str, said: str) -> None:
    """An operation that would leave a part hanging is refused when it is looked at, and nothing is written."""
    draft = bench.draft
    one = item(draft, "step", words)
    operation = operation_from(draft, one, do, {"after": "s2"} if do == "move_step" else {})
    if do == "move_step":
        operation = operation.model_copy(update={"after": operation.step})  # type: ignore[union-attr]
    made = new_decision(draft, one, "correct", author="Ng", reason="x", value=operation)
    (fault,) = preview(draft, made).faults
    assert (fault.code, said in fault.message) == ("unfit-decision", True)
    with pytest.raises(Refused):
        decide(draft, made)
    assert not draft.build.decisions.exists()


def test_names_are_completed(bench: Bench) -> None:
    """By what was typed before the cursor."""
    draft = bench.draft
    assert completions(draft, "am > 5", 2)[0] == "amount"
    assert "s2.outcome" in completions(draft, "s2", 2)
    assert completions(draft, "zzz", 3) == ()


def test_fields_open_as_people_write(bench: Bench) -> None:
    """Conditions in the names of the document, durations in words; what stands there is taken again as it is."""
    draft = bench.draft
    one = item(draft, "condition", "exceeds 5000")
    (field,) = forms_of(draft, one)[0].fields
    assert field.value == "amount > 5000"
    operation = operation_from(draft, one, "set_condition", {"text": field.value})
    assert (operation.text, operation.was) == ("$.facts.amount > 5000",) * 2  # type: ignore[union-attr]
    step = item(draft, "step", "manager approves")
    value = operation_from(draft, step, "set_deadline", {"duration": "2 hours"})
    after = decide(draft, new_decision(draft, step, "correct", author="Ng", reason="so it is", value=value))
    (form,) = [one for one in forms_of(after, item(after, "step", "manager approves")) if one.do == "set_deadline"]
    assert form.fields[0].value == "2 hours"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("weight of one box", "weight of one box"), ("and", "f1"), ("单箱货物总重", "单箱货物总重"), ("a > b", "a > b")],
)
def test_a_condition_that_is_shown_says_the_same(name: str, shown: str) -> None:
    """A name that would be read as something else stays an id."""
    procedure = Procedure(
        id="p", doc_id="d", title="p", language="en",
        facts=(Fact(id="f1", name=name, type="number"), Fact(id="f11", name="other", type="number")),
    )  # fmt: skip
    tree = parse_infix("$.facts.f1 > 3 and $.facts.f11 > 4")
    text = shown_condition(tree, procedure)
    assert parse_infix(text, names_of(procedure)) == tree
    assert text.startswith(shown) or name == "and"
    assert "other > 4" in text


def test_what_was_corrected_is_told_by_its_new_words(bench: Bench) -> None:
    """A renamed fact in the graph and in conditions, a corrected condition in the queue; not what it was read as."""
    draft = bench.draft
    fact, condition = item(draft, "fact", "amount"), item(draft, "condition", "exceeds 5000")
    renamed = operation_from(draft, fact, "change_fact.name", {"value": "value of the order"})
    draft = decide(draft, new_decision(draft, fact, "correct", author="Ng", reason="so it is called", value=renamed))
    limit = operation_from(draft, condition, "set_condition", {"text": "value of the order >= 8000"})
    draft = decide(draft, new_decision(draft, condition, "correct", author="Ng", reason="a new limit", value=limit))
    assert {one.title for one in queue(draft) if one.subject == "condition"} >= {"value of the order >= 8000"}
    assert any("[value of the order >= 8000]" in one.title for one in queue(draft) if one.subject == "edge")
    assert not any("5000" in one.title for one in queue(draft) if one.subject in ("edge", "condition"))
    reader = PlainReader(draft.workflow, draft.catalog)
    assert draft.workflow.inputs["amount"].origin == "person"
    assert reader.ref_name(Ref("$.inputs.amount")) == "value of the order"
    bench.compile()
    assert bench.draft.workflow == draft.workflow
    picture = render_svg(draft.workflow, catalog=draft.catalog, language="en")
    assert "value of the order" in picture
