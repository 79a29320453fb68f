"""An upgrade with runs in flight: a workspace that the first tables were made for goes on under today's code.

`fixtures/workspaces/first-tables.sql` is what the flowc that had them wrote: three users, one published version, a run
that waits for an approval, and one whose process was killed while it called.
"""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from plant import Recorded, now_of, open_tasks, user

from evals.crashes.shapes import catalog
from evals.executions.recorded import executors_of
from ir.version import VERSION
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import executions
from runtime.host import Host
from runtime.telling import replay
from store import audit
from store.database import revisions
from store.errors import StaleWorkspace
from store.tables import EXECUTIONS, METADATA
from store.users import set_password
from store.workspace import DATABASE, FOLDER, KEY, SETTINGS, find_workspace, make_workspace

FIRST = Path(__file__).resolve().parents[2] / "fixtures" / "workspaces" / "first-tables.sql"
SEED = b"a workspace for tests"
"""Of the key by which that workspace signed."""
WAITING, KILLED = "e-f27dd4b6b18f", "e-efd9b81fdf5b"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """The workspace of then, opened by the flowc of today."""
    folder = tmp_path / FOLDER
    folder.mkdir()
    key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(SEED).digest())
    (folder / KEY).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / SETTINGS).write_text('{"database": null}\n', "utf-8")
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.executescript(FIRST.read_text("utf-8"))
    types = catalog()
    recorded = Recorded({"book": {"number": 2}, "more": {"number": 3}})
    return Host(find_workspace(tmp_path), types, executors_of(recorded, types))


def test_the_tables_are_those_of_a_new_workspace(host: Host, tmp_path: Path) -> None:
    """Every table and column, and the audit as it was written."""
    new = make_workspace(tmp_path / "new")
    shapes = []
    for workspace in (host.workspace, new):
        seen = sa.inspect(workspace.database.engine)
        shapes.append({name: {one["name"] for one in seen.get_columns(name)} for name in seen.get_table_names()})
    assert shapes[0] == shapes[1] and METADATA.tables.keys() <= shapes[0].keys()
    assert host.workspace.database.revision() == revisions()[0]
    with host.workspace.transaction() as connection:
        assert audit.verify(connection, "", host.workspace.key.public) == []
        set_password(connection, "li", "a hash", "wen")


def test_a_run_that_waited_goes_on(host: Host) -> None:
    """Its version is what was published; its approval is answered, the next node is called, and it is replayed."""
    (task,) = open_tasks(host, WAITING)
    assert now_of(host, WAITING).progress.flowc == ""
    answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
    found = advance(host, WAITING)
    assert (found.status, now_of(host, WAITING).progress.flowc) == ("completed", VERSION)
    recorded = host.executors.kinds["recorded"]
    assert isinstance(recorded, Recorded) and [call.node for call in recorded.calls] == ["more"]
    assert replay(host, WAITING, user(host, "wen")).differences == ()
    with host.workspace.transaction() as connection:
        assert audit.verify(connection, "", host.workspace.key.public) == []


def test_a_call_that_was_cut_off_before_the_upgrade_is_asked_about(host: Host) -> None:
    """It is not made again, whoever began it."""
    assert advance(host, KILLED).status == "waiting_human"
    (task,) = open_tasks(host, KILLED)
    assert (task.kind, task.node) == ("settle", "book#1")
    answer(host, user(host, "li"), task.id, {"what": "done", "outputs": {"number": 9}})
    assert [one.kind for one in open_tasks(host, advance(host, KILLED).id)] == ["approval"]


def test_what_was_published_then_begins_now(host: Host) -> None:
    """A new run of the version of then."""
    execution = begin(host, user(host, "li"), "booking", 1, {"amount": 7}).id
    assert advance(host, execution).status == "waiting_human"


def test_a_state_of_a_later_flowc_is_refused(host: Host) -> None:
    """With its version, what of it is not known here, and what to do; it is left as it is."""
    with host.workspace.transaction() as connection:
        state = json.loads(connection.execute(sa.select(EXECUTIONS.c.state)).scalars().first() or "")
        later = json.dumps({**state, "flowc": "99.1", "moods": ["calm"]})
        connection.execute(EXECUTIONS.update().where(EXECUTIONS.c.id == WAITING).values(state=later))
    for read in (lambda: now_of(host, WAITING), lambda: advance(host, WAITING)):
        with pytest.raises(StaleWorkspace, match=r"written by flowc 99\.1.*moods.*upgrade flowc"):
            read()
    with host.workspace.transaction() as connection:
        with pytest.raises(StaleWorkspace):
            executions(connection)
        kept = connection.execute(sa.select(EXECUTIONS.c.state).where(EXECUTIONS.c.id == WAITING)).scalar_one()
        assert kept == later
