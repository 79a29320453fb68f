"""A batch: a run for each row of a table, and a table of what became of each.

What was begun is told from the database, not from the table. The id of a run is made of the batch, the version, the
row's name and the row's content, so that the same row begins one run however often a batch is called, whenever it was
ended; and a row whose content is another one than that of its run is seen.
"""

import csv
import hashlib
import io
import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from ir.base import Model, canonical_json
from ir.errors import BadInputFile, BadSetting, CompilerError
from ir.files import write_whole
from registry.forms import Version
from registry.versions import version_of
from runtime.batches.outcomes import BatchRow, row_of
from runtime.batches.rows import InputRow
from runtime.commands import begin
from runtime.errors import BadInputs
from runtime.executions import execution_of
from runtime.forms import Execution
from runtime.host import Host
from runtime.veil import MASK
from store.clock import now
from store.tables import EXECUTIONS
from store.users import OPERATOR, User

TABLE, ABOUT = "outcomes.csv", "batch.json"
AHEAD, EVERY, ENVIRONMENT = 16, 1.0, 3
"""Runs that are begun before the first of them is waited for; seconds between two writings of the table; the exit
status of faults that are not a row's."""
GoOn = Callable[[str], Execution]
Told = Callable[[BatchRow, int, int], None]


class About(Model):
    """What a folder of results is of.

    Args:
        batch: told apart from all others by this.
        at: when it was made; None where it was not written down.
    """

    batch: str
    workflow: str
    number: int
    digest: str
    at: str | None = None


@dataclass(frozen=True)
class Batch:
    """A folder of results and the version that it is of."""

    folder: Path
    about: About
    version: Version


# --- the folder -------------------------------------------------------------------------------------------------------


def open_batch(host: Host, user: User, folder: Path, workflow_id: str, number: int | None) -> Batch:
    """The batch in a folder, begun there where none is.

    Args:
        number: None for the version of the batch that is there, else the last that is published.

    Raises:
        BadSetting: the folder is a file, holds a table that no batch wrote, or a batch of another version.
        BadInputFile: what is said of the batch there cannot be read.
        UnknownVersion, NotPublished, Tampered: see `Host.version`.
        NotAllowed: the user is no operator.
    """
    user.must("begin a batch", OPERATOR)
    file = folder / ABOUT
    if folder.exists() and not folder.is_dir():
        raise BadSetting(f"-o {folder} is a file; name a folder for the results")
    if file.is_file():
        about = _about(file)
        wanted = f"{workflow_id}@v{about.number if number is None else number}"
        if wanted != f"{about.workflow}@v{about.number}":
            raise BadSetting(
                f"{folder} holds a batch of {about.workflow}@v{about.number}; name another folder for {wanted}"
            )
        return Batch(folder, about, host.version(workflow_id, about.number))
    if (folder / TABLE).exists():
        raise BadSetting(f"{folder / TABLE} is there and no batch wrote it ({ABOUT} is missing); name another folder")
    if number is None:
        with host.workspace.database.transaction() as connection:
            number = version_of(connection, workflow_id).number
    version = host.version(workflow_id, number)
    about = About(batch=secrets.token_hex(8), workflow=workflow_id, number=number, digest=version.digest, at=now())
    write_whole(file, json.dumps(about.to_json(), indent=2) + "\n")
    return Batch(folder, about, version)


