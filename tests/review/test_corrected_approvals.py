"""Corrections around approvals: what an approval guards stays guarded, and nothing is found that nobody did."""

from pathlib import Path

import pytest
from reviewed_build import Bench

from ir.infix import to_infix
from ir.procedure import Procedure
from review.decide import Preview, decide, new_decision, preview
from review.draft import ReviewDraft
from review.errors import Refused
from review.forms import forms_of, operation_from
from review.queue import Item, queue

DECIDED = {
    "en": """# Purchases

1. The clerk enters the request in the register.
2. The manager approves the request. If the manager approves it, the cashier pays the supplier; otherwise the request
ends.
3. The accountant files the papers.
""",
    "zh": """# 采购管理办法

1. 经办人登记采购申请。
2. 部门经理审批采购申请。审批通过的，出纳向供应商付款；审批不通过的，流程结束。
3. 会计归档凭证。
""",
}
"""The document says what follows the approval, and what follows the refusal."""
PLAIN = {
    "en": """# Purchases

1. The clerk enters the request in the register.
2. The manager approves the request.
3. The director approves the request.
4. The cashier pays the supplier.
""",
    "zh": """# 采购管理办法

1. 经办人登记采购申请。
2. 部门经理审批采购申请。
3. 总经理审批采购申请。
4. 出纳向供应商付款。
""",
}
"""The document says nothing of a refusal."""
EMERGENCY = {
    "en": """# Payments

## Ordinary payments

1. The clerk submits the request.
2. The manager approves the request.
3. The cashier pays the supplier.
4. The accountant files the papers.

## Urgent payments

If the matter is urgent, the director approves the payment.
""",
    "zh": """# 用款办法

1. 经办人提交用款申请。
2. 部门经理审批用款申请。
3. 出纳付款。
4. 会计归档凭证。
5. 业务特别紧急的，经领导同意可先行付款，事后补办有关手续。
""",
}
"""An approval on a way of its own, beside another one."""
JUDGED = {
    "en": """# Purchases

1. The clerk enters the request in the register.
2. The inspector checks the sample. If the sample passes the check, the cashier pays the supplier; otherwise the request
is rejected.
3. The accountant files the papers.
""",
    "zh": """# 审核办法

1. 经办人提交付款申请。
2. 法务部审核付款申请。审核不通过的，退回经办人。
3. 出纳向供应商付款。
""",
}
"""A check of which one outcome ends the run."""
both = pytest.mark.parametrize("language", ["en", "zh"])


def step_item(draft: ReviewDraft, step: str) -> Item:
    """The item of a step."""
    return next(one for one in queue(draft) if (one.subject, one.id) == ("step", step))


def tried(draft: ReviewDraft, item: Item, do: str, **values: str) -> Preview:
    """What a correction would come to."""
    return preview(draft, decision(draft, item, do, values))


def taken(draft: ReviewDraft, item: Item, do: str, **values: str) -> ReviewDraft:
    """The draft that a correction comes to."""
    return decide(draft, decision(draft, item, do, values))


def decision(draft: ReviewDraft, item: Item, do: str, values: dict[str, str]):  # type: ignore[no-untyped-def]
    """A correction by what is entered in its form, the rest as it stands there."""
    defaults = {field.name: field.value for form in forms_of(draft, item) if form.do == do for field in form.fields}
    operation = operation_from(draft, item, do, defaults | values)
    return new_decision(draft, item, "correct", author="Ng", reason="as it is done", value=operation)


def ways(procedure: Procedure, source: str) -> dict[str, str]:
    """Where a step leads, each with its condition; empty for always."""
    said = {one.id: to_infix(one.predicate) for one in procedure.conditions if one.predicate is not None}
    return {one.target: said.get(one.condition or "", one.condition or "") for one in procedure.flows if
            one.source == source}  # fmt: skip


def errors(looked: Preview) -> set[str]:
    """The codes of the errors that would come."""
    return {one.error_code for one in looked.new if one.severity == "error"}


def procedure_of(looked: Preview) -> Procedure:
    """The procedure that would be."""
    assert looked.faults == ()
    assert looked.draft is not None
    return looked.draft.procedure


# --- steps put in beside approvals ------------------------------------------------------------------------------------

GRANTED = '$.steps.s2.outcome == "approved"'


