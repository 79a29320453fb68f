"""One procedure and all that was made of it."""

from dataclasses import dataclass

from catalog.node_type import Candidate
from compiler.draft.alignment import Alignment
from ir.diagnostics import Diagnostic, has_errors
from ir.facts import Bindings
from ir.procedure import Procedure
from ir.workflow import Workflow


@dataclass(frozen=True)
class Compiled:
    """One procedure and all that was made of it.

    Args:
        diagnostics: the validator's findings on the workflow, errors first, and those of the passes before.
    """

    procedure: Procedure
    candidates: dict[str, tuple[Candidate, ...]]
    alignment: Alignment
    workflow: Workflow
    bindings: tuple[Bindings, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def valid(self) -> bool:
        """Whether the validator found no error."""
        return not has_errors(self.diagnostics)

    def shares(self) -> dict[str, int]:
        """How many document steps are mapped, a person's by right, and unmapped."""
        kinds = [aligned.disposition for aligned in self.alignment.values()]
        return {kind: kinds.count(kind) for kind in ("mapped", "human", "unmapped")}
