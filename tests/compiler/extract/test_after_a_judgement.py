"""What stands after a judgement is not done beside what a bad end of it leads to."""

from pathlib import Path

import pytest
from drafts import compiled, flows, leading_to


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (
            "The head approves the loan. If the application is refused, the clerk informs the tenant. "
            "If the deposit has been paid, the clerk delivers the key. The tenant signs the receipt.",
            "delivers",
        ),
        ("专员初审材料；材料不齐全的，退回申请人；金额在十万元以下的，由经理审批。会计付款。", "经理"),
        ("主任审批申请。不同意的，由秘书通知申请人；租赁大型设备的，工程师应当到现场勘查。管理员发放钥匙。", "勘查"),
    ],
)
def test_nothing_goes_on_beside_a_refusal(text: str, act: str, tmp_path: Path) -> None:
    """Whatever its own condition is."""
    (on,) = leading_to(compiled(text, tmp_path), act)
    assert "not $.steps." in on.replace("(", "") or on.endswith(('!= "rejected"', '!= "fail"'))


def test_what_stands_after_all_cases_comes_after_each(tmp_path: Path) -> None:
    """Approvals up to and above a limit, then a case of its own: it is reached from either."""
    text = (
        "采购员提交申请。十万元以下的采购由科长批准，超过十万元的采购须经总监批准；超过五十万元的，还需董事会书面同意。"
        "采购进口设备的，外事专员应当办理批文。会计付款。"
    )
    one = compiled(text, tmp_path)
    into = {source for (source, target) in flows(one) if "批文" in target}
    assert {"科长", "总监"} <= {name for name in ("科长", "总监") if any(name in source for source in into)}


def test_acts_upon_one_of_several_refusals_end(tmp_path: Path) -> None:
    """Nobody delivers the key after the refusal of either."""
    text = (
        "Loans up to £20 are approved by the clerk. Loans above £20 require the approval of the head. "
        "If the application is refused, the clerk informs the tenant. "
        "If the deposit has been paid, the clerk delivers the key."
    )
    one = compiled(text, tmp_path)
    assert [target for (source, target) in flows(one) if "informs" in source] == ["rejected"]
