"""The workspace as commands use it: where it is, who acts, what runs it."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from flowc import terminal
from flowc.extras import need_running
from ir.errors import BadInputFile, BadSetting

WorkspaceFolder = Annotated[
    Path | None,
    typer.Option("--workspace", metavar="DIR", help="Folder of the workspace; else FLOWC_WORKSPACE, else the nearest."),
]
ActsAs = Annotated[
    str | None, typer.Option("--as", metavar="USER", help="Who acts; needed where there are several users.")
]


def open_workspace(folder: Path | None) -> Any:
    """The workspace of a command."""
    need_running()
    from store.workspace import find_workspace

    return find_workspace(folder)


def open_host(folder: Path | None) -> Any:
    """The workspace with catalog and executors."""
    need_running()
    from flowc.commands.options import loaded_catalog, settings
    from runtime.calendars import read_calendar
    from runtime.executors.registry import executors_from
    from runtime.governance.agency import read_agency
    from runtime.host import Host
    from runtime.overdue import read_escalation
    from runtime.privacy.settings import privacy_from
    from runtime.webhooks.endpoints import read_webhooks
    from runtime.webhooks.outbox import register

    workspace = open_workspace(folder)
    root = workspace.folder.parent
    written, catalog = _tables(root), loaded_catalog(settings(at=root))
    webhooks = read_webhooks(written.get("webhooks"))
    register(workspace, webhooks)
    return Host(
        workspace,
        catalog,
        executors_from(executor_table(root), root=root, types=catalog.node_types),
        read_calendar(written.get("calendar")),
        read_escalation(written.get("escalation")),
        privacy_from(written.get("privacy", {}), catalog.concepts),
        read_agency(written.get("agents")),
        webhooks,
    )


def executor_table(root: Path) -> dict[str, Any]:
    """The table `[executors]` of the workspace's flowc.toml."""
    found = _tables(root).get("executors", {})
    if not isinstance(found, dict):
        raise BadSetting(f'{root / "flowc.toml"}: executors is no table; write [executors."TYPE"]')
    return found


def _tables(root: Path) -> dict[str, Any]:
    """The workspace's flowc.toml."""
    try:
        return tomllib.loads((root / "flowc.toml").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadSetting(f"{root / 'flowc.toml'}: {error}; correct the file") from error


def reader(host: Any, name: str | None) -> Any:
    """Who is shown something; where several could be and none is named, somebody without roles."""
    from runtime.privacy.settings import NOBODY
    from store.users import users

    if name is None:
        with host.workspace.database.transaction() as connection:
            known = users(connection)
        return known[0] if len(known) == 1 else NOBODY
    return host.workspace.user(name)


def own_part_lines(host: Any, task: Any, by: Any) -> list[str]:
    """What else of a run somebody did who would answer a task of it, where that is an approval; to be told before."""
    from runtime.executions import execution_of
    from runtime.governance.own_part import own_part, title_in

    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, task.execution)
        part = own_part(connection, by.name, task, execution)
    workflow = host.version(execution.workflow_id, execution.number).definition
    return [f"{by.name} {one}" for one in part.told(lambda node: title_in(workflow, node), "en")]


@contextmanager
def working(host: Any, grace: float | None = None) -> Iterator[Any]:
    """A worker for as long as a command needs one; None where another process works already.

    Args:
        grace: see `Worker`.
    """
    from runtime.errors import WorkerRunning
    from runtime.worker import Worker, only_worker

    if not host.workspace.database.is_sqlite:
        with Worker(host, grace=grace) as worker:
            yield worker
        return
    try:
        lock = only_worker(host.workspace.folder)
        lock.__enter__()
    except WorkerRunning:
        yield None
        return
    try:
        with Worker(host, grace=grace) as worker:
            yield worker
    finally:
        lock.__exit__(None, None, None)


def settled(host: Any, worker: Any, execution: str, seconds: float = 60.0) -> Any:
    """The execution once nothing of it, of what called it or of what it called goes on by itself any more."""
    import time

    from runtime.executions import execution_of
    from runtime.subworkflows import goes_on

    if worker is not None:
        worker.until_quiet(execution, seconds)
    end = time.monotonic() + seconds
    while True:
        with host.workspace.database.transaction() as connection:
            found = execution_of(connection, execution)
            if worker is not None or not goes_on(connection, execution) or time.monotonic() > end:
                return found
        time.sleep(0.1)


def versioned(name: str) -> tuple[str, int | None]:
    """`ID@v3` as id and number; without a number, None.

    Raises:
        BadSetting: it is neither.
    """
    workflow_id, at, number = name.partition("@")
    if at and not (number.startswith("v") and number[1:].isdigit()):
        raise BadSetting(f"{name}: expected ID or ID@vN, as transport-compliance@v1")
    return workflow_id, int(number[1:]) if at else None


def values(pairs: list[str], file: Path | None, what: str) -> dict[str, Any]:
    """Values of `--input name=value` and of a JSON or YAML file, those of the command line last.

    What is JSON is read as such (`5000`, `true`, `[1, 2]`), all else is text.

    Raises:
        BadSetting: a pair without `=`.
        BadInputFile: the file is no object.
    """
    import json

    import yaml

    found: dict[str, Any] = {}
    if file is not None:
        try:
            content = yaml.safe_load(file.read_text("utf-8"))
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise BadInputFile(f"{file}: {error}") from error
        if not isinstance(content, dict):
            raise BadInputFile(f"{file}: expected an object of {what}")
        found |= content
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise BadSetting(f"{pair}: expected name=value")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def print_table(rows: list[tuple[str, ...]]) -> None:
    """Columns, as wide as they need to be."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    for row in rows:
        terminal.print_line("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def shown_value(value: object) -> str:
    """A value as it is typed: texts as they are, all else as JSON; a mask where it is hidden."""
    from runtime.veil import seen

    value = seen(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
