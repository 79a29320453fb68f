"""Do two nodes ever change the same thing at the same time?"""

from collections.abc import Iterator
from itertools import combinations

from ir.diagnostics import Diagnostic, Related
from ir.predicate import Operand
from validator.analysis.locations import at_node
from validator.check_input import CheckInput, error, warning
from validator.proofs.branches import Answer
from validator.proofs.runs import Example
from validator.runs.workflow_analysis import Analysis

Written = tuple[str, tuple[Operand, ...]]


def parallel_side_effects(given: CheckInput) -> Iterator[Diagnostic]:
    """Two nodes change the same thing in one run, and neither comes before the other.

    What: the Types of both write the same kind of thing (`writes` of the Node Type), the inputs that say which one are
        the same references or literals, no path leads from one to the other, and some run comes to both. A warning
        where that is not known.
    Why: which of the two comes last is chance, and the other's work is lost; no replay shows it.
    Bad: `check→suspend` and `check→revoke` without conditions, both with `"licence_number": "$.inputs.licence"`.
    Good: an edge that says which comes first, or conditions that choose one of the two.
    """
    analysis = given.analysis
    written = {name: tuple(_written(analysis, name)) for name in analysis.graph.order}
    for first, second in combinations([name for name in written if written[name]], 2):
        common = [kind for kind, which in written[first] if (kind, which) in written[second]]
        ordered = first in analysis.graph.ancestors[second] or second in analysis.graph.ancestors[first]
        if not common or ordered or not analysis.runs_together(first, second):
            continue
        run = analysis.proofs.all_can_run((first, second))
        if run is not False:
            yield _found(given, first, second, common[0], run)


def _written(analysis: Analysis, name: str) -> Iterator[Written]:
    """What a node changes, with the values that say which one; nothing where one of them is not given."""
    node, found = analysis.workflow.nodes[name], analysis.scope.type_of(name)
    for kind, inputs in found.writes.items() if found else ():
        if all(each in node.inputs for each in inputs):
            yield kind, tuple(node.inputs[each] for each in inputs)


def _found(given: CheckInput, first: str, second: str, kind: str, run: Answer) -> Diagnostic:
    make, sure = (error, "") if isinstance(run, Example) else (warning, ", as far as is known")
    return make(
        "parallel-side-effects",
        f'"{first}" and "{second}" change the same {kind.replace("_", " ")} in one run{sure}, and neither comes before '
        "the other",
        at_node(given.workflow, second),
        found=[first, second],
        witness=(run.values() or None) if isinstance(run, Example) else None,
        related=(Related(message="the other node", location=at_node(given.workflow, first)),),
    )


CHECKS = (parallel_side_effects,)
