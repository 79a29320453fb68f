"""Whether runs go as walks do: generated workflows with drawn inputs, failures and answers, run and walked."""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from evals.executions.draw import calls_of, drawn_run, drawn_workflow
from evals.executions.play import play
from evals.executions.recorded import CATALOG, ROLES, Recorded, differences, giving_something, host_in, published, user
from ir.walk import walk
from runtime.host import Host
from runtime.telling import replay
from store import audit


@dataclass(frozen=True)
class Trial:
    """What became of one generated workflow.

    Args:
        told: each difference in a sentence; empty where the run is as the walk.
        end: how the walk ended.
        kinds: what was drawn for the run.
    """

    number: int
    told: tuple[str, ...]
    end: str
    nodes: int
    kinds: tuple[str, ...]


def trials(folder: Path, count: int, seed: int, first: int = 0) -> Iterator[Trial]:
    """Workflows one after the other, all in one workspace; at last the audit of all of it, where it is not whole.

    Args:
        folder: without a workspace.
        first: the number of the first; each number with a seed always gives the same workflow and run.
    """
    recorded = Recorded()
    host = host_in(folder, recorded)
    for number in range(first, first + count):
        yield trial(host, recorded, number, Random(f"{seed} {number}"))  # noqa: S311 - no secret
    workspace = host.workspace
    with workspace.transaction() as connection:
        heads = workspace.heads.read_text("utf-8") if workspace.heads.is_file() else ""
        broken = audit.verify(connection, heads, workspace.key.public)
    if broken:
        yield Trial(first + count, tuple(one.message for one in broken), "audit", 0, ())
    workspace.database.close()


def trial(host: Host, recorded: Recorded, number: int, rng: Random) -> Trial:
    """One workflow, published, run and walked."""
    workflow = drawn_workflow(rng, number, host.catalog)
    version = published(host, giving_something(workflow))
    drawn = drawn_run(rng, version.definition, CATALOG)
    expected = walk(version.definition, drawn.inputs, drawn.records)
    recorded.gives, recorded.calls = calls_of(drawn), []
    users = {name: user(host, name) for name in ROLES}
    try:
        found = play(host, users, version, drawn, rng)
    except Exception as error:  # noqa: BLE001 - any is a finding
        told = [f"{type(error).__name__}: {error}"]
    else:
        told = differences(host, found, expected)
        replayed = replay(host, found.id)
        told += replayed.differences
        if dict(replayed.walk.result.outputs) != dict(expected.result.outputs):
            outputs = dict(expected.result.outputs), dict(replayed.walk.result.outputs)
            told.append(f"outputs: {outputs[0]} in the walk, {outputs[1]} in the run")
        left = {name: given for name, given in recorded.gives.items() if given}
        told += [f"{name} was called {len(given)} times less than S6 says" for name, given in left.items()]
    return Trial(number, tuple(told), expected.result.status, len(expected.path), tuple(drawn.kinds))


def main() -> int:
    """Print how many agree, what was drawn, and each difference with its number; 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m evals.executions.generated", description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first, to go on or to look at one")
    args = parser.parse_args()
    begun = time.perf_counter()
    ends: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    agree = nodes = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for one in trials(Path(folder), args.count, args.seed, args.first):
            agree, different = agree + (not one.told), different + bool(one.told)
            nodes += one.nodes
            ends[one.end] += 1
            kinds.update(one.kinds)
            if (one.number + 1) % 100 == 0:
                print(f"{one.number + 1} done", file=sys.stderr, flush=True)  # noqa: T201
            for told in one.told:
                print(f"seed {args.seed}, number {one.number}: {told}", flush=True)  # noqa: T201
    print(f"{agree} of {args.count} runs are as their walks, over {nodes} nodes")  # noqa: T201
    print("ends: " + ", ".join(f"{name} {number}" for name, number in ends.most_common()))  # noqa: T201
    print("drawn: " + ", ".join(f"{name} {number}" for name, number in kinds.most_common()))  # noqa: T201
    print(f"{time.perf_counter() - begun:.0f} s")  # noqa: T201
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
