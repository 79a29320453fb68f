"""Rules of BREX: read, drawn from procedures, scored; the texts here are written for the test."""

import json
from pathlib import Path

import pytest

from evals.brex.rules import Rule, RuleSet, read_accounts, rules_of
from evals.brex.score import score, summed
from evals.tally import Tally
from ir.errors import BadInputFile, MissingPath
from ir.predicate import parse_tree
from ir.procedure import ConditionText, Fact, Flow, Procedure, Step
from ir.source import Evidence

TEXT = "选择材质，材质分为木质、金属。材质为木质的，上漆。重量超过5千克的，装箱。"
LINE = {
    "文本": TEXT,
    "业务规则二元组": "<<材质, 包含, 木质、金属>, None>\n<<材质, 等于, 木质>, 上漆>\n<<重量, 大于, 5千克>, 装箱>",
    "依赖关系": (
        "< <材质, 包含, 木质、金属>, None> -> < <材质, 等于, 木质>, 上漆>：选择关系\n"
        "1. <<材质, 等于, 木质>, 上漆> -> <<重量, 大于, 5千克, 装箱>>：顺序关系\n"
        "<<材质, 包含, 木质、金属>, None> -> <<重量, 大于, 5千克>, 装箱>：没有关系"
    ),
}


def at(start: int, quote: str) -> tuple[Evidence, ...]:
    """Evidence at a place of the one block."""
    return (Evidence(doc_id="t1.txt", quote=quote, block="p1", start=start, end=start + len(quote), status="exact"),)


def procedure() -> Procedure:
    """What a careful reader makes of the text."""
    steps = [("choose", "选择材质", 0), ("paint", "上漆", 20), ("pack", "装箱", 30), ("send", "寄出", 34)]
    flows = [
        ("start", "choose", None), ("choose", "paint", "c1"), ("choose", "pack", "c2"), ("paint", "pack", "c2"),
        ("pack", "send", None),
    ]  # fmt: skip
    return Procedure(
        id="p",
        title="p",
        doc_id="t1.txt",
        language="zh",
        facts=(
            Fact(id="material", name="材质", type="string", enum=("木质", "金属"), evidence=at(5, "材质")),
            Fact(id="weight", name="重量", type="number", unit="kg", evidence=at(24, "重量")),
        ),
        steps=tuple(Step(id=name, text=text, kind="task", evidence=at(place, text)) for name, text, place in steps),
        conditions=(
            ConditionText(id="c1", text="材质为木质的", predicate=parse_tree({"eq": ["$.facts.material", "木质"]})),
            ConditionText(id="c2", text="重量超过5千克的", predicate=parse_tree({"gt": ["$.facts.weight", 5]})),
        ),
        flows=tuple(Flow.model_validate({"from": a, "to": b, "condition": c}) for a, b, c in flows),
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of the set with one text."""
    path = tmp_path / "brex.jsonl"
    path.write_text(json.dumps(LINE, ensure_ascii=False) + "\n", "utf-8")
    return path


def test_the_set_is_read(file: Path) -> None:
    """Rules with their parts, and the pairs that hang on each other, however they are bracketed."""
    (one,) = read_accounts(file)
    assert one.text == TEXT
    assert one.gold.rules == (
        Rule("材质", "包含", "木质、金属", ""),
        Rule("材质", "等于", "木质", "上漆"),
        Rule("重量", "大于", "5千克", "装箱"),
    )
    assert one.gold.links == {(0, 1): "选择关系", (1, 2): "顺序关系"}


def test_what_is_not_of_the_set_is_told(file: Path, tmp_path: Path) -> None:
    """With its line."""
    file.write_text('{"文本": "a"}\n', "utf-8")
    with pytest.raises(BadInputFile, match="line 1"):
        read_accounts(file)
    with pytest.raises(MissingPath):
        read_accounts(tmp_path / "none.jsonl")


def test_rules_are_drawn_from_a_procedure() -> None:
    """Comparisons on flows with the step they lead to; the list of values with what is done next."""
    found = rules_of([procedure()])
    assert found.rules == (
        Rule("材质", "等于", "木质", "上漆"),
        Rule("重量", "大于", "5", "装箱"),
        Rule("重量", "大于", "5", "装箱"),
        Rule("材质", "包含", "木质、金属", "上漆"),
    )
    assert found.links[0, 2] == "选择关系"


def test_gold_against_itself_is_whole(file: Path) -> None:
    """Every figure is 1."""
    (one,) = read_accounts(file)
    found = score(one.gold, one.gold)
    assert (found.exact, found.condition, found.aligned) == (Tally(right=3, wanted=3, found=3),) * 3
    assert found.links == Tally(right=2, wanted=2, found=2)


def test_near_and_far_are_told_apart(file: Path) -> None:
    """Wording may differ; relation, value, action and direction may not."""
    (one,) = read_accounts(file)
    near = RuleSet(
        (Rule("材质类型", "包含", "木质和金属", ""), Rule("重量", "大于等于", "5千克", "装箱")), {(1, 0): "顺序关系"}
    )
    found = score(one.gold, near)
    assert found.exact == Tally(right=0, wanted=3, found=2)
    assert found.aligned == Tally(right=1, wanted=3, found=2)
    assert found.links == Tally(right=0, wanted=2, found=1)
    without = RuleSet((Rule("材质", "等于", "木质", "扔掉"),), {})
    assert (score(one.gold, without).condition.right, score(one.gold, without).aligned.right) == (1, 0)
    assert summed([found, found]).aligned == Tally(right=2, wanted=6, found=4)
