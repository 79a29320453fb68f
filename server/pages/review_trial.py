"""What a correction would come to, as its reviewer reads it: in their language, by the titles of the steps."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.report.changes.in_words import InWords
from compiler.report.changes.lines import Line, lines
from compiler.report.readers_words import Reader
from ir.diagnostics import Diagnostic
from server.builds.trials import Trial
from server.pages.review_desk import Desk
from validator.diff.changes import Comparison


@dataclass(frozen=True)
class Findings:
    """Findings that a correction would bring or end.

    Args:
        kind: `new` or `gone`.
        listed: each with its place in words.
    """

    kind: str
    listed: tuple[tuple[Diagnostic, str], ...]


def told_changes(desk: Desk, trial: Trial) -> list[Line]:
    """What changes by meaning; that it is this draft goes without saying."""
    if trial.changes is None or trial.workflow is None:
        return []
    names = InWords(desk.draft.workflow, trial.workflow, desk.draft.catalog, desk.words.language)
    return [*lines(Comparison(differences=(trial.changes,)), names)][1:]


def told_findings(desk: Desk, trial: Trial) -> Iterator[Findings]:
    """Findings that would come, and those that would go; nothing where there are none."""
    before = desk.draft.workflow
    for kind, found, workflow in (("new", trial.new, trial.workflow or before), ("gone", trial.gone, before)):
        reader = Reader(workflow, desk.draft.catalog, desk.words.language)
        if found:
            yield Findings(kind, tuple((one, reader.place(one.location)) for one in found))
