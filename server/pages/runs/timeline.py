"""What happened in a run, one after the other, told from the audit in the reader's language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compiler.report.readers_words import Reader
from ir.predicate import Ref
from runtime.governance.own_part import OwnPart
from runtime.veil import seen
from server.words import Words
from store.audit import Event


@dataclass(frozen=True)
class Happening:
    """An event of a run.

    Args:
        by: who did it; flowc itself goes without a name.
        node: the name of the step that it is about.
        details: what else there is to say of it, each with a name.
        run: another run that it is about.
    """

    sequence: int
    at: str
    told: str
    by: str
    node: str
    details: tuple[tuple[str, str], ...]
    run: str | None = None


def timeline(events: list[Event], reader: Reader, words: Words) -> tuple[Happening, ...]:
    """The events as they are told, the first first."""
    return tuple(
        Happening(
            one.sequence, one.at, words.get(f"happened.{one.kind}", words.get(f"event.{one.kind}", one.kind)),
            "" if one.principal == "flowc" else one.principal, _node(one.body, reader),
            tuple(_details(one, reader, words)), _run(one.body),
        )
        for one in events
    )  # fmt: skip


def _node(body: Mapping[str, Any], reader: Reader) -> str:
    name = str(body.get("node") or "").partition("#")[0]
    return reader.node_name(name) if name else ""


def _run(body: Mapping[str, Any]) -> str | None:
    """The run that an event tells of beside its own."""
    parent = body.get("parent")
    found = parent.get("execution") if isinstance(parent, Mapping) else body.get("execution")
    return str(found) if found else None


def _details(event: Event, reader: Reader, words: Words) -> Iterator[tuple[str, str]]:
    body = event.body
    for name in ("reason", "why", "message", "error", "code", "reason_code", "to", "due", "delegated_by"):
        if body.get(name):
            told = str(seen(body[name]))
            yield words(f"detail.{name}"), told[:16].replace("T", " ") if name == "due" else told
    part = OwnPart.model_validate(body.get("same_person", {}))
    for one in part.told(lambda node: reader.node_name(node.partition("#")[0]), reader.language):
        yield words("detail.same_person"), one
    faults = seen(body.get("faults"))
    for one in faults if isinstance(faults, list) else [faults] if faults else []:
        yield words("detail.faults"), str(one)
    chosen = seen(body.get("by"))
    for ref, value in chosen.items() if isinstance(chosen, dict) else ():
        read = Ref(ref)
        yield words("detail.by"), f"{reader.ref_full(read)} = {reader.value(value, reader.field(read))}"
