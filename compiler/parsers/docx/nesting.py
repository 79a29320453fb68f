"""Which items of a Word document stand under which, where lists of several counts, bullets and typed labels mix."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from compiler.parsers.draft import Draft
from compiler.parsers.join import is_title
from compiler.text.labels import RANKS, STRUCTURAL, parse_label

_DEEPER = 6.0  # points; less is the width of a figure, not a step inwards


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of a list, by its label and its place."""

    kind: str
    rank: int
    ordered: bool
    first: bool
    indent: float
    list_id: str | None
    level: int
    depth: int = 0

    def holds(self, other: "_Item") -> bool:
        """Whether the other item, of another list, stands under this one: set in deeper, or of a lesser label."""
        deeper = other.indent > self.indent + _DEEPER
        lesser = self.ordered and other.rank > self.rank
        if other.list_id is None:
            return lesser or (deeper and not (self.ordered and other.ordered))
        level = other.indent > self.indent - _DEEPER
        return deeper or (level and lesser and (other.first or not other.ordered))


def nested(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """The pieces with the depth of generated items, and of the typed ones between them, as a reader sees it.

    Word counts each list's levels for itself, whereas lists stand in each other by their indents as well, and items
    whose labels are typed have no level at all.
    """
    last = {draft.list_id: index for index, draft in enumerate(drafts) if draft.list_id}
    open_: list[_Item] = []
    for index, draft in enumerate(drafts):
        if draft.tag is not None:
            yield draft
            continue
        item = None if draft.heading or draft.kind else _item(draft)
        if item is not None:
            depth = _place(item, open_)
            yield replace(draft, depth=depth)
            continue
        if draft.depth and open_:
            yield replace(draft, depth=open_[-1].depth)
            continue
        goes_on = any(held.list_id and last.get(held.list_id, -1) > index for held in open_)
        if draft.heading or not (goes_on or (open_ and draft.indent > open_[0].indent + _DEEPER)):
            open_.clear()
        yield draft


def _item(draft: Draft) -> _Item | None:
    """The piece as an item, None where it has no label or is more than an item."""
    parsed = parse_label(draft.label.text + " " if draft.label else draft.text)
    if draft.label:
        ordered = draft.label.ordered
        kind = parsed.kind if parsed and ordered else f"bullet {draft.label.text}"
        rank = parsed.rank if parsed and ordered else RANKS["decimal" if ordered else "bullet"]
    elif parsed is None or parsed.kind in STRUCTURAL or (draft.bold and is_title(draft.text)):
        return None
    else:
        kind, rank, ordered = parsed.kind if parsed.ordered else f"bullet {parsed.text}", parsed.rank, parsed.ordered
    first = parsed is not None and parsed.number[-1:] == (1,)
    return _Item(kind, rank, ordered, first, draft.indent, draft.list_id, (draft.depth or 1) - 1)


def _place(item: _Item, open_: list[_Item]) -> int | None:
    """Close what the item does not stand under, keep it open, and tell its depth; None of a typed one on its own."""
    kin = next((held for held in reversed(open_) if _is_kin(held, item)), None)
    if kin is not None:
        same = kin.list_id is None or item.list_id is None
        depth = kin.depth if same else max(kin.depth + item.level - kin.level, 1)
    else:
        holder = next((held for held in reversed(open_) if held.holds(item)), None)
        if holder is None and item.list_id is None:
            open_.clear()
            return None
        depth = holder.depth + 1 if holder else 1
        if item.list_id is not None:
            depth = max(depth, item.level + 1)
    while open_ and open_[-1].depth >= depth:
        open_.pop()
    open_.append(replace(item, depth=depth))
    return depth


def _is_kin(held: _Item, item: _Item) -> bool:
    """Whether both are of one list: of one count, or a typed label of the same sort as the one before."""
    if item.list_id is not None:
        return held.list_id == item.list_id
    return held.kind == item.kind
