"""Tests by example: the cases of a workflow, what people say of them, and questions in the form of facts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import JsonValue

from ir.kept_case import CaseVerdict, KeptCases
from review.cases.answered import ToldAnswer, answer_told
from review.cases.case_file import change_cases
from review.cases.errors import JudgedMeanwhile, UnclearJudgement, UnfitFact, UnknownCase, UnknownFact, UnknownStep
from review.cases.facts import AskedFact, asked_facts, entered, facts_from
from review.cases.judging import Opinion, judged
from review.cases.shown import ShownCase, ShownChange, checked_cases, shown_cases, shown_changes, steps_of
from review.cases.tested import Covered, Tested
from server.access import Acting, Reading, Shown
from server.errors import UnknownPlace
from server.pages.case_subject import Cases, Subject
from server.proving import proving
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from server.words import Words
from store import audit
from store.users import AUTHOR, REVIEWER
from validator.examples.ask import ask

router = APIRouter()
DRAFT, VERSION = "/drafts/{build_id}/{workflow_id}", "/registry/{workflow_id}/v{number:int}"
Said = Annotated[str, Form(max_length=2000)]
Steps = Annotated[list[str] | None, Form(max_length=200)]
OPEN = ("not judged", "differs", "stale")
"""Outcomes of cases that wait for somebody."""


@dataclass(frozen=True)
class Looked:
    """What there is to see of the cases of a workflow.

    Args:
        usual: what holds where a case does not say otherwise.
        changes: the cases that corrections change.
        ends, steps: by id and in words.
    """

    usual: str
    cases: tuple[ShownCase, ...]
    covered: Mapping[str, Covered]
    changes: tuple[ShownChange, ...]
    ends: tuple[tuple[str, str], ...]
    steps: tuple[tuple[str, str], ...]

    def next_open(self, case_id: str) -> str | None:
        """The next case after this one that waits for somebody; this one where none does."""
        ids = [one.case.id for one in self.cases]
        at = ids.index(case_id) + 1 if case_id in ids else 0
        turned = (*self.cases[at:], *self.cases[:at])
        return next((one.case.id for one in turned if one.outcome in OPEN), case_id)


@dataclass(frozen=True)
class Refused:
    """What somebody said of a case and was not taken: it stands in the form again.

    Args:
        message: why.
        meanwhile: somebody else judged it meanwhile.
    """

    status: int
    message: str
    opinion: Opinion
    meanwhile: bool = False


@router.get(DRAFT + "/cases")
@router.get(VERSION + "/cases")
def cases_page(
    request: Request, site: Shown, session: Reading, subject: Cases, case: str = "", done: str = ""
) -> Response:  # fmt: skip
    """The cases as a list, and one of them to be judged."""
    return _page(request, site, session, subject, case, done)


@router.get(DRAFT + "/cases/progress")
@router.get(VERSION + "/cases/progress")
def search_progress(request: Request, site: Shown, session: Reading, subject: Cases) -> Response:
    """How long the search goes on, to put in its page; once it has ended, the page is loaded again."""
    search = site.searches.state(subject.key)
    if search is None or search.fault is not None:
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "cases-progress.html", session, subject=subject, search=search)


@router.post(DRAFT + "/cases/make")
@router.post(VERSION + "/cases/make")
def make_cases(site: Shown, session: Acting, subject: Cases) -> Response:
    """Have the solver find cases; judged ones stay as they are."""
    session.user.must("make cases", REVIEWER, AUTHOR)
    tested, by = subject.now.tested, session.user.name

    def work() -> None:
        sought = replace(tested)  # what the solver holds goes with it, before another may ask
        assert sought.found is not None  # before the file is locked
        change_cases(sought.file, sought.workflow.workflow_id, sought.made)

    site.searches.begin(subject.key, work)
    _note(site, "cases-made", by, {"workflow": tested.workflow.workflow_id})
    return RedirectResponse(f"{subject.place}/cases", 303)


@router.post(DRAFT + "/cases/{case_id}")
@router.post(VERSION + "/cases/{case_id}")
def judge_case(
    request: Request,
    site: Shown,
    session: Acting,
    subject: Cases,
    case_id: str,
    verdict: Annotated[CaseVerdict, Form()],
    seen: Said,
    comment: Said = "",
    should: Said = "",
    end: Said = "",
    must: Steps = None,
    must_not: Steps = None,
) -> Response:
    """Keep what somebody says of a case, and go on with the next; where it cannot be kept, the form stands again."""
    session.user.must("judge cases", REVIEWER, AUTHOR)
    workflow, wrong = subject.now.tested.workflow, verdict == "wrong"
    opinion = Opinion(
        verdict, session.user.name, comment=None if wrong else comment.strip() or None,
        should=should.strip() or None if wrong else None, end=end or None if wrong else None,
        must=tuple(filter(None, must or ())) if wrong else (),
        must_not=tuple(filter(None, must_not or ())) if wrong else (),
    )  # fmt: skip

    def change(kept: KeptCases | None) -> KeptCases:
        if kept is None:
            raise UnknownCase("there are no cases any more; have them made")
        return judged(kept, workflow, case_id, opinion, seen)

    try:
        change_cases(subject.file, workflow.workflow_id, change)
    except JudgedMeanwhile as error:
        return _page(request, site, session, subject, case_id, refused=Refused(409, str(error), opinion, True))
    except (UnclearJudgement, UnknownStep) as error:
        return _page(request, site, session, subject, case_id, refused=Refused(400, str(error.args[0]), opinion))
    except UnknownCase as error:
        raise UnknownPlace(str(error.args[0])) from error
    said: dict[str, JsonValue] = {"workflow": workflow.workflow_id, "case": case_id, "verdict": verdict}
    _note(site, "case-judged", session.user.name, said)
    following = _looked(site, subject, Words(language_of(request))).next_open(case_id)
    return RedirectResponse(f"{subject.place}/cases?case={following}&done={case_id}", 303)


@router.get(DRAFT + "/ask")
@router.get(VERSION + "/ask")
def ask_page(
    request: Request, site: Shown, session: Reading, subject: Cases, none: Annotated[list[str] | None, Query()] = None
) -> Response:  # fmt: skip
    """A form of the facts; with some of them filled in, the answer. What is left out may be anything."""
    given = {
        name: text.strip() for name, text in request.query_params.items() if name.startswith("$.") and text.strip()
    }
    without = frozenset(none or ())
    tested = subject.now.tested
    with proving():
        fields, answer, fault = _answered(tested, given, without, asked=bool(request.query_params))
    return page(
        request, "cases-ask.html", session, 400 if fault else 200, subject=subject, fields=fields, given=given,
        without=without, answer=answer, fault=fault, grouped=_grouped(answer),
    )  # fmt: skip


def _answered(
    tested: Tested, given: Mapping[str, str], without: frozenset[str], *, asked: bool
) -> tuple[tuple[AskedFact, ...], tuple[str, ToldAnswer] | None, str | None]:
    """The fields of the form, the answer with its verdict, and what is wrong with what was entered."""
    fields = asked_facts(tested)
    if not asked:
        return fields, None, None
    known = {one.name: one for one in fields}
    try:
        values: dict[str, JsonValue] = {}
        for name in (*given, *without):
            if name not in known:
                raise UnknownFact(f"the workflow asks for no {name}; open the form again")
            values[name] = None if name in without else entered(known[name], given[name])
        facts = facts_from(tested.targets, tested.reader, values)
    except (UnfitFact, UnknownFact) as error:
        return fields, None, str(error.args[0])
    answer = ask(tested.workflow, tested.catalog, facts, tested.language("case.other"))
    return fields, (answer.verdict, answer_told(tested, answer)), None


def _grouped(answer: tuple[str, ToldAnswer] | None) -> dict[str, list[str]]:
    """By how runs end the values that lead there."""
    found: dict[str, list[str]] = {}
    for fact, named in answer[1].unless if answer else ():
        found.setdefault(named, []).append(fact)
    return found


def _looked(site: Site, subject: Subject, words: Words) -> Looked:
    """The cases of a workflow, run on it as it is now; what judging does not change is counted once."""
    tested, before = subject.now.tested, subject.now.before
    with proving():
        checked = checked_cases(tested)
        ends, steps = steps_of(tested.workflow, tested)
        return Looked(
            usual=tested.kept.usual if tested.kept else "",
            cases=shown_cases(tested, checked, words),
            covered=site.searches.counted(_counted_from(subject), lambda: tested.coverage(checked)),
            changes=shown_changes(tested, before, words) if before else (),
            ends=ends, steps=steps,
        )  # fmt: skip


def _counted_from(subject: Subject) -> str:
    """A digest of all that coverage is counted from: the workflow and the runs of its cases, not what was judged."""
    tested = subject.now.tested
    kept = tested.kept
    cases = [one.model_copy(update={"judgement": None}).to_json() for one in kept.cases] if kept else []
    text = json.dumps([subject.key, tested.workflow.to_json(), cases], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _note(site: Site, kind: str, by: str, body: dict[str, JsonValue]) -> None:
    with site.workspace.transaction() as connection:
        audit.append(connection, kind, by, body)


def _page(
    request: Request,
    site: Site,
    session: Session,
    subject: Subject,
    case: str = "",
    done: str = "",
    refused: Refused | None = None,
) -> Response:
    search = site.searches.state(subject.key)
    values: dict[str, Any] = {
        "subject": subject, "search": search, "may": session.user.may(REVIEWER, AUTHOR), "refused": refused,
    }  # fmt: skip
    if search is not None and search.fault is None:
        return page(request, "cases.html", session, looked=None, current=None, done=None, **values)
    looked = _looked(site, subject, Words(language_of(request)))
    by_id = {one.case.id: one for one in looked.cases}
    if case and case not in by_id:
        raise UnknownPlace(f"there is no case {case} here; the list shows those that there are")
    current = by_id.get(case or looked.next_open("") or "", looked.cases[0] if looked.cases else None)
    return page(
        request, "cases.html", session, refused.status if refused else 200, looked=looked, current=current,
        done=by_id.get(done), **values,
    )  # fmt: skip
