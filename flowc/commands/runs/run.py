"""`flowc run`, `flowc task`, `flowc worker`: executions of published workflows, and what people do in them."""

import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from flowc import terminal
from flowc.commands.options import AsJson, Grace, Log
from flowc.commands.runs.run_many import batch_command, gaps_command, is_draft, print_dry_run
from flowc.commands.runs.running import (
    ActsAs,
    WorkspaceFolder,
    open_host,
    open_workspace,
    own_part_lines,
    print_table,
    reader,
    settled,
    shown_value,
    values,
    versioned,
    working,
)
from flowc.log_lines import LogForm, begin_log, tell
from flowc.stopping import FINDINGS

if TYPE_CHECKING:
    from runtime.forms import Task

run_app = typer.Typer(
    name="run", help="Begin, watch, explain and replay executions.", no_args_is_help=True, rich_markup_mode=None
)
task_app = typer.Typer(
    name="task", help="See and do what people have to do.", no_args_is_help=True, rich_markup_mode=None
)
ExecutionId = Annotated[str, typer.Argument(metavar="EXECUTION", help="Its id, as `flowc run list` shows it.")]
TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Its id, as `flowc task list` shows it.")]
Inputs = Annotated[
    list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; may be given several times.")
]
InputFile = Annotated[Path | None, typer.Option("--inputs", metavar="FILE", help="Inputs as JSON or YAML.")]


@run_app.command("start")
def start_command(
    version: Annotated[
        str, typer.Argument(metavar="ID[@vN]|FILE", help="Published; without a number the last. A file: --dry-run.")
    ],
    given: Inputs = None,
    inputs: InputFile = None,
    ask: Annotated[bool, typer.Option("--ask", help="Wait for a person where inputs are missing.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what the run would come to; call nothing, write nothing.")
    ] = False,
    outputs: Annotated[
        Path | None,
        typer.Option("--outputs", metavar="FILE", help="For --dry-run: what each node gives, as JSON or YAML."),
    ] = None,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
    as_json: AsJson = False,
) -> None:
    """Begin an execution, and let it go on until it waits or ends."""
    if dry_run or outputs is not None or is_draft(version):
        print_dry_run(
            version, values(given or [], inputs, "inputs"), outputs, workspace, wanted=dry_run, as_json=as_json
        )
        return
    host = open_host(workspace)
    from registry.versions import version_of
    from runtime.commands import begin

    workflow_id, number = versioned(version)
    by = host.workspace.user(user)
    if number is None:
        with host.workspace.database.transaction() as connection:
            number = version_of(connection, workflow_id).number
    found = begin(host, by, workflow_id, number, values(given or [], inputs, "inputs"), ask=ask)
    with working(host) as worker:
        settled(host, worker, found.id)
    _print_execution(host, found.id, by, as_json)


run_app.command("batch")(batch_command)
run_app.command("gaps")(gaps_command)


