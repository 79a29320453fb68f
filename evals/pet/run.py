"""Reads the texts of a PET file, from syntax or with a language model, and scores what is found."""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from evals.pet.adapter import annotate
from evals.pet.narration_reader import read_narration
from evals.pet.narrative_reader import read_narrative
from evals.pet.read import Annotation, Record, read_records
from evals.pet.score import Scores, pooled, score
from ir.document import Document
from ir.errors import BadInputFile
from ir.procedure import Procedure
from llm import Model, ModelFault, OpenedModel, Reply, Request


@dataclass(frozen=True)
class DocumentScores:
    """The counts of one document.

    Args:
        tokens: sent and received by a model; None where the endpoint did not count them.
        calls: requests answered by a model.
        fault: why the model gave no answer; everything that gold has is then missed.
    """

    id: str
    scores: Scores
    tokens: int | None = 0
    calls: int = 0
    fault: str | None = None


@dataclass(frozen=True)
class PetReport:
    """The counts of each document, in the order of the file, and those of all together."""

    documents: tuple[DocumentScores, ...]

    @cached_property
    def pooled(self) -> Scores:
        """All documents together (micro)."""
        return pooled(one.scores for one in self.documents)


def run(
    path: Path, *, only: Collection[str] | None = None, reader: Callable[[Document], Procedure] = read_narrative
) -> PetReport:
    """Read each text of a file and score it against the file's annotation.

    Args:
        only: ids of the documents to take; all where it is None.
        reader: makes a procedure of a text; it sees nothing but the text.

    Raises:
        CompilerError: the file cannot be read, has none of the documents, or the `syntax` extra is not installed.
    """
    return PetReport(tuple(_scored(reader, record) for record in _chosen(path, only)))


def run_with_model(path: Path, opened: OpenedModel, *, only: Collection[str] | None = None) -> PetReport:
    """Read each text of a file with a model, as many at a time as it says, and score it against the annotation.

    Args:
        only, path: as for `run`.

    Raises:
        CompilerError: the file cannot be read or has none of the documents.
    """

    def scored(record: Record) -> DocumentScores:
        counted = _Counted(opened.model)
        one = _scored(lambda document: read_narration(document, counted), record)
        return replace(one, tokens=counted.tokens, calls=len(counted.replies))

    with ThreadPoolExecutor(opened.max_tasks) as pool:
        return PetReport(tuple(pool.map(scored, _chosen(path, only))))


@dataclass
class _Counted:
    """A model, with the replies that it gave."""

    model: Model
    replies: list[Reply] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def tokens(self) -> int | None:
        """Sent and received together; None where some are unknown."""
        counts = [count for reply in self.replies for count in (reply.usage.sent, reply.usage.received)]
        return None if None in counts else sum(count for count in counts if count is not None)

    def answer(self, request: Request) -> Reply:
        reply = self.model.answer(request)
        self.replies.append(reply)
        return reply


def _chosen(path: Path, only: Collection[str] | None) -> list[Record]:
    """The documents of a file that are asked for."""
    records = read_records(path)
    missing = sorted(set(only or ()) - {record.id for record in records})
    if missing:
        raise BadInputFile(f"{path}: no document {missing[0]!r}; it has {', '.join(r.id for r in records)}")
    return [record for record in records if only is None or record.id in only]


def _scored(reader: Callable[[Document], Procedure], record: Record) -> DocumentScores:
    try:
        procedure = reader(record.document)
    except ModelFault as fault:
        return DocumentScores(record.id, score(record.gold, Annotation((), ())), fault=str(fault))
    return DocumentScores(record.id, score(record.gold, annotate(procedure, record)))
