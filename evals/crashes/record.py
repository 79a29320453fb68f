"""What is left when all has come to rest: the book of the server, and what the workspace says."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evals.crashes.book import Arrival, Desk
from evals.crashes.shapes import Plan
from runtime.forms import ENDED
from runtime.host import Host
from runtime.telling import replay
from store import audit
from store.audit import Event
from store.tables import EXECUTIONS, TASKS


@dataclass(frozen=True)
class Ran:
    """A run as it stands.

    Args:
        end: `waiting`, `running` or `pending` where it has not ended; `cancelled`, or what its walk came to.
        tasks: kinds of its open tasks.
        differences: what its replay finds otherwise than it was told.
    """

    plan: Plan
    status: str
    end: str
    tasks: tuple[str, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """All that is judged.

    Args:
        runs: by their ids.
        verified: what verifying the audit finds.
    """

    runs: dict[str, Ran]
    arrivals: tuple[Arrival, ...]
    events: tuple[Event, ...]
    verified: tuple[str, ...]


def record(host: Host, desk: Desk, plans: dict[str, Plan]) -> Record:
    """Read what is left."""
    with host.workspace.database.transaction() as connection:
        rows = {row.id: row.status for row in connection.execute(sa.select(EXECUTIONS.c.id, EXECUTIONS.c.status))}
        still_open: dict[str, list[str]] = {}
        for row in connection.execute(sa.select(TASKS.c.execution, TASKS.c.kind).where(TASKS.c.closed_at.is_(None))):
            still_open.setdefault(row.execution, []).append(row.kind)
        events = tuple(audit.events(connection))
        heads = host.workspace.heads.read_text("utf-8") if host.workspace.heads.is_file() else ""
        verified = tuple(fault.message for fault in audit.verify(connection, heads, host.workspace.key.public))
    ended: dict[str, dict[str, Any]] = {str(one.execution): one.body for one in events if one.kind == "ended"}
    runs = {}
    for name, status in rows.items():
        told = ended.get(name, {})
        end = "cancelled" if status == "cancelled" else str(told.get("end", status.removesuffix("_human")))
        differences = replay(host, name).differences if status in ENDED else ()
        runs[name] = Ran(plans[name], status, end, tuple(still_open.get(name, ())), differences)
    return Record(runs, desk.arrivals(), events, verified)
