"""Forms that many writers use: read as they are meant, or asked about with the words that decide."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.parsers import parse
from compiler.text.punctuation import punctuated
from ir.infix import to_infix
from ir.predicate import Always, Compare, Otherwise, references
from ir.workflow import Workflow


def drawn(text: str, folder: Path) -> Workflow:
    """The draft of a policy of these sentences alone."""
    file = folder / "policy.txt"
    file.write_text(text + "\n", "utf-8")
    (one,) = compile_documents(file).procedures
    return one.workflow


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("住院患者确诊为丁类传染病的，科室应当安排单间隔离。", "丁类"),
        ("进行二级、一级动火作业，均应派专人监护。", "二级、一级"),
        ("客户经理不得向投资者推介R4级理财产品。", "R4级"),
        ("主体信用评级为AA+的企业，均可申请无抵押贷款。", "为AA+"),
        ("持有双因子令牌的员工可以出入机房。", "持有双因子令牌的"),
        ("密级定为绝密的图纸，只许在保密室查阅。", "只许"),
        ("手推车每趟装150公斤货物，货物超出的另运。", "超出的"),
        ("柜员清点尾箱现金，必须等到营业厅大门关闭以后才进行。", "等到"),
        ("客服代表要回访投诉人：对方表示满意就结案归档，仍有异议就上报经理。", "仍有异议"),
        ("If a consignment falls in packing group II, the airline refuses to load it.", "packing group II"),
        ("On a level-two alarm the shift leader calls the control room.", "level-two"),
        ("Second-degree burns are treated by the nurse.", "Second-degree"),
        ("The bank may raise the margin by 25 basis points at the most.", "at the most"),
        ("Every parcel is weighed at the gate, those lighter than five kilograms excepted.", "excepted"),
        (
            "The committee reviews requests: upon approval the buyer orders, upon rejection the file is closed.",
            "upon rejection",
        ),
        ("The clerk pays invoices up to $500, and the director pays those above.", "those above"),
        ("Once the thermometer reads 5 °C or lower, yard work is suspended.", "is suspended"),
    ],
)
def test_what_decides_and_is_not_read_is_asked_about(text: str, words: str, tmp_path: Path) -> None:
    """A kind, a bound, an outcome, an order: with its words, and the draft does not pass for settled."""
    asked = [gap for gap in drawn(text, tmp_path).gaps if gap.kind != "unmapped_step"]
    assert any(words in gap.question or any(words in e.quote for e in gap.evidence) for gap in asked)


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("档案库房的相对湿度应当介于35%与45%之间。", "{x} >= 35 and {x} <= 45"),
        ("冷藏车厢温度应始终保持在2℃至8℃之间。", "{x} >= 2 and {x} <= 8"),
        ("钢坯温度高于850℃且低于1250℃时，方准开轧。", "{x} > 850 and {x} < 1250"),
        ("The bale must weigh between four quintals and five quintals.", "{x} >= 400 and {x} <= 500"),
        ("A ward must not order more than two dozen masks.", "not {x} > 24"),
        ("The sample must weigh at least half a kilo.", "{x} >= 0.5"),
        ("A test must last at least two weeks, but never longer than 90 days.", '{x} >= "P2W" and {x} <= "P90D"'),
    ],
)
def test_limits_in_other_words(text: str, guard: str, tmp_path: Path) -> None:
    """The guard is the limit, over one input."""
    workflow = drawn(text, tmp_path)
    (one,) = workflow.guards
    read = {ref.text for ref in references(one.condition)}
    said = to_infix(one.condition)
    for ref in read:
        said = said.replace(ref, "{x}")
    assert said in (guard, f"not ({guard.removeprefix('not ')})" if guard.startswith("not ") else guard)


@pytest.mark.parametrize(
    "text",
    [
        "A loan may be paid out only if the collateral is registered and the debt ratio does not exceed 30%.",
        "The clerk refuses delivery whenever the seal is broken or the truck has been open for more than two hours.",
        "抵押物已经登记且负债率不超过30%的，方可放款。",
    ],
)
def test_a_limit_beside_another_case_is_not_read_alone(text: str, tmp_path: Path) -> None:
    """What stands with it before or after `and` decides as well: both are asked about, none is dropped."""
    workflow = drawn(text, tmp_path)
    said = [to_infix(guard.condition) for guard in workflow.guards]
    said += [to_infix(e.condition) for e in workflow.edges if not isinstance(e.condition, Always | Otherwise)]
    assert not any(">" in text or "<" in text for text in said)
    assert any(gap.kind == "unclear_condition" for gap in workflow.gaps)


def test_a_limit_told_elsewhere_is_no_number_here(tmp_path: Path) -> None:
    """`高于此数但不超过50万元` is not all that does not exceed 500,000."""
    workflow = drawn("付款不超过1万元的由主管签批，高于此数但不超过50万元的由总监签批。", tmp_path)
    said = [to_infix(e.condition) for e in workflow.edges if not isinstance(e.condition, Always | Otherwise)]
    assert not any("500000" in text for text in said)
    assert any("10000" in text for text in said)
    assert any("高于此数" in gap.question for gap in workflow.gaps)


def test_a_clause_that_sets_a_limit_is_no_case_of_the_next(tmp_path: Path) -> None:
    """`限3人到5人，少了多了都不能开标` forbids nothing within these numbers."""
    workflow = drawn("评标委员到场人数限3人到5人，少了多了都不能开标。", tmp_path)
    assert not workflow.guards
    assert any("限3人到5人" in e.quote for gap in workflow.gaps for e in gap.evidence)


def test_a_manner_is_part_of_what_is_forbidden(tmp_path: Path) -> None:
    """Cash is forbidden for large sums, not large sums."""
    (guard,) = drawn("单笔金额在3万元以上的货款，财务人员不准以现金支付。", tmp_path).guards
    assert "30000" in to_infix(guard.condition)
    assert " and " in to_infix(guard.condition)


def test_western_marks_in_chinese_text_are_read_as_its_own(tmp_path: Path) -> None:
    """The same draft; quotes are those of the document."""
    chinese = "报销单由财务主管审核，审核通过的，由出纳付款；未通过的，退回申请人。"
    western = "报销单由财务主管审核,审核通过的,由出纳付款;未通过的,退回申请人。"
    one, other = drawn(chinese, tmp_path), drawn(western, tmp_path)
    assert [(e.source, e.target) for e in one.edges] == [(e.source, e.target) for e in other.edges]
    assert sum(isinstance(e.condition, Compare) for e in other.edges) >= 2
    quotes = {e.quote for node in other.nodes.values() for e in node.evidence}
    assert quotes and all(quote in western for quote in quotes)


def test_marks_between_numbers_and_words_stay() -> None:
    """Offsets stay what they are; numbers, English text and other languages are left alone."""
    document = parse("# 办法\n\n金额为1,200元,由A,B两人办理: 快,准。\n".encode(), "p.md").document
    assert document is not None
    shown = punctuated(document)
    assert [len(b.text) for b in shown.blocks] == [len(b.text) for b in document.blocks]
    assert "金额为1,200元，由A,B两人办理： 快，准。" in [block.text for block in shown.blocks]
    english = parse(b"# Rules\n\nFirst, the clerk files it.\n", "p.md").document
    assert english is not None and punctuated(english) is english
