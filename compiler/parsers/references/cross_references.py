"""References of a document to its own clauses: `依照第五条第二款`, `see 4.2(b)`, `the preceding paragraph`.

References to other texts (`《安全生产法》第三十条`, `Article 6 of the Regulation`) are none of these.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from compiler.parsers.references.names import all_names, figure_of, parts_of
from compiler.parsers.references.words import Mention, mentions
from ir.document import Block, Document, Reference

_COUNTED = frozenset(
    {"section", "article", "rule", "regulation", "step", "part", "chapter"}
)  # may be labelled `4.` alone
_RUN_ON = r"(?<![第\w)）])(?<!graph )(?<!graphs )(?<!clause )(?<!clauses )(?<!section )(?<!item )(?<!items )(?<!point )"
_PROGRAMMES = frozenset({"section", "part", "chapter", "title"})  # Chapter 11 bankruptcy


def cross_references(document: Document) -> tuple[Reference, ...]:
    """The references of a document to its own clauses, in reading order; where numbering restarts, within its part."""
    pointer = _Pointer(document)
    found: list[Reference] = []
    for at, block in enumerate(document.blocks):
        if block.tag is not None:
            continue
        for address, text, own in _texts(block):
            for mention in mentions(text, document.language, document.title):
                target = pointer.target(at, mention) if mention.start >= own else None
                if mention.start >= own and (target or pointer.dangles(at, mention)):
                    words = text[mention.start : mention.end]
                    found.append(
                        Reference(block=address, start=mention.start, end=mention.end, text=words, target=target)
                    )
    return tuple(found)


def _texts(block: Block) -> Iterator[tuple[str, str, int]]:
    """Address and text of each passage, with where its own label ends."""
    if block.kind == "table":
        yield from ((cell.address, cell.text, 0) for cell in block.cells)
    else:
        yield block.address, block.text, block.body_start


class _Pointer:
    """Finds the block that a reference means."""

    def __init__(self, document: Document) -> None:
        self.blocks = blocks = document.blocks
        self.title = document.title
        self.where = {block.address: at for at, block in enumerate(blocks)}
        self.part = parts_of(blocks)
        self.names = all_names(blocks)
        self.counted = {part for part, names in zip(self.part, self.names, strict=True) if _is_article(names)}
        self.units = {name.partition(":")[0] for names in self.names for name in names}
        self.named: dict[str, list[int]] = defaultdict(list)
        self.below: dict[str | None, list[int]] = defaultdict(list)
        for at, block in enumerate(blocks):
            self.below[block.parent].append(at)
            for name in self.names[at]:
                self.named[name].append(at)

    def target(self, at: int, mention: Mention) -> str | None:
        """The address that is meant at a block."""
        index = self._index(at, mention)
        return None if index is None else self.blocks[index].address

    def dangles(self, at: int, mention: Mention) -> bool:
        """Whether a place that was not found is missing, rather than one of another text or no place at all."""
        if not mention.certain or (mention.noun and mention.unit in (_PROGRAMMES - self.units) | {"number"}):
            return False
        if self.blocks[at].kind == "caption" and mention.unit in ("table", "figure"):
            return False  # two captions in one line
        if mention.unit == "here":
            holds = mention.within or self._around(at, mention.number)
            return bool(holds)
        return True

    def _index(self, at: int, mention: Mention) -> int | None:
        outer: Sequence[int]
        if mention.within is not None:
            inside = self._index(at, mention.within)
            if inside is None:
                return None
            inner = mention.subs if mention.unit == "here" else (f"item:{mention.number}", *mention.subs)
            return self._through(inside, inner)
        if mention.unit == "here":
            outer = self._around(at, mention.number)
            return next((found for index in outer if (found := self._through(index, mention.subs)) is not None), None)
        if mention.unit == "near":
            return self._near(at, mention.number)
        named = self._named(at, mention)
        return None if named is None else self._through(named, mention.subs)

    def _named(self, at: int, mention: Mention) -> int | None:
        """The block of a name: of this regulation, if it has places of that sort at all, else of the file."""
        units = [mention.unit]
        if mention.unit in _COUNTED and (mention.unit == "section" or mention.unit not in self.units):
            units.append("number")
        for unit in units:
            found = self.named.get(f"{unit}:{mention.number}", [])
            near = [index for index in found if self.part[index] == self.part[at]]
            strict = unit == "article" and self.part[at] in self.counted
            chosen = near or ([] if strict and not self._in_annex(at, mention) else found)
            if chosen:
                headings = [index for index in chosen if self.blocks[index].kind == "heading"]
                return self._nearest(at, headings or chosen)
        return None

    def _nearest(self, at: int, found: Sequence[int]) -> int:
        """Of several places of one name, the first of those that share the closest clause or heading with the block."""
        for above in self._above(at) if len(found) > 1 else ():
            beside = [index for index in found if above in self._above(index)]
            if beside:
                return beside[0]
        return found[0]

    def _in_annex(self, at: int, mention: Mention) -> bool:
        """Whether the words stand in an annex, and may mean the text that it is annexed to."""
        if mention.own and mention.own not in self.title:
            return False
        return any(name.startswith("annex:") for index in self._above(at) for name in self.names[index])

    def _above(self, at: int) -> Iterator[int]:
        """The block and what it stands under, outwards."""
        index: int | None = at
        while index is not None:
            yield index
            parent = self.blocks[index].parent
            index = self.where[parent] if parent is not None else None

    def _around(self, at: int, word: str) -> list[int]:
        """The clauses around a block in which its `（三）` or `第二款` is to be looked for, from the nearest."""
        if word == "items":
            return [index for index in self._above(at) if self.names[index]]
        return [index for index in self._above(at) if _is_article(self.names[index])][:1]

    def _near(self, at: int, words: str) -> int | None:
        """The paragraph, item or article before this one."""
        article = any(word in words for word in ("条", "條", "section", "article", "clause"))
        block = self.blocks[at]
        if words in ("前款", "上款") and block.kind != "heading" and _is_article(self.names[at]):
            return None  # the article's first paragraph
        for n in range(at - 1, -1, -1):
            block = self.blocks[n]
            labelled = any(name.startswith(("article:", "number:", "section:")) for name in self.names[n])
            if block.tag is None and block.kind != "table" and (labelled or not article):
                return n
        return None

    def _through(self, index: int, subs: Sequence[str]) -> int | None:
        """From a clause to the paragraph in it, to the item in that."""
        clause = index
        for place, sub in enumerate(subs):
            kind, _, number = sub.partition(":")
            if kind == "clause":
                found = self._paragraph(clause, number)
                span = self._inside(clause)
            else:
                start = index if place and subs[place - 1].startswith("clause:") else None
                span = self._inside(clause if start is not None else index)
                found = self._item(index, [at for at in span if start is None or at > start], number)
            if found is None:
                return None
            index = found
        return index

    def _paragraph(self, index: int, number: str) -> int | None:
        """The paragraph (`款`) of a number in an article: its own words, then those that stand right under it."""
        plain = [index] if self.blocks[index].kind != "heading" else []
        below = (self.blocks[at] for at in self.below[self.blocks[index].address])
        plain += [self.where[block.address] for block in below if block.kind == "paragraph" and not block.tag]
        return plain[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(plain) else None

    def _item(self, index: int, span: Sequence[int], number: str) -> int | None:
        """The item of a number in a clause, or the words in which it runs on."""
        for at in span:
            label = self.blocks[at].label
            if label and label.ordered and figure_of(label.text) == number:
                return at
        figures = {number, _chinese_figure(number)} - {""}
        marks = re.compile(_RUN_ON + "[（(](?:" + "|".join(map(re.escape, figures)) + ")[）)]")
        wide = [index, *(at for at in span if self.blocks[at].kind == "paragraph")]
        return next((at for at in wide if marks.search(self.blocks[at].text)), None)

    def _inside(self, index: int) -> list[int]:
        """What stands under a block, level by level."""
        found, level = list[int](), [index]
        while level:
            level = [at for above in level for at in self.below[self.blocks[above].address]]
            found += level
        return found


def _is_article(names: frozenset[str]) -> bool:
    return any(name.startswith("article:") for name in names)


def _chinese_figure(number: str) -> str:
    digits = "零一二三四五六七八九十"
    value = int(number) if number.isdigit() else 0
    if not 0 < value < 20:
        return ""
    return digits[value] if value <= 10 else f"十{digits[value - 10]}"
