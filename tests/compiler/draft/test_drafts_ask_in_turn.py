"""Approvals of overlapping cases are asked one after the other, so that each refusal ends the run."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from pydantic import JsonValue

from compiler.build.builder import compile_documents
from compiler.conformance import ConformanceInput, validate_with_sources
from compiler.conformance.approvals_in_turn import ApprovalsInTurn
from compiler.conformance.flow_conformance import FlowConformance
from ir.diagnostics import Severity
from ir.walk import walk
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Workflow
from validator.check_input import CheckInput
from validator.checks import validate
from validator.fixes import approvals_in_turn

Values = dict[str, JsonValue]
TWO_EN = """1. The employee files the request.
2. If the amount exceeds 500, the head approves the request. If the amount exceeds 5000, the treasurer also approves \
the request.
3. If the head or the treasurer refuses, the request is rejected.
4. The cashier hands over the cash box."""
TWO_ZH = """第一条 经办人登记借用申请。
第二条 金额超过500元的，由部门负责人审批。金额超过5000元的，还应当由财务总监审批。
第三条 审批不同意的，不予借用。
第四条 经办人交付钥匙。"""
THREE_EN = """1. The clerk registers the loan.
2. If the value exceeds 1000, the curator approves the loan. If the loan period exceeds 30 days, the registrar \
approves the loan. If the value exceeds 20000, the director approves the loan.
3. The clerk hands over the instrument."""
THREE_ZH = """第一条 经办人登记借用申请。
第二条 金额超过3000元的，由财务处审批。借用期限超过30天的，由保卫处审批。金额超过20000元的，还应当由校长审批。
第三条 审批不同意的，不予借用。
第四条 经办人交付钥匙。"""
DISJOINT_EN = """1. The employee files the request.
2. If the amount is at most 500, the head approves the request. If the amount exceeds 500, the treasurer approves \
the request.
3. The cashier hands over the cash box."""
DISJOINT_ZH = """第一条 经办人登记借用申请。
第二条 金额不超过500元的，由部门负责人审批。金额超过500元的，由财务总监审批。
第三条 审批不同意的，不予借用。
第四条 经办人交付钥匙。"""


def drafted(folder: Path, text: str) -> Workflow:
    """The draft of a text that is all of a policy; nothing is wrong with it."""
    (folder / "policy.txt").write_text(text + "\n", "utf-8")
    result = compile_documents(folder)
    (one,) = result.procedures
    found = validate(CheckInput(one.workflow, result.catalog))
    assert not [each for each in found if each.severity is Severity.ERROR or each.error_code == "unequal-ends"]
    return one.workflow


def cases(workflow: Workflow, limits: dict[str, tuple[JsonValue, ...]]) -> Iterator[tuple[Values, tuple[str, ...]]]:
    """Values around the limits of the inputs, with the approvers whom the run asks where everybody grants."""
    for values in product(*limits.values()):
        inputs = dict(zip(limits, values, strict=True))
        yield inputs, asked(workflow, inputs)[0]


def asked(workflow: Workflow, inputs: Values, refusing: str | None = None) -> tuple[tuple[str, ...], str]:
    """The approvers who are asked, in turn, with one of them refusing, and how the run ends."""
    approvals = {name: node.approvers[0] for name, node in workflow.nodes.items() if node.type == HUMAN_APPROVAL}
    others: dict[str, Values] = {name: {} for name, node in workflow.nodes.items() if node.type != CONTROL_END}
    decided: dict[str, Values] = {name: {"approved": who != refusing} for name, who in approvals.items()}
    outputs = others | decided
    gone = walk(workflow, inputs, outputs)
    assert gone.undecided is None and gone.result is not None
    return tuple(approvals[name] for name in gone.path if name in approvals), gone.result.status


OVERLAPPING = [
    (TWO_EN, {"amount": (500, 501, 5000, 5001)}, [(), ("head",), ("head",), ("head", "treasurer")]),
    (TWO_ZH, {"amount": (500, 501, 5001)}, [(), ("部门负责人",), ("部门负责人", "财务总监")]),
    (
        THREE_EN,
        {"value": (1000, 1001, 20001), "loan_period": ("P30D", "P31D")},
        [
            (),
            ("registrar",),
            ("curator",),
            ("curator", "registrar"),
            ("curator", "director"),
            ("curator", "registrar", "director"),
        ],
    ),
    (
        THREE_ZH,
        {"amount": (3000, 3001, 20001), "fact_1": ("P30D", "P31D")},
        [
            (),
            ("保卫处",),
            ("财务处",),
            ("财务处", "保卫处"),
            ("财务处", "校长"),
            ("财务处", "保卫处", "校长"),
        ],
    ),
]


@pytest.mark.parametrize(("text", "limits", "who"), OVERLAPPING)
def test_each_case_asks_whom_it_names_and_each_refusal_ends_it(
    tmp_path: Path, text: str, limits: dict[str, tuple[JsonValue, ...]], who: list[tuple[str, ...]]
) -> None:
    """With one refusal, those after it are not asked and the run is refused; with none, it completes."""
    workflow = drafted(tmp_path, text)
    assert [people for _, people in cases(workflow, limits)] == who
    for inputs, people in cases(workflow, limits):
        assert asked(workflow, inputs)[1] == "completed"
        for place, one in enumerate(people):
            assert asked(workflow, inputs, refusing=one) == (people[: place + 1], "rejected")


@pytest.mark.parametrize("text", [DISJOINT_EN, DISJOINT_ZH])
def test_approvals_of_disjoint_cases_stay_beside_each_other(tmp_path: Path, text: str) -> None:
    """No edge leads from the one to the other, and each amount has its own approver."""
    workflow = drafted(tmp_path, text)
    assert {len(people) for _, people in cases(workflow, {"amount": (500, 501)})} == {1}
    approvals = {name for name, node in workflow.nodes.items() if node.type == HUMAN_APPROVAL}
    assert not [edge for edge in workflow.edges if {edge.source, edge.target} <= approvals]


def differing(folder: Path, text: str, found: str, instead: str) -> set[str]:
    """The codes of what is found in a draft, held against its document, with a condition's number replaced."""
    (folder / "policy.txt").write_text(text + "\n", "utf-8")
    result = compile_documents(folder)
    (one,), documents = result.procedures, tuple(each.document for each in result.documents if each.document)
    changed = Workflow.model_validate_json(one.workflow.model_dump_json(by_alias=True).replace(found, instead))
    given = ConformanceInput(changed, result.catalog, (), (one.procedure,), documents)
    return {each.error_code for each in validate_with_sources(given)}


