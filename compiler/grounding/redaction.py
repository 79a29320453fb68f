"""A document without what it says to machines: the form that is read, shown to models and searched for quotes."""

from collections.abc import Iterable, Sequence

from compiler.grounding.coverage import with_unplaced
from compiler.text.addressed import Addressed, find_addressed, says_to_machine
from compiler.text.lexicon import lexicon
from compiler.text.sentences import MASK
from ir.document import Block, Document
from ir.procedure import Procedure, UnplacedText
from ir.source import Evidence


def redacted(document: Document) -> Document:
    """The document with masks in place of what it says to machines; offsets and addresses are those of the document.

    Blocks of which nothing is left are gone, and what stood under them stands under what they stood under. A title of
    this kind gives way to the first heading that is left.
    """
    masked: dict[str, list[Addressed]] = {}
    for each in find_addressed(document):
        masked.setdefault(each.piece.block, []).append(each)
    if not masked and not says_to_machine(document.title):
        return document
    blocks = [_masked(block, masked) for block in document.blocks]
    gone = {block.address: block.parent for block in blocks if _empty(block) and _concerns(block, masked)}
    kept = tuple(
        block.model_copy(update={"parent": _above(block.parent, gone)}) if block.parent in gone else block
        for block in blocks
        if block.address not in gone
    )
    return document.model_copy(update={"blocks": kept, "title": _title(document, kept)})


def with_addressed(procedures: Sequence[Procedure], document: Document) -> tuple[Procedure, ...]:
    """The procedures with what the document says to machines listed as text without a place."""
    reason = str(lexicon(document.language).table("reasons")["machine"])
    texts = []
    for each in find_addressed(document):
        span = document.span(each.piece.block, each.piece.start, each.piece.end)
        texts.append(UnplacedText(text=span.quote, reason=reason, evidence=(Evidence.from_span(span),)))
    return with_unplaced(document, procedures, texts) if procedures else ()


def without_addressed(procedure: Procedure, document: Document) -> Procedure:
    """The procedure as it was before `with_addressed`; one that a person corrected has been listed already."""
    said = {(each.piece.block, each.piece.start, each.piece.end) for each in find_addressed(document)}
    kept = tuple(
        text for text in procedure.unplaced if not any((e.block, e.start, e.end) in said for e in text.evidence)
    )
    return procedure if len(kept) == len(procedure.unplaced) else procedure.model_copy(update={"unplaced": kept})


def _masked(block: Block, masked: dict[str, list[Addressed]]) -> Block:
    cells = tuple(
        cell.model_copy(update={"text": _hidden(cell.text, masked[cell.address])}) if cell.address in masked else cell
        for cell in block.cells
    )
    text = _hidden(block.text, masked.get(block.address, ()))
    return (
        block.model_copy(update={"text": text, "cells": cells}) if (text, cells) != (block.text, block.cells) else block
    )


def _hidden(text: str, runs: Iterable[Addressed]) -> str:
    for run in runs:
        text = text[: run.piece.start] + MASK * (run.piece.end - run.piece.start) + text[run.piece.end :]
    return text


def _concerns(block: Block, masked: dict[str, list[Addressed]]) -> bool:
    return not masked.keys().isdisjoint((block.address, *(cell.address for cell in block.cells)))


def _empty(block: Block) -> bool:
    return not block.body.strip() and not any(cell.text.strip() for cell in block.cells)


def _above(address: str | None, gone: dict[str, str | None]) -> str | None:
    while address in gone:
        address = gone[address]
    return address


def _title(document: Document, blocks: Sequence[Block]) -> str:
    if not says_to_machine(document.title):
        return document.title
    headings = (block.body for block in blocks if block.kind == "heading" and block.tag is None)
    return next(headings, "文件" if document.language == "zh" else "Document")
