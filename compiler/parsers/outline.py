"""What stands under what: labels, levels and parents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compiler.parsers.closing import closing_pieces
from compiler.parsers.draft import Draft
from compiler.parsers.kinds import Kinds, credible_labels
from compiler.text.labels import RANKS, STRUCTURAL, ParsedLabel
from ir.document import BlockKind, Label

_OPENING = re.compile(r"\s*(?:前\s*言|序\s*言|引\s*言|目\s*[录次]|foreword|preface|abstract|summary|contents)\s*", re.I)
_FIGURES = frozenset({"decimal", "annex-decimal", "number", "number-dot"})
_DECIMALS = frozenset({"decimal", "annex-decimal"})
_CLAUSES = _DECIMALS | {"article", "section"}


@dataclass(slots=True)
class Placed:
    """A piece with its kind, its label, its level and what it stands under."""

    draft: Draft
    kind: BlockKind
    parsed: ParsedLabel | None = None
    level: int = 0
    parent: "Placed | None" = None
    path: tuple[int, ...] = ()
    interrupted: bool = False
    children: int = 0

    @property
    def label(self) -> Label | None:
        """The label as a block bears it."""
        if self.draft.label:
            return self.draft.label
        if not self.parsed:
            return None
        text = "•" if "\uf000" <= self.parsed.text[:1] <= "\uf0ff" else self.parsed.text  # a symbol font's bullet
        return Label(text=text, end=self.parsed.end, ordered=self.parsed.ordered)

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading."""
        return self.kind == "heading"

    @property
    def kind_of_label(self) -> str | None:
        """The label's sort and shape; of a bullet, its glyph."""
        if self.parsed and not self.parsed.ordered:
            return f"bullet {self.parsed.text}"
        return self.parsed.kind if self.parsed else None


def outline(drafts: Sequence[Draft]) -> list[Placed]:
    """Label each piece, tell headings from text, and place each under the heading or clause that it belongs to."""
    parsed = ranked(credible_labels(drafts))
    closing = closing_pieces(drafts, parsed)
    kinds = Kinds(drafts, parsed, closing)
    stack = _Stack()
    closed = False
    out: list[Placed] = []
    for index, draft in enumerate(drafts):
        placed = Placed(draft, kinds.kind_at(index), kinds.label(index))
        if draft.tag is None:
            if index in closing and not closed:
                stack.close_clauses()
            closed = index in closing
        stack.place(placed, out)
        out.append(placed)
    return out


def ranked(labels: Sequence[ParsedLabel | None]) -> list[ParsedLabel | None]:
    """The labels, sections below articles where each count of sections opens right below an article (bylaws).

    Sections whose numbers have several parts (`Section 3.1`, `Sec. 12-4`) stand below articles as well.
    """
    above = ""
    before = set[str]()
    for label in labels:
        if label is None or label.kind not in ("article", "section") or not label.text.isascii():
            continue
        if label.kind == "section" and (label.number == (1,) or len(label.number) > 1):
            before.add("article" if len(label.number) > 1 else above)
        above = label.kind
    if before != {"article"}:
        return list(labels)
    ranks = {"article": RANKS["section"], "section": RANKS["article"]}
    return [replace(label, rank=ranks.get(label.kind, label.rank)) if label else None for label in labels]


def _counts_with(outer: Placed, new: Placed) -> bool:
    """Whether the figures of a heading are the first of a clause's."""
    if not (outer.parsed and new.parsed and outer.kind_of_label in _FIGURES):
        return False
    return outer.parsed.number == new.parsed.number[: len(outer.parsed.number)]


def _leads_on(heading: Placed, new: Placed) -> bool:
    """Whether a line that only its looks made a heading is the one before `new` in its count."""
    return heading.kind_of_label == new.kind_of_label and not heading.draft.heading and _follows(heading, new)


def _follows(placed: Placed, new: Placed) -> bool:
    """Whether the number of `new` is the next after that of an open item."""
    if not (placed.parsed and new.parsed and placed.parsed.number and new.parsed.number):
        return False
    return new.parsed.number == (*placed.parsed.number[:-1], placed.parsed.number[-1] + 1)