@both
def test_a_step_after_an_approval_comes_where_it_grants(tmp_path: Path, language: str) -> None:
    """What follows the grant follows the step; a refusal leads where it led, and no run comes to the step by it."""
    draft = Bench(tmp_path, DECIDED[language]).draft
    before = ways(draft.procedure, "s2")
    looked = tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", kind="check")
    after = procedure_of(looked)
    refused = {target: when for target, when in before.items() if target != "s3"}
    assert before["s3"] == GRANTED
    assert refused
    assert ways(after, "s2") == {"p1": GRANTED, **refused}
    assert ways(after, "p1") == {"s3": ""}
    assert not looked.new
    assert looked.draft is not None
    workflow = looked.draft.workflow
    names = {step: name for name, node in workflow.nodes.items() for step in node.step_ids}
    (way,) = [edge for edge in workflow.edges if edge.target == names["p1"]]
    assert to_infix(way.condition) == f"$.outputs.{names['s2']}.approved == true"  # type: ignore[arg-type]


@both
def test_a_step_after_a_judgement_comes_where_it_does_not_end_the_run(tmp_path: Path, language: str) -> None:
    """What fails the check is not weighed."""
    draft = Bench(tmp_path, JUDGED[language]).draft
    assert draft.procedure.step("s2").kind == "check"
    before = ways(draft.procedure, "s2")
    after = procedure_of(tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", kind="task"))
    assert ways(after, "s2") == {"p1": before.pop("s3"), **before}
    assert ways(after, "p1") == {"s3": ""}


def test_a_step_after_a_choice_comes_before_what_is_chosen(tmp_path: Path) -> None:
    """Where neither outcome refuses anything, both ways lead by the step."""
    policy = DECIDED["en"].replace("manager approves the request", "clerk assesses the complaint").replace(
        "the manager approves it, the cashier pays the supplier; otherwise the request\nends",
        "the complaint is justified, the manager refunds the price; otherwise the clerk informs the customer",
    )  # fmt: skip
    draft = Bench(tmp_path, policy).draft
    before = ways(draft.procedure, "s2")
    assert len(before) == 2
    after = procedure_of(tried(draft, step_item(draft, "s2"), "add_step", text="call the customer", kind="task"))
    assert (ways(after, "s2"), ways(after, "p1")) == ({"p1": ""}, before)


def test_what_ends_the_run_stays_with_the_approval(tmp_path: Path) -> None:
    """Also where its condition asks something else than how the approval came out."""
    policy = PLAIN["en"].replace(
        "3. The director approves the request.", "3. If the supplier is barred, the request is returned to the clerk."
    )  # fmt: skip
    draft = Bench(tmp_path, policy).draft
    before = ways(draft.procedure, "s2")
    (returned,) = [one for one in draft.procedure.flows if one.source == "s2" and one.ends == "returned"]
    assert "outcome" not in before["end"]
    after = procedure_of(tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", kind="check"))
    assert returned in after.flows
    assert ways(after, "s2") == {"p1": before["s3"], "end": before["end"]}
    assert ways(after, "p1") == {"s3": ""}


@both
def test_a_step_comes_under_the_condition_that_is_said(tmp_path: Path, language: str) -> None:
    """The refusal's way leads by the step then, and the grant's as before."""
    draft = Bench(tmp_path, DECIDED[language]).draft
    refusing = {target: when for target, when in ways(draft.procedure, "s2").items() if target != "s3"}
    ((target, when),) = refusing.items()
    looked = tried(
        draft, step_item(draft, "s2"), "add_step", text="tell the clerk why", kind="notify",
        condition=when.removeprefix("$.steps."),
    )  # fmt: skip
    after = procedure_of(looked)
    assert ways(after, "s2") == {"s3": GRANTED, "p1": when}
    assert ways(after, "p1") == {target: ""}


def test_a_condition_that_no_way_has_is_refused(tmp_path: Path) -> None:
    """With those that there are."""
    draft = Bench(tmp_path, PLAIN["en"]).draft
    looked = tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", condition='s2.outcome == "rejected"')
    (fault,) = looked.faults
    assert (fault.code, fault.field) == ("unfit-decision", "condition")
    assert "it has always" in fault.message
    with pytest.raises(Refused):
        tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", condition="amunt > 5")


@both
def test_a_step_between_two_approvals_comes_where_the_first_grants(tmp_path: Path, language: str) -> None:
    """Before an approval it comes always; without words of a refusal the draft still asks for the grant."""
    draft = Bench(tmp_path, PLAIN[language]).draft
    looked = tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", kind="check")
    assert ways(procedure_of(looked), "s2") == {"p1": ""}
    assert ways(procedure_of(looked), "p1") == {"s3": ""}
    assert looked.draft is not None
    workflow = looked.draft.workflow
    names = {step: name for name, node in workflow.nodes.items() for step in node.step_ids}
    (way,) = [edge for edge in workflow.edges if edge.target == names["p1"]]
    assert to_infix(way.condition) == f"$.outputs.{names['s2']}.approved == true"  # type: ignore[arg-type]
    first = tried(draft, step_item(draft, "s1"), "add_step", text="weigh it", kind="check")
    assert (ways(procedure_of(first), "s1"), ways(procedure_of(first), "p1")) == ({"p1": ""}, {"s2": ""})


@both
def test_several_ways_of_a_grant_lead_on_from_the_step(tmp_path: Path, language: str) -> None:
    """The step comes on the approval alone, what parts them after it; a refusal still goes by `otherwise`."""
    draft = Bench(tmp_path, DECIDED[language]).draft
    edge = next(one for one in queue(draft) if one.subject == "edge" and one.id.startswith("s2->s3"))
    other = next(one for one in queue(draft) if one.subject == "edge" and one.id.startswith(("s2->end", "s2->s4")))
    asked = next(one for one in queue(draft) if one.subject == "question")
    draft = taken(draft, asked, "add_fact", id="amount", name="amount", type="number")
    draft = taken(draft, edge, "change_edge.condition", value='s2.outcome == "approved" and amount > 5')
    if not other.id.endswith("otherwise"):
        draft = taken(draft, other, "change_edge.condition", value="otherwise")
    before = ways(draft.procedure, "s2")
    after = procedure_of(tried(draft, step_item(draft, "s2"), "add_step", text="weigh it", kind="check"))
    (away,) = [target for target, when in before.items() if when == "otherwise"]
    assert ways(after, "s2") == {"p1": GRANTED, away: "otherwise"}
    assert ways(after, "p1") == before


@both
def test_a_step_that_is_moved_after_an_approval_comes_where_it_grants(tmp_path: Path, language: str) -> None:
    """As one that is added; and taking it out again leaves the ways as they were."""
    draft = Bench(tmp_path, DECIDED[language]).draft
    before = ways(draft.procedure, "s2")
    moved = taken(draft, step_item(draft, "s1"), "move_step", after="s2")
    assert ways(moved.procedure, "s2") == {"s1": GRANTED} | {to: when for to, when in before.items() if to != "s3"}
    assert ways(moved.procedure, "s1") == {"s3": ""}
    gone = procedure_of(tried(moved, step_item(moved, "s1"), "remove_step"))
    assert ways(gone, "s2") == before


@both
def test_an_approval_that_is_taken_out_is_told(tmp_path: Path, language: str) -> None:
    """One whose decision the ways read stays; of the others the sentence is told as without its approval."""
    draft = Bench(tmp_path / "decided", DECIDED[language]).draft
    (fault,) = tried(draft, step_item(draft, "s2"), "remove_step").faults
    assert "rests on s2" in fault.message
    draft = Bench(tmp_path / "plain", PLAIN[language]).draft
    looked = tried(draft, step_item(draft, "s3"), "remove_step")
    assert ways(procedure_of(looked), "s2") == {"s4": ""}
    (told,) = [one for one in looked.new if one.error_code == "lost-approval"]
    assert (told.severity, "but Ng took the step out: as it is done" in told.message) == ("warning", True)


# --- kinds ------------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("kind", ["task", "check", "decision", "notify"])
def test_what_the_ways_say_stays_whatever_kind_a_step_is(tmp_path: Path, language: str, kind: str) -> None:
    """Conditions on the outcome are those of the draft too, and back again they are as they were."""
    draft = Bench(tmp_path, DECIDED[language]).draft
    changed = taken(draft, step_item(draft, "s2"), "change_step.kind", value=kind)
    assert ways(changed.procedure, "s2") == ways(draft.procedure, "s2")
    names = {step: name for name, node in changed.workflow.nodes.items() for step in node.step_ids}
    said = [to_infix(edge.condition) for edge in changed.workflow.edges if edge.source == names["s2"]  # type: ignore[arg-type]
            and edge.condition.__class__.__name__ == "Compare"]  # fmt: skip
    assert f'$.outputs.{names["s2"]}.outcome == "approved"' in said
    assert not any(one.error_code == "dropped-guard" for one in changed.diagnostics)
    back = taken(changed, step_item(changed, "s2"), "change_step.kind", value="approval")
    assert (back.procedure.steps, back.procedure.flows) == (draft.procedure.steps, draft.procedure.flows)


@both
@pytest.mark.parametrize("kind", ["check", "decision"])
def test_a_judgement_in_the_place_of_an_approval_guards_the_same(tmp_path: Path, language: str, kind: str) -> None:
    """What came only where the approval granted comes only where it is judged so; else the run ends refused."""
    draft = Bench(tmp_path, PLAIN[language]).draft
    looked = tried(draft, step_item(draft, "s3"), "change_step.kind", value=kind)
    after = procedure_of(looked)
    assert ways(after, "s3") == {"s4": '$.steps.s3.outcome == "approved"', "end": "otherwise"}
    assert [one.ends for one in after.flows if (one.source, one.target) == ("s3", "end")] == ["rejected"]
    assert after.step("s3").outcomes == ("approved", "rejected")


@both
def test_an_act_in_the_place_of_an_approval_is_told_to_guard_nothing(tmp_path: Path, language: str) -> None:
    """Before it is saved and after; nobody is asked for a verdict that nothing reads."""
    draft = Bench(tmp_path, PLAIN[language]).draft
    looked = tried(draft, step_item(draft, "s3"), "change_step.kind", value="record")
    assert procedure_of(looked).step("s3").outcomes == ()
    (told,) = [one for one in looked.new if one.error_code == "dropped-guard"]
    assert "“s3” was an approval until Ng made it a record" in told.message
    draft = taken(draft, step_item(draft, "s3"), "change_step.kind", value="record")
    edge = next(one for one in queue(draft) if one.subject == "edge" and one.id == "s3->s4")
    draft = taken(draft, step_item(draft, "s3"), "change_step.outcomes", value="approved, rejected")
    mended = tried(draft, edge, "change_edge.condition", value='s3.outcome == "approved"')
    assert "dropped-guard" in {one.error_code for one in mended.gone}


@both
def test_an_act_that_is_made_an_approval_and_an_act_again_is_as_it_was(tmp_path: Path, language: str) -> None:
    """It never guarded anything in the document, so that nothing is told."""
    draft = Bench(tmp_path, PLAIN[language]).draft
    made = taken(draft, step_item(draft, "s1"), "change_step.kind", value="approval")
    assert made.procedure.step("s1").outcomes == ("approved", "rejected")
    back = taken(made, step_item(made, "s1"), "change_step.kind", value=draft.procedure.step("s1").kind)
    assert back.procedure.model_copy(update={"gaps": ()}) == draft.procedure.model_copy(update={"gaps": ()})
    assert not any(one.error_code == "dropped-guard" for one in back.diagnostics)


# --- who acts ---------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("step", ["s1", "s2", "s3", "s4", "s5"])
def test_another_actor_brings_no_error_about_ways(tmp_path: Path, language: str, step: str) -> None:
    """The edges and kinds are as they were; that another approves than the words name is told as a warning."""
    draft = Bench(tmp_path, EMERGENCY[language]).draft
    looked = tried(draft, step_item(draft, step), "change_step.actor", value="Treasurer")
    assert procedure_of(looked).flows == draft.procedure.flows
    assert errors(looked) == set()
    approves = draft.procedure.step(step).kind == "approval"
    assert [one.error_code for one in looked.new] == (["lost-approval"] if approves else [])
    assert all("Ng made it one by “Treasurer”: as it is done" in one.message for one in looked.new)


@both
def test_a_way_that_a_person_leads_past_an_approval_is_found(tmp_path: Path, language: str) -> None:
    """Also where the reading had a way past it to the same end."""
    draft = Bench(tmp_path, EMERGENCY[language]).draft
    looked = tried(draft, step_item(draft, "s1"), "add_edge", **{"from": "s1", "to": "s3"})
    assert "bypassed-approval" in errors(looked)
    looked = tried(draft, step_item(draft, "s1"), "add_edge", **{"from": "s1", "to": "end"})
    assert "bypassed-approval" in errors(looked)
