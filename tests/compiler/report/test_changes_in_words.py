"""A comparison as people read it: titles, fields, conditions and durations in their language, and no ids."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import server
from catalog.load import load_catalog
from compiler.report.changes.in_words import InWords
from compiler.report.changes.lines import lines
from compiler.report.words import Words
from ir.duration import Calendar
from ir.fields import FieldSpec
from ir.procedure import Deadline, Gap
from ir.source import Language
from ir.workflow import (
    CalledWorkflow,
    Edge,
    ExecutionPolicy,
    Guard,
    InputSpec,
    Metadata,
    Node,
    NodePolicy,
    PolicyDefaults,
    Provenance,
    ResultSpec,
    Rule,
    RulePack,
    Trigger,
    Workflow,
)
from validator.diff import compare
from validator.diff.changes import Comparison, Part

ROOT = Path(server.__file__).parents[1]
SCORE, APPROVED = "$.outputs.score.class", "$.outputs.approve.approved"
EVIDENCE = {"doc_id": "a.md", "quote": "处长审批", "block": "p1", "start": 0, "end": 4, "status": "exact"}
FORMS: tuple[type[BaseModel], ...] = (
    Calendar, CalledWorkflow, Deadline, Edge, ExecutionPolicy, FieldSpec, Gap, Guard, InputSpec, Metadata, Node,
    NodePolicy, PolicyDefaults, Provenance, ResultSpec, Rule, RulePack, Trigger,
)  # fmt: skip
APART = {"source", "target", "on", "rules"}
"""Fields that ways are called by, and a list whose rows are told one by one."""


def request() -> dict[str, Any]:
    """A request that is approved by its class, in Chinese, as JSON."""
    return {
        "workflow_id": "request",
        "version": "v1",
        "metadata": {"title": "采购审批", "language": "zh"},
        "inputs": {"amount": {"type": "number", "unit": "CNY", "description": "采购金额"}},
        "results": {"verdict": {"type": "string", "description": "结论"}},
        "guards": [{"condition": {"gt": ["$.inputs.amount", 0]}, "error_code": "NO_AMOUNT", "message": "没有填写金额"}],
        "nodes": {
            "score": {"type": "decision.assess_risk", "label": "评定等级", "rule_pack": "classes"},
            "approve": {
                "type": "human.approval", "label": "领导审批", "approvers": ["处长"], "step_ids": ["s2"],
                "deadline": {"duration": "P3BD"}, "policy": {"timeout": "PT1H"}, "evidence": [dict(EVIDENCE)],
            },
            "done": {"type": "control.end", "label": "办结", "status": "completed", "results": {"verdict": "准予"}},
            "refused": {"type": "control.end", "label": "不予办理", "status": "rejected"},
        },
        "edges": [
            {"from": "score", "to": "done", "condition": {"lt": ["$.inputs.amount", 100]}},
            {"from": "score", "to": "approve", "condition": "otherwise"},
            {"from": "approve", "to": "done", "condition": {"eq": [APPROVED, True]}},
            {"from": "approve", "to": "refused", "condition": "otherwise"},
        ],
        "execution_policy": {"risk_level": "medium"},
        "rule_packs": {
            "classes": {
                "version": "1",
                "outputs": {"class": {"type": "string", "description": "等级"}},
                "rules": [
                    {"rule_id": "R1", "condition": {"lt": ["$.inputs.amount", 50]}, "outcome": {"class": "一类"}},
                ],
            }
        },
        "gaps": [{"id": "g1", "kind": "ambiguity", "question": "多少算大额？", "about": ["approve"]}],
        "provenance": {"compiler": "1", "mode": "offline"},
    }  # fmt: skip


def changed(path: str, value: Any) -> dict[str, Any]:
    """The request with one value replaced, put in, or (None) taken out."""
    whole: Any = request()
    *above, last = path.split("/")
    place = whole
    for name in above:
        place = place[int(name) if isinstance(place, list) else name]
    if last == "-":
        place.append(value)
    elif value is None:
        del place[int(last) if isinstance(place, list) else last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return whole  # type: ignore[no-any-return]


def told(new: dict[str, Any], language: Language = "zh", old: dict[str, Any] | None = None) -> list[str]:
    """The lines of a comparison with the request, under the title."""
    before, after = Workflow.model_validate(old or request()), Workflow.model_validate(new)
    catalog = load_catalog()
    found = Comparison(differences=(compare(before, after, catalog),))
    names = InWords(before, after, catalog, language)
    return [f"{one.sign} {one.text}" for one in lines(found, names)][1:]


CHANGES: list[tuple[str, Any, list[str]]] = [
    ("metadata/title", "采购", ["head 流程", "~ 名称", "- 采购审批", "+ 采购"]),
    ("metadata/language", "en", ["head 流程", "~ 语言", "- 中文", "+ 英文"]),
    ("inputs/amount/unit", "kg", ["~ 采购金额：单位"]),
    ("inputs/note", {"type": "string", "description": "备注"}, ["+ 备注 · 文本"]),
    ("results/verdict/enum", ["准予", "不准"], ["~ 结论：可取的值", "+ 准予、不准"]),
    ("guards/0/condition/gt/1", 5, ["~ 没有填写金额：条件", "- 采购金额 > 0 CNY", "+ 采购金额 > 5 CNY"]),
    ("guards/0/message", "金额不足", ["~ 金额不足：提示"]),
    ("triggers", [{"text": "收到申请"}], ["head 触发", "+ 收到申请"]),
    ("nodes/score/type", "human.task", ["~ “评定等级”：由哪个类型执行", "+ 由人员完成一项工作并报告结果"]),
    ("nodes/approve/approvers", ["处长", "局长"], ["~ “领导审批”：审批人", "- 处长", "+ 处长、局长"]),
    ("nodes/approve/deadline/duration", "P5BD", ["~ “领导审批”：时限", "- 3个工作日", "+ 5个工作日"]),
    ("nodes/approve/deadline/from", "收到之日", ["~ “领导审批”：时限的起算", "+ 收到之日"]),
    ("nodes/approve/policy/timeout", "PT2H", ["~ “领导审批”：限制·超时", "- 1小时", "+ 2小时"]),
    ("nodes/approve/evidence", [], ["- “领导审批”：依据的原文 · “处长审批”（原文一致）"]),
    ("nodes/approve/label", "处长审批", ["~ “处长审批”：名称", "- 领导审批"]),
    ("nodes/done/results/verdict", "照准", ["~ “办结”：结果·结论", "- 准予", "+ 照准"]),
    ("nodes/done/results/verdict", SCORE, ["~ “办结”：结果·结论", "- 准予", "+ 评定等级·class"]),
    ("edges/0/condition/lt/1", 200, ["~ “评定等级”→“办结”：条件", "+ 采购金额 < 200 CNY"]),
    ("edges/1/to", "refused", ["~ “评定等级”→“领导审批”，现改为“评定等级”→“不予办理”"]),
    ("edges/-", {"from": "score", "to": "refused", "on": "error"}, ["+ “评定等级”→“不予办理”（失败时）"]),
    ("edges/1", None, ["- “评定等级”→“领导审批” · 否则"]),
    ("execution_policy/risk_level", "high", ["head 运行的前提", "~ 风险等级", "- 中", "+ 高"]),
    ("execution_policy/allow_auto", True, ["~ 自动执行", "+ 是"]),
    ("rule_packs/classes/rules/0/outcome/class", "甲", ["~ “评定等级”·规则 R1：给出·等级", "- 一类", "+ 甲"]),
    ("rule_packs/classes/rules", [], ["- “评定等级”·规则 R1 · 采购金额 < 50 CNY ⇒ 等级 = 一类"]),
    ("gaps/0", None, ["head 待确认的问题", "- 多少算大额？ · 含义不明"]),
    ("gaps/0/kind", "conflict", ["+ 多少算大额？ · 前后矛盾"]),
    ("provenance/mode", "model", ["head 来历", "~ 方式", "- 离线（无模型）", "+ 模型"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "expected"), CHANGES, ids=[path for path, _, _ in CHANGES])
def test_each_change_is_told_in_words(path: str, value: Any, expected: list[str]) -> None:
    """The change as it is called; there is no id of a node, no reference and no English word of ours in it."""
    found = told(changed(path, value))
    assert [one for one in expected if one not in found] == []
    text = "\n".join(found)
    assert "$." not in text and not re.search(r"\b(approve|done|refused|old|new|with|run|runs|steps)\b", text)


def test_which_way_runs_take_is_told_by_titles() -> None:
    """Values by the names of fields, ways by titles, ends by what becomes of the run."""
    found = told(changed("edges/0/condition/lt/1", 200))
    assert "head 流程走向" in found and "~ “评定等级”之后：有的情形改走另一条路" in found
    assert any(re.fullmatch(r"plain 当 采购金额 = 1\d\d(\.\d+)? CNY", one) for one in found)
    assert "- 原来：“评定等级”→“领导审批”→“办结” [完成]" in found and "+ 现在：“评定等级”→“办结” [完成]" in found
    refused = told(changed("guards/0/condition/gt/1", 5))
    assert "+ 现在：[驳回：没有填写金额]" in refused
    english = told(changed("edges/0/condition/lt/1", 200), "en")
    assert "~ after “评定等级”: some runs take another way" in english and "~ “评定等级”→“办结”: condition" in english


def test_verdicts_are_told_with_what_they_rest_on() -> None:
    """That the meaning is the same, that no run comes there, that units cannot be compared."""
    rewritten = changed("edges/0/condition", {"not": {"gte": ["$.inputs.amount", 100]}})
    assert "same “评定等级”之后：含义不变，没有任何取值会改变走向" in told(rewritten)
    below = [changed("edges/0/condition/lt/1", value) for value in (0, -5)]
    assert any("没有运行会" in one for one in told(below[1], old=below[0]))
    other_unit = told(changed("inputs/amount/unit", "kg"))
    assert "open “评定等级”之后：走向是否改变，没有判定；采购金额原按 CNY 计，现按 kg 计，二者无法比较" in other_unit


def test_what_rules_judge_is_told_by_names() -> None:
    """What rows gave and give, a formula among it; nothing is a word as well."""
    found = told(changed("rule_packs/classes/rules/0/outcome/class", "甲"))
    at = found.index("~ “评定等级”：有的取值判断改变")
    assert found[at - 1] == "head 规则的判断" and re.fullmatch(r"plain 当 采购金额 = \d+ CNY", found[at + 1])
    assert found[at + 2 : at + 4] == ["- 原来：等级 = 一类", "+ 现在：等级 = 甲"]
    assert "+ 现在：［无］" in told(changed("rule_packs/classes/rules", []))
    computed = changed("rule_packs/classes/rules/0/formulas", {"class": {"formula": {"mul": ["$.inputs.amount", 2]}}})
    del computed["rule_packs"]["classes"]["rules"][0]["outcome"]
    assert "+ 现在：等级 = 采购金额 * 2" in told(computed)


def test_a_number_in_another_unit_is_told_in_both() -> None:
    """As it counts now, and as it counted before."""
    old, new = changed("inputs/amount/unit", "kg"), changed("inputs/amount/unit", "t")
    assert any(re.fullmatch(r"plain 当 采购金额 = \S+ t（原为 \S+ kg）", one) for one in told(new, old=old))


def test_a_step_that_fails_is_told() -> None:
    """The run in which it does is told by its title."""
    found = told(changed("edges/-", {"from": "score", "to": "refused", "on": "error"}))
    assert "~ “评定等级”失败之后：凡走到这里的运行改走另一条路" in found
    assert any(one.startswith("plain 例如") and one.endswith("“评定等级”失败") for one in found)


def test_a_step_with_another_id_keeps_its_title() -> None:
    """In both versions it is one step, whose ids are told once."""
    new = json.loads(json.dumps(request()).replace('"approve"', '"sign"').replace("outputs.approve", "outputs.sign"))
    assert told(new) == ["head 步骤", "~ “领导审批”：标识由 approve 改为 sign"]
    new["edges"][0]["condition"]["lt"][1] = 200
    assert "- 原来：“评定等级”→“领导审批”→“办结” [完成]" in told(new)


def test_what_reads_alike_is_told_exactly() -> None:
    """The same quote at another place, of which the words say nothing."""
    found = told(changed("nodes/approve/evidence/0/block", "p2"))
    assert "- “处长审批” (exact, p1)" in found and "+ “处长审批” (exact, p2)" in found


def keys() -> Iterator[str]:
    """The words that a comparison asks for by what it finds."""
    for form in FORMS:
        yield from (
            f"diff.aspect.{field.alias or name}" for name, field in form.model_fields.items() if name not in APART
        )
    yield from (f"diff.part.{one}" for one in Part.__args__)  # type: ignore[attr-defined]
    yield from (f"diff.type.{one}" for one in FieldSpec.model_fields["type"].annotation.__args__)  # type: ignore[union-attr]
    apart = {"metadata", "nodes", "edges", "guards", "triggers", "gaps", "rule_packs", "execution_policy", "provenance"}
    yield from (f"diff.aspect.{one}" for one in Workflow.model_fields if one not in apart)


def test_every_field_has_a_word_in_both_languages() -> None:
    """A field that is added to a form is not told by its English name alone."""
    missing = [key for key in dict.fromkeys(keys()) if not Words("zh").get(key, "")]
    assert missing == []


FILES = [ROOT / "compiler/report/templates/words.json", *sorted((ROOT / "server/templates").glob("*words.json"))]
ENGLISH_ALONE = {"diff.because.unsolved"}
"""What the prover says is told in English; in Chinese a sentence stands for it."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_words_are_there_in_both_languages(file: Path) -> None:
    """Each key has its words in Chinese and in English, with the same values put in."""
    table: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    assert [key for key, told in table.items() if len(told) != 2 or not all(told)] == []
    places = {key: [set(re.findall(r"\{\d*\}", one)) for one in told] for key, told in table.items()}
    assert {key for key, (zh, en) in places.items() if zh != en} <= ENGLISH_ALONE
