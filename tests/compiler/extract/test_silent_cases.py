"""Sentences whose cases were once read past without a word: each is carried, or asked about with its words."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from ir.infix import to_infix
from ir.predicate import ALWAYS, OTHERWISE
from ir.workflow import Workflow


def drawn(text: str, folder: Path) -> Workflow:
    """The draft of a policy of one sentence."""
    file = folder / "policy.txt"
    file.write_text(text + "\n", "utf-8")
    (one,) = compile_documents(file).procedures
    return one.workflow


def ways(workflow: Workflow) -> dict[str, str]:
    """On what each way to a node that carries a step, or to an end, lies."""
    words = {ALWAYS: "always", OTHERWISE: "otherwise"}
    found = {}
    for edge in workflow.edges:
        node = workflow.nodes[edge.target]
        said = words[edge.condition] if edge.condition in words else to_infix(edge.condition)  # type: ignore[index,arg-type]
        found[node.actor or node.status or edge.target] = said
    return found


def test_verdicts_without_a_comma_part_the_ways(tmp_path: Path) -> None:
    """`同意的报处长审批，不同意的退回申请人`: both read what the first step came to."""
    found = ways(drawn("主管审核请购单，同意的报厂长审批，不同意的退回请购人。", tmp_path))
    assert "厂长" in found
    assert found["厂长"].endswith("true") or '"pass"' in found["厂长"] or '"approved"' in found["厂长"]
    assert found["returned"].endswith("false") or '"fail"' in found["returned"] or '"rejected"' in found["returned"]
    assert found["厂长"].split()[0] == found["returned"].split()[0]


def test_a_verdict_of_an_approval_and_its_opposite(tmp_path: Path) -> None:
    """`批准的由…，未批准的由…`: neither is done in the other's case."""
    workflow = drawn("店长审批退货，批准的由收银员退款，未批准的由客服主管通知顾客。", tmp_path)
    found = ways(workflow)
    assert {found["收银员"][-4:], found["客服主管"][-5:]} == {"true", "false"}


def test_an_amount_of_time_that_parts_is_no_time_limit(tmp_path: Path) -> None:
    """`四天以内由组长批准` says which leave; the next limit is of the same leave, and four days are in both."""
    workflow = drawn("探亲假四天以内由组长批准，四天以上由车间主任批准。", tmp_path)
    assert all(node.deadline is None for node in workflow.nodes.values())
    assert len(workflow.inputs) == 1
    assert "ambiguity" in {gap.kind for gap in workflow.gaps}
    found = ways(workflow)
    assert found["组长"].endswith('<= "P4D"')
    assert found["车间主任"].endswith('>= "P4D"')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("客户来信应在48小时内答复，重大来信应在8小时内答复。", "重大来信"),
        ("Serious defects must be reported within 8 hours.", "Serious defects"),
        ("Waste of category III is collected by the contractor.", "category III"),
        ("丙类库房由两名库管员共同管理。", "丙类库房"),
        ("市区每晚不超过500元，郊区每晚不超过350元。", "市区每晚不超过500元"),
        ("订货量达到200箱的，可享受八折优惠。", "200箱"),
        ("总机话务员应在振铃5声以内应答。", "5声以内"),
        ("厂商定级为“甲”或“乙”的补丁，运维组都要安装到位。", "定级为“甲”或“乙”的"),
        ("司机连续驾驶满3小时而未停车休息的，不得继续驾驶。", "未"),
        ("报废设备的拆除，必须放在断电挂牌之后。", "之后"),
        ("Never store reagents whose purity lies outside the range of 95 % to 99 %.", "95 %"),
        (
            "Put broken glass into the white bin and paper into the blue one; whatever is left goes into the grey bin.",
            "whatever",
        ),
    ],
)
def test_kinds_and_limits_that_decide_nothing_are_asked_about(text: str, words: str, tmp_path: Path) -> None:
    """With the words that are not understood."""
    assert any(words in gap.question for gap in drawn(text, tmp_path).gaps if gap.kind != "unmapped_step")


def test_two_cases_joined_by_and_are_two(tmp_path: Path) -> None:
    """`rejects it if … and refers it if …`: neither limit is the other's."""
    text = "The underwriter declines it if the score is below 40 and passes it to the board if the score is 90 or more."
    workflow = drawn(text, tmp_path)
    said = sorted(to_infix(e.condition) for e in workflow.edges if e.condition not in (ALWAYS, OTHERWISE))  # type: ignore[arg-type]
    assert said == ["$.inputs.score < 40", "$.inputs.score >= 90"]


def test_what_must_not_be_without_enough_of_something(tmp_path: Path) -> None:
    """Forbidden is less than the limit after `without`, not what reaches it."""
    workflow = drawn("Pilots may not fly for more than 8 hours without a rest of at least 10 hours.", tmp_path)
    (guard,) = workflow.guards
    assert 'not ($.inputs.rest >= "PT10H")' in to_infix(guard.condition)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Staff must keep invoices for all purchases over $90.", "over $90"),
        ("Every incident must be logged within two days, severe incidents and critical incidents at once.", "critical"),
        ("Parcels from overseas must be opened by the customs clerk.", "from overseas"),
        ("A surveyor is called where the damage exceeds 800 euros or the tenant so requests.", "800 euros"),
    ],
)
def test_what_narrows_an_act_is_asked_about_where_it_decides_nothing(text: str, words: str, tmp_path: Path) -> None:
    """With its words."""
    assert any(words in gap.question for gap in drawn(text, tmp_path).gaps if gap.kind != "unmapped_step")


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("下列人员不得进入机房：（一）访客；（二）实习生；（三）外包人员。", 3),
        ("下列物品不得带入外包车间：（一）打火机；（二）手机。", 2),
        ("The following must not be taken into the laboratory: (a) food; (b) drinks.", 2),
        ("It is forbidden to post the following:\n\n- banknotes;\n- live animals.", 2),
    ],
)
def test_each_member_of_a_list_is_forbidden(text: str, things: int, tmp_path: Path) -> None:
    """A run in which any of them is given is refused, and each is asked for with its words."""
    workflow = drawn(text, tmp_path)
    (guard,) = workflow.guards
    assert to_infix(guard.condition).count("== true") == things
    assert not any(node.step_ids for node in workflow.nodes.values())
    assert len(workflow.gaps) == things


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (
            "门卫应当核对证件。下列人员，除持临时证的外，不得进入机房：（一）评审专家；（二）审核员。",
            ("评审专家", "审核员"),
        ),
        ("门卫应当核对证件。夜间，下列人员不得进入机房：（一）评审专家；（二）检查人员。", ("评审专家", "检查人员")),
    ],
)
def test_what_a_prohibition_lists_is_nobodys_act(text: str, listed: tuple[str, ...], tmp_path: Path) -> None:
    """Also where its cases are not read: an expert is no step."""
    told = [f"{node.label} {node.instruction}" for node in drawn(text, tmp_path).nodes.values()]
    assert not [label for label in told if any(word in label for word in listed)]
