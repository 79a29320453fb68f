"""Versions in the workspace: submitted, reviewed, published, deprecated; immutable once published."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import sqlalchemy as sa
from pydantic import JsonValue

from catalog.load import Catalog
from ir.base import canonical_json
from ir.codec import digest, read_workflow, write_json
from ir.workflow import CalledWorkflow, Workflow
from registry.calls import Find, call_blockers, call_pins, called_versions
from registry.compatibility import breaks_of, compatibility
from registry.ended import with_its_end
from registry.errors import NotPublishable, Tampered, UnknownVersion, WrongState
from registry.forms import Blocker, CallPin, Pin, Report, State, Transition, Version
from registry.publishable import Bind, blockers, executors_of, pins_of, report_of
from registry.reviewed import JudgedCase, Reviewed, Waived
from registry.waivable import seen, waivable
from store import audit
from store.clock import now
from store.keys import Key, is_signed
from store.tables import TRANSITIONS, VERSIONS
from store.users import APPROVER, AUTHOR, User
from store.workspace import Workspace


@dataclass(frozen=True)
class Candidate:
    """A version as it would be published.

    Args:
        stopping: what has to be done before.
    """

    version: Version
    stopping: tuple[Blocker, ...]


def submit(
    workspace: Workspace,
    user: User,
    workflow: Workflow,
    catalog: Catalog,
    compiler: str,
    *,
    references: Mapping[str, JsonValue] | None = None,
    open_questions: tuple[str, ...] = (),
    reviewed: Reviewed | None = None,
    cases: tuple[JudgedCase, ...] = (),
) -> Version:
    """Put a workflow into the registry as a draft; where its last version is a draft, in that one's place.

    One that names neither outputs nor results gives how its run ended (`registry.ended`).

    Args:
        compiler: version of flowc, for the report.
        references: the tables of data of its build, by id.
        reviewed: what is known of it as a draft.
        cases: those that people judged, run on it.

    Raises:
        NotAllowed: the user is no author.
    """
    user.must("submit a workflow", AUTHOR)
    with workspace.transaction() as connection:
        last = _rows(connection, workflow.workflow_id)[-1:]
        replaced = last[0].number if last and last[0].state == "draft" else None
        number = replaced or (last[0].number + 1 if last else 1)
        definition = with_its_end(workflow).model_copy(update={"version": f"v{number}", "status": "draft"})
        called = called_versions(definition, _finding(connection))
        others = tuple(one.definition for one in called.values())
        report = report_of(definition, catalog, compiler, open_questions, others, reviewed, cases)
        if replaced:
            connection.execute(VERSIONS.delete().where(_is(workflow.workflow_id, number)))
        connection.execute(
            VERSIONS.insert().values(
                workflow_id=workflow.workflow_id, number=number, state="draft", digest=digest(definition),
                definition=write_json(definition), references=canonical_json(dict(references or {})),
                pins=_json([one.to_json() for one in pins_of(definition, catalog)]), executors="{}",
                report=_json(report.to_json()), signature="", author=user.name, changed_at=now(),
            )
        )  # fmt: skip
        _moved(connection, workflow.workflow_id, number, "draft" if replaced else "", "draft", user, "")
        return _version(connection, workflow.workflow_id, number)


def review(workspace: Workspace, user: User, workflow_id: str, number: int, *, back: str = "") -> Version:
    """Hand a draft in for review, or give one back with a reason.

    Raises:
        UnknownVersion: there is none such.
        WrongState: it is no draft (or, to be given back, not under review).
        NotAllowed: the user may not.
    """
    user.must("hand in or give back a version", AUTHOR, APPROVER)
    with workspace.transaction() as connection:
        if back:
            return _move(connection, workflow_id, number, "review", "draft", user, back)
        return _move(connection, workflow_id, number, "draft", "review", user, "")


def publish(
    workspace: Workspace,
    user: User,
    workflow_id: str,
    number: int,
    catalog: Catalog,
    bind: Bind,
    *,
    accepted: str = "",
    shown: str | None = None,
    compatible: bool = False,
    cases: tuple[JudgedCase, ...] | None = None,
) -> Version:
    """Publish a version: from now on it can be run, and is never changed again.

    Its Types are pinned to exact versions, what it calls to published ones, each of its nodes is bound to who carries
    it out, and its report is signed, with whether callers of the version published before can call it, and each thing
    that stayed open.

    Args:
        accepted: why what is open may stay open.
        shown: what was open where the reason was given (`registry.waivable.seen`); None for whatever is.
        compatible: whether those callers have to be able to.
        cases: those that people judged, run on it as it is; None for as they ran when it was submitted.

    Raises:
        UnknownVersion: there is none such.
        WrongState: it is not under review.
        NotAllowed: the user is no approver.
        NotPublishable: with all that stands in the way.
    """
    user.must("publish", APPROVER)
    with workspace.transaction() as connection:
        asked = _asked(connection, workflow_id, number)
        _expected(asked.version, "review")
        made = _candidate(asked, user, catalog, bind, accepted, compatible, cases)
        stopping = (*made.stopping, *_unseen(made.version.report, accepted, shown))
        if stopping:
            raise NotPublishable(f"{made.version.name} cannot be published yet", stopping)
        found, report = made.version, made.version.report
        connection.execute(
            VERSIONS.update().where(_is(workflow_id, number)).values(
                digest=found.digest, definition=write_json(found.definition), report=_json(report.to_json()),
                pins=_json([one.to_json() for one in (*found.pins, *found.calls)]), executors=_json(found.executors),
                signature=workspace.key.sign(
                    _signed(report, found.pins, found.calls, found.executors, found.references)
                ),
            )
        )  # fmt: skip
        return _move(connection, workflow_id, number, "review", "published", user, accepted, report.waived)


def candidate(
    workspace: Workspace,
    user: User,
    workflow_id: str,
    number: int,
    catalog: Catalog,
    bind: Bind,
    cases: tuple[JudgedCase, ...] | None = None,
) -> Candidate:
    """What publishing a version would make of it, and all that stands in the way of its being published by this user.

    Args:
        cases: as for `publish`.

    Raises:
        UnknownVersion: there is none such.
    """
    with workspace.database.transaction() as connection:
        asked = _asked(connection, workflow_id, number)
    return _candidate(asked, user, catalog, bind, "", False, cases)


def _unseen(report: Report, accepted: str, shown: str | None) -> tuple[Blocker, ...]:
    """A reason that was given for something else than what is open now."""
    if not accepted or shown is None or shown == seen(report.waived):
        return ()
    told = "what is open changed since the reason was given; look at it again and say anew why it may stay so"
    return (Blocker(kind="unseen", told=told),)


@dataclass(frozen=True)
class _Asked:
    """A version with what publishing it looks at in the registry.

    Args:
        called: all that it calls, as far as the registry has it.
        before: the version that was published before.
    """

    version: Version
    called: dict[CalledWorkflow, Version]
    before: Version | None


def _asked(connection: sa.Connection, workflow_id: str, number: int) -> _Asked:
    found = _version(connection, workflow_id, number)
    called = called_versions(found.definition, _finding(connection))
    return _Asked(found, called, last_published(versions(connection, workflow_id)))


def _candidate(
    asked: _Asked,
    user: User,
    catalog: Catalog,
    bind: Bind,
    accepted: str,
    compatible: bool,
    cases: tuple[JudgedCase, ...] | None,
) -> Candidate:
    found, called, before = asked.version, asked.called, asked.before
    known = found.report
    pins = pins_of(found.definition, catalog)
    exact = {one.type: one.version for one in pins}
    nodes = {
        name: node.model_copy(update={"type_version": exact[node.type]}) if node.type in exact else node
        for name, node in found.definition.nodes.items()
    }
    definition = found.definition.model_copy(update={"nodes": nodes, "status": "published"})
    others = tuple(one.definition for one in called.values())
    report = report_of(
        definition, catalog, known.compiler, known.open_questions, others, known.reviewed,
        known.cases if cases is None else cases,
    )  # fmt: skip
    found = found.model_copy(
        update={"definition": definition, "digest": digest(definition), "report": report, "pins": pins}
    )
    held = compatibility(before, found, catalog) if before else None
    executors = executors_of(definition, catalog, bind)
    broken = breaks_of(held) if held and compatible else ()
    stopping = (
        *blockers(found, user, executors, accepted),
        *(Blocker(kind="call", told=one) for one in call_blockers(definition, called)),
        *(Blocker(kind="breaks", told=one) for one in broken),
    )
    whole = {
        "report": report.model_copy(update={"compatibility": held, "waived": waivable(report) if accepted else ()}),
        "calls": call_pins(definition, called),
        "executors": executors,
    }
    return Candidate(found.model_copy(update=whole), stopping)


def deprecate(workspace: Workspace, user: User, workflow_id: str, number: int, reason: str) -> Version:
    """Let no run of a version begin any more; those that run go on.

    Raises:
        UnknownVersion: there is none such.
        WrongState: it is not published.
        NotAllowed: the user is no approver.
    """
    user.must("deprecate a version", APPROVER)
    with workspace.transaction() as connection:
        return _move(connection, workflow_id, number, "published", "deprecated", user, reason)


def versions(connection: sa.Connection, workflow_id: str | None = None) -> list[Version]:
    """All versions, or those of one workflow, by workflow and number."""
    return [_read(connection, row) for row in _rows(connection, workflow_id)]


def version_of(connection: sa.Connection, workflow_id: str, number: int | None = None) -> Version:
    """A version; without a number the last that is published.

    Raises:
        UnknownVersion: there is none such; the message tells those that there are.
    """
    rows = _rows(connection, workflow_id)
    if number is None:
        published = [row for row in rows if row.state == "published"]
        if published:
            return _read(connection, published[-1])
    chosen = next((row for row in rows if row.number == number), None)
    if chosen is not None:
        return _read(connection, chosen)
    told = ", ".join(f"v{row.number} ({row.state})" for row in rows)
    if number is None and rows:
        raise UnknownVersion(f"no version of {workflow_id} is published; there is {told}")
    known = told or "no workflow of that id; `flowc registry list` shows what there is"
    raise UnknownVersion(f"there is no {workflow_id}{f'@v{number}' if number else ''}; there is {known}")


def states(connection: sa.Connection) -> tuple[tuple[str, int, str], ...]:
    """By id and number the state of each version, without reading any."""
    chosen = sa.select(VERSIONS.c.workflow_id, VERSIONS.c.number, VERSIONS.c.state)
    rows = connection.execute(chosen.order_by(VERSIONS.c.workflow_id, VERSIONS.c.number))
    return tuple((row.workflow_id, row.number, row.state) for row in rows)


def last_published(known: Sequence[Version]) -> Version | None:
    """Of the versions of one workflow the last that is published, else the last that was; None where none ever was."""
    once = [one for one in known if one.state in ("published", "deprecated")]
    return next((one for one in reversed(once) if one.state == "published"), once[-1] if once else None)


def findable(connection: sa.Connection, *, deprecated: bool = False) -> list[Version]:
    """Of each workflow the last version that is published, for search.

    Args:
        deprecated: deprecated versions as well.
    """
    known = versions(connection)
    last = {one.workflow_id: one for one in known if one.state == "published"}
    return [one for one in known if one is last.get(one.workflow_id) or (deprecated and one.state == "deprecated")]


def checked(version: Version, key: Key) -> Version:
    """A published version whose definition, report, pins and executors are those that were signed.

    Raises:
        Tampered: they are not.
    """
    whole = digest(version.definition) == version.digest == version.report.digest
    signed = _signed(version.report, version.pins, version.calls, version.executors, version.references)
    if not whole or not is_signed(signed, version.signature, key.public):
        raise Tampered(f"{version.name} is not what was published; restore the workspace from a backup")
    return version


def _signed(
    report: Report,
    pins: tuple[Pin, ...],
    calls: tuple[CallPin, ...],
    executors: Mapping[str, str],
    references: Mapping[str, JsonValue],
) -> JsonValue:
    return {
        "report": report.to_json(),
        "pins": [one.to_json() for one in (*pins, *calls)],
        "executors": dict(executors),
        "references": digest(dict(references)),
    }


# --- rows -------------------------------------------------------------------------------------------------------------


def _is(workflow_id: str, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(VERSIONS.c.workflow_id == workflow_id, VERSIONS.c.number == number)


def _rows(connection: sa.Connection, workflow_id: str | None) -> list[Any]:
    chosen = sa.select(VERSIONS).order_by(VERSIONS.c.workflow_id, VERSIONS.c.number)
    return [*connection.execute(chosen if workflow_id is None else chosen.where(VERSIONS.c.workflow_id == workflow_id))]


def _version(connection: sa.Connection, workflow_id: str, number: int) -> Version:
    return version_of(connection, workflow_id, number)


def called_by(connection: sa.Connection, version: Version) -> dict[CalledWorkflow, Version]:
    """All that a version calls, directly or not; nothing of one that was never published, which may call in a ring."""
    return called_versions(version.definition, _finding(connection)) if version.calls else {}


def _finding(connection: sa.Connection) -> Find:
    """Finds what calls name."""

    def find(call: CalledWorkflow) -> Version | None:
        rows = _rows(connection, call.workflow_id)
        row = next((row for row in rows if f"v{row.number}" == call.version), None)
        return _read(connection, row) if row is not None else None

    return find


def _read(connection: sa.Connection, row: Any) -> Version:
    definition, faults = read_workflow(row.definition)
    if definition is None:
        raise Tampered(
            f"{row.workflow_id}@v{row.number} cannot be read ({faults[0]}); restore the workspace from a backup"
        )
    pins = json.loads(row.pins)
    moved = connection.execute(
        sa.select(TRANSITIONS)
        .where(TRANSITIONS.c.workflow_id == row.workflow_id, TRANSITIONS.c.number == row.number)
        .order_by(TRANSITIONS.c.id)
    )
    return Version(
        workflow_id=row.workflow_id,
        number=row.number,
        state=row.state,
        digest=row.digest,
        definition=definition,
        references=json.loads(row.references),
        pins=tuple(Pin.model_validate(one) for one in pins if "type" in one),
        calls=tuple(CallPin.model_validate(one) for one in pins if "workflow_id" in one),
        executors=json.loads(row.executors),
        report=Report.model_validate(json.loads(row.report)),
        signature=row.signature,
        author=row.author,
        changed_at=row.changed_at,
        history=tuple(
            Transition(before=one.before, after=one.after, by=one.by, at=one.at, reason=one.reason) for one in moved
        ),
    )


def _expected(version: Version, state: State) -> Version:
    if version.state != state:
        steps = {"draft": "submit it", "review": "`flowc registry review` hands it in", "published": "publish it first"}
        raise WrongState(
            f"{version.name} is {version.state}, and has to be {state}: {steps.get(state, 'it is past that')}"
        )
    return version


def _move(
    connection: sa.Connection,
    workflow_id: str,
    number: int,
    before: State,
    after: State,
    user: User,
    reason: str,
    waived: tuple[Waived, ...] = (),
) -> Version:
    _expected(_version(connection, workflow_id, number), before)
    connection.execute(VERSIONS.update().where(_is(workflow_id, number)).values(state=after, changed_at=now()))
    _moved(connection, workflow_id, number, before, after, user, reason, waived)
    return _version(connection, workflow_id, number)


def _moved(
    connection: sa.Connection,
    workflow_id: str,
    number: int,
    before: str,
    after: State,
    user: User,
    reason: str,
    waived: tuple[Waived, ...] = (),
) -> None:
    """Note a change of state, for the version and in the audit, with what the reason waived."""
    assert after in get_args(State)
    connection.execute(
        TRANSITIONS.insert().values(
            workflow_id=workflow_id, number=number, before=before, after=after, by=user.name, at=now(), reason=reason
        )
    )
    stored = connection.execute(sa.select(VERSIONS.c.digest).where(_is(workflow_id, number))).scalar_one()
    audit.append(
        connection, f"version-{after}", user.name,
        {"workflow": workflow_id, "version": f"v{number}", "digest": stored, "reason": reason}
        | ({"waived": [one.to_json() for one in waived]} if waived else {}),
    )  # fmt: skip


def _json(value: Any) -> str:
    return canonical_json(value)
