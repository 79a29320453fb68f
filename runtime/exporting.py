"""The audit as a reader sees it, and as it leaves the workspace: masked, unless who may read all asks for all."""

from dataclasses import replace

import sqlalchemy as sa

from runtime.executions import execution_of
from runtime.host import Host
from runtime.privacy.settings import NOBODY
from runtime.veil import Veil, veil_of
from store import audit
from store.audit import Chosen, Event
from store.errors import NotAllowed
from store.users import READ, User


def exported(host: Host, execution: str | None = None, *, unmasked_for: User | None = None) -> list[Event]:
    """The events in their order, of one execution or all.

    What is masked does not give the hash of its event any more: `flowc audit verify` is what holds one against another.

    Args:
        unmasked_for: who asks for them as they are; None for masked ones. It is an event, the last that is told.

    Raises:
        NotAllowed: the user may not read what is hidden.
    """
    with host.workspace.transaction() as connection:
        if unmasked_for is not None:
            _must_read_all(host, unmasked_for)
            audit.append(connection, "exported-unmasked", unmasked_for.name, {"execution": execution})
            return [*audit.events(connection, execution)]
        veils: dict[str, Veil] = {}
        return [_masked(host, connection, one, veils, NOBODY) for one in audit.events(connection, execution)]


def events_seen(host: Host, execution: str, reader: User) -> list[Event]:
    """The events of an execution in their order, as a reader may see them.

    Raises:
        UnknownExecution: there is none such.
        OutOfScope: the reader came with a token that does not reach it.
    """
    with host.workspace.database.transaction() as connection:
        reader.must_hold(READ, execution_of(connection, execution).workflow_id)
        veils: dict[str, Veil] = {}
        return [_masked(host, connection, one, veils, reader) for one in audit.events(connection, execution)]


def latest(host: Host, chosen: Chosen, *, before: int | None = None, most: int) -> list[Event]:
    """The last events that are looked for, the newest first, masked; see `store.audit.latest`."""
    with host.workspace.database.transaction() as connection:
        veils: dict[str, Veil] = {}
        found = audit.latest(connection, chosen, before=before, most=most)
        return [_masked(host, connection, one, veils, NOBODY) for one in found]


def _must_read_all(host: Host, user: User) -> None:
    hidden = host.privacy.hidden_from(user)
    if hidden:
        told = "; ".join(
            f"{one}: {', '.join(sorted(host.privacy.readers.get(one, ()))) or 'nobody'}" for one in sorted(hidden)
        )
        raise NotAllowed(f"{user.name} may not read all values; by [privacy] those who may have a role of: {told}")


def _masked(host: Host, connection: sa.Connection, event: Event, veils: dict[str, Veil], reader: User) -> Event:
    if event.execution is None:
        return event
    if event.execution not in veils:
        veils[event.execution] = veil_of(host, connection, execution_of(connection, event.execution), reader)
    veil = veils[event.execution]
    return replace(event, body=veil.over(event.body, veil.classes.of_event(event.kind, event.body)))
