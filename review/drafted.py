"""What was drafted, with what is worked out of it once: decisions that leave the draft as it is change none of it."""

from dataclasses import dataclass
from functools import cached_property

from catalog.load import Catalog
from compiler.decisions.anchoring import Anchoring
from compiler.decisions.apply_decisions import fate_of
from compiler.decisions.decided import DecisionFate
from compiler.decisions.elements import Element, elements
from compiler.report.review.parts import Page, Review
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import Workflow


@dataclass(frozen=True, eq=False)
class Drafted:
    """A draft without what people ruled on it; it is the same only as itself, so that much can be kept of it.

    Args:
        document: that it was drawn from.
        reading: the procedure as it was read, before anybody decided anything.
        procedure: as it is drafted.
        statements: of the document, those that are this draft's own.
        verdict: what it said of itself before anybody ruled on it.
    """

    catalog: Catalog
    document: Document
    reading: Procedure
    procedure: Procedure
    workflow: Workflow
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    statements: tuple[StatementFate, ...]

    @cached_property
    def anchoring(self) -> Anchoring:
        """Makes and finds anchors in the document."""
        return Anchoring(self.document)

    @cached_property
    def elements(self) -> dict[tuple[str, str], Element]:
        """What of the procedure can be decided on, by kind and id."""
        return {(one.kind, one.id): one for one in elements(self.procedure)}

    @cached_property
    def page(self) -> Page:
        """The review page's view of it, for its keys and names."""
        review = Review(
            workflow=self.workflow, procedure=self.procedure, documents=(self.document,), diagnostics=self.diagnostics,
            catalog=self.catalog, statements=self.statements, verdict=self.verdict,
        )  # fmt: skip
        return Page(review)

    def fate(self, decision: Decision, *, replaced: bool) -> DecisionFate:
        """What becomes of a ruling or a comment on it.

        Args:
            replaced: a later one took its place.
        """
        found = self._fates.get((decision, replaced))
        if found is None:
            found = fate_of(decision, self.procedure, self.anchoring, replaced=replaced)
            self._fates[decision, replaced] = found
        return found

    @cached_property
    def _fates(self) -> dict[tuple[Decision, bool], DecisionFate]:
        return {}
