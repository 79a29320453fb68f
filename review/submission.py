"""A draft as it is handed to the registry: corrected, with all that is open in it, who decided what, and its cases."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from compiler.fates.verdict import is_weighty
from compiler.text.names import safe_name
from ir.decisions.decision import Decision
from ir.errors import BadInputFile
from ir.kept_case import SUFFIX, KeptCases
from ir.workflow import Workflow
from registry.reviewed import JudgedCase, OpenKind, OpenThing, Reviewed, Settled
from review.cases.case_file import FOLDER, cases_beside, change_cases, read_cases
from review.draft import ReviewDraft, open_draft
from review.queue import Risk, progress, queue, unsettled
from validator.checks import CHECKS, code_of
from validator.examples.kept import check_kept, in_terms_of

_WORKFLOW = ".workflow.json"
_ALONE = frozenset(code_of(check) for check in CHECKS)
_KINDS: Mapping[Risk, OpenKind] = {
    Risk.DECISION: "decision",
    Risk.PROHIBITION: "prohibition",
    Risk.QUESTION: "question",
    Risk.UNMAPPED: "step",
    Risk.UNPLACED: "text",
}


@dataclass(frozen=True)
class Submission:
    """What the registry is given.

    Args:
        open_questions: ids of the weighty questions that nobody answered or accepted.
        reviewed: None for a workflow that no build drafted.
    """

    workflow: Workflow
    open_questions: tuple[str, ...]
    reviewed: Reviewed | None = None


def submission(workflow: Workflow, build: Path | None) -> Submission:
    """A workflow as it is handed over: as people corrected it, where its build can be reviewed.

    Args:
        workflow: as its file has it, which stands for it where it cannot be reviewed.
        build: the folder that it was compiled into; None where there is none.
    """
    try:
        draft = open_draft(build, workflow.workflow_id) if build is not None else None
    except BadInputFile:
        draft = None
    if draft is None:
        return Submission(workflow, tuple(gap.id for gap in workflow.gaps if is_weighty(gap, workflow)))
    made = reviewed(draft)
    return Submission(draft.workflow, tuple(one.id for one in made.open_of("question")), made)


def reviewed(draft: ReviewDraft) -> Reviewed:
    """What is known of a draft beside its definition."""
    items = queue(draft)
    decided, things = progress(items)
    applied = {fate.id for fate in draft.fates if fate.applied}
    return Reviewed(
        verdict=draft.verdict,
        findings=tuple(one for one in draft.diagnostics if one.error_code not in _ALONE),
        open=tuple(OpenThing(kind=_KINDS[one.risk], id=one.id, words=one.title) for one in unsettled(items)),
        decided=decided,
        things=things,
        decisions=tuple(_settled(one) for one in draft.in_force.values() if one.id in applied),
    )


def _settled(decision: Decision) -> Settled:
    value = decision.value
    operation = "" if value is None or isinstance(value, str) else json.dumps(value.to_json(), ensure_ascii=False)
    said = value if isinstance(value, str) else f"{value.do} {operation}" if value is not None else ""
    return Settled(
        kind=decision.kind, subject=decision.subject, about=decision.name, said=said, reason=decision.reason,
        author=decision.author, time=decision.time,
    )  # fmt: skip


# --- cases ------------------------------------------------------------------------------------------------------------


def version_cases(workspace: Path, workflow_id: str) -> Path:
    """The file of the kept cases of the versions of a workflow.

    Args:
        workspace: its folder `.flowc`.
    """
    return workspace / FOLDER / f"{safe_name(workflow_id)}{SUFFIX}"


def hand_over_cases(path: Path, workflow: Workflow, workspace: Path) -> None:
    """Have the cases of a draft be those of its version; what was judged of other points at the version stays.

    Args:
        path: of the draft's file, `NAME.workflow.json`.

    Raises:
        BadInputFile: a file of cases is of another form, or of another workflow.
        OutputError: the file of the version cannot be written.
    """
    own = read_cases(cases_beside(path, path.name.removesuffix(_WORKFLOW)), workflow.workflow_id)
    if own is not None:
        given = in_terms_of(own, workflow)
        change_cases(
            version_cases(workspace, workflow.workflow_id), workflow.workflow_id,
            lambda kept: _joined(given, None if kept is None else in_terms_of(kept, workflow)),
        )  # fmt: skip


def _joined(given: KeptCases, kept: KeptCases | None) -> KeptCases:
    points = {one.point for one in given.cases}
    other = [one for one in kept.cases if one.judgement is not None and one.point not in points] if kept else []
    taken = {one.id for one in given.cases}
    free = (name for number in range(1, len(taken) + len(other) + 1) if (name := f"c{number}") not in taken)
    beside = tuple(one.model_copy(update={"id": next(free)}) for one in other)
    nodes = {**(kept.nodes if kept is not None else {}), **given.nodes}
    return given.model_copy(update={"cases": (*given.cases, *beside), "nodes": nodes})


def judged_cases(workspace: Path, workflow: Workflow) -> tuple[JudgedCase, ...]:
    """The cases of a version that somebody judged, run on it as it is.

    Raises:
        BadInputFile: their file is of another form, or of another workflow.
    """
    kept = read_cases(version_cases(workspace, workflow.workflow_id), workflow.workflow_id)
    return tuple(
        JudgedCase(
            id=one.case.id, told=one.case.told, verdict=said.verdict, outcome=one.outcome, author=said.author,
            said=said.should or said.comment or "",
        )
        for one in (check_kept(kept, workflow) if kept is not None else ())
        if (said := one.case.judgement) is not None
    )  # fmt: skip
