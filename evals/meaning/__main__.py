"""Compiles sentences of known meaning one by one and says what became of each: `python -m evals.meaning`."""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from evals.meaning.grammar import Sentence, draw, read_grammar
from evals.meaning.judge import FATES, Judgement, judge
from llm import ModelChoice

GRAMMARS = Path(__file__).resolve().parents[2] / "fixtures" / "meaning"
REPLIES = GRAMMARS / "replies"


def judged(sentence: Sentence, settings: Settings | None = None) -> Judgement:
    """What becomes of one sentence, compiled as a document of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.txt"
        file.write_text(sentence.text + "\n", "utf-8")
        build = compile_documents(file, settings)
    return judge(sentence, [one.workflow for one in build.procedures])


def sentences(which: str, languages: Iterable[str], count: int, seed: int) -> Iterator[Sentence]:
    """Drawn sentences of the grammars for development or for the gate."""
    for language in languages:
        yield from draw(read_grammar(GRAMMARS / which / f"{language}.yaml"), count, seed)


def main() -> int:
    """Print what became of them, by language and family; 1 where any is wrong, lost or opaque."""
    parser = argparse.ArgumentParser(prog="python -m evals.meaning", description=__doc__)
    parser.add_argument("--grammar", choices=["gate", "dev"], default="gate")
    parser.add_argument("--language", choices=["zh", "en"], action="append")
    parser.add_argument("--count", type=int, default=400, help="sentences a language")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family")
    parser.add_argument("--show", nargs="*", choices=FATES, default=["opaque", "lost", "wrong"])
    parser.add_argument("--json", type=Path, help="write every judgement there")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    model = parser.add_argument_group("read by a model, not offline")
    model.add_argument(
        "--replay", type=Path, nargs="?", const=REPLIES, help=f"recorded answers, {REPLIES.name} if not said"
    )
    model.add_argument("--model", help="ask this one, and record its answers")
    model.add_argument("--base-url")
    model.add_argument("--record", type=Path, default=REPLIES)
    args = parser.parse_args()
    choice = None
    if args.replay is not None:
        choice = ModelChoice(replay=args.replay)
    elif args.model:
        choice = ModelChoice(args.model, args.base_url, record=args.record)
    settings = Settings(model=choice) if choice is not None else None
    drawn = list(sentences(args.grammar, args.language or ["zh", "en"], args.count, args.seed))
    drawn = [s for s in drawn if args.family in (None, s.family)]
    with ProcessPoolExecutor(args.jobs) as pool:
        found = list(pool.map(partial(judged, settings=settings), drawn))
    _print(found, args.show)
    if args.json:
        lines = [{"id": j.sentence.id, "text": j.sentence.text, "fate": j.fate, "why": j.why} for j in found]
        args.json.write_text(json.dumps(lines, ensure_ascii=False, indent=1), "utf-8")
    return int(any(j.fate in ("wrong", "lost", "opaque") for j in found))


def _print(found: list[Judgement], show: list[str]) -> None:
    for one in found:
        if one.fate in show:
            print(f"{one.fate:7} {one.sentence.id}: {one.sentence.text}\n        {one.why}")  # noqa: T201
    for language in sorted({j.sentence.language for j in found}):
        own = [j for j in found if j.sentence.language == language]
        print(f"\n{language} {'':15}" + "".join(f"{fate:>8}" for fate in FATES))  # noqa: T201
        for family in [*sorted({j.sentence.family for j in own}), "all"]:
            counts = Counter(j.fate for j in own if family in (j.sentence.family, "all"))
            print(f"   {family:15}" + "".join(f"{counts[fate]:8}" for fate in FATES))  # noqa: T201
        print(f"   right {sum(j.fate == 'right' for j in own) / len(own):.3f} of {len(own)}")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