@dataclass
class _Stack:
    """The headings, clauses and items that are open at a point of the document."""

    open: list[Placed] = field(default_factory=list)
    sections: int = 0

    def place(self, new: Placed, before: Sequence[Placed]) -> None:
        """Give `new` its parent, level and section, and keep it open if others can stand under it."""
        draft = new.draft
        if draft.beside:
            new.parent = next((placed for placed in reversed(before) if placed.draft.tag is None), None)
        elif draft.tag in ("header", "footer"):
            return
        elif draft.tag or not (new.is_heading or new.parsed or new.kind == "list_item"):
            new.parent = self._holder(draft.depth)
            if not draft.tag and not draft.depth:
                self._interrupt()
        else:
            self._close_for(new)
            new.parent = self.open[-1] if self.open else None
            self._measure(new)
            self.open.append(new)
        new.path = new.path or self._path()

    def close_clauses(self) -> None:
        """End every numbered part of the text or of the annex at hand, as what closes it belongs to the whole."""
        annexes = [at for at, placed in enumerate(self.open) if placed.kind_of_label == "annex" and placed.is_heading]
        start = annexes[-1] + 1 if annexes else 0
        numbered = (at for at in range(start, len(self.open)) if self.open[at].label or not self.open[at].is_heading)
        del self.open[next(numbered, len(self.open)) :]

    def _measure(self, new: Placed) -> None:
        if new.is_heading:
            above = [placed for placed in self.open if placed.is_heading]
            new.level = len(above) + 1
            if new.draft.heading:
                new.level = max(new.draft.heading, above[-1].level + 1 if above else 1)
            if above:
                above[-1].children += 1
                new.path = (*above[-1].path, above[-1].children)
            else:
                self.sections += 1
                new.path = (self.sections,)
        elif new.kind == "list_item":
            new.level = new.draft.depth or 1 + sum(placed.kind == "list_item" for placed in self.open)

    def _path(self) -> tuple[int, ...]:
        return next((placed.path for placed in reversed(self.open) if placed.is_heading), ())

    def _holder(self, depth: int | None) -> Placed | None:
        """What an unlabelled paragraph stands under: the item it is nested in, else the clause or heading."""
        for placed in reversed(self.open):
            if depth and placed.draft.depth and placed.draft.depth <= depth:
                return placed
            if placed.is_heading or placed.kind_of_label in _CLAUSES:
                return placed
        return None

    def _interrupt(self) -> None:
        for placed in self.open:
            placed.interrupted = not placed.is_heading and placed.kind_of_label not in _CLAUSES

    def _close_for(self, new: Placed) -> None:
        kept = self._series(new)
        if kept is None:
            kept = self._twin(new)
        if kept is not None:
            del self.open[kept:]
            return
        while self.open and not _encloses(self.open[-1], new):
            self.open.pop()

    def _series(self, new: Placed) -> int | None:
        """How many stay open around a clause `2.3` that goes on with the count of `2.2` or opens that of `2`."""
        if new.parsed is None or new.kind_of_label not in _DECIMALS or new.draft.depth:
            return None
        *above, last = new.parsed.number
        longer = None
        for position in range(len(self.open) - 1, -1, -1):
            placed = self.open[position]
            if placed.is_heading and not new.is_heading and not (_counts_with(placed, new) or _leads_on(placed, new)):
                break
            number = placed.parsed.number if placed.parsed else ()
            if placed.is_heading != new.is_heading and not placed.is_heading:
                continue
            if placed.kind_of_label not in _FIGURES or placed.draft.depth or not number:
                continue
            if list(number[:-1]) == above and number[-1] < last and placed.kind_of_label == new.kind_of_label:
                return position
            if new.is_heading:
                continue
            if len(number) < len(new.parsed.number) and list(number) == above[: len(number)]:
                return position + 1 if longer is None else longer
            if len(number) >= len(new.parsed.number) and not placed.is_heading:
                longer = position
        return longer

    def _twin(self, new: Placed) -> int | None:
        """Position of the open item that `new` follows in one list, whatever was nested in between."""
        if new.parsed is None or new.kind_of_label in _DECIMALS:
            return None
        twins = []
        for position in range(len(self.open) - 1, -1, -1):
            placed = self.open[position]
            if (
                placed.is_heading == new.is_heading
                and placed.kind_of_label == new.kind_of_label
                and placed.draft.depth == new.draft.depth
            ):
                twins.append(position)
            if placed.is_heading and not new.is_heading:
                twins += [position] if _leads_on(placed, new) else []
                break
        if new.draft.depth:
            twins = [at for at in twins if _follows(self.open[at], new)]
        return next((at for at in twins if _follows(self.open[at], new)), twins[0] if twins else None)


def _encloses(outer: Placed, new: Placed) -> bool:
    """Whether the open `outer` stays open around `new`."""
    if outer.parsed and new.parsed:
        kinds = {outer.parsed.kind, new.parsed.kind}
        if kinds <= _FIGURES and "decimal" in kinds and outer.is_heading == new.is_heading and not new.draft.depth:
            begins = new.parsed.number == (1,) and not new.is_heading  # a list of its own below 4.2
            return begins or len(outer.parsed.number) < len(new.parsed.number)
        if outer.kind_of_label == new.kind_of_label and (outer.is_heading or not new.draft.depth):
            if outer.is_heading == new.is_heading or outer.kind_of_label in STRUCTURAL:
                return False
        elif {outer.parsed.kind, new.parsed.kind} <= STRUCTURAL:
            return outer.parsed.rank < new.parsed.rank
    if new.is_heading:
        return _heading_encloses(outer, new)
    if outer.is_heading:
        return True
    if outer.draft.depth and new.draft.depth:
        return outer.draft.depth < new.draft.depth
    if outer.draft.depth:
        return bool(outer.parsed and new.parsed and outer.parsed.ordered and outer.parsed.rank < new.parsed.rank)
    if new.parsed and new.parsed.kind in STRUCTURAL:
        return False
    return not outer.interrupted


def _heading_encloses(outer: Placed, new: Placed) -> bool:
    """Whether a heading stands under `outer`: by given levels, type sizes, weight, then by labels."""
    if not outer.is_heading:
        return bool(
            outer.parsed and new.parsed and outer.kind_of_label in STRUCTURAL and outer.parsed.rank < new.parsed.rank
        )
    if outer.draft.heading or new.draft.heading:
        if outer.draft.heading and new.draft.heading:
            return outer.draft.heading < new.draft.heading
        return bool(outer.draft.heading)
    if outer.draft.size and new.draft.size and abs(outer.draft.size - new.draft.size) > 0.6:
        return outer.draft.size > new.draft.size
    if outer.parsed and new.parsed:
        return outer.parsed.rank <= new.parsed.rank
    if (
        outer.parsed is None
        and new.parsed
        and new.parsed.number[:1] == (1,)
        and not _OPENING.fullmatch(outer.draft.text)
    ):
        return True  # the title of what is numbered below it
    if outer.draft.bold != new.draft.bold:
        return outer.draft.bold
    return outer.parsed is None and new.parsed is not None and outer.path == (1,) and outer.level == 1
