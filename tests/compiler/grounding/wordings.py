"""Sentences of our own with slots, from which changed and harmless wordings are made by a seeded generator."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ir.document import Block, Document
from ir.source import Source

SLOT = re.compile(r"\{(\w+)\}")

ZH_SENTENCES = (
    "{role}{modal}在收到申请材料之日起{number}{span}内完成初步审查，并将审查意见{time}报{other}。",
    "单笔采购金额{compare}{number}{money}的，由{role}组织评审后报{other}批准。",
    "运输{class}危险品的车辆{modal}由{role}登记，登记记录保存{number}{years}。",
    "申请人{negation}提供原件的，{role}{modal}要求其在{number}{span}内补正。",
    "自{date}起，{role}{modal}每季度向{other}报送执行情况，{negation}延误。",
    "合同金额达到{number}{money}{edge}的，{role}{modal}在签订{order}取得{other}书面同意。",
    "库存{compare}{number}{mass}时，仓库保管员{modal}通知{role}{connective}{other}。",
    "{class}事故发生{order}，{role}{modal}组织调查，调查期限为{number}{span}。",
)
EN_SENTENCES = (
    "The {role} {modal} review the application within {number} {span} of receipt and inform the {other} {time}.",
    "Purchases {compare} {number} {money} {modal} be approved by the {role} {order} the order is placed.",
    "Records of {class} incidents {modal} be kept by the {role} for {number} {years}.",
    "If the applicant does {negation} supply the original, the {role} {modal} request it in {number} {span}.",
    "As of {date}, the {role} {modal} report to the {other} in writing and {negation} later than noon.",
    "A consignment of {compare} {number} {mass} {modal} be weighed again by the {role} {connective} the {other}.",
    "The {role} {modal} close {class} cases {order} the {other} has signed the protocol of {date}.",
    "Visitors {modal} be accompanied by the {role} unless the {other} has agreed {number} {span} in advance.",
)
ZH_SLOTS: dict[str, tuple[str, ...]] = {
    "role": ("财务部", "人事部", "采购经理", "总经理", "副总经理", "安全主管", "法务专员", "档案员"),
    "other": ("董事会", "监事会", "分管副总", "市场监管局", "申请人", "承运人", "质量总监"),
    "modal": ("应当", "必须", "可以", "不得", "无须", "宜"),
    "number": ("3", "30", "13", "三", "十三", "三十", "12.5", "125", "1,250", "1.25", "五"),
    "span": ("个工作日", "日", "小时", "个月", "周"),
    "years": ("年", "个月", "日"),
    "money": ("元", "万元", "美元", "欧元"),
    "mass": ("吨", "千克", "克", "升"),
    "compare": ("超过", "不超过", "低于", "不低于", "等于", "少于", "至少为"),
    "edge": ("以上", "以下", "及以上", "以内"),
    "class": ("一类", "二类", "三类", "特别重大", "较大", "甲级"),
    "negation": ("不", "未", "不得", "已", "能够"),
    "date": ("2024年5月1日", "2024年5月11日", "2024年6月1日", "2025年5月1日"),
    "time": ("立即", "及时", "每日", "次日"),
    "order": ("之前", "之后", "期间"),
    "connective": ("或者", "和", "以外的"),
}
EN_SLOTS: dict[str, tuple[str, ...]] = {
    "role": (
        "line manager",
        "deputy manager",
        "finance director",
        "auditor",
        "employee",
        "employer",
        "lessor",
        "clerk",
    ),
    "other": ("board", "committee", "supplier", "lessee", "payer", "payee", "customer", "works council"),
    "modal": ("must", "shall", "may", "should", "must not", "may not", "need not"),
    "number": ("3", "30", "13", "three", "thirteen", "thirty", "12.5", "125", "1,250", "1.25", "5"),
    "span": ("business days", "days", "hours", "months", "weeks"),
    "years": ("years", "months", "days"),
    "money": ("USD", "EUR", "GBP", "million USD"),
    "mass": ("tons", "kg", "grams", "litres"),
    "compare": ("over", "under", "at least", "at most", "more than", "less than", "exactly"),
    "class": ("class 1", "class 2", "major", "minor", "grade A", "grade B"),
    "negation": ("not", "never", "always", "usually"),
    "date": ("1 May 2024", "11 May 2024", "1 June 2024", "1 May 2025", "2024-05-02"),
    "time": ("immediately", "daily", "weekly", "in writing"),
    "order": ("before", "after", "until", "unless"),
    "connective": ("or", "and not", "without"),
}


@dataclass(frozen=True)
class Wording:
    """A sentence of a document, and words claimed for it."""

    sentence: str
    claimed: str
    slot: str


def document(*texts: str) -> Document:
    """A document with one paragraph a text, `p1` and so on."""
    source = Source(path="rules.txt", sha256="0" * 64, size=1, kind="text")
    blocks = tuple(Block(address=f"p{n}", kind="paragraph", text=text) for n, text in enumerate(texts, start=1))
    return Document(doc_id="rules.txt", title="Rules", source=source, language="und", blocks=blocks)


def changed(language: str, seed: int, count: int) -> Iterator[Wording]:
    """Sentences, each with a quote of it (whole, or a part with the changed word) in which one slot is another."""
    chance = random.Random(seed)
    sentences, slots = (ZH_SENTENCES, ZH_SLOTS) if language == "zh" else (EN_SENTENCES, EN_SLOTS)
    for number in range(count):
        template = sentences[number % len(sentences)]
        names = SLOT.findall(template)
        values = {name: chance.choice(slots[name]) for name in names}
        slot = chance.choice(names)
        other = chance.choice([value for value in slots[slot] if not _same(value, values[slot])])
        yield Wording(_filled(template, values), _cropped(template, values | {slot: other}, slot, chance), slot)


def _same(one: str, other: str) -> bool:
    """Whether two fillings mean one value in two notations."""
    values = {"三": "3", "three": "3", "十三": "13", "thirteen": "13", "三十": "30", "thirty": "30", "五": "5"}
    return values.get(one, one) == values.get(other, other)


def _filled(template: str, values: dict[str, str]) -> str:
    return SLOT.sub(lambda match: values[match[1]], template)


def _cropped(template: str, values: dict[str, str], slot: str, chance: random.Random) -> str:
    """The filled template from some slot or clause before the changed slot to some after it."""
    cuts = [0, *(m.start() for m in SLOT.finditer(template)), *(m.end() for m in SLOT.finditer(template))]
    cuts += [m.end() for m in re.finditer(r"[，,]\s?", template)] + [len(template)]
    at = template.index("{" + slot + "}")
    begin = chance.choice([cut for cut in cuts if cut <= at])
    end = chance.choice([cut for cut in cuts if cut >= at + len(slot) + 2])
    return _filled(template[begin:end], values).strip()


def sentences(language: str, seed: int, count: int) -> Iterator[str]:
    """Filled sentences."""
    return (wording.sentence for wording in changed(language, seed, count))


FULL_WIDTH = {ord(char): ord(char) + 0xFEE0 for char in "0123456789,.:;()?!%ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
HARMLESS_ZH: dict[str, Callable[[str], str]] = {
    "spaced": lambda text: re.sub(r"(?<=[\u4e00-\u9fff])(?=\d)|(?<=\d)(?=[\u4e00-\u9fff])", " ", text),
    "broken": lambda text: re.sub(r"(?<=[\u4e00-\u9fff]{5})(?=[\u4e00-\u9fff]{3})", "\n", text),
    "wide": lambda text: text.translate(FULL_WIDTH),
    "narrow marks": lambda text: text.replace("，", ",").replace("。", "."),
    "spread": lambda text: re.sub(r"(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff])", " ", text),
    "blanks at either side": lambda text: f"\u3000{text}\n",
    "zero width": lambda text: "\u200b".join(re.findall(r"\d[\d.,]*|.", text)),
    "without the last mark": lambda text: text.rstrip("。"),
    "in quotation marks": lambda text: f"“{text}”",
    "without commas": lambda text: text.replace("，", ""),
}
HARMLESS_EN: dict[str, Callable[[str], str]] = {
    "upper case": lambda text: text.upper(),
    "double blanks": lambda text: text.replace(" ", "  "),
    "broken": lambda text: text.replace(" ", "\n", 3).replace("\n", " ", 1),
    "hyphenated": lambda text: re.sub(r"\b([a-z]{4})([a-z]{3,})", "\\1-\n\\2", text, count=2),
    "soft hyphens": lambda text: re.sub(r"\b([a-z]{4})([a-z]{3,})", "\\1\u00ad\\2", text),
    "wide marks": lambda text: text.replace(", ", "，").translate(FULL_WIDTH),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "without the last mark": lambda text: text.rstrip("."),
    "in quotation marks": lambda text: f'"{text}"',
    "ligatures": lambda text: text.replace("fi", "ﬁ").replace("fl", "ﬂ"),
    "without articles": lambda text: re.sub(r"\b(?:the|a) |^(?:The|A) ", "", text),
}
