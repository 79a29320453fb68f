"""Faults of evidence: quotes altered, set elsewhere, lost."""

from collections.abc import Iterator

from evals.metrics.grounding import altered
from evals.mutation.subject import Json, Kind, Mutant, Subject
from ir.document import Document


def quote_altered(subject: Subject) -> Iterator[Mutant]:
    """A number or a word of duty in a quote is another; where there is none, the quote lacks its first letter."""
    for path, evidence in _evidence(subject):
        other = next(altered(evidence["quote"]), evidence["quote"][1:])
        if other:
            what = f"{_path_text(path)}: “{other}” for “{evidence['quote']}”"
            yield subject.copy().put(other, *path, "quote").done(what)


def quote_set_elsewhere(subject: Subject) -> Iterator[Mutant]:
    """A quote is said to stand in the block after or before its own."""
    documents = {document.doc_id: document for document in subject.documents}
    for path, evidence in _evidence(subject):
        document = documents.get(evidence["doc_id"])
        block = evidence.get("block")
        if document is not None and block is not None:
            other = _neighbouring_block(document, block)
            yield subject.copy().put(other, *path, "block").done(f"{_path_text(path)}: set to {other}")


def evidence_removed(subject: Subject) -> Iterator[Mutant]:
    """What is said to come from the document has no quote any more."""
    for part, key, element in _elements(subject):
        if element.get("evidence") and element.get("origin", "document") == "document":
            yield subject.copy().drop(part, key, "evidence").done(f"{part} {key} without evidence")


def _elements(subject: Subject) -> Iterator[tuple[str, str | int, Json]]:
    yield from (("nodes", name, node) for name, node in subject.raw["nodes"].items())
    yield from (("edges", index, edge) for index, edge in enumerate(subject.raw["edges"]))


def _evidence(subject: Subject) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """The first quote of each node and edge that was found in its document."""
    for part, key, element in _elements(subject):
        for evidence in element.get("evidence", [])[:1]:
            if evidence.get("block") is not None:
                yield (part, key, "evidence", 0), evidence


def _neighbouring_block(document: Document, block: str) -> str:
    addresses = [passage.address for passage in document.passages()]
    at = addresses.index(block)
    return addresses[at + 1] if at + 1 < len(addresses) else addresses[at - 1]


def _path_text(path: tuple[str | int, ...]) -> str:
    return f"{path[0]} {path[1]}"


KINDS: tuple[Kind, ...] = (quote_altered, quote_set_elsewhere, evidence_removed)
