"""Gold as the compiler would hand it over: each quote with its place, beside procedures and documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from compiler.grounding.locate import QuoteFinder
from compiler.grounding.order import ground_procedure
from compiler.parsers import parse
from evals.cases import Case
from evals.metrics.grounding import quotes_of
from ir.document import Document
from ir.procedure import Procedure
from ir.source import Evidence
from ir.workflow import Workflow

Places = dict[tuple[str, str, int | None], Evidence]


@dataclass(frozen=True)
class Gold:
    """A gold workflow, with what a build folder would hold beside it."""

    workflow: Workflow
    procedures: tuple[Procedure, ...]
    documents: tuple[Document, ...]


def gold_of(case: Case) -> Iterator[Gold]:
    """The gold workflows of a case, each with its procedure and all documents of the case.

    A quote that stands in several places is placed where the procedure has it; where that does not tell either, it is
    `ambiguous`.
    """
    documents = _documents(case)
    libraries = {document.doc_id: QuoteFinder(document) for document in documents}
    for workflow in case.workflows.values():
        places: Places = {}
        grounded = []
        for procedure in (one for one in case.procedures if one.id == workflow.workflow_id):
            placed = ground_procedure(procedure, libraries[procedure.doc_id])[0]
            pairs = zip(quotes_of(procedure), quotes_of(placed), strict=True)
            places |= {(before.doc_id, before.quote, before.occurrence): after for before, after in pairs}
            grounded.append(placed)
        raw = _placed(workflow.to_json(), places, libraries)
        yield Gold(Workflow.model_validate(raw), tuple(grounded), documents)


def _documents(case: Case) -> tuple[Document, ...]:
    read = [parse((case.folder / one.path).read_bytes(), Path(one.path).name).document for one in case.file.documents]
    return tuple(document for document in read if document is not None)


def _placed(value: JsonValue, places: Places, libraries: Mapping[str, QuoteFinder]) -> JsonValue:
    """A JSON form with a place for each quote in it."""
    match value:
        case {"doc_id": str(doc_id), "quote": str()} if doc_id in libraries:
            given = Evidence.model_validate(value)
            known = places.get((doc_id, given.quote, given.occurrence))
            return (known or libraries[doc_id].search(given.quote, occurrence=given.occurrence).evidence).to_json()
        case dict():
            return {key: _placed(item, places, libraries) for key, item in value.items()}
        case list():
            return [_placed(item, places, libraries) for item in value]
    return value
