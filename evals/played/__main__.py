"""Behaviour as played: `python -m evals.played fixtures/cases --split held_out`.

Each case with `stories.yaml` is compiled from its recorded answers (or offline), and its scenarios are played by the
recorded answers in `played/`, or by the model that is named, whose answers are recorded there. `--of gold` plays gold
itself, which says how good stories and players are; `--of second` the gold of a second, independent reader, which is
as far as a careful person comes.
"""

import argparse
import os
import sys
from pathlib import Path

from catalog.load import load_catalog
from evals.cases import read_suite
from evals.played.measure import SECOND, STORIES, CaseFound, played_case
from evals.tally import pooled
from ir.errors import CompilerError
from llm import ModelChoice
from llm.limits import Limits
from llm.options import read_timeout


def main() -> int:
    """Print a line for each case and the sum; 1 where a case could not be played."""
    parser = argparse.ArgumentParser(prog="python -m evals.played", description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--split", choices=("dev", "held_out"))
    parser.add_argument("--of", choices=("draft", "gold", "second"), default="draft")
    parser.add_argument("--offline", action="store_true", help="drafts by cue words, not by the recorded answers")
    parser.add_argument("--model", help="ask this one for what is not recorded, and record it")
    parser.add_argument("--base-url")
    args = parser.parse_args()
    limits = Limits(timeout=read_timeout(os.environ.get("FLOWC_MODEL_TIMEOUT", str(Limits.timeout))))
    choice = ModelChoice(args.model, args.base_url, limits=limits)
    catalog, found = load_catalog(), []
    try:
        for case in read_suite(args.suite):
            if args.split not in (None, case.file.split) or not (case.folder / STORIES).is_file():
                continue
            if args.of == "second" and not (case.folder / SECOND).is_dir():
                continue
            one = played_case(case, args.of, choice, catalog, offline=args.offline)
            found.append(one)
            print(_line(case.slug, one), flush=True)  # noqa: T201
            for run in one.played if case.file.split == "dev" else ():  # of held-out cases only the scores are seen
                for difference in run.differences:
                    print(f"    {run.scenario}: {difference}")  # noqa: T201
    except CompilerError as error:
        parser.error(str(error))
    whole = CaseFound(pooled(one.runs for one in found), pooled(one.steps for one in found), True, ())
    print(_line(f"{len(found)} cases", whole))  # noqa: T201
    return int(not all(one.told for one in found))


def _line(name: str, one: CaseFound) -> str:
    if not one.runs.wanted:
        return f"{name:34} not recorded for this draft; name a player with --model"
    rest = "" if one.told else "  (a part is not recorded)"
    runs = f"{one.runs.right:g} of {one.runs.wanted:g} runs"
    return f"{name:34} {one.runs.value or 0:.3f}  {runs}, steps {one.steps.value or 0:.3f}{rest}"


if __name__ == "__main__":
    sys.exit(main())
