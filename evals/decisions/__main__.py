"""Shows whether decisions outlive changes of their document: `python -m evals.decisions [--all]`.

A case is compiled, sixty decisions of all kinds are made on its draft, its document is changed in five ways and
compiled again. What is to become of each decision is told from the paragraphs that were changed, without looking for
anything; what became of it is what the build says. None may be lost, none that was touched may be applied without a
word, and all others are kept.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from compiler.decisions.decided import DecisionFate
from evals.decisions.changes import ROAD, Changes, Touch
from evals.decisions.made import decisions_on
from ir.anchor import Anchor
from ir.decision import FILE, Decision, read_decisions
from ir.document import Document
from ir.operation import marks_of
from review.decide import decide_all, undo
from review.draft import drafts_of, open_draft

CASES = Path("fixtures/cases")
ORDER: tuple[Touch, ...] = ("untouched", "moved", "touched", "gone")
STATES: dict[Touch, tuple[str, ...]] = {
    "untouched": ("unchanged",),
    "moved": ("moved",),
    "touched": ("drifted",),
    "gone": ("orphaned", "drifted"),
}
"""What decisions come to, by what the changes did to their words; of a paragraph that is gone another may be near."""


@dataclass(frozen=True)
class Told:
    """One decision with what was to become of it, and what did."""

    decision: Decision
    touch: Touch
    fate: DecisionFate | None

    @property
    def lost(self) -> bool:
        """Whether nothing is said of it."""
        return self.fate is None

    @property
    def silent(self) -> bool:
        """Whether the draft goes by it though its words say something else, or nothing, now."""
        return self.fate is not None and self.fate.applied and self.touch in ("touched", "gone")

    @property
    def as_expected(self) -> bool:
        """Whether it came to what was to be expected."""
        return self.fate is not None and self.fate.state in STATES[self.touch] and not self.silent


def told_of(changes: Changes, work: Path) -> tuple[Told, ...]:
    """Every decision on the case's draft with what became of it after the changes."""
    documents, out = work / "documents", work / "out"
    shutil.copytree(CASES / changes.case / "documents", documents)
    write_build(compile_documents(documents), out)
    draft = open_draft(out, drafts_of(out)[0])
    made = decisions_on(draft)
    draft = decide_all(draft, made)
    undo(draft, "审核人", "重复", which=made[-1].id)
    before = draft.document
    file = documents / changes.document
    file.write_text(changes.made(file.read_text("utf-8")), "utf-8")
    listed = read_decisions((documents / FILE).read_text("utf-8"), FILE)
    build = compile_documents(documents, Settings(decisions=listed))
    fates = {fate.id: fate for result in build.documents for fate in result.decided}
    return tuple(Told(one, _touch(changes, one, before), fates.get(one.id)) for one in made[:-1])


def _touch(changes: Changes, decision: Decision, before: Document) -> Touch:
    """The worst that the changes did to any words that a decision rests on."""
    value = decision.value
    marks = [decision.mark] if value is None or isinstance(value, str) else list(marks_of(value))
    anchors = [one.anchor for one in marks if one.anchor is not None]
    quote = getattr(value, "quote", None)
    anchors += [quote] if isinstance(quote, Anchor) else []
    found = [changes.touch(before.text_at(one.block or "") or "", one.within or one.text) for one in anchors]
    return max(found, key=ORDER.index, default="untouched")


def main() -> int:
    """Print what became of the decisions; 1 where one is lost or was applied without a word."""
    parser = argparse.ArgumentParser(prog="python -m evals.decisions", description=__doc__)
    parser.add_argument("--all", action="store_true", help="also those that came to what was to be expected")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        told = told_of(ROAD, Path(work))
    for one in told:
        if chosen.all or not one.as_expected:
            state = one.fate.state if one.fate else "lost"
            why = one.fate.message or "" if one.fate else ""
            said = f"{one.decision.kind} of {one.decision.subject} {one.decision.name[:40]}"
            print(f"{one.touch} -> {state}: {said}: {why[:200]}")  # noqa: T201
    counted = Counter((one.touch, one.fate.state if one.fate else "lost") for one in told)
    print(f"{ROAD.case}: {len(told)} decisions in force")  # noqa: T201
    for touch in ORDER:
        found = ", ".join(f"{state} {n}" for (was, state), n in sorted(counted.items()) if was == touch)
        print(f"  {touch:10} {sum(n for (was, _), n in counted.items() if was == touch):3}: {found}")  # noqa: T201
    lost, silent = sum(one.lost for one in told), sum(one.silent for one in told)
    kept = [one for one in told if one.touch in ("untouched", "moved")]
    applied = sum(one.fate is not None and (one.fate.applied or one.decision.kind == "comment") for one in kept)
    print(f"  kept {applied} of {len(kept)}, lost {lost}, applied without a word though touched {silent}")  # noqa: T201
    return 1 if lost or silent or applied < len(kept) else 0


if __name__ == "__main__":
    sys.exit(main())
