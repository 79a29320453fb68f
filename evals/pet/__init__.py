"""PET: how well processes are read from English text, against an external benchmark."""

from evals.pet.adapter import annotate
from evals.pet.read import Annotation, Mention, MentionType, Record, Relation, RelationType, read_records
from evals.pet.run import DocumentScores, PetReport, run, run_with_model
from evals.pet.score import Counts, Scores, pooled, score

__all__ = [
    "Annotation",
    "Counts",
    "DocumentScores",
    "Mention",
    "MentionType",
    "PetReport",
    "Record",
    "Relation",
    "RelationType",
    "Scores",
    "annotate",
    "pooled",
    "read_records",
    "run",
    "run_with_model",
    "score",
]
