"""References of a document to its own clauses: `依照第五条第二款`, `see 4.2(b)`, `the preceding paragraph`.

References to other texts (`《安全生产法》第三十条`, `Article 6 of the Regulation`) are none of these.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler.text.numerals import han_number
from ir.document import Block, Document

_N = r"(?:[一二三四五六七八九十百零〇]+|\d+)"
_ZH = re.compile(
    rf"第(?P<article>{_N})条(?:之{_N})?(?:第(?P<clause>{_N})款)?(?:第?[（(]?(?P<item>{_N})[）)]?项)?"
    rf"|第(?P<part>{_N})(?P<unit>[章节])|(?P<near>前款|前条|前项|上款|上条)"
    r"|(?:按照?|依照|依据|见|从|转入|符合|执行|违反|除)\s?(?:本\S{1,3})?(?P<decimal>\d+(?:\.\d+)+)(?![%％\d])"
    rf"|(?P<annexed>附录|附件|附表|表)\s?(?P<annex>[A-Z]|{_N})(?![.\d、．）)])"
)
_EN = re.compile(
    r"\b(?P<unit>sections?|clauses?|articles?|paragraphs?|parts?|chapters?|annex|appendix|schedule|table|steps?)\s+"
    r"(?P<number>\d+(?:\.\d+)*|[A-Z](?![a-z])|[IVX]+\b)(?P<subs>(?:\s?\([a-z0-9]{1,4}\))*)"
    r"|\b(?:see|under|in|of|with|to)\s+(?P<decimal>\d+\.\d+(?:\.\d+)*)(?P<more>(?:\s?\([a-z0-9]{1,4}\))*)(?![\d%])"
    r"|\bthe (?P<near>preceding|previous|foregoing) (?P<what>paragraph|section|article|clause|sub-?paragraph)\b",
    re.IGNORECASE,
)
_HEAD_EN = re.compile(
    r"\s*(section|clause|article|part|chapter|annex|appendix|schedule|table|step)\s+(\d+|[A-Z]\b|[IVX]+\b)",
    re.IGNORECASE,
)
_OTHER_ZH = re.compile(r"(?:》|法|条例|公约|标准)[^，。；、本]{0,8}$")
_OWN_ZH = re.compile(r"本(?:法|条例|办法|规定|规则|制度|程序|规程|细则|标准|预案|章|节)$")
_AND = re.compile(r"\s*(?:[、，,和及与至或]|and|or|to)\s*", re.IGNORECASE)  # one more place of the text named before
_OTHER_EN = re.compile(
    r"\s*,?\s*(?:of|to|in) (?:the |that |an? )?(?:[\w-]+ ){0,6}?"
    r"(?:Act|Regulations?|Directive|Law|Code|Convention|Treaty|Ordinance|Statute|Agreement|Standard|Manual|Policy|SOP|GDPR)\b"
)
_OTHER_BEFORE = re.compile(
    r"(?:Act|Regulation|Directive|Law|Code|ISO|IEC|EN|SOP|Manual|Standard|Policy|Handbook)[\w\s./-]{0,14},?\s*$"
)


@dataclass(frozen=True)
class CrossReference:
    """Words that point to another place of the same document.

    Args:
        block: address of the block or cell that holds them.
        start, end: where they stand in its text, by code points.
        text: the words.
        target: address of the block that they mean, None where the document has none.
    """

    block: str
    start: int
    end: int
    text: str
    target: str | None


def cross_references(document: Document) -> tuple[CrossReference, ...]:
    """The references of a document to its own clauses, in reading order; where numbering restarts, within its part."""
    pointer = _Pointer(document)
    found: list[CrossReference] = []
    for at, block in enumerate(document.blocks):
        if block.tag is not None:
            continue
        for address, text, own in _texts(block):
            pattern = _ZH if document.language == "zh" else _EN
            last, away = 0, False
            for match in pattern.finditer(text):
                goes_on = away and _AND.fullmatch(text[last : match.start()]) is not None
                last, away = match.end(), goes_on or _elsewhere(document.language, text, match)
                if match.start() < own or away:
                    continue
                target = pointer.target(at, match)
                found.append(CrossReference(address, match.start(), match.end(), match[0], target))
    return tuple(found)


def _texts(block: Block) -> Iterator[tuple[str, str, int]]:
    """Address and text of each passage, with where its own label ends."""
    if block.kind == "table":
        yield from ((cell.address, cell.text, 0) for cell in block.cells)
    else:
        yield block.address, block.text, block.body_start


def _elsewhere(language: str, text: str, match: re.Match[str]) -> bool:
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() :]
    if language == "zh":
        return _OTHER_ZH.search(before) is not None and _OWN_ZH.search(before) is None
    return _OTHER_EN.match(after) is not None or _OTHER_BEFORE.search(before) is not None


class _Pointer:
    """Finds the block that a reference means."""

    def __init__(self, document: Document) -> None:
        self.document, self.blocks = document, document.blocks
        self.part = list(_parts(document.blocks))
        self.names = [_names(block) for block in document.blocks]

    def target(self, at: int, match: re.Match[str]) -> str | None:
        """The address that a match means at a block."""
        groups = match.groupdict()
        if groups.get("near"):
            return self._near(at, match[0].lower())
        name = _name(groups)
        own = [n for n in range(len(self.blocks)) if self.part[n] == self.part[at]]
        index = next((n for n in own if name in self.names[n]), None)
        if index is None:
            index = next((n for n in range(len(self.blocks)) if name in self.names[n]), None)
        if index is None:
            return None
        subs = _subs(groups)
        for sub in subs:
            inner = self._inside(index, sub)
            if inner is None:
                return None
            index = inner
        return self.blocks[index].address

    def _near(self, at: int, words: str) -> str | None:
        """The paragraph, item or article before this one."""
        article = "条" in words or "section" in words or "article" in words
        for n in range(at - 1, -1, -1):
            block = self.blocks[n]
            labelled = any(name.startswith(("article:", "decimal:")) for name in self.names[n])
            if block.tag is None and block.kind != "table" and (labelled or not article):
                return block.address
        return None

    def _inside(self, index: int, sub: str) -> int | None:
        """The paragraph (`款`) or item of a number inside a clause."""
        kind, _, number = sub.partition(":")
        behind = range(index + 1, len(self.blocks))
        last = next((n for n in behind if self.names[n]), len(self.blocks))  # the next clause of its own name
        if kind == "clause":
            plain = [index] if self.blocks[index].kind != "heading" else []
            inner = self.blocks[index + 1 : last]
            plain += [index + 1 + n for n, block in enumerate(inner) if block.kind == "paragraph" and not block.tag]
            return plain[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(plain) else None
        if re.search(rf"[（(]{re.escape(number)}[）)]", self.blocks[index].text):
            return index  # the items run on in the clause
        wanted = {number, str(han_number(number) or "")}
        for n in range(index + 1, last):
            label = self.blocks[n].label
            bare = re.sub(r"[^\w]", "", label.text).lower() if label else ""
            if bare and (bare in wanted or str(han_number(bare) or bare) in wanted):
                return n
        return None


def _parts(blocks: Sequence[Block]) -> Iterator[int]:
    """For each block, in which regulation of the file it stands: a new one begins where articles begin anew at 1."""
    part, highest = 0, 0
    for block in blocks:
        match = re.match(rf"第({_N})条|article\s+(\d+)", block.label.text if block.label else "", re.IGNORECASE)
        if match:
            number = _value(match[1] or match[2])
            if number == 1 and highest > 1:
                part, highest = part + 1, 0
            highest = max(highest, number)
        yield part


def _value(text: str) -> int:
    return int(text) if text.isdigit() else han_number(text) or 0


def _names(block: Block) -> frozenset[str]:
    """What a block may be called by: `article:5`, `decimal:4.2`, `part:c`, `annex:1`."""
    if block.tag is not None:
        return frozenset()
    label = block.label.text if block.label else ""
    names = set[str]()
    if match := re.match(rf"第({_N})([条章节])", label):
        names.add(f"{_UNITS[match[2]]}:{_value(match[1])}")
    head = f"{label} {block.body}" if block.kind in ("heading", "caption", "paragraph") else label
    if match := re.match(rf"\s*(?:附录|附件|附表|表)\s?([A-Z]|{_N})", head):
        names.add(f"annex:{match[1].lower() if match[1].isascii() and match[1].isalpha() else _value(match[1])}")
    if match := _HEAD_EN.match(head):
        names.add(f"{_UNITS.get(match[1].lower(), match[1].lower())}:{match[2].lower()}")
    if match := re.match(r"(?:§\s*)?(\d+(?:\.\d+)*)[.．、]?$", label.strip()):
        names.add(f"decimal:{match[1]}")
    return frozenset(names)


_UNITS = {
    "条": "article", "章": "chapter", "节": "section", "appendix": "annex", "schedule": "annex", "table": "annex",
    "clause": "section", "paragraph": "section",
}  # fmt: skip


def _name(groups: dict[str, str | None]) -> str:
    if groups.get("article"):
        return f"article:{_value(groups['article'] or '')}"
    if groups.get("part"):
        return f"{_UNITS[groups['unit'] or '章']}:{_value(groups['part'] or '')}"
    if groups.get("annex"):
        mark = groups["annex"] or ""
        return f"annex:{mark.lower() if mark.isascii() and mark.isalpha() else _value(mark)}"
    if groups.get("decimal"):
        return f"decimal:{groups['decimal']}"
    number, unit = groups.get("number") or "", (groups.get("unit") or "").lower().rstrip("s")
    if "." in number:
        return f"decimal:{number}"
    return f"{_UNITS.get(unit, unit)}:{number.lower()}"


def _subs(groups: dict[str, str | None]) -> list[str]:
    found = []
    if groups.get("clause"):
        found.append(f"clause:{_value(groups['clause'] or '')}")
    if groups.get("item"):
        found.append(f"item:{groups['item']}")
    brackets = (groups.get("subs") or "") + (groups.get("more") or "")
    return found + [f"item:{mark.lower()}" for mark in re.findall(r"\(([a-z0-9]+)\)", brackets, re.IGNORECASE)]
