"""Sentences that forbid, demand or allow within limits: what they apply to, and what has to hold."""

from pathlib import Path

import pytest
from drafts import compiled

from compiler.extract.rules.en.norms import EnglishNorms
from compiler.extract.rules.statements import ConditionCue, Norm
from compiler.extract.rules.zh.norms import ChineseNorms
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece
from ir.predicate import Ref, evaluate, references

ENGLISH = {
    "Forklifts must not lift loads heavier than 5 t.": "must_not: [lift loads heavier than 5 t]",
    "The load may not exceed 5 t, except in an emergency.": (
        "must_not: not (an emergency), [The load may not exceed 5 t]"
    ),
    "No write-off above CNY 500 may be made without the approval of the director.": (
        "must_not: without the approval of the director, [write-off above CNY 500]"
    ),
    "Only staff who have completed the training may enter the tank farm.": "may: -> have completed the training",
    "Every request must be supported by at least two quotations.": (
        "must: -> [Every request must be supported by at least two quotations]"
    ),
    "Goods of class 4 must not be loaded together with foodstuffs.": "must_not: {class 4}, together with foodstuffs",
    "Orders that have not been prepaid are not shipped.": "must_not: have not been prepaid",
    "The minimum value of an order is £75.": "must: -> £75",
    "Consignments of class 2.1 or 6.1 must not be stowed on deck.": "must_not: {class 2.1 or 6.1}",
    "Parcels of Class 1 (fireworks) and Class 7 (isotopes) must not be accepted.": (
        "must_not: {Class 1 (fireworks) and Class 7}"
    ),
    "Drums of class 3 and drums of class 5 must not be returned.": "must_not: {class 3 and drums of class 5}",
    "Drums of class 3 must not be returned in zone 5.": "must_not: {class 3}, {zone 5}",
    "A hall must not hold more than 90 guests, of whom at most 10 may stand.": None,
    "The clerk checks the form.": None,
    "The bank must notify the applicant within five days.": None,
    "It is not only required but welcome.": None,
}
CHINESE = {
    "货运车辆装载双氧水不得超过三吨。": "must_not: [货运车辆装载双氧水不得超过三吨]",
    "未办理登记的货物不得发运。": "must_not: 未办理登记",
    "除紧急采购外，五十万元以上的采购不得采用单一来源方式。": (
        "must_not: not (紧急采购), [五十万元以上], 采用单一来源方式"
    ),
    "只有持有有效健康证明的人员，才可以进入后厨。": "may: -> 持有有效健康证明",
    "每批原料的抽检比例应当不低于5%。": "must: -> [每批原料的抽检比例应当不低于5%]",
    "第四类、第五类危险货物不得采用航空运输。": "must_not: {第四类、第五类}, 采用航空运输",
    "新员工完成安全培训后，方可上岗。": "may: -> 新员工完成安全培训",
    "库存量不得低于800千克，也不得高于5吨。": "must_not: [库存量不得低于800千克，也不得高于5吨]",
    "5.1类和8类货物不得采用航空运输。": "must_not: {5.1类和8类}, 采用航空运输",
    "不得寄送第1类（烟花）和第7类（同位素）包裹。": "must_not: {第1类（烟花）和第7类}",
    "不得寄送第一类物品及第三类物品。": "must_not: {第一类物品及第三类}",
    "第一类物品不得存放在三级库房。": "must_not: {第一类}, {三级}",
    "每车不得超过40人，其中站立乘客不得超过8人。": None,
    "由出纳付款。": None,
}


def written(norm: Norm | None) -> str | None:
    """A norm in one line: limits in square brackets, classes in braces."""
    if norm is None:
        return None
    scope = ", ".join(map(_cue, norm.scope))
    held = ", ".join(map(_cue, norm.held))
    return f"{norm.modality}: {scope}" + (f"-> {held}" if held else "")


def _cue(cue: ConditionCue) -> str:
    text = f"[{cue.piece.text}]" if cue.measured else f"{{{cue.piece.text}}}" if cue.classed else cue.piece.text
    return f"not ({text})" if cue.mode == "unless" else text


def _whole(text: str) -> Piece:
    return Piece("b", 0, len(text), text)


@pytest.mark.parametrize(("text", "expected"), ENGLISH.items(), ids=ENGLISH)
def test_english_norms(text: str, expected: str | None) -> None:
    """What is understood as a whole is cut; acts and deadlines are none."""
    assert written(EnglishNorms(lexicon("en")).read(_whole(text))) == expected


@pytest.mark.parametrize(("text", "expected"), CHINESE.items(), ids=CHINESE)
def test_chinese_norms(text: str, expected: str | None) -> None:
    """The same in Chinese."""
    assert written(ChineseNorms(lexicon("zh")).read(_whole(text))) == expected


def test_a_sentence_may_exempt_from_the_one_before() -> None:
    """`This does not apply to …` and `…除外` narrow what was said."""
    english = EnglishNorms(lexicon("en")).exempted(_whole("This does not apply to fire engines."))
    chinese = ChineseNorms(lexicon("zh")).exempted(_whole("抢险救灾车辆除外。"))
    assert [cue and (cue.mode, cue.piece.text) for cue in (english, chinese)] == [
        ("unless", "fire engines"), ("unless", "抢险救灾车辆")
    ]  # fmt: skip


def test_such_things_are_those_of_the_sentence_before() -> None:
    """`Such vehicles` have the weight that the sentence before gives."""
    before = _whole("Vehicles that weigh more than 5 t count as heavy.")
    norm = EnglishNorms(lexicon("en")).read(_whole("Such vehicles may not cross the bridge."), before)
    assert norm is not None and "more than 5 t" in norm.scope[0].piece.text


@pytest.mark.parametrize(
    ("text", "unsure"),
    [
        ("Cylinders of class 2 must not be stored with oil.", "with oil"),
        ("第二类物品不得与食品混放。", "与食品"),
        ("第三类、第五类货物不得同车装运。", "同车装运"),
    ],
)
def test_what_is_done_beside_something_is_asked_about(text: str, unsure: str) -> None:
    """No fact of the thing says whether it lies beside another."""
    reader = EnglishNorms(lexicon("en")) if text.isascii() else ChineseNorms(lexicon("zh"))
    norm = reader.read(_whole(text))
    assert norm is not None
    assert [piece.text for piece in norm.unsure] == [unsure]


@pytest.mark.parametrize(
    ("text", "broken_by"),
    [
        ("不得寄送第1类（烟花）和第7类（同位素）包裹。", {1, 7}),
        ("仓库不得存放第一类物品及第三类物品。", {1, 3}),
        ("Parcels of Class 1 (fireworks) and Class 7 (isotopes) must not be accepted.", {1, 7}),
        ("Drums of class 3 and drums of class 5 must not be returned.", {3, 5}),
    ],
)
def test_classes_joined_by_and_are_alternatives(text: str, broken_by: set[int], tmp_path: Path) -> None:
    """Nothing is of two classes at once: either is forbidden."""
    (rule,) = compiled(text, tmp_path).procedure.constraints
    assert rule.predicate is not None
    (fact,) = {ref.path[0] for ref in references(rule.predicate)}
    assert {n for n in range(10) if evaluate(rule.predicate, {Ref(f"$.facts.{fact}"): n}.get)} == broken_by
