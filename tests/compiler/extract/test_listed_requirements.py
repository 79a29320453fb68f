"""Who does what before a list of requirements, what the list demands, and what its limits are of."""

from pathlib import Path

import pytest
from drafts import asked, compiled

from ir.infix import to_infix

LISTED = """# 检测办法
第一条 作业单位应当提交申请表。
第二条 {}
（一）氧含量为19.5%～21%；
（二）硫化氢浓度不超过10mg/m³。"""


@pytest.mark.parametrize(
    ("lead", "actors"),
    [
        ("应当由化验中心进行气体检测，检测结果应当同时满足下列要求：", ["作业单位", "化验中心"]),
        ("化验中心应当进行气体检测。检测结果应当符合下列要求：", ["作业单位", "化验中心"]),
        ("气体检测的结果应当符合下列要求：", ["作业单位"]),
        ("化验中心进行气体检测，应当符合下列要求：", ["作业单位"]),
    ],
)
def test_an_act_before_requirements(lead: str, actors: list[str], tmp_path: Path) -> None:
    """What somebody is bound to do before the list is a step; each requirement is a rule, and is asked about."""
    one = compiled(LISTED.format(lead), tmp_path)
    assert [step.actor for step in one.procedure.steps] == actors
    rules = [rule.text for rule in one.procedure.constraints]
    assert {"氧含量为19.5%～21%；", "硫化氢浓度不超过10mg/m³。"} <= set(rules)
    assert one.procedure.unplaced == ()
    assert "氧含量为19.5%～21%；" in asked(one)


@pytest.mark.parametrize(
    "text",
    [
        "氧含量为19.5%～21%，在富氧环境下不得大于23.5%。",
        "氧含量为19.5%～21%，在富氧环境下，不得大于23.5%。",
        "富氧环境下不得大于23.5%。",
        "富氧环境下应当不大于23.5%。",
        "检修时不得超过23.5%。",
    ],
)
def test_a_state_is_no_quantity(text: str, tmp_path: Path) -> None:
    """In which case a limit holds does not say of what it is: no comparison, but a question."""
    before = "# 检测办法\n第一条 化验中心应当进行气体检测。\n第二条 可燃气体浓度不得超过0.5%。\n"
    one = compiled(f"{before}第三条 {text}\n第四条 车间主任应当审批申请。", tmp_path)
    predicates = [to_infix(rule.predicate) for rule in one.procedure.constraints if rule.predicate is not None]
    assert all("23.5" not in told for told in predicates)
    assert "23.5%" in asked(one)


def test_what_is_named_beside_a_state_is_measured(tmp_path: Path) -> None:
    """Words that name a quantity are compared, with or without a case in them."""
    text = "# 检测办法\n第一条 化验中心应当进行气体检测。\n第二条 富氧环境下氧含量不得大于23.5%。"
    one = compiled(text, tmp_path)
    assert [to_infix(rule.predicate) for rule in one.procedure.constraints if rule.predicate is not None] == [
        "$.facts.fact_1 > 23.5"
    ]
    assert [fact.name for fact in one.procedure.facts if fact.id == "fact_1"] == ["富氧环境下氧含量"]
