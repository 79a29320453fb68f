"""Which pieces are headings, list items or captions, by format, label, looks and neighbours."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from compiler.parsers.draft import Draft
from compiler.parsers.join import has_ideographs, is_title
from compiler.text.labels import (
    OPENERS,
    STRUCTURAL,
    ParsedLabel,
    as_letter,
    as_roman,
    is_doubtful,
    is_lettered,
    parse_label,
)
from ir.document import BlockKind

_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table)\s*\d+(?:[-.]\d+)*(?:[.:：．]|\s(?![a-z])|\s*$)"
    r"|(?:[图圖表]\s?\d+(?:[-.]\d+)?|附[图圖]\s?\d*)(?:[.:：．]|\s(?![a-z所中为為是的]|表示|[给給]出|列出)(?!.*。$)|\s*$)"
)
_OPENING_ITEMS = frozenset({"lower-letter-paren", "lower-roman-paren"})  # (a) and (i), which no name looks like
_PARTICULAR = re.compile(r"[^\s：:]{2,6}[：:]\s?[A-Z0-9]")  # 文件编号：Q/B-07
_LARGER = 1.12
_CLAUSE = re.compile(r"\s*\d{1,2}\s+[A-Z\u4e00-\u9fff].{12,}[.;:。；：]\s*", re.DOTALL)
_FEWEST = 3  # bare numbers that are clauses and no quantities


def credible_labels(drafts: Sequence[Draft]) -> list[ParsedLabel | None]:
    """Labels that are credible: what names and quantities look like too needs a neighbour in the count."""
    found = list(_sequenced(drafts))
    for at, bare in _led(drafts, found):
        found[at] = bare
    for at, bare in _clauses(drafts, found):
        found[at] = bare
    numbers: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for label in found:
        if label and not label.doubtful:
            numbers[label.kind].add(label.number)
    return [label if label and _is_credible(label, numbers) else None for label in found]


def _is_credible(label: ParsedLabel, numbers: Mapping[str, set[tuple[int, ...]]]) -> bool:
    if not is_doubtful(label) or (label.kind in _OPENING_ITEMS and label.number == (1,)):
        return True
    *above, last = label.number
    beside = {(*above, last - 1), (*above, last + 1)} & numbers[label.kind]
    if label.doubtful:
        opens = last == 1 and tuple(above) in numbers["number"] | numbers["number-dot"] | numbers["decimal"]
        return label.number not in numbers["decimal"] and (bool(beside) or opens)
    if label.kind == "annex-decimal":
        return (
            bool(beside)
            or (*label.number, 1) in numbers[label.kind]
            or (last == 1 and tuple(above) in numbers["annex"])
        )
    return bool(beside)


def _led(drafts: Sequence[Draft], found: Sequence[ParsedLabel | None]) -> Iterator[tuple[int, ParsedLabel]]:
    """Bare numbers of short plain lines that count from 1 and lead `2.1` in at least one place: `2 Duties`."""
    run: list[tuple[int, ParsedLabel]] = []
    leads = False
    for at, draft in enumerate(drafts):
        label = found[at]
        if label and label.kind == "number":
            run.append((at, label))
        elif label and label.kind == "decimal":
            leads = leads or (bool(run) and label.number == (run[-1][1].number[0], 1))
        elif label is None and not (draft.tag or draft.kind or draft.label or draft.depth) and is_title(draft.text):
            bare = parse_label(draft.text, heading=True)
            if bare and bare.kind == "number" and bare.number[0] == (run[-1][1].number[0] if run else 0) + 1:
                run.append((at, bare))
    if leads:
        yield from run


def _clauses(drafts: Sequence[Draft], found: Sequence[ParsedLabel | None]) -> Iterator[tuple[int, ParsedLabel]]:
    """Bare numbers before sentences that count from 1 to 3 or more: `1 The clerk enters the request.`"""
    run: list[tuple[int, ParsedLabel]] = []
    for at, draft in enumerate(drafts):
        plain = not (draft.tag or draft.kind or draft.label or draft.depth or draft.heading)
        bare = parse_label(draft.text, heading=True) if plain and found[at] is None else None
        if bare is None or bare.kind != "number" or not _CLAUSE.fullmatch(draft.text):
            continue
        if bare.number[0] == 1:
            yield from run if len(run) >= _FEWEST else ()
            run = []
        if bare.number[0] == len(run) + 1:
            run.append((at, replace(bare, kind="number-dot")))
    yield from run if len(run) >= _FEWEST else ()


def _sequenced(drafts: Sequence[Draft]) -> Iterator[ParsedLabel | None]:
    """Labels as read, `(i)` as a letter after `(h)` and `(v)` as a figure after `(iv)`."""
    last: dict[str, tuple[int, ...]] = {}
    for draft in drafts:
        label = None
        if draft.label:
            label = parse_label(draft.label.text + " ") if draft.label.ordered else None
        elif draft.tag is None and draft.kind not in ("table", "caption"):
            loud = bool(draft.heading) or _is_loud(draft)
            label = parse_label(draft.text, heading=loud, doubtful=True)
        for other in filter(None, (as_letter(label), as_roman(label)) if label else ()):
            if (
                label
                and last.get(other.kind) == (other.number[0] - 1,)
                and last.get(label.kind) != (label.number[0] - 1,)
            ):
                label = other
        if label:
            last[label.kind] = label.number
        yield label


def _is_loud(draft: Draft) -> bool:
    return draft.bold and is_title(draft.text)


class Kinds:
    """Decides each piece's kind by format, label, looks and neighbours; closing matter has no headings."""

    def __init__(
        self, drafts: Sequence[Draft], parsed: list[ParsedLabel | None], closing: Collection[int] = ()
    ) -> None:
        self.drafts = drafts
        self.parsed = parsed
        self.closing = closing
        body = [draft for draft in drafts if draft.tag is None and draft.kind != "table"]
        sizes: Counter[float] = Counter()
        for draft in body:
            sizes[round(draft.size * 2) / 2] += len(draft.text)
        self.body_size = sizes.most_common(1)[0][0] if sizes else 0.0
        self.bold_body = 2 * sum(len(d.text) for d in body if d.bold) > sum(len(d.text) for d in body)
        self.kinds = [self._decide(index) for index in range(len(drafts))]
        self._settle_runs()

    def kind_at(self, index: int) -> BlockKind:
        """The kind of the piece at `index`."""
        return self.kinds[index]

    def label(self, index: int) -> ParsedLabel | None:
        """Its label; a bare number counts only in a heading."""
        label = self.parsed[index]
        bare = label is not None and label.kind == "number" and not self.drafts[index].label
        return None if bare and self.kinds[index] != "heading" else label

    def _decide(self, index: int) -> BlockKind:
        draft, label = self.drafts[index], self.parsed[index]
        if draft.heading:
            return "heading"
        if draft.kind:
            return draft.kind
        if draft.tag:
            return "paragraph"
        if len(draft.text) < 160 and _CAPTION.match(draft.text):
            return "caption"
        if self._is_heading(index):
            return "heading"
        if draft.label:
            return "list_item"
        if label and label.kind not in STRUCTURAL and label.kind != "number":
            return "list_item"
        return "paragraph"

    def _settle_runs(self) -> None:
        """Bold lines of the body's size that follow each other three times or more lead nothing: they are text."""
        run: list[int] = []
        for index in [*(at for at, draft in enumerate(self.drafts) if draft.tag is None), None]:
            if index is not None and self._is_merely_bold(index):
                run.append(index)
                continue
            if len(run) >= 3:
                for at in run:
                    self.kinds[at] = "paragraph"
            run = []

    def _is_merely_bold(self, index: int) -> bool:
        draft = self.drafts[index]
        plain = not draft.heading and not draft.centred and self.parsed[index] is None
        return plain and self.kinds[index] == "heading" and 0 < draft.size <= self.body_size * _LARGER

    def _is_heading(self, index: int) -> bool:
        draft, label = self.drafts[index], self.parsed[index]
        if (
            index in self.closing
            or draft.depth
            or not is_title(draft.text)
            or (draft.label and not draft.label.ordered)
        ):
            return False
        if label and label.kind in OPENERS:
            return True
        if label and label.kind == "annex" and (not label.text.endswith((":", "：")) or not self._is_prominent(draft)):
            return not label.text.endswith((":", "："))
        if label and not label.ordered:
            return False
        if label is None and has_ideographs(draft.text) and _PARTICULAR.match(draft.text):
            return False
        if label and label.kind == "number" and not draft.label and not _is_loud(draft):
            return True
        if self._is_prominent(draft):
            return any(char.isalpha() for char in draft.text)
        return label is not None and not draft.label and self._opens(index, label)

    def _is_prominent(self, draft: Draft) -> bool:
        """Whether it is set larger than the body, or bolder."""
        larger = self.body_size > 0 and draft.size > self.body_size * _LARGER
        return larger or (draft.bold and not self.bold_body)

    def _opens(self, index: int, label: ParsedLabel) -> bool:
        """Whether a short labelled line leads what follows, as `一、申请条件` does, and is no item among its like."""
        before, after = self._neighbour(index, -1), self._neighbour(index, 1)
        chinese = has_ideographs(self.drafts[index].text)
        if after is None or len(self.drafts[index].text) > (30 if chinese else 80):
            return False
        for near in (before, after):
            like = self.parsed[near] if near is not None else None
            if like and like.kind == label.kind and (label.kind != "decimal" or len(like.number) == len(label.number)):
                return False
        following, next_label = self.drafts[after], self.parsed[after]
        if next_label and next_label.ordered:
            return chinese and label.rank < next_label.rank and not is_lettered(label)
        if label.kind in ("number-dot", "number-paren", "number-half", "circled") and not chinese:
            return False
        return following.kind == "table" or len(following.text) > len(self.drafts[index].text)

    def _neighbour(self, index: int, step: int) -> int | None:
        index += step
        while 0 <= index < len(self.drafts):
            if self.drafts[index].tag is None:
                return index
            index += step
        return None
