"""`Otherwise` after a demand: the case in which it is not met, not the other case of its condition."""

import pytest

from compiler.build.builder import compile_documents
from ir.infix import to_infix
from ir.predicate import ALWAYS, OTHERWISE
from ir.workflow import Workflow


def drawn(text: str, folder: object) -> Workflow:
    """The draft of a policy of one sentence."""
    file = folder / "policy.txt"  # type: ignore[operator]
    file.write_text(text + "\n", "utf-8")
    (one,) = compile_documents(file).procedures
    return one.workflow


def ends(workflow: Workflow, status: str) -> list[str]:
    """On what the edges lie that lead to ends of a status."""
    names = {name for name, node in workflow.nodes.items() if node.status == status}
    given = [edge.condition for edge in workflow.edges if edge.target in names]
    words = {ALWAYS: "always", OTHERWISE: "otherwise"}
    return [words[one] if one in words else to_infix(one) for one in given]  # type: ignore[arg-type,index]


@pytest.mark.parametrize(
    "text",
    [
        "单次领用超过200升的，须经双人核对，否则仓库不予发放。",
        "Requests above EUR 900 must be accompanied by an offer, otherwise they are rejected.",
    ],
)
def test_a_demand_with_a_case_of_its_own_is_asked_about(text: str, tmp_path: object) -> None:
    """Nothing is refused because the case is not given; the question has the words."""
    workflow = drawn(text, tmp_path)
    assert ends(workflow, "rejected") == []
    assert any(text.rstrip(".。")[-6:] in gap.question for gap in workflow.gaps)


def test_a_demand_without_a_case_parts_by_whether_it_is_met(tmp_path: object) -> None:
    """Who meets it is not refused; whether it is met is a yes or no that is asked about."""
    workflow = drawn("进入车间的人员必须穿戴防静电服，否则门卫不予放行。", tmp_path)
    (refused,) = ends(workflow, "rejected")
    assert refused.startswith("not (")
    assert any("防静电服" in gap.question for gap in workflow.gaps)


def test_alternatives_part_by_the_condition(tmp_path: object) -> None:
    """Both name who decides."""
    workflow = drawn("付款超过3万元的由财务总监审批，否则由财务经理审批。", tmp_path)
    said = [to_infix(e.condition) for e in workflow.edges if e.source == "start" and e.condition != OTHERWISE]  # type: ignore[arg-type]
    assert len(said) == 2
    assert said[1] == f"not ({said[0]})"


def test_an_act_after_a_comma_is_an_act_of_its_own(tmp_path: object) -> None:
    """`…, otherwise he returns it`."""
    workflow = drawn("If the file is complete, the clerk accepts it, otherwise he returns it.", tmp_path)
    assert len([node for node in workflow.nodes.values() if node.actor == "clerk"]) == 2
