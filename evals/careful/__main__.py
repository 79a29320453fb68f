"""Prints what a second reading brings: `python -m evals.careful fixtures/cases --split held_out`."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from catalog.load import load_catalog
from compiler.build.scheduler import Settings
from evals.careful.counts import Counts, count
from evals.cases import Case, read_suite
from evals.matching.view import View
from evals.outcome import compile_case
from llm.choice import ModelChoice


def _measured(case: Case, choice: ModelChoice, *, record: bool, careful: bool) -> Counts:
    replies = case.folder / "replies"
    model = replace(choice, record=replies) if record else ModelChoice(replay=replies)
    settings = Settings(model=model, syntax=False, careful=careful)
    view = View(case, compile_case(case, settings), load_catalog())
    return count(view, named=case.file.split == "dev")


def main() -> int:
    """Print both readings side by side."""
    parser = argparse.ArgumentParser(prog="python -m evals.careful", description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--split", choices=("dev", "held_out"))
    parser.add_argument("--model", help="ask this model for what is not recorded, and record it")
    parser.add_argument("--base-url")
    args = parser.parse_args()
    choice = ModelChoice(name=args.model, base_url=args.base_url)
    cases = [case for case in read_suite(args.suite) if args.split in (None, case.file.split)]
    once, twice = Counts(), Counts()
    for case in cases:
        told = []
        for careful, counts in ((False, once), (True, twice)):
            own = _measured(case, choice, record=args.model is not None, careful=careful)
            counts.add(own)
            told.append(f"{own.silent} of {own.faults} silent")
        print(f"{case.slug}: {told[0]}, {told[1]} read twice", flush=True)  # noqa: T201
    rows = [("", "once", "twice"), *((n, getattr(once, n), getattr(twice, n)) for n in ("faults", "silent", "asked"))]
    rows += [("tokens", once.tokens, twice.tokens), ("times", "", f"{twice.tokens / max(once.tokens, 1):.2f}")]
    for name in ("agreed", "doubted"):
        wanted, right = getattr(twice, name), getattr(twice, f"{name}_right")
        rows.append((f"right, {name}", "", f"{right} of {wanted} ({right / max(wanted, 1):.3f})"))
    for row in rows:
        print(f"{row[0]:16}{row[1]!s:>10}{row[2]!s:>24}")  # noqa: T201
    for line in (*(f"once: {one}" for one in once.named), *(f"twice: {one}" for one in twice.named)):
        print(line)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
