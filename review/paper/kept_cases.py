"""Cases that people judged, as they were told, with what became of them and what they cover."""

from collections.abc import Sequence

from catalog.load import Catalog
from ir.kept_case import Judgement
from review.paper.parts import Part, Row, Section, Text, Weight
from review.paper.source import PaperSource
from validator.examples.kept import CheckedCase, check_kept
from validator.examples.targets import Targets
from validator.runs.workflow_analysis import Analysis

_KINDS = (("side",), ("row",), ("error", "guard"), ("end",))
"""What coverage is told of, by kinds of targets."""


def kept_cases(source: PaperSource) -> Section:
    """Each case in the words that were judged; those that have to be looked at first of all are kept."""
    title, kept = source.words("paper.tests"), source.kept
    if kept is None:
        return Section(title, (Text(source.words("paper.no_tests")),))
    try:
        checked = tuple(check_kept(kept, source.workflow))
    except ValueError:  # a cycle, or an edge that leads nowhere
        return Section(title, (Text(source.words("paper.unplayable")),))
    rows = [_row(source, one) for one in checked]
    head, widths = ("told", "judged", "outcome"), (0.6, 0.22, 0.18)
    usual: list[Part] = [Text(kept.usual, note=True)] if kept.usual else []
    figures = (Text(_counts(source, checked)), Text(_coverage(source, checked)))
    return Section(title, (*figures, *usual, source.table(head, widths, rows, "no_tests")))


def _row(source: PaperSource, one: CheckedCase) -> Row:
    outcome = source.words(f"paper.outcome.{one.outcome.replace(' ', '_')}")
    weight = Weight.KEPT if one.outcome in ("differs", "still wrong", "stale") else Weight.PLAIN
    return Row((one.case.told, _judged(source, one.case.judgement), outcome), weight)


def _judged(source: PaperSource, judgement: Judgement | None) -> str:
    if judgement is None:
        return source.words("paper.judged.nobody")
    verdict = source.words(f"paper.judged.{judgement.verdict}")
    told = source.words("paper.should", verdict, judgement.should) if judgement.should else verdict
    return source.words("paper.says", told, f"{judgement.author} {judgement.time[:10]}")


def _counts(source: PaperSource, checked: Sequence[CheckedCase]) -> str:
    outcomes = [one.outcome for one in checked]
    open_ = sum(outcomes.count(name) for name in ("differs", "still wrong", "stale"))
    unsaid = sum(outcomes.count(name) for name in ("not judged", "unsure"))
    return source.words("paper.kept_cases", len(outcomes), outcomes.count("passed"), open_, unsaid)


def _coverage(source: PaperSource, checked: Sequence[CheckedCase]) -> str:
    """How much of what runs can show the cases show."""
    targets = Targets(Analysis(source.workflow, source.review.catalog or Catalog({}, {})))
    runs = [one.run for one in checked if one.run is not None]
    figures: list[int] = []
    for kinds in _KINDS:
        wanted = [target for target in targets.all if target.kind in kinds]
        figures += [sum(any(targets.shows(run, target) for run in runs) for target in wanted), len(wanted)]
    return source.words("paper.covered", *figures)
