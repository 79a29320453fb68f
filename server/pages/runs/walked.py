"""A run walked again over its record: as it was, and with other values; nothing is called, nothing is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import JsonValue

from ir.fields import Fields
from ir.predicate import Ref
from ir.walk import Walk
from runtime.telling import explain, outputs_seen, replay, what_if
from server.access import Acting, Reading, Shown, reading
from server.pages.runs.controls import NOTHING, Control, Form, Typed, faulty, unfit, values_of
from server.pages.runs.inbox import Sent
from server.pages.runs.shown import ShownRun, ShownValue, opened_run, title_of
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from server.words import Words

router = APIRouter()
PLACE = "/runs/{execution}"
INPUTS = "$.inputs"


@router.get(PLACE + "/replay")
def replay_page(request: Request, site: Shown, session: Reading, execution: str) -> Response:
    """The run walked again over what was recorded, and whether it comes to the same."""
    run = opened_run(site, execution, language_of(request))
    found = replay(site.host, execution, session.user)
    walked = _walked(run, found.walk, dict(found.outputs))
    return page(
        request, "run-replay.html", session, run=run.execution, title=title_of(run.version), walked=walked,
        differences=found.differences,
    )  # fmt: skip


@router.get(PLACE + "/what-if")
def what_if_page(request: Request, site: Shown, session: Reading, execution: str) -> Response:
    """A form of what the run was given and of what its nodes gave, to be changed."""
    return _what_if(request, site, session, execution, NOTHING)


@router.post(PLACE + "/what-if")
def what_if_walked(request: Request, site: Shown, session: Acting, execution: str, typed: Sent) -> Response:
    """What the run would have come to with other values."""
    return _what_if(request, site, reading(session), execution, typed)


@dataclass(frozen=True)
class Walked:
    """What a walk came to, in words.

    Args:
        unknown: what had to be known to go on, where the walk stopped for that.
    """

    path: tuple[str, ...]
    status: str
    reason_code: str | None
    outputs: tuple[ShownValue, ...]
    words: tuple[str, ...]
    unknown: tuple[str, ...]


def _walked(run: ShownRun, walk: Walk, outputs: Mapping[str, JsonValue]) -> Walked:
    names, result = run.reader.node_name, walk.result
    unknown = walk.undecided.unknown if walk.undecided is not None else ()
    return Walked(
        tuple(names(one) for one in walk.path), result.status, result.reason_code,
        run.results(outputs),
        tuple(dict.fromkeys(one.quote for one in result.evidence)),
        tuple(run.reader.ref_full(Ref(one)) for one in unknown),
    )  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where values stand that may be changed: the inputs, or what a node gave.

    Args:
        name: of the step; empty for the inputs.
        recorded: the values as they were, by their labels.
    """

    name: str
    controls: tuple[Control, ...]
    recorded: tuple[ShownValue, ...] = ()


def _what_if(request: Request, site: Site, session: Session, execution: str, typed: Typed) -> Response:
    run, words = opened_run(site, execution, language_of(request)), Words(language_of(request))
    told = explain(site.host, execution, session.user)
    fields = _fields(run)
    values = {where: _changed(values_of(of, typed, where)) for where, of in fields.items()}
    wrong = {where: unfit(values[where], of) for where, of in fields.items()}
    gave = {one["node"]: run.gave(one["node"], one["gave"]) for one in told["steps"]}
    places = [
        Place(
            name=run.reader.node_name(node) if (node := where.removeprefix("$.outputs.")) != where else "",
            controls=Form(run.reader, words, typed, wrong[where], partial=True).controls(of, where),
            recorded=gave.get(node, ()) if node != where else run.inputs(site, session.user),
        )
        for where, of in fields.items()
    ]
    changes = {ref: value for where, of in fields.items() for ref, value in _refs(where, values[where], of)}
    walked = None
    if changes and not any(wrong.values()):
        walk = what_if(site.host, execution, changes)
        walked = _walked(run, walk, outputs_seen(site.host, execution, walk, session.user))
    bad = [one for place in places for one in faulty(place.controls)]
    return page(
        request, "run-what-if.html", session, 400 if bad else 200, run=run.execution, title=title_of(run.version),
        places=places, walked=walked, faulty=bad, sent=bool(typed.form), told=told,
    )  # fmt: skip


def _fields(run: ShownRun) -> dict[str, Fields]:
    """The fields that may be changed, by what references to them begin with: inputs first, then nodes in order."""
    nodes = {f"$.outputs.{name}": _without_evidence(run.outputs(name)) for name in run.workflow.nodes}
    return {INPUTS: dict(run.workflow.inputs), **{where: of for where, of in nodes.items() if of}}


def _without_evidence(fields: Fields) -> Fields:
    """The fields that a way on can depend on."""
    return {name: spec for name, spec in fields.items() if name != "evidence"}


def _changed(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What was typed: empty lists and objects stand for nothing."""
    return {name: value for name, value in values.items() if value not in ([], {})}


def _refs(where: str, values: Mapping[str, Any], fields: Fields) -> Iterator[tuple[str, JsonValue]]:
    """The values by reference; of an object that a node gave, each of those that were typed by itself."""
    for name, value in values.items():
        below = fields[name].properties
        if below and isinstance(value, dict) and where != INPUTS:
            yield from _refs(f"{where}.{name}", value, below)
        else:
            yield f"{where}.{name}", value
