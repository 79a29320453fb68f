"""What a build did: one record per pass, which becomes a row of the ledger."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ir.diagnostics import Diagnostic
from llm.budget import Spent


@dataclass(frozen=True)
class PassRecord:
    """One run of one pass.

    Args:
        subject: the document or procedure it worked on.
        seconds: wall time.
        processor: seconds of the processor, those of the reading process included.
        spent: what it asked of a model; nothing in the deterministic passes.
    """

    name: str
    subject: str
    inputs: tuple[Any, ...]
    output: Any
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    spent: Spent = field(default_factory=Spent)
    processor: float = 0.0

    def row(self) -> dict[str, Any]:
        """The record as a row of `ledger.jsonl`."""
        return {
            "pass": self.name,
            "subject": self.subject,
            "seconds": round(self.seconds, 6),
            "processor_seconds": round(self.processor, 6),
            "model_calls": self.spent.calls,
            "diagnostics": len(self.diagnostics),
            **({"model": self.spent.to_json()} if self.spent.asked else {}),
        }


Observer = Callable[[PassRecord], None]
