"""Compiles texts that state a computation, one by one, and runs their drafts: `python -m evals.formulas`."""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from evals.formulas.judge import FATES, Judgement, judge
from evals.formulas.texts import FormulaText, read_texts
from ir.errors import CompilerError
from llm import ModelChoice
from llm.limits import Limits
from llm.options import read_timeout

TEXTS = Path(__file__).resolve().parents[2] / "fixtures" / "formulas"


def judged(text: FormulaText, settings: Settings) -> Judgement:
    """What becomes of one text, compiled as a document of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{text.id}.txt"
        file.write_text(text.text + "\n", "utf-8")
        build = compile_documents(file, settings)
    return judge(text, [one.workflow for one in build.procedures if one.workflow is not None])


def main() -> int:
    """Print what became of them; 1 where any is silently wrong."""
    parser = argparse.ArgumentParser(prog="python -m evals.formulas", description=__doc__)
    parser.add_argument("--language", choices=["zh", "en"], action="append")
    reader = parser.add_mutually_exclusive_group(required=True)
    reader.add_argument("--offline", action="store_true", help="by cue words, not by a model")
    reader.add_argument("--model", help="ask this one, and record its answers with --record")
    reader.add_argument("--replay", type=Path, help="a folder of recorded answers")
    parser.add_argument("--base-url")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--json", type=Path, help="write every judgement there")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()
    choice = None
    if not args.offline:
        wait = read_timeout(os.environ.get("FLOWC_MODEL_TIMEOUT", str(Limits.timeout)))
        asking = Limits(timeout=wait)
        choice = ModelChoice(args.model, args.base_url, replay=args.replay, record=args.record, limits=asking)
    texts = [one for language in args.language or ["en", "zh"] for one in read_texts(TEXTS / f"{language}.json")]
    with ProcessPoolExecutor(args.jobs) as pool:
        try:
            found = list(pool.map(partial(judged, settings=Settings(model=choice, role="policy")), texts))
        except CompilerError as error:
            parser.error(str(error))
    for one in found:
        if one.fate != "right":
            print(f"{one.fate:8} {one.text.id}: {one.text.text}\n         {one.why}")  # noqa: T201
    print(f"\n{'':6}" + "".join(f"{fate:>10}" for fate in FATES))  # noqa: T201
    for language in sorted({one.text.language for one in found}):
        counts = Counter(one.fate for one in found if one.text.language == language)
        print(f"{language:6}" + "".join(f"{counts[fate]:10}" for fate in FATES))  # noqa: T201
    print(f"right {sum(one.fate == 'right' for one in found) / len(found):.3f} of {len(found)}")  # noqa: T201
    if args.json:
        lines = [{"id": one.text.id, "fate": one.fate, "why": one.why} for one in found]
        args.json.write_text(json.dumps(lines, ensure_ascii=False, indent=1), "utf-8")
    return int(any(one.fate == "wrong" for one in found))


if __name__ == "__main__":
    sys.exit(main())
