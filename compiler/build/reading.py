"""A document as it was read, before anybody decided anything about it: its drafts can be made again from it."""

from compiler.draft.alignment import AlignedStep, Sources
from ir.base import Model
from ir.diagnostics import Diagnostic
from ir.facts import DocumentRole
from ir.procedure import Procedure

FILE = "reading.json"


class Aligned(Model):
    """What a model said of the Types of a procedure's steps, and where values come from."""

    steps: dict[str, AlignedStep]
    sources: Sources = Sources()


class Reading(Model):
    """What was read of one document.

    Args:
        procedures: as they were read, or as a person put them in.
        diagnostics: what was found in reading it.
        whole: whether a person put the procedures in.
        model: the name of the model that was to read it; None where none was.
        aligned: by procedure that a model read, what it said of it.
    """

    role: DocumentRole | None = None
    procedures: tuple[Procedure, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    whole: bool = False
    model: str | None = None
    aligned: dict[str, Aligned] = {}
