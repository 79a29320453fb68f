"""Routes against all walks: random workflows, every combination of values."""

from collections.abc import Iterator

from effort import drawn
from hypothesis import given, settings
from test_soundness import CATALOG, walks, workflows

from ir.walk import Walk
from ir.workflow import Workflow
from validator.analysis.graph import exits
from validator.runs.example_runs import run_along_path
from validator.runs.routes import Routes
from validator.runs.workflow_analysis import Analysis


def taken_ways(workflow: Workflow, walk: Walk) -> Iterator[tuple[str, ...]]:
    """The ways that one walk took, from the nodes that no edge enters to where it ended."""
    entered = {edge.target for edge in workflow.edges}
    waiting = [(name,) for name in workflow.nodes if name not in entered]
    while waiting:
        way = waiting.pop()
        onward = {
            edge.target
            for index, edge in enumerate(workflow.edges)
            if edge.source == way[-1] and walk.edges[index] == "taken"
        }
        if onward:
            waiting += [(*way, target) for target in onward]
        else:
            yield way


@settings(max_examples=drawn(20, 40))
@given(workflows())
def test_routes_are_the_ways_of_walks(workflow: Workflow) -> None:
    """Every way of a decided walk is a route; where all walks are decided and none forks, every route is such a way."""
    analysis = Analysis(workflow, CATALOG)
    routes = Routes(analysis, frozenset(exits(workflow)))
    listed = [way.nodes for way in routes]
    assert routes.count.exact
    assert routes.count.routes == len(listed)
    taken = [walk for walk, _ in walks(workflow)]
    decided = [walk for walk in taken if walk.undecided is None and walk.path]
    ways = {way for walk in decided for way in taken_ways(workflow, walk)}
    assert ways <= set(listed)
    if not analysis.runs_in_parallel and not any(walk.undecided and walk.undecided.why == "overlap" for walk in taken):
        assert ways == set(listed)


@settings(max_examples=drawn(20, 40))
@given(workflows())
def test_a_run_along_a_route_goes_along_it(workflow: Workflow) -> None:
    """Where no run forks, the run made for a route comes by all its nodes, unless it stops for want of values."""
    analysis = Analysis(workflow, CATALOG)
    if analysis.runs_in_parallel:
        return
    for way in Routes(analysis, frozenset(exits(workflow))):
        run = run_along_path(analysis, way)
        walk = run.walk(workflow) if run else None
        assert walk is not None
        if walk.undecided is None:
            assert walk.path == way.nodes
