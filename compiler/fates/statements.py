"""The statements of a document: its sentences, one with several duties cut into these, each with what it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from compiler.extract.rules.document_reader import provision_readings
from compiler.extract.rules.provisions import is_metadata, provisions
from compiler.extract.rules.statements import Act, Duty, End, Jump, Rule
from compiler.grounding.coverage import overlaps
from compiler.grounding.redaction import redacted
from compiler.text.addressed import DOCUMENTS_AT_HAND
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece, is_overlong, sentences, split
from ir.document import Document
from ir.procedure import Modality

Matter = Literal["definition", "purpose", "heading", "reference", "other"]
_STATES = frozenset({"duties", "penalties", "recurring"})
"""Sections whose sentences demand something also without a modal word."""
_CONDITION_EN = re.compile(r"(?:if|when|where|unless|once|whenever|in case|provided)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\b(?:if|when|where|unless|who|which|because|once|until|whenever)\b[^,;]*(?=[,;.]|$)", re.IGNORECASE
)
_THIRD = re.compile(r"(?<!^)\b([a-z]{3,}s)\s+(?:the|an?|its|his|her|their|all|each|any|every|this|these|whether|to)\b")
_CONDITION_ZH = re.compile(r"(?:的|时|后|前|[情]形|情况)[，,]?$|^(?:若|如(?![下实期何数])|当|凡)")


@dataclass(frozen=True)
class Statement:
    """A sentence, or one of the duties of a sentence with several.

    Args:
        modality: what its modal word says; None where it has none.
        forbids: whether it says that something must not be.
        demands: whether it speaks of something that somebody does, must do or must not do.
        matter: what it is for where it demands nothing.
        duties: how many statements its sentence was cut into.
    """

    piece: Piece
    modality: Modality | None
    forbids: bool
    demands: bool
    matter: Matter
    duties: int


@lru_cache(maxsize=DOCUMENTS_AT_HAND)
def statements(document: Document) -> tuple[Statement, ...]:
    """All statements of a document in reading order, those of running heads and table cells among them."""
    return tuple(_Statements(document))


class _Statements:
    """Reads one document."""

    def __init__(self, document: Document) -> None:
        self.document, self.cues = document, lexicon(document.language)
        read = redacted(document)
        self.sections: dict[str, str | None] = {}
        for provision in provisions(read, self.cues):
            self.sections.setdefault(provision.block.address, provision.section)
            self.sections |= {cell.address: provision.section for cell in provision.block.cells}
        readings = provision_readings(read)
        told = [s for each in readings for s in each.statements]
        self.acts: dict[str, list[tuple[int, int]]] = {}
        for piece, _ in (listed for each in readings for listed in each.unplaced):
            self.acts.setdefault(piece.block, []).append((piece.start, piece.end))
        for said in told:
            if isinstance(said, Act | Jump | End | Rule | Duty) and not getattr(said, "words", ""):
                piece = said.sentence if isinstance(said, Rule | Duty) else said.piece
                self.acts.setdefault(piece.block, []).append((piece.start, piece.end))

    def __iter__(self) -> Iterator[Statement]:
        heads = {cell.address for block in self.document.blocks for cell in block.cells if cell.header}
        heads |= {block.address for block in self.document.blocks if block.kind in ("heading", "caption")}
        cells = {cell.address for block in self.document.blocks for cell in block.cells}
        begins = {block.address: block.body_start for block in self.document.blocks}
        for passage in self.document.passages():
            whole = Piece(passage.address, 0, len(passage.text), passage.text).part(begins.get(passage.address, 0))
            for sentence in sentences(whole, self.document.language):
                if is_overlong(sentence.text):
                    yield self._overlong(sentence)
                    continue
                parts = duties(sentence, self.cues)
                for piece in parts:
                    control = is_metadata(whole.text, self.cues) and passage.address not in cells
                    if passage.tag is not None or passage.address in heads or control:
                        matter: Matter = "heading" if passage.address in heads or control else "other"
                        yield Statement(piece, None, False, False, matter, len(parts))
                    else:
                        yield self._statement(piece, len(parts))

    def _overlong(self, piece: Piece) -> Statement:
        """A sentence that is too long to be read: it demands what its words of duty say."""
        found = self.cues.modal(piece.text)
        modality: Modality | None = self.cues.table("modals")[found[0].lower()] if found else None
        return Statement(piece, modality, False, modality is not None, "other", 1)

    def _statement(self, piece: Piece, parts: int) -> Statement:
        found = self.cues.modal(piece.text)
        modality: Modality | None = self.cues.table("modals")[found[0].lower()] if found else None
        main = _SUBORDINATE.sub(" ", piece.text) if self.cues.language != "zh" else piece.text
        forbids = self.cues.pattern("forbids").search(main) is not None
        matter = self._matter(piece)
        sure = forbids or self.cues.pattern("duty").search(piece.text) is not None
        if matter == "purpose" and not self.cues.pattern("definition_sentence").search(piece.text):
            sure = sure or overlaps(piece, self.acts)  # an act in a section whose heading speaks of purposes
        demands = sure or (matter not in ("definition", "purpose") and (modality is not None or self._acts(piece)))
        return Statement(piece, "must_not" if forbids else modality, forbids, demands, matter, parts)

    def _acts(self, piece: Piece) -> bool:
        """Whether somebody does something, or something is told to be done, though no modal word says so."""
        if overlaps(piece, self.acts):
            return True
        section = self.sections.get(piece.block)
        words = ("penalty", "tells", "demands")
        tells = any(self.cues.pattern(each).search(piece.text) for each in words) or self._commands(piece)
        return tells or (section in _STATES and re.search(r"[。；;.!]$", piece.text) is not None)

    def _commands(self, piece: Piece) -> bool:
        """Whether an English sentence begins with the base form of a verb, or tells what somebody does to something.

        `Define a strict posture.`, `The gatehouse checks the identity card.`
        """
        if self.cues.language == "zh":
            return False
        first = re.match(r"(?:please\s+|always\s+|also\s+)?([a-z]+)\s+\S", piece.text, re.IGNORECASE)
        third = (match[1].lower() for match in _THIRD.finditer(piece.text))
        plain = (form for word in third for form in (word[:-1], word[:-2], word[:-3] + "y"))
        return (first is not None and first[1].lower() in self._verbs) or any(form in self._verbs for form in plain)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        verbs = self.cues.table("verbs") if self.cues.language != "zh" else {}
        kinds = self.cues.table("kinds") if self.cues.language != "zh" else {}
        return frozenset(word for table in (verbs, kinds) for words in table.values() for word in words)

    def _matter(self, piece: Piece) -> Matter:
        section, cues = self.sections.get(piece.block), self.cues
        if cues.pattern("reference_sentence").search(piece.text):
            return "reference"
        if cues.pattern("defines").search(piece.text) or section == "definitions":
            return "definition"
        if cues.pattern("definition_sentence").search(piece.text) or section == "purpose":
            return "purpose"
        return "other"


def duties(sentence: Piece, cues: Lexicon) -> tuple[Piece, ...]:
    """A sentence cut so that each part holds one duty, with the conditions before it and what goes on after it.

    >>> from compiler.text.lexicon import lexicon
    >>> text = "应当办妥备案；未办妥的，不得发运。"
    >>> [p.text for p in duties(Piece("b", 0, len(text), text), lexicon("zh"))]
    ['应当办妥备案；', '未办妥的，不得发运。']
    """
    condition = _CONDITION_ZH if cues.language == "zh" else _CONDITION_EN
    groups: list[list[Piece]] = [[]]
    bound = False
    for part in split(sentence, "，,；;", keep=True):
        modal = cues.modal(part.text)
        led = modal is not None and cues.language != "zh" and condition.match(part.text) is not None
        if modal is not None and not led:
            if bound:
                carried: list[Piece] = []
                while len(groups[-1]) > 1 and condition.search(groups[-1][-1].text):
                    carried.insert(0, groups[-1].pop())
                groups.append(carried)
            bound = True
        groups[-1].append(part)
    if len(groups) == 1:
        return (sentence,)
    starts = [group[0].start - sentence.start for group in groups]
    ends = [*starts[1:], len(sentence.text)]
    return tuple(sentence.part(start, end) for start, end in zip(starts, ends, strict=True))
