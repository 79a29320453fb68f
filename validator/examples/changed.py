"""Which kept cases a change of their workflow changes, and in what."""

from dataclasses import dataclass

from ir.kept_case import KeptCases
from ir.workflow import Workflow
from validator.examples.anchors import anchors_of
from validator.examples.kept import CheckedCase, Difference, check_kept, in_terms_of, result_of, rows_of_run


@dataclass(frozen=True, eq=False)
class ChangedCase:
    """A case that goes another way after a change, ends otherwise, or is given something else by rows.

    Args:
        before, after: the case on both workflows, as it was judged.
        differences: from the run before to the run after; none where one of them cannot be played.
        gone: what the run before went through, or was given, and is gone after.
    """

    before: CheckedCase
    after: CheckedCase
    differences: tuple[Difference, ...]
    gone: tuple[str, ...]


def changed_cases(before: Workflow, after: Workflow, kept: KeptCases) -> tuple[ChangedCase, ...]:
    """The cases that a change of the workflow changes, in the order in which they are kept.

    Raises:
        ValueError: a graph has a cycle, or an edge names a node that does not exist.
    """
    was = tuple(check_kept(kept, before))
    recorded = _recorded(in_terms_of(kept, before), was, before)
    found = []
    for one, then, now in zip(was, check_kept(recorded, after), check_kept(kept, after), strict=True):
        differences, gone = (then.differences, then.gone) if one.run is not None else ((), ())
        if differences or gone or one.outcome != now.outcome:
            found.append(ChangedCase(one, now, differences, gone))
    return tuple(found)


def _recorded(kept: KeptCases, was: tuple[CheckedCase, ...], before: Workflow) -> KeptCases:
    """The cases with the runs that they have before, against which those after are held."""
    every, ran = [], set[str]()
    for case, one in zip(kept.cases, was, strict=True):
        if one.run is not None:
            run = {"path": one.run.path, "result": result_of(one.run)}
            scenario = case.scenario.model_copy(update=run)
            rows = rows_of_run(one.run)
            case = case.model_copy(update={"scenario": scenario, "by_rows": rows, "judgement": None})
            ran.update(one.run.path)
        every.append(case)
    return kept.model_copy(update={"cases": tuple(every), "nodes": {**kept.nodes, **anchors_of(before, ran)}})
