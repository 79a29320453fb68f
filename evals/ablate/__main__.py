"""What each rule of the rule reader is worth: `python -m evals.ablate fixtures/cases`.

Each pattern and word list is switched off by itself. Printed is by how many thousandths the F1 of steps, conditions and
order of the reader alone falls on development and held-out cases (positive: the rule helps), how many sentences of
`evals.meaning` are right no longer, and how many become wrong, lost or opaque. A rule whose figures are all zero is
`idle`; one that helps development cases and nothing else is `dev alone`. `--examples` prints beside each
pattern a text of development cases and drawn sentences that it matches, and one that it does not.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from evals.ablate.examples import Examples, watched
from evals.ablate.measure import FIGURES, ReadCase, fates, figures, read_all
from evals.ablate.units import Unit, units, without
from evals.cases import read_suite
from evals.meaning.__main__ import sentences
from evals.meaning.grammar import Sentence
from ir.source import Language

SPLITS = ("dev", "held_out")


@dataclass(frozen=True)
class Row:
    """What is lost without a rule: figures in thousandths by split, right sentences, and bad ones that come in."""

    unit: Unit
    lost: dict[str, dict[str, int]]
    right: int
    bad: int
    failed: str = ""

    @property
    def verdict(self) -> str:
        """`needed`, `helps`, `dev alone`, `harms`, `idle`."""
        if self.failed:
            return "needed"
        seen, unseen = sum(self.lost["dev"].values()), sum(self.lost["held_out"].values())
        if unseen > 0 or self.bad > 0 or self.right > 0:
            return "helps"
        if seen > 0:
            return "dev alone"
        return "harms" if unseen < 0 or self.right < 0 or self.bad < 0 or seen < 0 else "idle"


@cache
def _cases(suite: Path, language: Language | None) -> dict[str, tuple[ReadCase, ...]]:
    found = [case for case in read_suite(suite) if case.file.procedures and language in (None, case.file.language)]
    return {split: read_all(one for one in found if one.file.split == split) for split in SPLITS}


@cache
def _sentences(count: int, language: Language | None) -> tuple[Sentence, ...]:
    told = [language] if language else ["zh", "en"]
    return tuple(one for which in ("gate", "dev") for one in sentences(which, told, count, seed=0))


@cache
def _whole(suite: Path, count: int, language: Language | None) -> tuple[dict[str, dict[str, float]], dict[str, int]]:
    """The figures with all rules."""
    told = {split: figures(own) for split, own in _cases(suite, language).items()}
    return told, fates(_sentences(count, language))


def row(unit: Unit, suite: Path, count: int) -> Row:
    """Measure one rule."""
    whole, said = _whole(suite, count, unit.language)
    try:
        with without(unit):
            found = {split: figures(own) for split, own in _cases(suite, unit.language).items()}
            now = fates(_sentences(count, unit.language))
    except Exception as error:  # noqa: BLE001 - what cannot be read without it needs it
        return Row(unit, {}, 0, 0, type(error).__name__)
    lost = {s: {name: round(1000 * (whole[s][name] - found[s][name])) for name in FIGURES} for s in SPLITS}
    return Row(unit, lost, said["right"] - now["right"], now["bad"] - said["bad"])


def main() -> int:
    """Print the table and, below it, how many rules are of each verdict."""
    parser = argparse.ArgumentParser(prog="python -m evals.ablate", description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--only", default="", help="rules whose id begins so")
    parser.add_argument("--count", type=int, default=60, help="sentences a language and grammar")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--examples", action="store_true", help="a text that each pattern matches, and one that not")
    args = parser.parse_args()
    chosen = [unit for unit in units() if unit.id.startswith(args.only)]
    if args.examples:
        for name, own in _examples(chosen, args.suite, args.count).items():
            print("\t".join((name, _plain(own.found) or "-", _plain(own.left) or "-")))  # noqa: T201
        return 0
    heads = [f"{split} {name}" for split in SPLITS for name in FIGURES]
    print("\t".join(("rule", "verdict", *heads, "right", "bad", "lines")), flush=True)  # noqa: T201
    rows: list[Row] = []
    with ProcessPoolExecutor(args.jobs) as pool:
        for one in pool.map(partial(row, suite=args.suite, count=args.count), chosen):
            rows.append(one)
            print(_line(one), flush=True)  # noqa: T201
    for verdict in ("needed", "helps", "dev alone", "harms", "idle"):
        such = [one for one in rows if one.verdict == verdict]
        print(f"{verdict}: {len(such)} rules, {sum(one.unit.lines for one in such)} lines")  # noqa: T201
    return 0


def _examples(chosen: Sequence[Unit], suite: Path, count: int) -> dict[str, Examples]:
    """Examples from development cases and drawn sentences; none of held-out cases."""
    cases, told = _cases(suite, None)["dev"], sentences("dev", ["zh", "en"], count, seed=0)
    with watched(chosen) as found:
        figures(cases)
        fates(told)
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def _line(one: Row) -> str:
    told = [str(one.lost[split][name]) for split in SPLITS for name in FIGURES] if one.lost else ["-"] * 6
    return "\t".join((one.unit.id, one.verdict, *told, str(one.right), str(one.bad), str(one.unit.lines)))


if __name__ == "__main__":
    sys.exit(main())
