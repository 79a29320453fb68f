"""Generated workflows run as they are walked, whatever fails on the way and whatever people say."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from plant import CATALOG, ROLES, Recorded, host_in, published, user

from evals.executions.draw import calls_of, drawn_run, drawn_workflow
from evals.executions.generated import trials
from evals.executions.play import play
from evals.executions.recorded import differences, giving_something
from ir.walk import walk

pytestmark = pytest.mark.slow


def test_runs_of_generated_workflows_go_as_walks_do(tmp_path: Path) -> None:
    """Forty of those of `python -m evals.executions.generated`, with every kind of failure and answer among them."""
    found = [*trials(tmp_path, 40, seed=1)]
    assert [one for one in found if one.told] == []
    ends = Counter(one.end for one in found)
    assert {"completed", "failed", "rejected"} <= ends.keys()
    assert {kind for one in found for kind in one.kinds} >= {
        "answer refused once", "answer refused twice", "approval refused", "asked for inputs", "failed for good",
        "failed after all attempts", "passed when tried again", "output that does not fit", "settled: done",
    }  # fmt: skip


def test_a_run_that_goes_otherwise_is_told(tmp_path: Path) -> None:
    """A walk in which an approval was refused differs from the run in which it was given."""
    recorded = Recorded()
    host = host_in(tmp_path, recorded)
    rng = Random("1 0")
    version = published(host, giving_something(drawn_workflow(rng, 0, CATALOG)))
    drawn = drawn_run(rng, version.definition, CATALOG)
    recorded.gives = calls_of(drawn)
    found = play(host, {name: user(host, name) for name in ROLES}, version, drawn, rng)
    assert differences(host, found, walk(version.definition, drawn.inputs, drawn.records)) == []
    last = walk(version.definition, drawn.inputs, drawn.records).path[-2]
    told = differences(host, found, walk(version.definition, drawn.inputs, drawn.records | {last: {"$error": "NO"}}))
    assert any(one.startswith("reason: NO in the walk") for one in told)
