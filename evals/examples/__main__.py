"""What the cases of the gold workflows show and find: `python -m evals.examples fixtures/cases`."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from evals.cases import read_suite
from evals.examples.measure import Killed, Measured, kill_rate, measure_case

CASES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "cases"


def main() -> int:
    """Print a line for each workflow, the coverage, and the kill rate; of held-out cases no fault is named."""
    parser = argparse.ArgumentParser(prog="python -m evals.examples", description=__doc__)
    parser.add_argument("suite", nargs="?", type=Path, default=CASES, help="a folder of cases, or one")
    parser.add_argument("--split", choices=("dev", "held_out"), help="only the cases of one split")
    parser.add_argument("--no-faults", action="store_true", help="only the coverage")
    parser.add_argument("--jobs", type=int, default=1, help="processes beside each other")
    args = parser.parse_args()
    folders = [
        case.folder for case in read_suite(args.suite) if case.procedures and args.split in (None, case.file.split)
    ]
    found: list[Measured] = []
    with ProcessPoolExecutor(args.jobs) as pool:
        for measured in pool.map(measure_case, [(folder, not args.no_faults) for folder in folders]):
            for one in measured:
                found.append(one)
                print(_line(one), flush=True)  # noqa: T201
    for line in report(found):
        print(line)  # noqa: T201
    return 0


def _line(one: Measured) -> str:
    rate = kill_rate(one.mutants)
    fates = Counter(mutant.fate for mutant in one.mutants)
    told = "" if rate is None else f"  kills {rate:.3f} ({fates['killed']} of {len(one.mutants) - fates['same']})"
    reachable = one.targets - one.unreachable
    return (
        f"{one.workflow:36} {one.nodes:3} nodes  {reachable - one.not_found:3}/{reachable:3} shown  "
        f"{one.cases:3} cases  {one.seconds:5.1f} s{told}"
    )


def report(found: Iterable[Measured]) -> Iterator[str]:
    """The sums: the share of what runs can show that cases show, cases a workflow, time, and the kill rate."""
    found = list(found)
    reachable = sum(one.targets - one.unreachable for one in found)
    shown = reachable - sum(one.not_found for one in found)
    yield f"shown {shown} of {reachable} targets that some run may reach ({shown / max(reachable, 1):.4f})"
    count, made = len(found), sum(one.cases for one in found)
    slowest = max((one.seconds for one in found), default=0)
    yield f"cases {made} of {count} workflows, {made / max(count, 1):.1f} each; slowest {slowest:.1f} s"
    for split in ("dev", "held_out"):
        own = [mutant for one in found if one.split == split for mutant in one.mutants]
        if own:
            yield _rate(split, own)
    every = [mutant for one in found for mutant in one.mutants]
    if every:
        yield _rate("all", every)
    for one in found:
        for mutant in one.mutants if one.split == "dev" else ():
            if mutant.fate in ("survived", "unknown"):
                yield f"  {mutant.fate}: {one.workflow}: {mutant.kind}: {mutant.what}"


def _rate(name: str, mutants: list[Killed]) -> str:
    fates, rate = Counter(one.fate for one in mutants), kill_rate(mutants)
    told = ", ".join(f"{fates[fate]} {fate}" for fate in ("killed", "survived", "unknown", "same"))
    return f"{name}: kill rate {rate:.4f} ({told})" if rate is not None else f"{name}: {told}"


if __name__ == "__main__":
    sys.exit(main())