@pytest.mark.parametrize("text", [TWO_EN, TWO_ZH, THREE_EN, THREE_ZH])
def test_they_are_held_against_the_document_as_if_beside_each_other(tmp_path: Path, text: str) -> None:
    """What was put in is no departure from the document; another limit than the document's is."""
    departures = {"condition-differs", "flow-without-edge", "edge-without-flow", "words-of-another-way", "lost-flow"}
    largest = "20000" if "20000" in text else "5000"
    for folder, instead in (("same", f'"value":{largest}'), ("other", f'"value":{largest}5')):
        (tmp_path / folder).mkdir()
        codes = differing(tmp_path / folder, text, f'"value":{largest}', instead)
        assert codes & departures == (set() if folder == "same" else {"condition-differs"})


STEP_EN = """1. The employee files the request.
2. Where there is an agitator, the porter cuts the power.
3. If the amount exceeds 500, the head approves the request. If the amount is at most 500, the treasurer approves \
the request.
4. The buyer places the order."""
STEP_ZH = """第一条 作业单位提交申请。
第二条 带有搅拌器的，车间还应当切断电源。
第三条 金额超过500元的，由部门负责人审批。金额不超过500元的，由财务总监审批。
第四条 监护人应当全程监护。"""


@pytest.mark.parametrize("text", [STEP_EN, STEP_ZH])
def test_a_step_of_some_cases_comes_before_the_approvals_after_it(tmp_path: Path, text: str) -> None:
    """In its case and in the others one approver is asked, and who refuses ends the run before the last step."""
    workflow = drafted(tmp_path, text)
    (case,) = (name for name, field in workflow.inputs.items() if field.type == "boolean")
    last = next(edge.source for edge in workflow.edges if edge.target == "end_completed")
    for there, amount in product((True, False), (500, 501)):
        inputs: Values = {case: there, "amount": amount}
        (who, *added), status = asked(workflow, inputs)
        assert status == "completed" and set(added) <= {"process owner"}
        assert asked(workflow, inputs, refusing=who) == ((who,), "rejected")
        decided = {name: {"approved": False} for name, node in workflow.nodes.items() if node.type == HUMAN_APPROVAL}
        assert last not in walk(workflow, inputs, {name: {} for name in workflow.nodes} | decided).path


def test_many_cases_take_no_more_questions_than_edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many approvals, each in more cases than the next, take twice as many questions, not eight times."""
    asked_for = {count: questions(tmp_path / str(count), nested(count), monkeypatch) for count in (10, 20)}
    assert asked_for[20] < 3 * asked_for[10] and asked_for[10] > 10


def test_what_follows_from_the_order_is_told_once_for_each_edge(tmp_path: Path) -> None:
    """Eight independent approvals have 256 runs through them; held against the document they are 36 edges."""
    names = ["长度", "宽度", "高度", "深度", "厚度", "直径", "重量", "体积"]
    rules = "\n".join(f"第{at}条 {name}超过{at}0米的，由{name}主管审批。" for at, name in enumerate(names, 2))
    (tmp_path / "policy.txt").write_text(f"第1条 经办人登记申请。\n{rules}\n第10条 经办人交付钥匙。\n", "utf-8")
    (one,) = compile_documents(tmp_path).procedures
    in_turn = ApprovalsInTurn(FlowConformance(one.workflow, one.procedure))
    told = [edge.target for _, edge, _ in in_turn.edges("task_s1") if one.workflow.nodes[edge.target].approvers]
    assert len(told) == 36 and len(set(told)) == 8


def nested(count: int) -> str:
    """A policy with approvals from one amount up each."""
    rules = "\n".join(f"第{at}条 金额超过{at}000元的，由第{at}部经理审批。" for at in range(2, count + 2))
    return f"第1条 经办人登记申请。\n{rules}\n第{count + 2}条 经办人交付钥匙。"


def questions(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the solver was asked to put the approvals of a policy in order; each refusal ends the run.

    The second time nothing is asked: a draft is made again with each correction.
    """
    for known in (approvals_in_turn._MAY_HOLD, approvals_in_turn._FIRSTS, approvals_in_turn._NEEDED):
        known.clear()
    folder.mkdir()
    counted = []
    ask = approvals_in_turn.Prover.can_hold

    class Counting(approvals_in_turn.Prover):
        def can_hold(self, *formulas: object) -> bool | None:
            counted.append(1)
            return ask(self, *formulas)

    with monkeypatch.context() as patch:
        patch.setattr(approvals_in_turn, "Prover", Counting)
        workflow = drafted(folder, text)
        first = len(counted)
        assert drafted(folder, text) == workflow and len(counted) == first
    assert not [node for node in workflow.nodes.values() if node.split == "inclusive"]
    return len(counted)
