"""What runs teach for the next version: what people were asked most, what failed most, what nobody carries out.

It is told from the audit, the tasks and the versions; nothing is changed by it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from pydantic import JsonValue

from catalog.node_type import NodeType
from ir.base import Model, canonical_json
from ir.fields import Fields, FieldSpec
from ir.walk import performer
from ir.workflow import Node
from registry.errors import UnknownVersion
from registry.forms import Version
from registry.versions import versions
from runtime.executions import execution_of, tasks
from runtime.executors.registry import MANUAL
from runtime.forms import Task
from runtime.host import Host
from runtime.privacy.classes import Classes
from runtime.privacy.settings import HIDDEN
from runtime.values import described
from store import audit
from store.tables import EXECUTIONS

NO_EXECUTOR = "NO_EXECUTOR"
STUMBLES = ("node-failed", "call-parked", "call-delayed")


class Question(Model):
    """A field that people were asked for.

    Args:
        node: empty for what was missing at the start.
        takes: what the field takes, in words.
        answered: how often.
        waiting: how many runs wait for it now.
        commonest: of a field with few values the answer that was given most, and how often.
    """

    workflow: str
    versions: tuple[str, ...]
    node: str
    kind: str
    field: str
    takes: str
    answered: int
    waiting: int
    commonest: JsonValue = None
    commonest_times: int = 0


class Stumble(Model):
    """A node that failed, was parked, or was tried again.

    Args:
        parked: how often a person was asked what became of its call.
        delayed: how often it was tried again later.
        reasons: by code and words how often.
    """

    workflow: str
    versions: tuple[str, ...]
    node: str
    type: str
    failed: int
    parked: int
    delayed: int
    reasons: dict[str, int]


class TypeRequirement(Model):
    """A Type that nobody carries out here, as whoever builds its executor needs to know it.

    Args:
        summary: what it does, as the catalog says; None where the catalog lacks it.
        takes, gives: by field what it takes, in words.
        used_at: `WORKFLOW@vN NODE` of each use in a published version.
        by_hand: how often a person did it.
        open: how often a person is asked to do it now.
        without: how often a run failed for want of an executor.
    """

    type: str
    summary: str | None
    side_effect: bool | None
    takes: dict[str, str]
    gives: dict[str, str]
    used_at: tuple[str, ...]
    by_hand: int
    open: int
    without: int


class Lessons(Model):
    """What runs teach, the most frequent first."""

    runs: int
    questions: tuple[Question, ...]
    stumbles: tuple[Stumble, ...]
    types: tuple[TypeRequirement, ...]


@dataclass(frozen=True)
class _Record:
    """What is read of the runs.

    Args:
        version_of: by execution its version.
        classes: by execution the classes of its values.
    """

    host: Host
    versions: tuple[Version, ...]
    version_of: dict[str, Version]
    classes: dict[str, Classes]
    tasks: tuple[Task, ...]
    events: tuple[audit.Event, ...]


def lessons(host: Host, workflow_id: str | None = None) -> Lessons:
    """What the runs of a workspace teach, or those of one workflow.

    Raises:
        UnknownVersion: there is no such workflow.
    """
    record = _read(host, workflow_id)
    return Lessons(
        runs=len(record.version_of),
        questions=tuple(
            sorted(_questions(record), key=lambda one: (-one.answered, -one.waiting, one.workflow, one.node))
        ),
        stumbles=tuple(sorted(_stumbles(record), key=lambda one: (-one.failed - one.parked, -one.delayed, one.node))),
        types=tuple(sorted(_types(record), key=lambda one: (-one.by_hand - one.without, -one.open, one.type))),
    )


def _read(host: Host, workflow_id: str | None) -> _Record:
    with host.workspace.database.transaction() as connection:
        known = tuple(versions(connection, workflow_id))
        if workflow_id is not None and not known:
            raise UnknownVersion(f"there is no {workflow_id}; `flowc registry list` shows what there is")
        numbered = {(one.workflow_id, one.number): one for one in known}
        rows = connection.execute(sa.select(EXECUTIONS.c.id, EXECUTIONS.c.workflow_id, EXECUTIONS.c.number))
        of = {
            row.id: numbered[row.workflow_id, row.number] for row in rows if (row.workflow_id, row.number) in numbered
        }
        kinds = {"answered", "run-called", *STUMBLES}
        events = [one for one in audit.events(connection) if one.kind in kinds]
        called = {one.body["execution"] for one in events if one.kind == "run-called"}
        classes = {
            name: host.classes_in(execution_of(connection, name), connection)
            if name in called
            else host.classes(version.workflow_id, version.number, connection)
            for name, version in of.items()
        }
        return _Record(
            host=host,
            versions=known,
            version_of=of,
            classes=classes,
            tasks=tuple(one for one in tasks(connection, open_only=False) if one.execution in of),
            events=tuple(one for one in events if one.execution in of),
        )


# --- questions --------------------------------------------------------------------------------------------------------


def _questions(record: _Record) -> Iterator[Question]:
    """By field of a form; what became of a call that was cut off is no question of the workflow."""
    answers = {one.body["task"]: one.body["answer"] for one in record.events if one.kind == "answered"}
    asked: dict[tuple[str, str, str, str], list[Task]] = {}
    for task in record.tasks:
        for name in task.fields if task.kind != "settle" else ():
            asked.setdefault((record.version_of[task.execution].workflow_id, task.node, task.kind, name), []).append(
                task
            )
    for (workflow, node, kind, name), of in asked.items():
        given = [answers[one.id][name] for one in of if one.id in answers and answers[one.id].get(name) is not None]
        spec = of[-1].fields[name]
        shown = _few(spec) and not any(_is_hidden(record, one, name) for one in of)
        value, times = _commonest(given) if shown else (None, 0)
        waiting = sum(one.status in ("open", "claimed") for one in of)
        if given or waiting:
            yield Question(
                workflow=workflow, versions=_names([record.version_of[one.execution] for one in of]), node=node,
                kind=kind, field=name, takes=described(spec), answered=len(given), waiting=waiting, commonest=value,
                commonest_times=times,
            )  # fmt: skip


def _few(spec: FieldSpec) -> bool:
    """Whether a field has few values: others may say something of a person, and are not repeated."""
    return spec.type == "boolean" or spec.enum is not None


def _is_hidden(record: _Record, task: Task, name: str) -> bool:
    """Whether the answers to a field of a form are hidden from some: what runs teach is for all."""
    classes = record.classes[task.execution]
    return classes.of_event("answered", {"node": task.node, "answer": {}}).at(("answer", name)).own in HIDDEN


def _commonest(given: Sequence[JsonValue]) -> tuple[JsonValue, int]:
    counted = Counter(canonical_json(value) for value in given)
    if not counted:
        return None, 0
    text, times = counted.most_common(1)[0]
    return next(value for value in given if canonical_json(value) == text), times


def _names(found: Sequence[Version]) -> tuple[str, ...]:
    return tuple(f"v{number}" for number in sorted({one.number for one in found}))


# --- what failed ------------------------------------------------------------------------------------------------------


def _stumbles(record: _Record) -> Iterator[Stumble]:
    found: dict[tuple[str, str], list[audit.Event]] = {}
    for event in record.events:
        if event.kind in STUMBLES and event.execution is not None:
            found.setdefault((record.version_of[event.execution].workflow_id, event.body["node"]), []).append(event)
    for (workflow, node), events in found.items():
        of = [record.version_of[one.execution] for one in events if one.execution is not None]
        kinds = Counter(one.kind for one in events)
        hidden = any(record.classes[one.execution or ""].highest in HIDDEN for one in events)
        reasons = Counter(_reason(one, hidden) for one in events if one.kind != "call-delayed")
        yield Stumble(
            workflow=workflow, versions=_names(of), node=node, type=of[-1].definition.nodes[node].type,
            failed=kinds["node-failed"], parked=kinds["call-parked"], delayed=kinds["call-delayed"],
            reasons=dict(reasons.most_common()),
        )  # fmt: skip


def _reason(event: audit.Event, hidden: bool) -> str:
    """Why, in words; without those that may tell a hidden value."""
    if event.kind == "call-parked":
        return "parked" if hidden else f"parked: {event.body['why']}"
    return ": ".join(part for part in (event.body["error"], None if hidden else event.body["message"]) if part)


# --- Types ------------------------------------------------------------------------------------------------------------


def _types(record: _Record) -> Iterator[TypeRequirement]:
    """The Types of systems whose nodes are done by hand, or failed since nothing was there to carry them out."""
    places: dict[str, list[tuple[Version, str]]] = {}
    for version in record.versions:
        for name, node in version.definition.nodes.items():
            if performer(node) == "system" and version.state in ("published", "deprecated"):
                places.setdefault(node.type, []).append((version, name))
    without = Counter(
        record.version_of[one.execution].definition.nodes[one.body["node"]].type
        for one in record.events
        if one.execution is not None and one.kind == "node-failed" and one.body["error"] == NO_EXECUTOR
    )
    by_hand, waiting = _by_hand(record)
    for name, used in places.items():
        if not without[name] and not any(version.executors.get(node) == MANUAL for version, node in used):
            continue
        node_type = record.host.catalog.node_types.get(name)
        nodes = [version.definition.nodes[node] for version, node in used]
        yield TypeRequirement(
            type=name,
            summary=node_type.summary if node_type is not None else None,
            side_effect=node_type.capabilities.side_effect if node_type is not None else None,
            takes=_takes(node_type, nodes),
            gives=_words(node_type.outputs_schema) if node_type is not None else _assumed(nodes),
            used_at=tuple(f"{version.name} {node}" for version, node in used),
            by_hand=by_hand[name], open=waiting[name], without=without[name],
        )  # fmt: skip


def _by_hand(record: _Record) -> tuple[Counter[str], Counter[str]]:
    """By Type how often a person did what a system would, and how often one is asked to now."""
    done, waiting = Counter[str](), Counter[str]()
    for task in record.tasks:
        version = record.version_of[task.execution]
        node = version.definition.nodes.get(task.node)
        if node is not None and performer(node) == "system" and version.executors.get(task.node) == MANUAL:
            done[node.type] += task.status == "done"
            waiting[node.type] += task.status in ("open", "claimed")
    return done, waiting


def _takes(node_type: NodeType | None, nodes: Sequence[Node]) -> dict[str, str]:
    """What a Type takes; where the catalog lacks it, what its nodes are given."""
    if node_type is not None:
        return _words(node_type.inputs_schema)
    return {name: "not known" for node in nodes for name in node.inputs}


def _assumed(nodes: Sequence[Node]) -> dict[str, str]:
    return {name: spec for node in nodes for name, spec in _words(node.assumed_outputs or {}).items()}


def _words(fields: Fields) -> dict[str, str]:
    return {
        name: described(spec) + ("" if spec.required is True else ", may be absent") for name, spec in fields.items()
    }
