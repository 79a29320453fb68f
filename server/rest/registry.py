"""The registry, for people: versions with their history, and what changed from one to another."""

from typing import Annotated

from fastapi import Path, Query

from compiler.report.changes.lines import lines
from registry.compatibility import compatibility
from registry.forms import Blocker, State, Version
from registry.pinned import stale_pins
from registry.versions import candidate, version_of, versions
from review.submission import judged_cases
from server.access import Shown
from server.proving import proving
from server.rest.call import Reading, operations
from server.rest.forms import VersionListed, VersionsDiffer, VersionShown
from server.rest.paging import Cursor, Limit, Page, cursor_of, place_of
from server.site import Site
from store.users import READ, User
from validator.diff import compare
from validator.diff.changes import Comparison

router = operations("registry", (404,))
NAME = r"^[A-Za-z_][A-Za-z0-9_-]*@v[1-9][0-9]{0,5}$"
VersionName = Annotated[str, Path(pattern=NAME, max_length=210, description="`ID@vN`")]
VersionAsked = Annotated[str, Query(pattern=NAME, max_length=210, description="`ID@vN`")]


@router.get("/registry/versions")
def list_versions(
    site: Shown,
    user: Reading,
    workflow: Annotated[str | None, Query(max_length=200, description="id of a workflow")] = None,
    state: Annotated[State | None, Query(description="only versions in this state")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[VersionListed]:
    """Versions in every state that the caller's token reaches, by workflow and number."""
    if workflow is not None:
        user.must_hold(READ, workflow)
    after = _after(cursor)
    with site.workspace.database.transaction() as connection:
        known = versions(connection, workflow)
    left = [
        one
        for one in known
        if (after is None or (one.workflow_id, one.number) > after)
        and (state is None or one.state == state)
        and site.host.agency.permits(user, one.workflow_id)
    ]
    last = left[limit - 1] if len(left) > limit else None
    more = cursor_of((last.workflow_id, str(last.number))) if last is not None else None
    return Page(items=tuple(_listed(one) for one in left[:limit]), next_page=more)


def _after(cursor: str | None) -> tuple[str, int] | None:
    place = place_of(cursor)
    return (place[0], int(place[1]) if place[1].isdecimal() else 0) if place is not None else None


@router.get("/registry/versions/{version}")
def see_version(site: Shown, user: Reading, version: VersionName) -> VersionShown:
    """A version with its history, what it was published with, and its definition."""
    found = _version(site, user, version)
    policy, report = found.definition.execution_policy, found.report
    stopping: tuple[Blocker, ...] = ()
    if found.state in ("draft", "review"):
        with proving():
            cases = judged_cases(site.host.workspace.folder, found.definition)
            made = candidate(
                site.host.workspace, user, found.workflow_id, found.number, site.host.catalog, site.host.binder(), cases
            )
        report, stopping = made.version.report, made.stopping
    return VersionShown(
        **dict(_listed(found.model_copy(update={"report": report}))),
        reviewed=report.reviewed,
        cases=report.cases,
        waived=found.report.waived,
        stopping=stopping,
        risk_level=policy.risk_level,
        begins_by_itself=policy.allow_auto,
        history=found.history,
        executors=found.executors,
        pins=found.pins,
        calls=found.calls,
        compatibility=report.compatibility,
        stale=tuple(f"{one.type} {one.version}: {one.what}" for one in stale_pins(found, site.host.catalog)),
        definition=found.definition.to_json(),
    )


@router.get("/registry/diff")
def diff_versions(site: Shown, user: Reading, before: VersionAsked, after: VersionAsked) -> VersionsDiffer:
    """What changed from one version to another, by meaning, and whether callers of the one can call the other."""
    old, new = _version(site, user, before), _version(site, user, after)
    with proving():
        difference = compare(old.definition, new.definition, site.host.catalog, (old.name, new.name))
        told = tuple(f"{'  ' * one.depth}{one.sign} {one.text}" for one in lines(Comparison(differences=(difference,))))
    return VersionsDiffer(
        before=old.name,
        after=new.name,
        same=difference.same,
        lines=told,
        difference=difference.to_json(),
        compatibility=compatibility(old, new, site.host.catalog),
    )


def _version(site: Site, user: User, name: str) -> Version:
    workflow_id, _, number = name.partition("@v")
    user.must_hold(READ, workflow_id)
    with site.workspace.database.transaction() as connection:
        return version_of(connection, workflow_id, int(number))


def _listed(version: Version) -> VersionListed:
    about, report = version.definition.metadata, version.report
    return VersionListed(
        version=version.name, workflow=version.workflow_id, state=version.state, title=about.title, owner=about.owner,
        tags=about.tags, author=version.author, digest=version.digest, changed_at=version.changed_at,
        errors=report.errors, warnings=report.warnings, open_questions=report.open_questions,
    )  # fmt: skip
