"""One procedure and all that was made of it."""

from dataclasses import dataclass

from catalog.node_type import Candidate
from compiler.draft.alignment import NO_SOURCES, Alignment, Sources
from ir.diagnostics import Diagnostic, has_errors
from ir.facts import Bindings
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import Workflow

NOT_JUDGED = Verdict(sound=False)
"""The verdict on a draft before it was held against its document."""


@dataclass(frozen=True)
class Compiled:
    """One procedure and all that was made of it.

    Args:
        diagnostics: the validator's findings on the workflow, errors first, and those of the passes before.
        statements: what became of the statements of the document that are this draft's own.
        verdict: what the draft says of itself.
        sources: where a model holds that values come from.
    """

    procedure: Procedure
    candidates: dict[str, tuple[Candidate, ...]]
    alignment: Alignment
    workflow: Workflow
    bindings: tuple[Bindings, ...]
    diagnostics: tuple[Diagnostic, ...]
    statements: tuple[StatementFate, ...] = ()
    verdict: Verdict = NOT_JUDGED
    sources: Sources = NO_SOURCES

    @property
    def clean(self) -> bool:
        """Whether there is no error, be it of the workflow alone or held against its document."""
        return not has_errors(self.diagnostics)
