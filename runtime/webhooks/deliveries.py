"""Deliveries of webhooks: sent, tried again, given up; each attempt is kept.

An attempt takes a delivery for a while before it is made. Where its process ends in between, the next one makes it
again, under the same id, by which its receiver tells that it has it already.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import sqlalchemy as sa
from pydantic import JsonValue

from runtime.errors import UnknownDelivery
from runtime.executors.client import PinnedTransport
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.webhook import send_signed
from runtime.webhooks.endpoints import PAUSES, Endpoint
from store import audit
from store.clock import moment, now
from store.tables import ATTEMPTS, DELIVERIES
from store.users import OPERATOR, User
from store.workspace import Workspace

TIMEOUT, TAKEN = 15.0, timedelta(minutes=2)
"""Seconds for an answer, and how long a delivery is left to whoever took it."""
LONGEST = 300
DELIVERED, GIVEN_UP, WAITING = "delivered", "given-up", "waiting"
GONE = "HTTP_410"
"""By which a receiver says that it wants nothing more of it."""


@dataclass(frozen=True)
class Attempt:
    """An attempt.

    Args:
        code: `delivered`, or why it was not, as executors say it.
    """

    number: int
    at: str
    code: str
    message: str


@dataclass(frozen=True)
class Delivery:
    """What an endpoint is told.

    Args:
        body: the text that is signed and sent.
        state: waiting, delivered or given-up.
        tries: attempts since it was made, or asked for again.
        due_at: when the next attempt is made; None where none is.
    """

    id: str
    endpoint: str
    event: str
    execution: str
    body: str
    state: str
    tries: int
    due_at: str | None
    made_at: str
    attempts: tuple[Attempt, ...]


def deliver(workspace: Workspace, name: str, endpoint: Endpoint, transport: httpx.BaseTransport | None = None) -> bool:
    """Make one attempt for an endpoint that is due.

    Args:
        transport: what sends requests; None for the network.

    Returns:
        whether one was due.
    """
    taken = _take(workspace, name)
    if taken is None:
        return False
    code, message = _sent(taken, endpoint, transport or PinnedTransport(private=endpoint.private))
    with workspace.transaction() as connection:
        _note(connection, taken, endpoint, code, message[:LONGEST])
    return True


def _take(workspace: Workspace, endpoint: str) -> Delivery | None:
    """A delivery that is due and that nobody else makes meanwhile."""
    with workspace.database.transaction() as connection:
        due = sa.and_(DELIVERIES.c.endpoint == endpoint, DELIVERIES.c.state == WAITING, DELIVERIES.c.due_at <= now())
        order = DELIVERIES.c.due_at, DELIVERIES.c.id
        row = connection.execute(sa.select(DELIVERIES).where(due).order_by(*order).limit(1)).first()
        if row is None:
            return None
        own = sa.and_(DELIVERIES.c.id == row.id, DELIVERIES.c.due_at == row.due_at)
        until = moment(datetime.now(UTC) + TAKEN)
        taken = connection.execute(DELIVERIES.update().where(own, DELIVERIES.c.state == WAITING).values(due_at=until))
        return delivery_of(connection, row.id) if taken.rowcount == 1 else None


def _sent(taken: Delivery, endpoint: Endpoint, transport: httpx.BaseTransport) -> tuple[str, str]:
    """What an attempt came to."""
    call = Call(taken.execution, "", taken.event, {}, taken.id, TIMEOUT, {}, {})
    try:
        send_signed(call, endpoint.url, endpoint.secret, taken.body, transport)
    except ExecutorFault as fault:
        return fault.code, fault.message
    finally:
        transport.close()
    return DELIVERED, ""


def _note(connection: sa.Connection, taken: Delivery, endpoint: Endpoint, code: str, message: str) -> None:
    """Write what an attempt came to, and when the next one is made."""
    number, tries = len(taken.attempts) + 1, taken.tries + 1
    connection.execute(ATTEMPTS.insert().values(delivery=taken.id, number=number, at=now(), code=code, message=message))
    state = DELIVERED if code == DELIVERED else GIVEN_UP if code == GONE or tries >= endpoint.attempts else WAITING
    due = moment(datetime.now(UTC) + timedelta(seconds=PAUSES[tries - 1])) if state == WAITING else None
    connection.execute(
        DELIVERIES.update().where(DELIVERIES.c.id == taken.id).values(state=state, tries=tries, due_at=due)
    )
    if state == GIVEN_UP:
        body: dict[str, JsonValue] = {
            "delivery": taken.id, "endpoint": taken.endpoint, "event": taken.event, "attempts": number, "code": code,
        }  # fmt: skip
        audit.append(connection, "webhook-given-up", "flowc", body, taken.execution)


def deliveries(
    connection: sa.Connection, *, state: str | None = None, endpoint: str | None = None, most: int = 100
) -> list[Delivery]:
    """Deliveries, the last to be made first."""
    chosen = sa.select(DELIVERIES.c.id).order_by(DELIVERIES.c.made_at.desc(), DELIVERIES.c.id).limit(most)
    chosen = chosen if state is None else chosen.where(DELIVERIES.c.state == state)
    chosen = chosen if endpoint is None else chosen.where(DELIVERIES.c.endpoint == endpoint)
    return [delivery_of(connection, row.id) for row in connection.execute(chosen).all()]


def with_state(connection: sa.Connection, state: str) -> list[str]:
    """The ids of all deliveries in a state."""
    return [*connection.execute(sa.select(DELIVERIES.c.id).where(DELIVERIES.c.state == state)).scalars()]


def delivery_of(connection: sa.Connection, name: str) -> Delivery:
    """A delivery.

    Raises:
        UnknownDelivery: there is none such.
    """
    row = connection.execute(sa.select(DELIVERIES).where(DELIVERIES.c.id == name)).first()
    if row is None:
        raise UnknownDelivery(f"there is no delivery {name}; `flowc webhooks list` shows what there is")
    made = connection.execute(sa.select(ATTEMPTS).where(ATTEMPTS.c.delivery == name).order_by(ATTEMPTS.c.number))
    attempts = tuple(Attempt(one.number, one.at, one.code, one.message) for one in made)
    return Delivery(
        row.id, row.endpoint, row.event, row.execution, row.body, row.state, row.tries, row.due_at, row.made_at,
        attempts,
    )  # fmt: skip


def retry(workspace: Workspace, user: User, names: Sequence[str]) -> list[Delivery]:
    """Try deliveries again that were given up, or that wait; all of them or none.

    Raises:
        UnknownDelivery: there is none such.
        NotAllowed: the user is no operator.
    """
    user.must("have webhooks tried again", OPERATOR)
    found = []
    with workspace.transaction() as connection:
        for name in names:
            one = delivery_of(connection, name)
            if one.state != DELIVERED:
                again = DELIVERIES.update().where(DELIVERIES.c.id == name)
                connection.execute(again.values(state=WAITING, tries=0, due_at=now()))
                told: dict[str, JsonValue] = {"delivery": name, "endpoint": one.endpoint, "event": one.event}
                audit.append(connection, "webhook-retried", user.name, told, one.execution)
            found.append(delivery_of(connection, name))
    return found
