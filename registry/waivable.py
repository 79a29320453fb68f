"""What of a version a reason may let stay open, one by one: what the approver is shown, and what is kept as waived."""

from collections.abc import Iterator, Sequence

from ir.codec import digest
from registry.forms import Report
from registry.reviewed import Waived


def waivable(report: Report) -> tuple[Waived, ...]:
    """Each thing that is open and may stay so for a reason, the riskiest first."""
    return (*_drafted(report), *_beside_the_draft(report))


def seen(things: Sequence[Waived]) -> str:
    """A digest by which it is known whether somebody was shown just these."""
    return digest([one.to_json() for one in things])


def _drafted(report: Report) -> Iterator[Waived]:
    """Open things of the draft, and weighty questions of what no build drafted, of which only the ids are known."""
    reviewed = report.reviewed
    for one in reviewed.open if reviewed is not None else ():
        yield Waived(kind=one.kind, id=one.id, words=one.words)
    if reviewed is None or not reviewed.open_of("question"):
        yield from (Waived(kind="question", id=one, words=one) for one in report.open_questions)


def _beside_the_draft(report: Report) -> Iterator[Waived]:
    """Judged cases that run otherwise, and warnings, of what was drafted."""
    if report.reviewed is None:
        return
    for case in report.cases:
        if case.outcome in ("differs", "stale"):
            yield Waived(kind="case", id=case.id, words=case.told)
    for one in report.findings:
        if one.severity == "warning":
            yield Waived(kind="warning", id=one.error_code, words=str(one))
