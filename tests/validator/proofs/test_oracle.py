"""The solver against an enumerator that knows nothing of it, over groups of conditions drawn from a seed."""

import os
from math import inf

import pytest
import z3
from effort import drawn
from groups import group

from catalog.load import Catalog
from ir.predicate import Otherwise, evaluate
from ir.walk import OpenChoice, choose
from ir.workflow import Workflow
from validator.analysis.branch_outcomes import conditions
from validator.analysis.enumeration import space_of
from validator.analysis.graph import graph_of
from validator.analysis.types import Scope
from validator.proofs.proofs import Proofs
from validator.proofs.runs import Example

pytestmark = pytest.mark.slow

CHUNKS, EACH = 10, drawn(120, 500)
FIRST = int(os.environ.get("FLOWC_SEED", "0"))
CATALOG = Catalog({}, {})
CONTEXT = z3.Context()


def tried(workflow: Workflow) -> dict[str, object] | None:
    """What trying all values finds; None where there are too many of them, or they do not stand for all."""
    scope = Scope(workflow, CATALOG)
    edges = dict(enumerate(workflow.edges))
    trees = conditions(edges)

    space = space_of(trees.values(), scope.spec, nulls=scope.null_sources)
    if not (space.small and space.exact):
        return None
    found: dict[str, object] = {"overlap": False, "gap": False}
    true, false, first, taken = set[int](), set[int](), set[int](), set[int]()
    for values in space:
        truths = {index: evaluate(tree, values) for index, tree in trees.items()}
        true |= {index for index, truth in truths.items() if truth is True}
        false |= {index for index, truth in truths.items() if truth is False}
        held = {index for index, truth in truths.items() if truth is True}
        smallest = min((_rank(edges[index].priority) for index in held), default=0.0)
        first |= {index for index in held if _rank(edges[index].priority) == smallest}
        outcome = choose(
            edges, workflow.nodes["start"].split or "exclusive", lambda tree, at=values: evaluate(tree, at)
        )
        if not isinstance(outcome, OpenChoice):
            taken |= outcome
        elif outcome.why == "overlap":
            distinct = {(edges[i].target, repr(edges[i].condition)) for i in outcome.edges}
            found["overlap"] = found["overlap"] or len(distinct) > 1
        elif outcome.why == "no-way-on":
            found["gap"] = True
    never = set(trees) - true
    meaningless = never - false
    return found | {
        "contradictory": never - meaningless,
        "meaningless": meaningless,
        "shadowed": true - first,
        "certain": set(trees) - false - meaningless,
        "idle": {i for i, edge in edges.items() if isinstance(edge.condition, Otherwise) and i not in taken},
    }


def _rank(priority: int | None) -> float:
    return inf if priority is None else priority


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_solver_and_enumerator_agree(chunk: int) -> None:
    """On 5,000 groups (fewer in `make check`), in this or any seed (`FLOWC_SEED=7 pytest …`); witnesses replay."""
    compared, seed = 0, (FIRST * CHUNKS + chunk) * 100_000
    while compared < EACH:
        seed += 1
        workflow = group(seed)
        wanted = tried(workflow)
        if wanted is None:
            continue
        compared += 1
        graph = graph_of(workflow)
        proofs = Proofs(workflow, graph, Scope(workflow, CATALOG), {name: frozenset() for name in graph.order}, CONTEXT)
        proved = proofs.branches("start")
        assert proved is not None, f"seed {seed}: {proofs.opaque('start')}"
        assert proofs.contradictions == [], f"seed {seed}"
        assert proved.undecided == (), f"seed {seed}"
        given = {
            "overlap": isinstance(proved.overlap, Example),
            "gap": isinstance(proved.gap, Example),
            "contradictory": set(proved.contradictory),
            "meaningless": set(proved.meaningless),
            "shadowed": set(proved.shadowed),
            "certain": set(proved.certain),
            "idle": set(proved.idle),
        }
        assert given == wanted, f"seed {seed}"
