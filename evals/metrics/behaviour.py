"""Behaviour, the headline: over scenarios, does the draft decide, go and end as gold does?

Walked are the case's scenarios and generated ones that vary one steering fact at a time (`evals.behaviour`).
`behaviour` is the share with the same decisions, path and result and every steering fact matched; beside it each of
the three by itself, and `behaviour.node`, F1 over the steps that ran, which says how near the paths come.
`matching.node` and `matching.fact` score the matching: how many of gold's steps and steering facts have a partner.
"""

from collections.abc import Mapping

from evals.behaviour import ScenarioRun, generate_scenarios, walk_scenario
from evals.matching.contraction import contract
from evals.matching.facts import facts_of
from evals.matching.nodes import Matching, match, steps_of
from evals.matching.view import Pair, View
from evals.tally import Tally, pooled, share
from ir.scenario import Scenario
from ir.workflow import Workflow


def behaviour(view: View) -> Mapping[str, Tally]:
    """Tallies of a case."""
    found = [_of_pair(view, pair) for pair in view.pairs]
    names = dict.fromkeys(name for one in found for name in one)
    return {name: pooled(one[name] for one in found if name in one) for name in names}


def walked(view: View, pair: Pair) -> tuple[ScenarioRun, ...]:
    """How the draft of a gold workflow did, scenario by scenario; nothing where there is no draft."""
    if pair.matching is None:
        return ()
    return tuple(walk_scenario(one, pair.matching) for one in all_scenarios(view, pair))


def all_scenarios(view: View, pair: Pair) -> tuple[Scenario, ...]:
    """The scenarios of a gold workflow that ask for nothing unasked, and the generated ones."""
    own = pair.matching or match(pair.gold, pair.gold, view.places, view.catalog)
    given = tuple(one for one in view.case.scenarios_of(pair.gold.workflow_id) if takes_no_exception_path(one, own))
    return (*given, *generate_scenarios(own.gold, given, own))


def takes_no_exception_path(scenario: Scenario, known: Matching) -> bool:
    """Whether a scenario takes no exception path: without the unasked nodes its walk still comes to an end."""
    outputs = {name: record for name, record in scenario.outputs.items() if name in known.gold.nodes}
    kept = scenario.model_copy(update={"outputs": outputs})
    taken = kept.walk(known.gold)
    return taken.undecided is None and taken.result.status == scenario.result.status


def _of_pair(view: View, pair: Pair) -> dict[str, Tally]:
    scenarios = all_scenarios(view, pair)
    steering = [fact for fact in facts_of(contract(pair.gold), view.catalog) if fact.steers]
    steps = len(steps_of(contract(pair.gold)))
    if pair.matching is None:
        nothing = share(0, len(scenarios))
        parts = dict.fromkeys(("behaviour", "behaviour.path", "behaviour.result"), nothing)
        alone = match(pair.gold, pair.gold, view.places, view.catalog)
        return parts | {
            "behaviour.decision": share(0, sum(walk_scenario(one, alone).branchings for one in scenarios)),
            "behaviour.node": Tally(wanted=sum(len(steps_run(one, pair.gold)) for one in scenarios)),
            "matching.node": share(0, steps),
            "matching.fact": share(0, len(steering)),
        }
    runs = [walk_scenario(one, pair.matching) for one in scenarios]
    return {
        "behaviour": share(sum(run.passed for run in runs), len(runs)),
        "behaviour.decision": share(sum(run.decisions for run in runs), sum(run.branchings for run in runs)),
        "behaviour.path": share(sum(run.path for run in runs), len(runs)),
        "behaviour.result": share(sum(run.result for run in runs), len(runs)),
        "behaviour.node": pooled(_nodes_run(run) for run in runs),
        "matching.node": share(len(pair.matching.nodes), steps),
        "matching.fact": share(sum(fact.ref in pair.matching.facts for fact in steering), len(steering)),
    }


def steps_run(scenario: Scenario, gold: Workflow) -> tuple[str, ...]:
    """The steps that gold runs in a scenario, without unasked ones."""
    kept = contract(gold)
    outputs = {name: record for name, record in scenario.outputs.items() if name in kept.nodes}
    path = scenario.model_copy(update={"outputs": outputs}).walk(kept).path
    return tuple(name for name in path if name in steps_of(kept))


def _nodes_run(run: ScenarioRun) -> Tally:
    return steps_tally(*run.steps)


def steps_tally(wanted: int, found: int, both: int) -> Tally:
    """F1 of the steps that ran in one scenario: in gold, in the draft, in both.

    >>> steps_tally(6, 4, 4).value
    0.8
    """
    return Tally(right=both, wanted=wanted, found=found)
