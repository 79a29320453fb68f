"""Which pieces are headings, list items or captions, by format, label, looks and neighbours."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from compiler.parsers.draft import Draft
from compiler.parsers.join import has_ideographs, is_title
from compiler.text.labels import STRUCTURAL, ParsedLabel, as_letter, as_roman, is_doubtful, is_lettered, parse_label
from ir.document import BlockKind

_CAPTION = re.compile(
    r"(?:(?:Figure|Fig\.|Table)\s*\d+(?:[-.]\d+)*|[图表]\s?\d+(?:[-.]\d+)?|附图\s?\d*)(?:[.:：．]|\s(?![a-z])|\s*$)"
)
_OPENERS = frozenset({"part", "subpart", "chapter", "section"})
_LARGER = 1.12


def credible_labels(drafts: Sequence[Draft]) -> list[ParsedLabel | None]:
    """Labels that are credible: letters and roman figures, which names look like too, need a neighbour in the count."""
    found = list(_sequenced(drafts))
    numbers: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for label in found:
        if label:
            numbers[label.kind].add(label.number)
    return [label if label and _is_credible(label, numbers[label.kind]) else None for label in found]


def _is_credible(label: ParsedLabel, numbers: set[tuple[int, ...]]) -> bool:
    if not is_doubtful(label):
        return True
    return any((label.number[0] + step,) in numbers for step in (-1, 1))


def _sequenced(drafts: Sequence[Draft]) -> Iterator[ParsedLabel | None]:
    """Labels as read, `(i)` as a letter after `(h)` and `(v)` as a figure after `(iv)`."""
    last: dict[str, tuple[int, ...]] = {}
    for draft in drafts:
        label = None
        if draft.label:
            label = parse_label(draft.label.text + " ") if draft.label.ordered else None
        elif draft.tag is None and draft.kind not in ("table", "caption"):
            label = parse_label(draft.text, heading=bool(draft.heading) or _is_loud(draft))
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
    """Decides each piece's kind by its format, its label, its looks and its neighbours."""

    def __init__(self, drafts: Sequence[Draft], parsed: list[ParsedLabel | None]) -> None:
        self.drafts = drafts
        self.parsed = parsed
        body = [draft for draft in drafts if draft.tag is None and draft.kind != "table"]
        sizes: Counter[float] = Counter()
        for draft in body:
            sizes[round(draft.size * 2) / 2] += len(draft.text)
        self.body_size = sizes.most_common(1)[0][0] if sizes else 0.0
        self.bold_body = 2 * sum(len(d.text) for d in body if d.bold) > sum(len(d.text) for d in body)
        self.kinds = [self._decide(index) for index in range(len(drafts))]
        self._settle_runs()

    def of(self, index: int) -> BlockKind:
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
        if draft.depth or not is_title(draft.text) or (draft.label and not draft.label.ordered):
            return False
        if label and label.kind in _OPENERS:
            return True
        if label and label.kind == "annex":
            return ":" not in label.text and "：" not in label.text
        if label and not label.ordered:
            return False
        larger = self.body_size > 0 and draft.size > self.body_size * _LARGER
        if larger or (draft.bold and not self.bold_body):
            return any(char.isalpha() for char in draft.text)
        return label is not None and not draft.label and self._opens(index, label)

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
