"""What became of each statement of a document, counted from its workflows; the worst where several things hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.load import Catalog
from compiler.fates.bearers import Bearer, Part, concerns, covers
from compiler.fates.enforcement import Enforcement
from compiler.fates.statements import Statement, statements
from compiler.text.lexicon import lexicon
from ir.decision import Decision, accepted, declared
from ir.document import Document
from ir.procedure import Constraint, UnplacedText
from ir.verdict import Fate, StatementFate

_WORST: tuple[Fate, ...] = ("carried", "enforced", "question", "unenforced", "unplaced")
"""From the best to the worst."""


@dataclass(frozen=True)
class _Own:
    """What one draft makes of a statement."""

    fate: Fate
    by: tuple[str, ...]
    kept: tuple[str, ...] | None = None


def fates(
    document: Document, parts: Sequence[Part], catalog: Catalog, decisions: Sequence[Decision] = ()
) -> tuple[tuple[StatementFate, ...], ...]:
    """For each draft of a document the statements that are its own, so that all together are those of the document.

    A statement belongs to the draft that makes the most of it; where none does, to the one whose part of the document
    it stands in, else to the one before it.
    """
    if not parts:
        return ()
    readers = [_Reader(part, document, catalog) for part in parts]
    own: list[list[StatementFate]] = [[] for _ in parts]
    place = _Places(document, parts)
    for said in statements(document):
        told = [(number, reader.told(said)) for number, reader in enumerate(readers)]
        made = [(number, one) for number, one in told if one is not None]
        home = place.of(said)
        best = min(made, key=lambda each: (_WORST.index(each[1].fate), each[0] != home), default=None)
        number = best[0] if best else home
        own[number].append(_stated(said, best[1] if best else None, document, decisions))
    return tuple(_with_introductions(document, each) for each in own)


def _with_introductions(document: Document, told: list[StatementFate]) -> tuple[StatementFate, ...]:
    """What introduces a list (`…the following:`) fares as the worst of its items, which say what it demands."""
    parents = {block.address: block.parent for block in document.blocks if block.kind == "list_item"}
    items: dict[str, list[StatementFate]] = {}
    for one in told:
        if parents.get(one.block) is not None and one.fate in _WORST:
            items.setdefault(str(parents[one.block]), []).append(one)
    made = []
    for one in told:
        below = items.get(one.block, []) if one.text.endswith(("：", ":")) and one.prohibition is None else []
        if below and one.fate in _WORST:
            worst = max(below, key=lambda each: _WORST.index(each.fate))
            one = one.model_copy(update={"fate": worst.fate, "by": worst.by, "reason": worst.reason})
        made.append(one)
    return tuple(made)


def _stated(said: Statement, best: _Own | None, document: Document, decisions: Sequence[Decision]) -> StatementFate:
    piece = said.piece
    if (no_duty := declared(decisions, document.doc_id, piece.block, piece.text)) is not None:
        return StatementFate(
            block=piece.block, start=piece.start, end=piece.end, text=piece.text, fate="other", reason=_decided(no_duty)
        )
    forbidden = said.demands and said.forbids
    decided = accepted(decisions, "prohibition", document.doc_id, piece.text) if forbidden else None
    status: Literal["enforced", "accepted", "unenforced"] | None = None
    if forbidden:
        status = "enforced" if best is not None and best.kept is not None else "accepted" if decided else "unenforced"
    fate: Fate = best.fate if best is not None else "unplaced" if said.demands else said.matter
    by = best.by if best is not None else ()
    reason = by[0] if fate == "unplaced" and by else None
    if decided is not None:
        reason = _decided(decided)
    return StatementFate(
        block=piece.block, start=piece.start, end=piece.end, text=piece.text, fate=fate, modality=said.modality,
        by=() if fate == "unplaced" else by, prohibition=status, reason=reason,
    )  # fmt: skip


def _decided(decision: Decision) -> str:
    return f"{decision.reason} ({decision.author}, {decision.time[:10]})"


class _Reader:
    """Says what one draft makes of statements."""

    def __init__(self, part: Part, document: Document, catalog: Catalog) -> None:
        self.part, self.bearers = part, part.bearers(document)
        self.enforcement = Enforcement(part, catalog)
        self._tables = _unplaced_tables(part, document)

    def told(self, said: Statement) -> _Own | None:
        """What the draft makes of a statement; None where nothing in it speaks of it."""
        near = [one for one in self.bearers.get(said.piece.block, ()) if concerns(one, said.piece)]
        acting = [one for one in near if one.sort == "acts" and self._acts(one, said)]
        asking = [one for one in near if one.sort == "asks"]
        rules = [one for one in near if one.sort == "constraint"]
        listed = [one for one in near if one.sort == "unplaced"]
        found: list[_Own] = []
        if listed and (said.demands or (said.matter == "other" and any(covers(one, said.piece) for one in listed))):
            found.append(_Own("unplaced", (_reason(listed[0]),)))
        if asking:
            found.append(_Own("question", _names(asking)))
        kept_words = self.enforcement.keeps_words(said, acting) if said.forbids else None
        asked = any(covers(one, said.piece) for one in asking)
        for one in rules:
            rule = one.element
            if not isinstance(rule, Constraint) or (rule.modality == "may" and acting):
                continue
            kept = self.enforcement.keeps(rule) or (kept_words if rule.predicate is None else None)
            if kept is not None:
                found.append(_Own("enforced", kept, kept))
            elif not asked:
                found.append(_Own("unenforced", (one.name,)))
        if said.forbids and not rules and acting:
            if kept_words is not None:
                found.append(_Own("enforced", kept_words, kept_words))
            elif not asked:
                found.append(_Own("unenforced", _names(acting)))
        if acting:
            found.append(_Own("carried", _names(acting)))
        given = [one for one in near if one.sort in ("acts", "told")]
        if not found and given and not said.demands:
            found.append(_Own("carried", _names(given)))
        if not found:
            reason = self._tables.get(said.piece.block)
            return _Own("unplaced", (reason,)) if reason is not None and not near else None
        worst = max(found, key=lambda one: _WORST.index(one.fate))
        held = [one.kept for one in found if one.kept is not None]
        unkept = any(one.fate == "unenforced" for one in found) or (asked and not held)
        return _Own(worst.fate, worst.by, held[0] if held and not unkept else None)

    def _acts(self, bearer: Bearer, said: Statement) -> bool:
        """Whether something that takes part in runs is meant by a statement, where its sentence has several duties."""
        sort, _, name = bearer.name.partition(":")
        return said.duties == 1 or sort != "node" or self.part.acts_in(name, said.piece)


def _names(bearers: Iterable[Bearer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.name for one in bearers))


def _reason(bearer: Bearer) -> str:
    return bearer.element.reason if isinstance(bearer.element, UnplacedText) else ""


def _unplaced_tables(part: Part, document: Document) -> dict[str, str]:
    """The cells of tables and rows that are listed as a whole by their first cell, with the reason."""
    found: dict[str, str] = {}
    reasons = lexicon(document.language).table("reasons")
    tables = {cell.address: (block, cell) for block in document.blocks for cell in block.cells}
    for text in part.procedure.unplaced:
        first = text.evidence[0].block if text.evidence else None
        if first not in tables or text.reason not in (reasons["table"], reasons["row"]):
            continue
        block, listed = tables[first]
        for cell in block.cells:
            if cell.row == listed.row or (text.reason == reasons["table"] and not cell.header):
                found.setdefault(cell.address, text.reason)
    return found


class _Places:
    """Which part of a document is whose."""

    def __init__(self, document: Document, parts: Sequence[Part]) -> None:
        order = {passage.address: at for at, passage in enumerate(document.passages())}
        for table in (block for block in document.blocks if block.cells):
            order[table.address] = min(order[cell.address] for cell in table.cells)
        self._order, self._inside = order, [set(part.procedure.extent) for part in parts]
        self._begins = [min((order[one] for one in own if one in order), default=0) for own in self._inside]

    def of(self, said: Statement) -> int:
        """The number of the draft in whose part a statement stands, else of the one before it."""
        for number, own in enumerate(self._inside):
            if said.piece.block in own:
                return number
        at = self._order[said.piece.block]
        return max((n for n, begin in enumerate(self._begins) if begin <= at), key=lambda n: self._begins[n], default=0)
