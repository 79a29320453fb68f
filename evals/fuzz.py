"""Whether reading, validating and explaining stand anything: diagnostics only, never a traceback, never for long."""

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

from catalog.load import Catalog, load_catalog
from compiler.conformance import ConformanceInput, validate_with_sources
from evals.cases import read_suite
from evals.generate.broken_values import broken_text
from evals.generate.workflows import valid_workflow
from ir.codec import read_workflow
from validator.explain.explanation import explain
from validator.explain.text import render_text

LIMIT = 5.0
"""Seconds of the processor that one workflow may take."""
CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"


@dataclass(frozen=True)
class Trial:
    """What became of one broken workflow.

    Args:
        came: `refused` by the reader, `read` and validated, `crashed` or `late`.
        seconds: of the processor, as other programs may take the machine's time.
        trace: of the crash.
    """

    number: int
    text: str
    came: Literal["refused", "read", "crashed", "late"]
    seconds: float
    trace: str = ""


def trials(count: int, seed: int, cases: Path = CASES, first: int = 0) -> Iterator[Trial]:
    """Broken workflows one after the other.

    Args:
        cases: of the dev cases there gold is broken, beside generated workflows.
        first: the number of the first; each number with a seed always gives the same text.
    """
    catalog = load_catalog()
    gold = [w for case in read_suite(cases) if case.file.split == "dev" for w in case.workflows.values()]
    right = [w.to_json() for w in (*gold, *(valid_workflow(n, catalog, stages=3) for n in range(10)))]
    for number in range(first, first + count):
        yield try_text(number, broken_text(Random(f"{seed} {number}"), right), catalog)  # noqa: S311 - no secret


def try_text(number: int, text: str, catalog: Catalog) -> Trial:
    """Read, validate and explain one text."""
    started = time.process_time()
    came: Literal["refused", "read", "crashed", "late"] = "refused"
    trace = ""
    try:
        with ended_after(4 * LIMIT):
            came = "read" if _asked(text, catalog) else "refused"
    except Exception:  # noqa: BLE001 - any is a finding
        came, trace = "crashed", traceback.format_exc()
    seconds = time.process_time() - started
    return Trial(number, text, "late" if seconds > LIMIT and came != "crashed" else came, seconds, trace)


def _asked(text: str, catalog: Catalog) -> bool:
    """All that is asked about a workflow's text; whether it could be read."""

    def resolve(name: str) -> str | None:
        found = catalog.resolve(name)
        return found.type if found else None

    workflow, faults = read_workflow(text, resolve=resolve)
    for one in faults:
        str(one)
    if workflow is None:
        assert faults, "refused without a diagnostic"
        return False
    for one in validate_with_sources(ConformanceInput(workflow, catalog)):
        str(one)
        one.model_dump_json()
    render_text(explain(workflow, catalog))
    return True


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer; only where the platform has alarms."""

    def ring(signum: int, frame: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def main() -> int:
    """Print counts, the slowest, and each crash, whose text is kept; 1 where anything crashed or was late."""
    parser = argparse.ArgumentParser(prog="python -m evals.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first, to go on or to look at one")
    kept_in = Path("out/fuzz-crashes")
    parser.add_argument("--keep", type=Path, default=kept_in, help="folder for what crashes or is late")
    args = parser.parse_args()
    came: Counter[str] = Counter()
    traces: Counter[str] = Counter()
    slowest: list[tuple[float, int]] = []
    started = time.perf_counter()
    for one in trials(args.count, args.seed, first=args.first):
        came[one.came] += 1
        slowest = sorted([*slowest, (one.seconds, one.number)], reverse=True)[:5]
        if one.came in ("crashed", "late"):
            args.keep.mkdir(parents=True, exist_ok=True)
            kept = args.keep / f"{args.seed}-{one.number}.json"
            kept.write_text(one.text, "utf-8")
            place = "\n".join(one.trace.strip().splitlines()[-3:])
            traces[place] += 1
            if traces[place] == 1:
                print(f"{one.came} {one.number} ({one.seconds:.1f} s), kept as {kept}\n{one.trace}")  # noqa: T201
    print(", ".join(f"{name} {number}" for name, number in came.most_common()))  # noqa: T201
    print("slowest: " + ", ".join(f"{number} {seconds:.2f} s" for seconds, number in slowest))  # noqa: T201
    print(f"{args.count} in {time.perf_counter() - started:.0f} s")  # noqa: T201
    return 1 if traces else 0


if __name__ == "__main__":
    sys.exit(main())
