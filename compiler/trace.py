"""What a build did: one record per pass, which becomes a row of the ledger."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ir.diagnostics import Diagnostic


@dataclass(frozen=True)
class PassRecord:
    """One run of one pass.

    Args:
        subject: the document or procedure it worked on.
        seconds: wall time.
        model_calls: requests sent to a model; 0 in the deterministic passes.
    """

    name: str
    subject: str
    inputs: tuple[Any, ...]
    output: Any
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    model_calls: int = 0

    def row(self) -> dict[str, Any]:
        """The record as a row of `ledger.jsonl`."""
        return {
            "pass": self.name,
            "subject": self.subject,
            "seconds": round(self.seconds, 6),
            "model_calls": self.model_calls,
            "diagnostics": len(self.diagnostics),
        }


Observer = Callable[[PassRecord], None]
