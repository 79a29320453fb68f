"""What metrics look at: a case, what came of it, and what stands for what between the two."""

from dataclasses import dataclass, field
from functools import cached_property

from rapidfuzz import fuzz

from catalog.load import Catalog
from evals.cases import Case
from evals.matching.assignment import assign
from evals.matching.nodes import Matching, match, pair_workflows
from evals.matching.places import Places
from evals.outcome import Draft, Outcome
from ir.document import Document
from ir.procedure import Procedure, Step
from ir.workflow import Workflow

SAME_STEP, BY_WORDING = 0.5, 0.1


@dataclass(frozen=True)
class Located:
    """A step with the procedure that it is of."""

    procedure: Procedure
    step: Step

    @property
    def key(self) -> tuple[str, str]:
        """The ids of procedure and step."""
        return self.procedure.id, self.step.id


@dataclass(frozen=True)
class Pair:
    """A gold workflow, the draft that is meant to be it, and the matching; no draft where none has a step of it."""

    gold: Workflow
    draft: Draft | None
    matching: Matching | None


@dataclass(frozen=True)
class View:
    """A case and what came of it."""

    case: Case
    outcome: Outcome
    catalog: Catalog
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", Places(self.outcome.documents))

    @property
    def policies(self) -> tuple[Document, ...]:
        """The case's policies, as far as they could be read."""
        paths = {one.path.removeprefix("documents/") for one in self.case.file.documents if one.role == "policy"}
        return tuple(one for name, one in self.outcome.documents.items() if name in paths)

    @cached_property
    def gold_steps(self) -> tuple[Located, ...]:
        """Every step of gold."""
        return tuple(Located(p, step) for p in self.case.procedures for step in p.steps)

    @cached_property
    def found_steps(self) -> tuple[Located, ...]:
        """Every step that was found."""
        return tuple(Located(d.procedure, step) for d in self.outcome.drafts for step in d.procedure.steps)

    @cached_property
    def steps(self) -> tuple[tuple[Located, Located], ...]:
        """Steps that are the same, as (gold, found): one to one, by overlap of evidence first, wording second."""
        weights = [[self._same_step(gold.step, found.step) for found in self.found_steps] for gold in self.gold_steps]
        return tuple((self.gold_steps[r], self.found_steps[c]) for r, c in assign(weights))

    def _same_step(self, gold: Step, found: Step) -> float:
        words = self.places.overlap(gold.evidence, found.evidence)
        if words < SAME_STEP:
            return 0.0
        return words + BY_WORDING * fuzz.ratio(gold.text.casefold(), found.text.casefold()) / 100

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Each gold workflow with its draft."""
        golds = tuple(self.case.workflows[p.id] for p in self.case.procedures)
        drafts = self.outcome.drafts
        of = dict(pair_workflows(golds, [draft.workflow for draft in drafts], self.places))
        return tuple(
            Pair(gold, drafts[of[i]], match(gold, drafts[of[i]].workflow, self.places, self.catalog))
            if i in of
            else Pair(gold, None, None)
            for i, gold in enumerate(golds)
        )

    @cached_property
    def extra(self) -> tuple[Draft, ...]:
        """Drafts that stand for no gold workflow."""
        paired = [pair.draft for pair in self.pairs]
        return tuple(draft for draft in self.outcome.drafts if not any(draft is one for one in paired))
