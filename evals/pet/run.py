"""Reads the texts of a PET file with the narrative reader and scores what it finds."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from compiler.errors import BadInputFile
from compiler.offline.narrative import read_narrative
from evals.pet.adapter import annotate
from evals.pet.read import read_records
from evals.pet.score import Counts, Scores, pooled, score
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

    def table(self) -> str:
        """The measures of all documents together, then by type, then two of them by document."""
        total = self.pooled
        rows = [
            ("mentions, overlap", total.mentions),
            ("mentions, exact", total.mentions_exact),
            ("relations, overlap", total.relations),
            ("relations, exact", total.relations_exact),
            ("activity graph", total.graph),
            *((f"  mention: {kind}", counts) for kind, counts in total.mention_types.items()),
            *((f"  relation: {kind}", counts) for kind, counts in total.relation_types.items()),
        ]
        lines = [f"{len(self.documents)} documents", f"{'':34}  {'P':>5}  {'R':>5}  {'F1':>5}  gold found right"]
        lines += [f"{name:34}  {_figures(counts)}" for name, counts in rows]
        lines.append(f"{'document':34}  mentions relations graph (F1, overlap)")
        for one in self.documents:
            each = (one.scores.mentions, one.scores.relations, one.scores.graph)
            lines.append(f"{one.id:34}  " + "  ".join(f"{counts.f1:.3f}" for counts in each))
        return "\n".join(lines)


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


def _figures(counts: Counts) -> str:
    return (
        f"{counts.precision:5.3f}  {counts.recall:5.3f}  {counts.f1:5.3f}  "
        f"{counts.gold:4} {counts.found:5} {counts.right:5}"
    )
