"""Reads the texts of a PET file with the narrative reader and scores what it finds."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from compiler.errors import BadInputFile
from compiler.offline.narrative import read_narrative
from evals.pet.adapter import annotate
from evals.pet.read import read_records
from evals.pet.score import Scores, pooled, score
from ir.document import Document
from ir.procedure import Procedure


@dataclass(frozen=True)
class DocumentScores:
    """The counts of one document."""

    id: str
    scores: Scores


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
    records = read_records(path)
    missing = sorted(set(only or ()) - {record.id for record in records})
    if missing:
        raise BadInputFile(f"{path}: no document {missing[0]!r}; it has {', '.join(r.id for r in records)}")
    chosen = [record for record in records if only is None or record.id in only]
    return PetReport(
        tuple(
            DocumentScores(record.id, score(record.gold, annotate(reader(record.document), record)))
            for record in chosen
        )
    )
