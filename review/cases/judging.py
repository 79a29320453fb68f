"""What people say of cases: taken where it is clear, and nobody else judged the case meanwhile."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from ir.kept_case import CaseVerdict, Judgement, KeptCase, KeptCases
from ir.scenario import ExpectedResult
from ir.workflow import CONTROL_END, Workflow
from review.cases.errors import JudgedMeanwhile, UnclearJudgement, UnknownCase, UnknownStep
from validator.examples.anchors import anchors_of
from validator.examples.kept import in_terms_of


@dataclass(frozen=True)
class Opinion:
    """What somebody says of a case.

    Args:
        comment: of a case that is not wrong.
        should: of a wrong case, what should happen, in words.
        end: of a wrong case, id of the end to which the run should come.
        must, must_not: of a wrong case, ids of the nodes that should run, and of those that should not.
    """

    verdict: CaseVerdict
    author: str
    comment: str | None = None
    should: str | None = None
    end: str | None = None
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


def judged(
    kept: KeptCases, workflow: Workflow, case_id: str, opinion: Opinion, seen: str | None = None
) -> KeptCases:  # fmt: skip
    """The kept cases with a judgement of one of them.

    Args:
        seen: stamp of the case as its judge was shown it; None where that is of no matter.

    Raises:
        UnclearJudgement: what should happen is missing from a wrong case, or said of another.
        UnknownCase: there is no such case.
        UnknownStep: the workflow has no such end or step.
        JudgedMeanwhile: the case is not as it was shown.
    """
    case = next((one for one in kept.cases if one.id == case_id), None)
    if case is None:
        there = ", ".join(one.id for one in kept.cases)
        raise UnknownCase(f'there is no case "{case_id}"; there are {there}')
    if seen is not None and seen != stamp(case):
        raise JudgedMeanwhile(case)
    steps = dict.fromkeys((*opinion.must, *opinion.must_not))
    wishes = bool(opinion.should or opinion.end or steps)
    if opinion.verdict == "wrong" and not wishes:
        raise UnclearJudgement("what should happen? say it in words, or name the end, or a step")
    if opinion.verdict != "wrong" and wishes:
        raise UnclearJudgement(
            f"what should happen is said of cases that are wrong, not of one that is {opinion.verdict}"
        )
    if both := set(opinion.must) & set(opinion.must_not):
        raise UnclearJudgement(f"{', '.join(sorted(both))} cannot both run and not run; name each step once")
    for name in steps:
        if name not in workflow.nodes:
            raise UnknownStep(f'"{name}" is no step of the workflow; there are {", ".join(workflow.nodes)}')
    made = Judgement(
        verdict=opinion.verdict, author=opinion.author, time=datetime.now(UTC).isoformat(timespec="seconds"),
        comment=opinion.comment or None, should=opinion.should or None,
        result=_result(workflow, opinion.end) if opinion.end else None, must=opinion.must, must_not=opinion.must_not,
    )  # fmt: skip
    if steps:
        kept = in_terms_of(kept, workflow)
        kept = kept.model_copy(update={"nodes": {**kept.nodes, **anchors_of(workflow, steps)}})
    every = tuple(one.model_copy(update={"judgement": made}) if one.id == case_id else one for one in kept.cases)
    return kept.model_copy(update={"cases": every})


def stamp(case: KeptCase) -> str:
    """What changes with a case: whoever judges it says by it what they were shown.

    >>> from ir.scenario import Scenario
    >>> ends = ExpectedResult(status="completed")
    >>> case = KeptCase(id="c1", told="a", point="end", scenario=Scenario(name="c1", result=ends))
    >>> stamp(case) == stamp(case.model_copy(update={"told": "b"}))
    False
    """
    text = json.dumps(case.to_json(), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _result(workflow: Workflow, end: str) -> ExpectedResult:
    ends = {name: node for name, node in workflow.nodes.items() if node.type == CONTROL_END}
    if end not in ends:
        raise UnknownStep(f'"{end}" is no end of the workflow; there are {", ".join(ends)}')
    return ExpectedResult(status=ends[end].status or "completed", reason_code=ends[end].reason_code)
