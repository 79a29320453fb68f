"""The words of a document that a finding rests on, in their sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowc.terminal import clean, one_line, paint
from ir.diagnostics import Diagnostic
from ir.document import Document, Passage
from ir.source import Evidence

_SHOWN = 3
_WIDTH = 90
_AROUND = 60
_ENDS = re.compile(r"[。！？；!?;\n]+|\.(?=\s)")


@dataclass(frozen=True)
class Excerpt:
    """A quote where it stands.

    Args:
        before, after: the rest of its sentence.
    """

    passage: Passage
    before: str
    quote: str
    after: str


def quoted(diagnostic: Diagnostic, documents: Sequence[Document]) -> Iterator[str]:
    """Lines on the quotes of a finding: with their sentences where the document is at hand, else the words alone."""
    for index, evidence in enumerate(diagnostic.evidence[:_SHOWN]):
        found = excerpt(evidence, documents)
        if found:
            page = f" (page {found.passage.page})" if found.passage.page else ""
            yield f"  quote: {clean(evidence.doc_id)}, {clean(found.passage.address)}{page}"
            yield f"    | {_sentence(found)}"
        elif index == 0 and evidence.quote not in diagnostic.message:
            yield f"  quote: “{one_line(clean(evidence.quote), _WIDTH)}”"
    if len(diagnostic.evidence) > _SHOWN:
        yield f"  and {len(diagnostic.evidence) - _SHOWN} more quotes"


def excerpt(evidence: Evidence, documents: Sequence[Document]) -> Excerpt | None:
    """The sentence of a quote; None where the document is not at hand, or does not have the words in one place."""
    document = next((one for one in documents if one.doc_id == evidence.doc_id), None)
    place = _place(evidence, document) if document and evidence.quote else None
    if place is None:
        return None
    passage, start = place
    text, end = passage.text, start + len(evidence.quote)
    begin = max((match.end() for match in _ENDS.finditer(text, 0, start)), default=0)
    stop = _ENDS.search(text, max(start, end - 1))
    return Excerpt(
        passage, text[begin:start].lstrip(), evidence.quote, text[end : max(end, stop.end()) if stop else None]
    )


def _place(evidence: Evidence, document: Document) -> tuple[Passage, int] | None:
    """The passage that has the words, and the offset of the words in it."""
    span = evidence.span
    passages = list(document.passages())
    if span:
        passage = next((one for one in passages if one.address == span.block), None)
        return (passage, span.start) if passage and passage.text[span.start : span.end] == evidence.quote else None
    found = [
        (passage, match.start())
        for passage in passages
        for match in re.finditer(re.escape(evidence.quote), passage.text)
    ]
    wanted = evidence.occurrence or 1
    alone = len(found) == 1 or evidence.occurrence is not None
    return found[wanted - 1] if alone and wanted <= len(found) else None


def _sentence(found: Excerpt) -> str:
    before, after = one_line(clean(found.before)), one_line(clean(found.after))
    before = before if len(before) <= _AROUND else "…" + before[-_AROUND:]
    spaced = " " if found.before[-1:].isspace() else ""
    behind = " " if found.after[:1].isspace() else ""
    quote = paint(f"«{one_line(clean(found.quote), _WIDTH)}»", "cyan")
    return f"{before}{spaced if before else ''}{quote}{behind}{one_line(after, _AROUND)}"
