"""How many of the faults put into right workflows the validator sees: a table by kind, and what it does not see."""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from evals.cases import read_suite
from evals.mutation.kinds import KINDS
from evals.mutation.run import Outcome, measure

CASES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "cases"


def main() -> int:
    """Print the report; of cases that are held out only the counts."""
    parser = argparse.ArgumentParser(prog="python -m evals.mutation", description=__doc__)
    parser.add_argument("suite", nargs="?", type=Path, default=CASES, help="a folder of cases, or one")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="this kind alone; may be repeated")
    parser.add_argument("--case", action="append", help="this case alone, by its folder's name; may be repeated")
    parser.add_argument("--split", choices=("dev", "held_out"), help="only the cases of one split")
    parser.add_argument("--at-most", type=int, help="so many of a kind in a workflow, spread evenly; all, if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes beside each other")
    parser.add_argument("--json", action="store_true", help="every outcome that may be shown as JSON, no table")
    args = parser.parse_args()
    folders = [
        case.folder
        for case in read_suite(args.suite)
        if case.procedures
        and case.slug in (args.case or [case.slug])
        and case.file.split == (args.split or case.file.split)
    ]
    started = time.perf_counter()
    jobs = min(args.jobs, max(len(folders), 1))
    outcomes = list(measure(folders, args.kind or list(KINDS), jobs, args.at_most))
    seconds = time.perf_counter() - started
    if args.json:
        shown = [asdict(one) for one in outcomes if one.split == "dev"]
        print(json.dumps(shown, ensure_ascii=False, indent=1))  # noqa: T201
    else:
        for line in report(outcomes, seconds):
            print(line)  # noqa: T201
    return 0


def report(outcomes: Sequence[Outcome], seconds: float) -> Iterator[str]:
    """The table by kind, the rates, and the faults not seen in cases that may be shown."""
    yield f"{'kind':28} {'mutants':>8} {'killed':>7} {'by error':>9} {'survived':>9} {'same':>5} {'rate':>6}"
    by_kind: dict[str, list[Outcome]] = {}
    for one in outcomes:
        by_kind.setdefault(one.kind, []).append(one)
    for kind, group in by_kind.items():
        yield _row(kind, group)
    yield _row("all", outcomes)
    for split in ("dev", "held_out"):
        yield _row(split, [one for one in outcomes if one.split == split])
    rates = [rate for group in by_kind.values() if (rate := killed_rate(group)) is not None]
    if rates:
        yield f"kinds {len(by_kind)}, mean of their rates {sum(rates) / len(rates):.3f}; {seconds:.0f} s"
    yield "not seen, in dev cases:"
    for one in outcomes:
        if one.verdict == "survived" and one.split == "dev":
            yield f"  {one.kind}: {one.case}/{one.workflow}: {one.what}"


def killed_rate(outcomes: Sequence[Outcome]) -> float | None:
    """The share of the faults that the validator saw; those that change nothing do not count. None of none."""
    counted = [one for one in outcomes if one.verdict != "equivalent"]
    return sum(one.killed for one in counted) / len(counted) if counted else None


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    found = Counter(one.verdict for one in outcomes)
    killed, rate = found["error"] + found["warning"], killed_rate(outcomes)
    share = "    –" if rate is None else f"{rate:.3f}"
    counts = f"{len(outcomes):8} {killed:7} {found['error']:9} {found['survived']:9} {found['equivalent']:5}"
    return f"{name:28} {counts} {share:>6}"


if __name__ == "__main__":
    sys.exit(main())