def _about(file: Path) -> About:
    try:
        return About.model_validate(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise BadInputFile(f"{file} cannot be read as a batch's; restore it, or name another folder") from error


# --- running ----------------------------------------------------------------------------------------------------------


def run_batch(
    host: Host,
    user: User,
    batch: Batch,
    rows: Sequence[InputRow],
    go_on: GoOn,
    *,
    told: Told = lambda row, done, total: None,
    patience: float = 0.0,
    ask: bool = False,
) -> list[BatchRow]:
    """Begin a run for each row that has none, let all go on, and write the table as it goes.

    Args:
        go_on: lets an execution go on, and gives it once nothing goes on by itself any more.
        told: of each row that is done with for now, how many are, of how many.
        patience: seconds that runs are waited for which try a call again later.
        ask: a run whose inputs are missing waits for a person, rather than being refused.

    Raises:
        CompilerError: of the environment, as the database; what is wrong with a row is told in the table.
        OSError: the table cannot be written.
    """
    table, known = _Table(batch.folder / TABLE, rows), _known_runs(host, batch.about)
    try:
        flying: list[tuple[int, str]] = []
        for at, row in enumerate(rows):
            found = _begun(host, user, batch, row, known, ask=ask)
            if isinstance(found, BatchRow):
                told(*table.put(at, found))
                continue
            flying.append((at, found))
            if len(flying) >= AHEAD:
                told(*table.put(flying[0][0], _landed(host, user, rows, go_on, *flying.pop(0))))
        for one in flying:
            told(*table.put(one[0], _landed(host, user, rows, go_on, *one)))
        end = time.monotonic() + patience
        while (later := table.running) and time.monotonic() < end:
            time.sleep(0.2)
            for at, name in later:
                table.put(at, _landed(host, user, rows, go_on, at, name))
    finally:
        table.write()
    return table.rows


def _known_runs(host: Host, about: About) -> dict[str, str]:
    """The runs of the version that batches began, by which row they are of."""
    ours = sa.select(EXECUTIONS.c.id).where(
        EXECUTIONS.c.workflow_id == about.workflow, EXECUTIONS.c.number == about.number
    )
    with host.workspace.database.transaction() as connection:
        return {name.rpartition("-")[0]: name for (name,) in connection.execute(ours) if name.count("-") == 2}


def _begun(
    host: Host, user: User, batch: Batch, row: InputRow, runs: Mapping[str, str], *, ask: bool
) -> BatchRow | str:
    """The run of a row, begun where there is none; or what the table says of it.

    Args:
        runs: see `_known_runs`.
        ask: see `run_batch`.
    """
    if row.fault is not None:
        told = _told(host, user, batch, row.fault[1])
        return BatchRow(id=row.id, status="refused", outcome="unsure", code=row.fault[0], reason=told)
    try:
        own = run_id(batch.about, row)
        known = runs.get(own.rpartition("-")[0])
        if known is None:
            about, key = batch.about, own.removeprefix("e-")
            return begin(
                host, user, about.workflow, about.number, row.inputs, ask=ask, key=key, key_made=about.at
            ).id  # fmt: skip
    except (TypeError, ValueError, RecursionError):
        told = "it holds what cannot be stored"
        return BatchRow(id=row.id, status="refused", outcome="unsure", code=BadInputs.code, reason=told)
    except CompilerError as error:
        if error.exit_status >= ENVIRONMENT:
            raise
        told = _told(host, user, batch, " ".join(str(error.args[0]).split()))
        return BatchRow(id=row.id, status="refused", outcome="unsure", code=error.code, reason=told)
    if known == own:
        return known
    told = f"its run {known} began with other values; give the row another id to run it with these"
    return BatchRow(id=row.id, run=known, status="changed", outcome="unsure", code=BadInputs.code, reason=told)


def _told(host: Host, user: User, batch: Batch, text: str) -> str:
    """What is said of a row's values, which it quotes, where the user may read all of them."""
    with host.workspace.database.transaction() as connection:
        classes = host.classes(batch.about.workflow, batch.about.number, connection)
    return MASK if classes.has(host.privacy.hidden_from(user)) else text


def run_id(about: About, row: InputRow) -> str:
    """The id of the run of a row: of which row it is, and what that holds."""
    whose = canonical_json([about.batch, about.workflow, about.number, about.digest, row.id])
    given = canonical_json(dict(row.inputs))
    parts = hashlib.sha256(whose.encode()).hexdigest()[:14], hashlib.sha256(given.encode()).hexdigest()[:10]
    return "-".join(("e", *parts))


def _landed(host: Host, user: User, rows: Sequence[InputRow], go_on: GoOn, at: int, execution: str) -> BatchRow:
    go_on(execution)
    with host.workspace.database.transaction() as connection:
        found = execution_of(connection, execution)
    return row_of(host, rows[at].id, found, user)


class _Table:
    """The rows so far, written whole, not more often than is needed."""

    def __init__(self, file: Path, rows: Sequence[InputRow]) -> None:
        self._file = file
        self._rows: list[BatchRow | None] = [None] * len(rows)
        self._written = float("-inf")

    @property
    def rows(self) -> list[BatchRow]:
        """Those that are known, in the order of the input."""
        return [row for row in self._rows if row is not None]

    @property
    def running(self) -> list[tuple[int, str]]:
        """The rows whose runs go on later by themselves."""
        return [(at, row.run) for at, row in enumerate(self._rows) if row and row.run and row.status == "running"]

    def put(self, at: int, row: BatchRow) -> tuple[BatchRow, int, int]:
        """Take a row; gives it with how many there are of how many."""
        self._rows[at] = row
        if time.monotonic() - self._written >= EVERY:
            self.write()
        return row, len(self.rows), len(self._rows)

    def write(self) -> None:
        """Write the table, whole or not at all."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        heads = [*BatchRow.model_fields]
        writer.writerow(heads)
        for row in self.rows:
            writer.writerow(["" if (cell := getattr(row, head)) is None else cell for head in heads])
        write_whole(self._file, out.getvalue().encode(errors="backslashreplace"))
        self._written = time.monotonic()


def counts(rows: Iterable[BatchRow]) -> dict[str, int]:
    """How many rows passed, failed, are unsure, and of these how many wait, were refused, or changed."""
    found = [*rows]
    number = {name: sum(row.outcome == name for row in found) for name in ("pass", "fail", "unsure")}
    return number | {name: sum(row.status == name for row in found) for name in ("waiting", "refused", "changed")}
