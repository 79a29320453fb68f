"""Tries hostile data of every kind, and tells what crashed, took too long or too much."""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from evals.hostile_data.trials import trials


def main() -> int:
    """Print counts, the slowest, the largest, and each crash once; 1 where anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m evals.hostile_data", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first, to go on or to look at one")
    args = parser.parse_args()
    came: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    slowest: list[tuple[float, int, str]] = []
    largest: list[tuple[int, int, str]] = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for one in trials(args.count, args.seed, Path(folder), args.first):
            came[f"{one.kind} {one.came}"] += 1
            slowest = sorted([*slowest, (one.seconds, one.number, one.kind)], reverse=True)[:5]
            largest = sorted([*largest, (one.size, one.number, one.kind)], reverse=True)[:5]
            if not one.holds:
                place = "\n".join(one.trace.strip().splitlines()[-3:]) or f"{one.kind} {one.came}"
                faults[place] += 1
                if faults[place] == 1:
                    took = f"{one.seconds:.1f} s, {one.size / 2**20:.0f} MiB"
                    print(f"{one.kind} {one.came} {one.number} ({took})\n{one.trace}", flush=True)  # noqa: T201
    print(", ".join(f"{name} {number}" for name, number in sorted(came.items())))  # noqa: T201
    print("slowest: " + ", ".join(f"{kind} {n} {seconds:.2f} s" for seconds, n, kind in slowest))  # noqa: T201
    print("largest: " + ", ".join(f"{kind} {n} {size / 2**20:.0f} MiB" for size, n, kind in largest))  # noqa: T201
    print(f"{args.count} in {time.perf_counter() - started:.0f} s, {sum(faults.values())} do not hold")  # noqa: T201
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
