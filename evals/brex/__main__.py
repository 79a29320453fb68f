"""Compiles the texts of BREX one by one and scores their rules: `python -m evals.brex FILE --offline`."""

import argparse
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from evals.brex.rules import Account, read_accounts, rules_of
from evals.brex.score import Scored, score, summed
from evals.tally import Tally
from ir.errors import CompilerError
from llm import ModelChoice
from llm.limits import Limits
from llm.options import read_timeout


def scored(account: Account, settings: Settings) -> Scored:
    """One text, compiled as a document of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{account.id}.txt"
        file.write_text(account.text + "\n", "utf-8")
        build = compile_documents(file, settings)
    return score(account.gold, rules_of([one.procedure for one in build.procedures]))


def main() -> int:
    """Print precision, recall and F1 of rules and dependencies."""
    parser = argparse.ArgumentParser(prog="python -m evals.brex", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--first", type=int, default=None, help="only so many texts")
    reader = parser.add_mutually_exclusive_group(required=True)
    reader.add_argument("--offline", action="store_true", help="by cue words, not by a model")
    reader.add_argument("--model", help="ask this one, and record its answers with --record")
    reader.add_argument("--replay", type=Path, help="a folder of recorded answers")
    parser.add_argument("--base-url")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()
    choice = None
    if not args.offline:
        wait = read_timeout(os.environ.get("FLOWC_MODEL_TIMEOUT", str(Limits.timeout)))
        limits = Limits(timeout=wait)
        choice = ModelChoice(args.model, args.base_url, replay=args.replay, record=args.record, limits=limits)
    try:
        accounts = read_accounts(args.file)[: args.first]
        with ProcessPoolExecutor(args.jobs) as pool:
            settings = Settings(model=choice, role="policy", syntax=False)
            found = summed(pool.map(partial(scored, settings=settings), accounts))
    except CompilerError as error:
        parser.error(str(error))
    print(f"{len(accounts)} texts{'precision':>27}{'recall':>10}{'F1':>10}")  # noqa: T201
    rows = {
        "rules, exact": found.exact,
        "rules, conditions aligned": found.condition,
        "  of these those that compare": found.steering,
        "rules, aligned": found.aligned,
        "dependencies": found.links,
    }
    for name, tally in rows.items():
        print(_line(name, tally))  # noqa: T201
    return 0


def _line(name: str, tally: Tally) -> str:
    precision = tally.right / tally.found if tally.found else 0.0
    recall = tally.right / tally.wanted if tally.wanted else 0.0
    counts = f"{tally.right:g} right of {tally.wanted:g}, {tally.found:g} found"
    return f"{name:30}{precision:>8.3f}{recall:>10.3f}{tally.value or 0.0:>10.3f}   {counts}"


if __name__ == "__main__":
    sys.exit(main())
