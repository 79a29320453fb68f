"""Urgent courses, kinds that steer branches, and sentences that only say more of an act told before."""

from functools import cache

import pytest

from catalog.load import load_catalog
from compiler.extract.rules.classes import Classes
from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.procedures import Extractor
from compiler.extract.rules.segments import segments
from compiler.parsers import parse
from compiler.text.lexicon import lexicon
from compiler.text.mentions import Mentions
from ir.predicate import Compare, Literally, leaves
from ir.procedure import END, START, Procedure

LOAN = """# Instrument Loans

## 1 Ordinary loans

1.1 The borrower submits the loan form to the store.

1.2 The store classifies the request as minor or major.

1.3 A minor loan is approved by the store keeper. A major loan is approved by the head of department.

1.4 The store hands the instrument over to the borrower.

## 2 Urgent loans

2.1 In an urgent case the duty officer hands the instrument over at once.

2.2 The duty officer informs the head of department by telephone.

2.3 On the next working day the loan is submitted under section 1.
"""

FILING = """# 临时用电管理规定

第一条　使用单位向设备科提交临时用电申请表。

第二条　设备科审核申请表，并判定用电等级，分为一般用电和特级用电。

第三条　一般用电由设备科科长批准；特级用电由总工程师批准。

第四条　设备科应当在三个工作日内审核完毕。使用单位应当合理安排工期。

第五条　电工班接通电源。

第六条　紧急情况下，经值班领导口头同意，电工班可以先行接通电源，使用单位在24小时内从第一条开始补办手续。
"""


@cache
def procedure(text: str, name: str) -> Procedure:
    document = parse(text.encode(), name).document
    assert document is not None
    extractor = Extractor(Mentions(load_catalog()), document)
    (segment,) = segments(document, DocumentReader(document).read())
    return extractor.procedure("p", segment)


def quotes(found: Procedure) -> dict[str, str]:
    return {step.id: step.evidence[0].quote for step in found.steps}


def step(found: Procedure, words: str) -> str:
    (name,) = (name for name, quote in quotes(found).items() if words in quote)
    return name


def values(found: Procedure, target: str) -> list[object]:
    """What the conditions of the flows to a step compare with."""
    trees = {condition.id: condition.predicate for condition in found.conditions}
    held = [trees[flow.condition] for flow in found.flows if flow.target == target and flow.condition in trees]
    compared = [leaf for tree in held if tree is not None for leaf in leaves(tree)]
    return [leaf.right.value for leaf in compared if isinstance(leaf, Compare) and isinstance(leaf.right, Literally)]


@pytest.mark.parametrize(
    ("text", "name", "urgent", "ordinary", "back"),
    [
        (LOAN, "loans.md", "duty officer hands", "borrower submits", "borrower submits"),
        (FILING, "用电.md", "值班领导口头同意", "使用单位向设备科提交", "使用单位向设备科提交"),
    ],
)
def test_urgent_course_stands_beside_the_ordinary_one(
    text: str, name: str, urgent: str, ordinary: str, back: str
) -> None:
    """It begins where the procedure begins, on its own condition, and no ordinary step leads into it."""
    found = procedure(text, name)
    first = step(found, urgent)
    (entry,) = (flow for flow in found.flows if flow.target == first)
    assert entry.source == START
    assert entry.condition not in (None, "otherwise")
    (other,) = (flow for flow in found.flows if flow.source == START and flow.target == step(found, ordinary))
    assert other.condition == "otherwise"
    returning = {flow.source for flow in found.flows if flow.target == step(found, back)} - {START}
    assert returning, "the urgent course leads back"
    assert all(flow.target != END for flow in found.flows if flow.source in returning)


@pytest.mark.parametrize(
    ("text", "name", "chooses", "cases"),
    [
        (LOAN, "loans.md", "classifies", {"A minor loan": "minor", "A major loan": "major"}),
        (FILING, "用电.md", "判定用电等级", {"设备科科长批准": "一般用电", "总工程师批准": "特级用电"}),
    ],
)
def test_kinds_are_outcomes_of_the_step_that_tells_them_apart(
    text: str, name: str, chooses: str, cases: dict[str, str]
) -> None:
    """What is done to one kind is not done to the other."""
    found = procedure(text, name)
    sorting = next(s for s in found.steps if s.id == step(found, chooses))
    assert set(sorting.outcomes) == set(cases.values())
    for words, kind in cases.items():
        assert values(found, step(found, words)) == [kind]
    one, other = (step(found, words) for words in cases)
    assert not any(flow.source == one and flow.target == other for flow in found.flows)


def test_later_sentences_say_more_of_a_step() -> None:
    """`审核完毕` dates the examination; how something is to be done is no step."""
    found = procedure(FILING, "用电.md")
    (check,) = (s for s in found.steps if "审核申请表" in s.evidence[0].quote)
    assert check.deadline is not None
    assert check.deadline.duration == "P3BD"
    assert not any("合理安排" in quote or "审核完毕" in quote for quote in quotes(found).values())


def kinds_of(text: str, name: str) -> list[tuple[str, ...]]:
    document = parse(text.encode(), name).document
    assert document is not None
    return [d.values for d in Classes(document, lexicon(document.language), Mentions(load_catalog())).divisions]


def test_divisions_of_a_document() -> None:
    """Named, numbered and defined kinds; verdicts and kinds that are named once are none."""
    tiers = (
        "# Access\n\n1. For Tier 0 systems the owner approves.\n\n2. For Tier 1 systems nobody does; Tier 0 is rare."
    )
    assert kinds_of(tiers + " Tier 1 is not.", "a.md") == [("Tier 0", "Tier 1")]
    defined = "# 规定\n\n（一）市管道路，是指市里的路；\n\n（二）区管道路，是指区里的路。\n\n"
    defined += "属于市管道路的，由市局办理；属于区管道路的，由区局办理。"
    assert kinds_of(defined, "a.md") == [("市管道路", "区管道路")]
    assert kinds_of("# 办法\n\n意见分为同意和不同意。同意的，办理；不同意的，退回。", "a.md") == []
    assert kinds_of("# Rules\n\nThe clerk classifies the item as large or small.", "a.md") == []
