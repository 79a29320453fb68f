"""Changes of a case's document: an article put in, limits changed, paragraphs moved, reworded and taken out."""

import re
from dataclasses import dataclass
from typing import Literal

from compiler.parsers.counters import chinese
from ir.decisions.anchor import plain
from ir.quantities.numerals import han_number

Touch = Literal["untouched", "moved", "touched", "gone"]


@dataclass(frozen=True)
class Changes:
    """The changes of one document.

    Args:
        case: the folder of the case; `document` the file in it.
        after: words of the article after which one is put in; `article` its text, with the number that it gets.
        limits, reworded: words, and what stands in their place; each stands once.
        moved: words of paragraphs, each with words of the one behind which it goes.
        gone: words of paragraphs that are taken out.
    """

    case: str
    document: str
    after: str
    article: str
    limits: tuple[tuple[str, str], ...]
    reworded: tuple[tuple[str, str], ...]
    moved: tuple[tuple[str, str], ...]
    gone: tuple[str, ...]

    def made(self, text: str) -> str:
        """The document after all changes."""
        lines = text.split("\n")
        for was, now in (*self.limits, *self.reworded):
            at = _line(lines, was)
            lines[at] = lines[at].replace(was, now)
        for words, behind in self.moved:
            paragraph = lines.pop(_line(lines, words))
            lines.insert(_line(lines, behind) + 1, paragraph)
        for words in self.gone:
            lines.pop(_line(lines, words))
        at = _line(lines, self.after)
        lines[at + 1 : at + 1] = [self.article]
        return "\n".join(_renumbered(lines, at + 2))

    def touch(self, paragraph: str, within: str) -> Touch:
        """What the changes do to words, told from the paragraph and the duty that they stand in."""
        if any(plain(words) in plain(paragraph) for words in self.gone):
            return "gone"
        if any(plain(was) in plain(within) for was, _ in (*self.limits, *self.reworded)):
            return "touched"
        return "moved" if any(plain(words) in plain(paragraph) for words, _ in self.moved) else "untouched"


ROAD = Changes(
    case="road-excavation-permit",
    document="棠溪市城市道路挖掘许可办理规定.html",
    after="申请材料包括城市道路挖掘申请表",
    article="<p>第十条　申请人可以委托代理人提交申请材料。委托代理的，应当同时提交授权委托书。</p>",
    limits=(
        ("工程预算金额在200万元以上的", "工程预算金额在300万元以上的"),
        ("自收到申请材料之日起2个工作日内", "自收到申请材料之日起5个工作日内"),
        ("档案的保管期限不得少于十年", "档案的保管期限不得少于二十年"),
    ),
    reworded=(
        ("自决定作出之日起3个工作日内，按照勘查记录制作", "自决定作出之日起，由电子证照系统按照勘查记录自动生成"),
        ("不得擅自扩大挖掘范围", "可以根据现场情况扩大挖掘范围"),
    ),
    moved=(
        ("市政设施管理中心负责市管道路的日常养护", "市政设施管理中心每季度对挖掘工程至少组织一次巡查"),
        ("申请人以欺骗、贿赂等不正当手段取得", "工作人员在许可工作中滥用职权"),
    ),
    gone=("施工涉及地下管线的，申请人应当采取保护措施", "区管道路挖掘许可由各区城市管理部门参照本规定办理"),
)


def _line(lines: list[str], words: str) -> int:
    found = [number for number, line in enumerate(lines) if words in line]
    if len(found) != 1:
        raise ValueError(f"{words!r} stands in {len(found)} lines, and has to stand in one")
    return found[0]


def _renumbered(lines: list[str], begin: int) -> list[str]:
    """The lines with the articles from one on numbered one higher, as people do when they put one in."""
    return [re.sub(r"(?<=<p>第)[一二三四五六七八九十百]+(?=条)", _next, line) if number >= begin else line
            for number, line in enumerate(lines)]  # fmt: skip


def _next(match: re.Match[str]) -> str:
    return chinese((han_number(match[0]) or 0) + 1)
