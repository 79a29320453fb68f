"""The metrics, one family a file: each says what it counts, of a case and what came of it, as tallies by name."""

from collections.abc import Callable, Iterator, Mapping

from evals.matching.view import View
from evals.metrics.behaviour import behaviour
from evals.metrics.conditions import conditions
from evals.metrics.extraction import extraction
from evals.metrics.governance import governance
from evals.metrics.grounding import grounding
from evals.metrics.mapping import mapping
from evals.metrics.parsing import parsing
from evals.metrics.policy import policy
from evals.metrics.recall import recall
from evals.metrics.validity import validity
from evals.metrics.workflow import workflow
from evals.tally import Tally

Metric = Callable[[View], Mapping[str, Tally]]
METRICS: tuple[Metric, ...] = (
    parsing,
    grounding,
    extraction,
    recall,
    workflow,
    conditions,
    mapping,
    policy,
    behaviour,
    governance,
    validity,
)


FOUND = frozenset(  # metrics of what is found or missed, F1; the others are plain shares
    {
        "extraction.step", "extraction.deadline", "extraction.condition", "extraction.gap", "workflow.node",
        "workflow.edge", "workflow.order", "workflow.mapping", "behaviour.node", "governance.node",
    }
)  # fmt: skip


def measure(view: View) -> Iterator[tuple[str, Tally]]:
    """Every metric that applies to a case, by name."""
    for metric in METRICS:
        yield from ((name, tally) for name, tally in metric(view).items() if tally.applies)


__all__ = ["FOUND", "METRICS", "Metric", "measure"]
