"""`flowc run start --dry-run`, `flowc run batch`, `flowc run gaps`: before a run, many runs, and after them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_host, settled, versioned, working
from flowc.extras import need_running
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from runtime.batches.outcomes import BatchRow
    from runtime.dry_run import DryRun, PossiblePath
    from runtime.lessons import Lessons

DRAFT = (".json", ".yaml", ".yml")


def is_draft(name: str) -> bool:
    """Whether a name is that of a file, not of what is published: ids have neither dots nor slashes."""
    return name.lower().endswith(DRAFT) or "/" in name


# --- dry runs ---------------------------------------------------------------------------------------------------------


def print_dry_run(
    name: str, inputs: Mapping[str, Any], outputs: Path | None, workspace: Path | None, *, wanted: bool, as_json: bool
) -> None:
    """Tell what a run would come to; exit status 1 where validation finds errors.

    Raises:
        NotPublished: a draft is to be run.
        Stop: outputs are given for a run that is none.
    """
    need_running()
    from runtime.errors import NotPublished

    if not wanted:
        if outputs is not None:
            raise Stop("--outputs is for --dry-run: a run asks its systems", "bad-setting")
        raise NotPublished(f"{name} is a file, and only what is published runs; add --dry-run, or publish it")
    records = None if outputs is None else _records(outputs)
    told = (_of_draft if is_draft(name) else _of_version)(name, inputs, records, workspace)
    if as_json:
        terminal.print_json(told.to_json())
    else:
        for line in _lines(told):
            terminal.print_line(terminal.clean(line))
    if told.errors:
        raise typer.Exit(FINDINGS)


def _of_draft(name: str, inputs: Mapping[str, Any], records: dict[str, Any] | None, workspace: Path | None) -> "DryRun":
    """Of a file, whose executors are those of the workspace here, if there is one."""
    from flowc.checking import CheckContext, check_file
    from flowc.commands.options import loaded_catalog, settings
    from registry.publishable import executors_of
    from runtime.dry_run import dry_run
    from runtime.executors.registry import Executors
    from store.errors import NoWorkspace

    path = existing_path(Path(name))
    try:
        host = open_host(workspace)
        catalog, executors = host.catalog, host.executors
    except NoWorkspace:
        if workspace is not None:
            raise
        terminal.print_notice("no workspace here, so nothing is bound to a system")
        catalog, executors = loaded_catalog(settings()), Executors()
    context = CheckContext(catalog)
    checked = check_file(path, context)
    if checked.workflow is None:
        raise Stop(f"{path}: {checked.found[0].message}; `flowc validate` tells more", "bad-input-file")
    workflow = checked.workflow
    bound = executors_of(workflow, catalog, executors.bind)
    return dry_run(workflow, catalog, bound, inputs, records, checked.found, context.callable_from(workflow, path))


def _of_version(
    name: str, inputs: Mapping[str, Any], records: dict[str, Any] | None, workspace: Path | None
) -> "DryRun":
    """Of what is published, with the executors that it is bound to and that are still here."""
    from runtime.dry_run import dry_run, still_bound

    host, version = _published(name, workspace)
    found = version.report.findings
    return dry_run(version.definition, host.catalog, still_bound(version, host.executors), inputs, records, found)


def _published(name: str, workspace: Path | None) -> tuple[Any, Any]:
    """The host, and the version that a name stands for there."""
    host = open_host(workspace)
    from registry.versions import version_of

    workflow_id, number = versioned(name)
    if number is None:
        with host.workspace.database.transaction() as connection:
            number = version_of(connection, workflow_id).number
    return host, host.version(workflow_id, number)


def _records(file: Path) -> dict[str, Any]:
    """Outputs by node, as a scenario has them.

    Raises:
        BadInputFile: the file is none such.
    """
    from flowc.commands.runs.running import values
    from ir.errors import BadInputFile
    from ir.walk import Outcome

    found = values([], existing_path(file), "outputs by node")
    for node, record in found.items():
        if not isinstance(record, dict):
            raise BadInputFile(f"{file}: {node}: expected an object, what the node gives; found {record!r}")
        try:
            Outcome.read(record)
        except ValueError as error:
            raise BadInputFile(f"{file}: {node}: {error}") from error
    return found


def _lines(told: "DryRun") -> list[str]:
    lines = [f"{told.title or told.workflow} ({told.workflow}); nothing was called, nothing written"]
    lines += [f"error: {one}" for one in told.errors]
    lines += [f"missing: {name}: {spec}" for name, spec in told.missing.items()]
    if told.turned_away:
        return [*lines, f"no such run begins: a guard turns it away ({told.turned_away})"]
    if not told.walked and told.paths:
        side = "; a run may take several ways at once" if told.side_by_side else ""
        rest = "" if told.all_told else ", and there may be more"
        lines.append(f"{len(told.paths)} paths are possible{rest} (routes of the graph: {told.routes}){side}")
    elif not told.paths:
        lines.append("no path is possible so" if told.all_told else "no path can be told")
    for number, path in enumerate(told.paths, 1):
        lines += ["", *_path_lines(path, f"{number}. " if not told.walked else "")]
        if not told.walked and path.example is None:
            lines.append("   no example was found: this path may not be possible")
    lines += [f"  {name}: {value}" for name, value in told.outputs.items()]
    lines += [f"no value is known of {name}" for name in told.unknown]
    lines += [f"no output was given of {name}" for name in told.unrecorded]
    return lines + list(told.refused)


def _path_lines(path: "PossiblePath", number: str) -> list[str]:
    reason = f" ({path.reason_code})" if path.reason_code else ""
    lines = [f"{number}{' → '.join(path.nodes)}: {path.ends}{reason}"]
    for at, words in enumerate(path.when):
        lines.append(f"   {'or ' if at else ''}if " + "; ".join(words))
    for stop in path.stops:
        lines.append(f"   waits at {stop.node} for {' or '.join(stop.roles) or 'anybody'}: {stop.asks}")
    lines += [f"   needs {', '.join(path.missing)}"] if path.missing else []
    lines += [f"   nobody here carries out {', '.join(path.nobody)}"] if path.nobody else []
    lines += [f"   acts on other systems at {', '.join(path.acts)}"] if path.acts else []
    lines += [f"   asks other systems at {', '.join(path.reads)}"] if path.reads else []
    return lines


# --- batches ----------------------------------------------------------------------------------------------------------


def batch_command(
    version: Annotated[str, typer.Argument(metavar="ID[@vN]", help="Published; without a number the last.")],
    inputs: Annotated[Path, typer.Argument(metavar="INPUTS", help=".csv or .jsonl, a run for each row.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the results; goes on with what it holds.")
    ],
    patience: Annotated[
        float,
        typer.Option("--patience", metavar="SECONDS", min=0, help="How long a run that tries again is waited for."),
    ] = 60.0,
    ask: Annotated[bool, typer.Option("--ask", help="Wait for a person where inputs are missing.")] = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
    as_json: AsJson = False,
) -> None:
    """Begin a run for each row of a table, and write what became of each; exit status 1 where a row was refused."""
    host = open_host(workspace)
    from runtime.batches.batch import TABLE, counts, open_batch, run_batch
    from runtime.batches.rows import read_rows

    workflow_id, number = versioned(version)
    by = host.workspace.user(user)
    batch = open_batch(host, by, out, workflow_id, number)
    rows = read_rows(existing_path(inputs), batch.version.definition)
    with working(host) as worker, terminal.progress(quiet=False) as advance:

        def told(row: "BatchRow", done: int, total: int) -> None:
            advance("rows", done, total)
            if row.status in ("refused", "changed"):
                terminal.print_notice(f"row {row.id}: {row.reason} [{row.code}]")

        found = run_batch(
            host, by, batch, rows, lambda one: settled(host, worker, one), told=told, patience=patience, ask=ask
        )
    number_of = counts(found)
    name, table = batch.version.name, out / TABLE
    if as_json:
        terminal.print_json({"workflow": name, "table": str(table), "rows": len(found), **number_of})
    else:
        told_of = ", ".join(f"{number} {kind}" for kind, number in number_of.items() if number)
        terminal.print_line(f"{name}: {len(found)} rows: {told_of}")
        terminal.print_line(f"written: {table}")
    if any(one.status in ("refused", "changed") for one in found):
        raise typer.Exit(FINDINGS)


# --- lessons ----------------------------------------------------------------------------------------------------------


def gaps_command(
    workflow: Annotated[str | None, typer.Option("--workflow", metavar="ID", help="Of this one alone.")] = None,
    most: Annotated[int, typer.Option("-n", metavar="N", min=1, help="At most so many of each kind.")] = 10,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """Say what runs teach: questions to people, nodes that failed, Types that nobody carries out."""
    host = open_host(workspace)
    from runtime.lessons import lessons

    told = lessons(host, workflow)
    if as_json:
        terminal.print_json(told.to_json())
        return
    for line in _lesson_lines(told, most):
        terminal.print_line(terminal.clean(line))


def _lesson_lines(told: "Lessons", most: int) -> list[str]:
    lines = [f"{told.runs} runs; for the next version to take up, nothing is changed by this"]
    lines += ["", "Questions that people answered most"] if told.questions else []
    for one in told.questions[:most]:
        same = f"; {one.commonest_times} times {one.commonest!r}" if one.commonest_times else ""
        lines.append(f"  {one.answered} × {one.workflow} {one.node or 'start'}.{one.field} ({one.takes}){same}")
    lines += ["", "Nodes that failed or were parked most"] if told.stumbles else []
    for each in told.stumbles[:most]:
        parked = f", {each.parked} parked" if each.parked else ""
        lines.append(
            f"  {each.workflow} {each.node} ({each.type}): {each.failed} failed{parked}, {each.delayed} tried again"
        )
        lines += [f"      {number} × {reason}" for reason, number in each.reasons.items()]
    lines += ["", "Types that nobody carries out here"] if told.types else []
    for kind in told.types[:most]:
        times = f"{kind.by_hand} times by hand, {kind.open} waiting, {kind.without} without an executor"
        lines.append(f"  {kind.type}: {times}")
        for verb, fields in (("takes", kind.takes), ("gives", kind.gives)):
            lines.append(
                f"      {verb} " + (", ".join(f"{name} ({spec})" for name, spec in fields.items()) or "nothing")
            )
        lines.append("      used at " + ", ".join(kind.used_at))
    if not (told.questions or told.stumbles or told.types):
        lines.append("nothing was asked of people, nothing failed, and every Type has an executor")
    return lines
