"""The registry: versions, what stands in the way of publishing one, and the acts from draft to deprecated."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from compiler.report.changes.in_words import InWords
from compiler.report.changes.lines import lines
from compiler.report.graph.svg import render_svg
from compiler.report.markup import Markup
from compiler.report.readers_words import Reader
from compiler.report.review.page import review_body
from compiler.report.review.parts import Review
from ir.document import Document
from ir.errors import BadInputFile
from ir.version import VERSION
from ir.workflow import Workflow
from registry import versions as acts
from registry.compatibility import compatibility
from registry.errors import NotPublishable
from registry.forms import Blocker, Version
from registry.pinned import deprecated_types, stale_pins
from registry.waivable import seen, waivable
from review.submission import hand_over_cases, judged_cases, submission
from server.access import Acting, Reading, Shown
from server.errors import BadForm, UnknownPlace
from server.proving import proving
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from store.users import APPROVER, AUTHOR, OPERATOR
from validator.diff import compare
from validator.diff.changes import Comparison
from validator.explain.explanation import explain
from validator.explain.text import render_text

router = APIRouter()
MOST_ROWS = 500
"""Versions on a page."""
PLACE = "/registry/{workflow_id}/v{number}"
Words = Annotated[str, Form(max_length=2000)]


@router.get("/registry")
def version_list(
    request: Request, site: Shown, session: Reading, state: str = "", owner: str = "", tag: str = ""
) -> Response:  # fmt: skip
    """All versions, or those of a state, an owner, a tag."""
    with site.workspace.database.transaction() as connection:
        known = acts.versions(connection)
    rows = [
        one
        for one in known
        if state in ("", one.state)
        and owner in ("", one.definition.metadata.owner)
        and (not tag or tag in one.definition.metadata.tags)
    ]
    owners = sorted({one.definition.metadata.owner for one in known if one.definition.metadata.owner})
    tags = sorted({tag for one in known for tag in one.definition.metadata.tags})
    chosen = {"state": state, "owner": owner, "tag": tag}
    more = len(rows) - MOST_ROWS
    rows = rows[:MOST_ROWS]
    return page(
        request,
        "registry.html",
        session,
        rows=rows,
        more=more,
        owners=owners,
        tags=tags,
        chosen=chosen,
        any=bool(known),
    )


@router.get(PLACE)
def version_page(request: Request, site: Shown, session: Reading, workflow_id: str, number: int) -> Response:
    """A version: what it does, what validation found, what may be done with it."""
    return _shown(request, site, session, _version(site, workflow_id, number))


@router.get(PLACE + "/definition")
def definition_page(request: Request, site: Shown, session: Reading, workflow_id: str, number: int) -> Response:
    """The definition of a version, as the page of a draft shows one."""
    found = _version(site, workflow_id, number)
    with proving():
        told = found.report.reviewed
        documents = drawn_from(site, found.definition, told.build) if told is not None else ()
        review = Review(
            found.definition, documents=documents, diagnostics=found.report.findings, catalog=site.host.catalog,
            verdict=told.verdict if told is not None else None,
        )  # fmt: skip
        body = review_body(review)
    return page(
        request, "definition.html", session, version=found, title=body.title, body=body.body,
        build=site.builds.build(told.build) if told is not None and documents else None,
        decisions=told.decisions if told is not None else (),
    )  # fmt: skip


@router.get(PLACE + "/changes")
def changes_page(
    request: Request, site: Shown, session: Reading, workflow_id: str, number: int, against: int
) -> Response:  # fmt: skip
    """What changed from another version to this one: what it is made of, which way runs take, whether callers go on."""
    new, old = _version(site, workflow_id, number), _version(site, workflow_id, against)
    catalog = site.host.catalog
    with proving():
        difference = compare(old.definition, new.definition, catalog, (old.name, new.name))
    held = compatibility(old, new, catalog)
    names = InWords(old.definition, new.definition, catalog, language_of(request))
    told = [*lines(Comparison(differences=(difference,)), names)]
    return page(request, "changes.html", session, new=new, old=old, lines=told, held=held, same=difference.same)


@router.post("/registry/submit")
def submit(
    site: Shown, session: Acting, build: Words, workflow: Words, owner: Words = "", tags: Words = ""
) -> Response:  # fmt: skip
    """Put a draft of a build into the registry."""
    session.user.must("submit a workflow", AUTHOR)
    folder = site.builds.build(build)
    made = folder.read()
    draft = made.draft(workflow)
    if draft is None:
        raise UnknownPlace(f"the build has no draft {workflow}; its page lists those that it has")
    built = made.workflow(draft)
    with proving():
        given = submission(built, folder.out)
        reviewed = given.reviewed.model_copy(update={"build": folder.id}) if given.reviewed is not None else None
        hand_over_cases(folder.out / draft.workflow, given.workflow, site.workspace.folder)
        cases = judged_cases(site.workspace.folder, given.workflow)
    definition = given.workflow
    about = definition.metadata
    named = tuple(
        dict.fromkeys((*about.tags, *(one.strip() for one in tags.replace("，", ",").split(",") if one.strip())))
    )
    metadata = about.model_copy(update={"owner": owner.strip() or about.owner, "tags": named})
    definition = definition.model_copy(update={"metadata": metadata})
    with proving():
        found = acts.submit(
            site.workspace, session.user, definition, site.host.catalog, VERSION, references=made.references(),
            open_questions=given.open_questions, reviewed=reviewed, cases=cases,
        )  # fmt: skip
    return _to(found)


@router.post(PLACE + "/hand-in")
def hand_in(site: Shown, session: Acting, workflow_id: str, number: int) -> Response:
    """Hand a draft in for review."""
    return _to(acts.review(site.workspace, session.user, workflow_id, number))


@router.post(PLACE + "/give-back")
def give_back(site: Shown, session: Acting, workflow_id: str, number: int, reason: Words = "") -> Response:
    """Give a version back to its author."""
    back = _needed(reason, "why the version is given back")
    return _to(acts.review(site.workspace, session.user, workflow_id, number, back=back))


@router.post(PLACE + "/publish")
def publish(
    request: Request,
    site: Shown,
    session: Acting,
    workflow_id: str,
    number: int,
    accepted: Words = "",
    shown: Annotated[str | None, Form(max_length=100)] = None,
    people: Annotated[list[str] | None, Form()] = None,
    compatible: Annotated[bool, Form()] = False,
) -> Response:
    """Publish a version, with what was accepted and which Types people carry out; else say what stands in the way."""
    given = Given(accepted.strip(), frozenset(people or ()), compatible)
    asked = _version(site, workflow_id, number)
    try:
        with proving():
            cases = judged_cases(site.workspace.folder, asked.definition)
            found = acts.publish(
                site.workspace, session.user, workflow_id, number, site.host.catalog, site.host.binder(given.people),
                accepted=given.accepted, shown=shown, compatible=given.compatible, cases=cases,
            )  # fmt: skip
    except NotPublishable as error:
        return _shown(request, site, session, asked, given, error.blockers)
    return _to(found)


@router.post(PLACE + "/deprecate")
def deprecate(site: Shown, session: Acting, workflow_id: str, number: int, reason: Words = "") -> Response:
    """Let no run of a version begin any more."""
    why = _needed(reason, "why the version is not to be used any more")
    return _to(acts.deprecate(site.workspace, session.user, workflow_id, number, why))


def drawn_from(site: Site, definition: Workflow, build_id: str) -> tuple[Document, ...]:
    """The documents that a version was drawn from, in the very bytes; none where its build has them no more."""
    cited = {one.doc_id: one.sha256 for one in definition.provenance.documents} if definition.provenance else {}
    try:
        made = site.builds.build(build_id).read()
        found = [made.document(one.document) for one in made.documents if one.document in cited]
    except (UnknownPlace, BadInputFile):
        return ()
    return tuple(one for one in found if one is not None and one.source.sha256 == cited[one.doc_id])


@dataclass(frozen=True)
class Given:
    """What somebody filled in to publish a version.

    Args:
        accepted: why open questions may stay open.
        people: Types whose nodes people carry out.
        compatible: whether callers of the version before have to be able to go on.
    """

    accepted: str = ""
    people: frozenset[str] = frozenset()
    compatible: bool = False


def _shown(
    request: Request,
    site: Site,
    session: Session,
    found: Version,
    given: Given = Given(),
    refused: tuple[Blocker, ...] = (),
) -> Response:
    """The page of a version.

    Args:
        given: what the form to publish it is filled in with.
        refused: why it was just not published.
    """
    catalog, user = site.host.catalog, session.user
    candidate = None
    if found.state in ("draft", "review"):
        bind = site.host.binder()
        with proving():
            cases = judged_cases(site.workspace.folder, found.definition)
            candidate = acts.candidate(site.workspace, user, found.workflow_id, found.number, catalog, bind, cases)
    with proving():
        explained = render_text(explain(found.definition, catalog))
    stopping = refused or (candidate.stopping if candidate else ())
    report = candidate.version.report if candidate else found.report
    may = {"author": user.may(AUTHOR), "approver": user.may(APPROVER), "either": user.may(AUTHOR, APPROVER),
           "operator": user.may(OPERATOR)}  # fmt: skip
    told = [f"{pin.type} {pin.version}: {pin.what}" for pin in stale_pins(found, catalog)]
    svg = render_svg(found.definition, catalog=catalog, language=language_of(request))
    return page(
        request, "version.html", session, 409 if refused else 200, version=found, candidate=candidate,
        stopping=stopping, refused=bool(refused), given=given, unbound=_unbound(candidate), may=may,
        notes=[*told, *deprecated_types(found.pins, catalog)], before=_before(site, found), svg=Markup(svg),
        explained=explained, report=report, reader=Reader(found.definition, catalog, language_of(request)),
        waivable=waivable(report), seen=seen(waivable(report)),
    )  # fmt: skip


def _unbound(candidate: acts.Candidate | None) -> list[str]:
    """The Types that nothing carries out here."""
    return sorted({one.names[0] for one in candidate.stopping if one.kind == "unbound"}) if candidate else []


def _version(site: Site, workflow_id: str, number: int) -> Version:
    with site.workspace.database.transaction() as connection:
        return acts.version_of(connection, workflow_id, number)


def _before(site: Site, version: Version) -> Version | None:
    """The version that callers know: the last one published before, else the one before."""
    with site.workspace.database.transaction() as connection:
        earlier = [one for one in acts.versions(connection, version.workflow_id) if one.number < version.number]
    return acts.last_published(earlier) or (earlier[-1] if earlier else None)


def _needed(text: str, what: str) -> str:
    if not text.strip():
        raise BadForm(f"say {what}; it is kept with it")
    return text.strip()


def _to(version: Version) -> Response:
    return RedirectResponse(f"/registry/{version.workflow_id}/v{version.number}", 303)