@run_app.command("list")
def list_command(
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS")] = None,
    end: Annotated[str | None, typer.Option("--end", metavar="END", help="Only those that ended so.")] = None,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """List executions with how they ended, the last to change first."""
    from ir.walk import RunStatus
    from runtime.executions import executions

    ends: tuple[RunStatus, ...] = get_args(RunStatus)
    known_end = next((one for one in ends if one == end), None)
    if known_end != end:
        raise typer.BadParameter(f"{end!r} is not one of {', '.join(ends)}", param_hint="--end")
    found = open_workspace(workspace)

    with found.database.transaction() as connection:
        known = executions(connection, status=status, end=known_end)
    if as_json:
        terminal.print_json(
            [{"execution": e.id, "workflow": f"{e.workflow_id}@v{e.number}", "status": e.status, "end": e.end,
              "by": e.principal, "began_at": e.began_at, "changed_at": e.changed_at} for e in known]
        )  # fmt: skip
        return
    print_table(
        [(e.id, f"{e.workflow_id}@v{e.number}", e.status, e.end or "", e.principal, e.changed_at[:19]) for e in known]
    )


@run_app.command("show")
@run_app.command("explain")
def explain_command(
    execution: ExecutionId, workspace: WorkspaceFolder = None, user: ActsAs = None, as_json: AsJson = False
) -> None:
    """Say what an execution came to, and why."""
    host = open_host(workspace)
    _print_execution(host, execution, reader(host, user), as_json, acted=False)


@run_app.command("resume")
def resume_command(execution: ExecutionId, workspace: WorkspaceFolder = None, user: ActsAs = None) -> None:
    """Let a paused execution go on; or one whose worker was ended."""
    host = open_host(workspace)
    from runtime.commands import steer
    from runtime.executions import execution_of

    with host.workspace.database.transaction() as connection:
        paused = execution_of(connection, execution).paused
    if paused:
        steer(host, host.workspace.user(user), execution, "resume")
    with working(host) as worker:
        settled(host, worker, execution)
    _print_execution(host, execution, reader(host, user), as_json=False)


@run_app.command("pause")
def pause_command(execution: ExecutionId, workspace: WorkspaceFolder = None, user: ActsAs = None) -> None:
    """Let no node of an execution be carried out until it is resumed."""
    _steered(workspace, user, execution, "pause", "")


@run_app.command("cancel")
def cancel_command(
    execution: ExecutionId,
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS")] = "",
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """End an execution; what was done stays done."""
    _steered(workspace, user, execution, "cancel", reason)


def _steered(workspace: Path | None, user: str | None, execution: str, what: str, reason: str) -> None:
    host = open_host(workspace)
    from runtime.commands import steer

    by = host.workspace.user(user)
    steer(host, by, execution, what, reason)
    with working(host) as worker:
        settled(host, worker, execution)
    _print_execution(host, execution, by, as_json=False)


@run_app.command("forget")
def forget_command(
    execution: ExecutionId,
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS", help="Kept in the audit.")] = "",
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Delete the personal values of an execution that ended; the audit stays whole, and they never come back."""
    host = open_host(workspace)
    from runtime.forget import forget

    done = forget(host, host.workspace.user(user), execution, reason)
    told = f"{done.values} personal values deleted at {done.at}" if done.values else "it holds no personal values"
    terminal.print_line(f"{done.execution}: {told}")


@run_app.command("replay")
def replay_command(
    execution: ExecutionId, workspace: WorkspaceFolder = None, user: ActsAs = None, as_json: AsJson = False
) -> None:
    """Walk again over what was recorded, calling nothing; exit status 1 where it ends otherwise."""
    host = open_host(workspace)
    from runtime.telling import replay

    found = replay(host, execution, reader(host, user))
    if as_json:
        told = {
            "path": list(found.walk.path),
            "status": found.walk.result.status,
            "outputs": dict(found.outputs),
            "words": [one.quote for one in found.walk.result.evidence],
            "differences": list(found.differences),
        }
        terminal.print_json(told)
    else:
        terminal.print_line(f"path: {' → '.join(found.walk.path)}")
        terminal.print_line(f"end: {found.walk.result.status}")
        for one in found.differences or ("the same path and result as recorded",):
            terminal.print_line(one)
    if found.differences:
        raise typer.Exit(FINDINGS)


@run_app.command("what-if")
def what_if_command(
    execution: ExecutionId,
    changes: Annotated[list[str], typer.Option("--set", metavar="REF=VALUE", help="$.inputs.x=5, $.outputs.n.f=true")],
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
    as_json: AsJson = False,
) -> None:
    """Walk over the record with some values changed, calling nothing."""
    host = open_host(workspace)
    from runtime.telling import outputs_seen, what_if

    found = what_if(host, execution, values(changes, None, "references"))
    unknown = found.undecided.unknown if found.undecided is not None else ()
    if as_json:
        outputs = outputs_seen(host, execution, found, reader(host, user))
        terminal.print_json(
            {"path": list(found.path), "status": found.result.status, "outputs": outputs, "unknown": list(unknown)}
        )
        return
    terminal.print_line(f"path: {' → '.join(found.path)}")
    terminal.print_line(f"end: {found.result.status}")
    for name in unknown:
        terminal.print_line(f"no value is known of {name}; give it with --set {shlex.quote(f'{name}=…')}")


@run_app.command("metrics")
def metrics_command(
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="ID[@vN]", help="Only its runs, or those of a version.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option("--since", metavar="DATE", formats=["%Y-%m-%d"], help="Only runs begun on this day or later."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--until", metavar="DATE", formats=["%Y-%m-%d"], help="Only runs begun on this day or earlier."),
    ] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Print how executions went, as JSON: ends, people, rules, systems, and how long it took."""
    host = open_host(workspace)
    from runtime.metrics import metrics

    name, number = versioned(workflow) if workflow is not None else (None, None)
    first, last = (one.date() if one is not None else None for one in (since, until))
    found = metrics(host, workflow=name, number=number, since=first, until=last)
    terminal.print_json(found.model_dump(mode="json"))


@run_app.command("trace")
def trace_command(
    execution: ExecutionId,
    otlp: Annotated[
        str | None,
        typer.Option("--otlp", metavar="URL", help="Of the collector; else OTEL_EXPORTER_OTLP_ENDPOINT."),
    ] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Hand an execution that ended over as a trace, by OpenTelemetry."""
    host = open_host(workspace)
    from runtime.tracing import export_trace

    terminal.print_line(f"{execution}: {export_trace(host, execution, otlp)} spans")


@task_app.command("list")
def tasks_command(workspace: WorkspaceFolder = None, user: ActsAs = None, as_json: AsJson = False) -> None:
    """List what people have to do, the first to be opened first."""
    host = open_host(workspace)
    from runtime.executions import tasks
    from runtime.veil import task_seen
    from store.clock import now

    with host.workspace.database.transaction() as connection:
        known = tasks(connection)
    if as_json:
        by = reader(host, user)
        terminal.print_json([task_seen(host, one, by).to_json() for one in known])
        return
    late = now()
    print_table(
        [
            (one.id, one.execution, one.kind, one.claimed_by or "/".join((*one.roles, *one.escalated)) or "anybody",
             "overdue" if one.due_at and one.due_at < late else (one.due_at or "")[:16], one.title[:60])
            for one in known
        ]
    )  # fmt: skip


@task_app.command("show")
def task_command(task: TaskId, workspace: WorkspaceFolder = None, user: ActsAs = None, as_json: AsJson = False) -> None:
    """Show a task: what is asked, what is shown beside it, the form."""
    host = open_host(workspace)
    from runtime.executions import task_of
    from runtime.values import described
    from runtime.veil import task_seen

    with host.workspace.database.transaction() as connection:
        one = task_of(connection, task)
    by = reader(host, user)
    one = task_seen(host, one, by)
    if as_json:
        terminal.print_json(one.to_json())
        return
    terminal.print_line(one.title)
    terminal.print_line(f"for {' or '.join(one.roles) or 'anybody'}, {one.status}, {one.execution}")
    if one.claimed_by is not None and one.delegated_by is not None:
        terminal.print_line(f"{one.delegated_by} delegated it to {one.claimed_by}")
    if one.overdue:
        also = f"; {' or '.join(one.escalated)} may answer it as well" if one.escalated else ""
        terminal.print_line(f"overdue since {one.due_at}{also}")
    for name, shown in one.shown.items():
        if name != "before":
            terminal.print_line(f"  {name}: {shown_value(shown)}")
    for line in _lines_before(one):
        terminal.print_line(f"  {line}")
    for name, spec in one.fields.items():
        told = f" ({spec.description})" if spec.description else ""
        optional = ", may be left out" if spec.required is False else ""
        terminal.print_line(f"  --set {name}=…  {described(spec)}{optional}{told}")
    if one.digest:
        terminal.print_line(f"shown as {one.digest}")
    for line in own_part_lines(host, one, by) if one.status in ("open", "claimed") else ():
        terminal.print_notice(line)


def _lines_before(task: "Task") -> Iterator[str]:
    """What came before a task in its run: each step with who gave it and when, and what that was."""
    from runtime.veil import is_masked

    if task.before:
        yield "before it:"
    for step in task.before:
        by = step.by or {"rules": "its rules", "workflow": "a run that it called"}.get(step.performer, "a system")
        yield f"  {step.title} ({by}, {step.at[:19]})"
        if step.error is not None:
            yield f"    {step.error}: {shown_value(step.message)}"
        if is_masked(step.gave):
            yield f"    {shown_value(step.gave)}"
        else:
            yield from (f"    {name}: {shown_value(value)}" for name, value in step.gave.items())
        for words in step.words:
            yield f"    “{words}”"


@task_app.command("do")
def do_command(
    task: TaskId,
    given: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A field of the form.")] = None,
    file: Annotated[Path | None, typer.Option("--answer", metavar="FILE", help="The form as JSON or YAML.")] = None,
    shown: Annotated[
        str | None,
        typer.Option("--shown", metavar="DIGEST", help="What was seen, as `task show` prints it; for approvals."),
    ] = None,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Answer a task, and let its execution go on."""
    host = open_host(workspace)
    from runtime.commands import answer
    from runtime.executions import task_of

    by = host.workspace.user(user)
    with host.workspace.database.transaction() as connection:
        asked = task_of(connection, task)
    for line in own_part_lines(host, asked, by) if asked.status in ("open", "claimed") else ():
        terminal.print_notice(line)
    done = answer(host, by, task, values(given or [], file, "fields"), shown)
    with working(host) as worker:
        settled(host, worker, done.execution)
    _print_execution(host, done.execution, by, as_json=False)


@task_app.command("claim")
def claim_command(
    task: TaskId,
    back: Annotated[bool, typer.Option("--back", help="Give it back.")] = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Claim a task, so that nobody else answers it."""
    host = open_host(workspace)
    from runtime.claiming import claim, give_back

    found = (give_back if back else claim)(host, host.workspace.user(user), task)
    terminal.print_line(f"{found.id}: {found.status}{f' by {found.claimed_by}' if found.claimed_by else ''}")


@task_app.command("delegate")
def delegate_command(
    task: TaskId,
    to: Annotated[str, typer.Option("--to", metavar="USER", help="Who is to answer it; needs no role for that.")],
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS", help="Why; it stands in the audit.")] = "",
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Give a task to somebody, until it is given back (`task claim TASK --back`)."""
    host = open_host(workspace)
    from runtime.claiming import delegate

    found = delegate(host, host.workspace.user(user), task, to, reason)
    terminal.print_line(f"{found.id}: delegated to {found.claimed_by} by {found.delegated_by}")


def worker_command(workspace: WorkspaceFolder = None, grace: Grace = 30, log: Log = LogForm.text) -> None:
    """Work on executions until the process is ended; calls that are under way end first, and none begins."""
    import os
    import signal
    import sys
    import threading
    from contextlib import nullcontext

    host = open_host(workspace)
    from runtime.worker import Worker, only_worker

    begin_log(log)
    stop = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: stop.set())
    lock = only_worker(host.workspace.folder) if host.workspace.database.is_sqlite else nullcontext()
    with lock:
        with Worker(host, grace=grace) as worker:
            if log is LogForm.text:
                terminal.print_notice(f"working on {host.workspace.folder}; end it with Ctrl-C")
            tell("working")
            stop.wait()
            tell("stopping", under_way=worker.under_way)
        tell("stopped", cut_off=worker.cut_off)
        if worker.cut_off:
            if log is LogForm.text:
                told = f"{worker.cut_off} executions were in a call that took longer than {grace} s"
                terminal.print_notice(f"{told}; the next worker goes on with them, as after a kill")
            sys.stderr.flush()
            os._exit(0)  # its threads are in calls that nothing ends; nobody else may work while they are


def _print_execution(host: Any, execution: str, by: Any, as_json: bool, *, acted: bool = True) -> None:
    """Tell a user what became of it; exit status 1 where a command that acted left it failed."""
    from runtime.telling import explain

    told = explain(host, execution, by)
    if as_json:
        terminal.print_json(told)
        if told["status"] == "failed" and acted:
            raise typer.Exit(FINDINGS)
        return
    for line in _lines(told):
        terminal.print_line(line)
    if told["status"] == "failed" and acted:
        raise typer.Exit(FINDINGS)


def _lines(told: dict[str, Any]) -> Iterator[str]:
    """What is told of an execution; what it called further in, below what it is told of itself."""
    yield f"{told['execution']}: {told['status']}, {told['workflow']}"
    reason = f" ({told['reason_code']})" if told["reason_code"] else ""
    yield f"{told['answer']}{reason}"
    ended = told["status"] in ("completed", "failed")
    if ended or told["deleted_at"]:
        yield told["text"]
    for words in told["because"]:
        yield f"  “{words}”"
    for name, value in told["outputs"].items() if ended else ():
        yield f"  {name}: {shown_value(value)}"
    people = {one["node"]: " — ".join((one["by"], *one["also"])) for one in told["people"]}
    for step in told["steps"]:
        by = f", by {people[step['node']]}" if step["node"] in people else ""
        error = f"  {step['error']}: {shown_value(step['message'])}" if step["error"] else ""
        yield f"  {step['state']:10} {step['label']}{by}{error}"
    for one in told["again"]:
        yield f"{one['node']} is tried again at {one['at'][:19]}; `flowc worker` or `flowc run resume` does"
    for one in told["waits"]:
        whom = f"{one['claimed_by']}, who claimed it" if one["claimed_by"] else " or ".join(one["for"]) or "anybody"
        yield f"waits for {whom}: {one['title']}"
        yield f"  flowc task show {one['task']}"
    for called in told["called"]:
        first, *rest = _lines(called)
        yield f"{called['node']} called {first}"
        yield from (f"  {line}" for line in rest)
