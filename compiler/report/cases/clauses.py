"""Names of the clauses in which quotes stand, as people cite them: `第十二条（一）`, `4.2(b)`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from compiler.report.words import Words
from ir.base import Model
from ir.document import Block, Document
from ir.source import Evidence

_ARTICLE = re.compile(r"第.+[条條款]|(article|clause|section)\s", re.IGNORECASE)
_CHAPTER = re.compile(r"第.+[章节節编編]")
_DOTTED = re.compile(r"\d+\.\d")
_SHOWN = 24


class Clause(Model):
    """A place of a document that decides something.

    Args:
        name: as people cite it.
        quote: its words.
        block: its address, where the quote was located.
    """

    name: str
    quote: str
    doc_id: str
    block: str | None = None


@dataclass(frozen=True, eq=False)
class Clauses:
    """Names the clauses of documents.

    Args:
        main: the document that needs not be named.
    """

    words: Words
    documents: Sequence[Document] = ()
    main: str | None = None

    def of(self, evidence: Iterable[Evidence]) -> tuple[Clause, ...]:
        """The clauses of quotes, each name once."""
        found = (Clause(name=self.name(one), quote=one.quote, doc_id=one.doc_id, block=one.block) for one in evidence)
        return tuple({clause.name: clause for clause in reversed([*found])}.values())[::-1]

    def name(self, evidence: Evidence) -> str:
        """The clause of a quote; where it has no label, the page, the heading above it, or the quote itself."""
        block = self._blocks.get((evidence.doc_id, evidence.block or ""))
        found = self._label(evidence.doc_id, block) if block is not None else None
        if found is None:
            heading = self._heading(evidence.doc_id, block) if block is not None else None
            found = self.words("clause.heading", heading) if heading else None
        if found is None and block is not None and block.page is not None:
            found = self.words("page", block.page)
        if found is None:
            found = self.words("clause.quote", _cut(evidence.quote))
        if self.main in (None, evidence.doc_id) or evidence.doc_id not in self._titles:
            return found
        return self.words("clause.of", found, self._titles[evidence.doc_id])

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {document.doc_id: document.title for document in self.documents}

    @cached_property
    def _blocks(self) -> dict[tuple[str, str], Block]:
        found: dict[tuple[str, str], Block] = {}
        for document in self.documents:
            for block in document.blocks:
                found[document.doc_id, block.address] = block
                found |= {(document.doc_id, cell.address): block for cell in block.cells}
        return found

    def _up(self, doc_id: str, block: Block) -> list[Block]:
        """A block and those above it."""
        found: list[Block] = []
        at: Block | None = block
        while at is not None and at not in found:
            found.append(at)
            at = self._blocks.get((doc_id, at.parent)) if at.parent is not None else None
        return found

    def _label(self, doc_id: str, block: Block) -> str | None:
        """The labels from the article down to the block; None where it stands under none."""
        labels: list[str] = []
        for at in self._up(doc_id, block):
            if at.label is None or not at.label.ordered:
                continue
            text = at.label.text.strip().rstrip(".、．:：")
            if _CHAPTER.fullmatch(text) and labels:
                break
            labels.insert(0, text)
            if _ARTICLE.match(text) or _DOTTED.match(text) or _CHAPTER.fullmatch(text):
                break
        name = ""
        for label in labels:
            if name.endswith(("条", "款")) and label.isascii() and label.isalnum():
                label = f"第{label}项"
            joint = "." if name and label[0].isalnum() and not label.startswith("第") else ""
            name += joint + label
        return name or None

    def _heading(self, doc_id: str, block: Block) -> str | None:
        """The nearest heading above a block, but for the document's title."""
        found = [at for at in self._up(doc_id, block)[1:] if at.kind == "heading" and at.parent is not None]
        return _cut(found[0].text) if found else None


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN else plain[: _SHOWN - 1] + "…"
