"""What a check of conformance is given: a workflow with what it was drawn from."""

from dataclasses import dataclass

from ir.decisions.decision import Decision
from ir.document import Document
from ir.procedure import Procedure
from validator.check_input import CheckInput


@dataclass(frozen=True, eq=False)
class ConformanceInput(CheckInput):
    """A workflow and all that it can be held against.

    Args:
        procedures: what the workflow was drawn from, where that is known.
        documents: what its evidence stands in, where they are at hand.
        decisions: what people decided about it.
    """

    procedures: tuple[Procedure, ...] = ()
    documents: tuple[Document, ...] = ()
    decisions: tuple[Decision, ...] = ()
