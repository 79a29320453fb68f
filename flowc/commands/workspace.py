"""`flowc workspace`, `flowc audit`: where versions and runs are kept, what was done."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_host, open_workspace
from flowc.extras import need_running
from flowc.stopping import FINDINGS

workspace_app = typer.Typer(
    name="workspace",
    help="Make, back up and restore a workspace, in which workflows are published and run.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
ASKS_FIRST = "calls of theirs that must not be made twice wait for a person, who says whether they were made since"
audit_app = typer.Typer(
    name="audit", help="Verify and export what was done.", no_args_is_help=True, rich_markup_mode=None
)


@workspace_app.command("init")
def init_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where; beside its flowc.toml.")] = Path(),
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Who owns it.")] = "owner",
    database: Annotated[
        str | None, typer.Option("--database", metavar="URL", help="postgresql+psycopg://…; else a file in it.")
    ] = None,
) -> None:
    """Make a workspace: database, key, and the user who owns it."""
    need_running()
    from store.users import add_user
    from store.workspace import make_workspace

    made = make_workspace(folder, database)
    with made.transaction() as connection:
        add_user(connection, user, frozenset(), user)
    terminal.print_line(f"{made.folder}: made; {user} owns it")
    terminal.print_line(f"Next: flowc registry submit FILE.workflow.json --workspace {shlex.quote(str(folder))}")


@workspace_app.command("backup")
def backup_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup, a .tar.gz.")],
    workspace: WorkspaceFolder = None,
) -> None:
    """Write all of a workspace to one file, while others go on working with it."""
    need_running()
    from store.workspace import back_up

    found = open_workspace(workspace)
    back_up(found, file)
    terminal.print_line(f"{file}: written; it holds the key, so keep it as safe as the workspace")
    if not found.database.is_sqlite:
        terminal.print_line("The database is elsewhere and not in it; back that up after this file, with `pg_dump -Fc`")


@workspace_app.command("restore")
def restore_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder without a workspace.")],
) -> None:
    """Unpack a backup; what its runs would call next and must not do twice is asked of a person first."""
    need_running()
    from runtime.governance.restoring import doubt_runs
    from store.workspace import restore

    runs = []
    found = restore(file, folder, lambda made, at: runs.append(doubt_runs(made, "flowc", at)))
    terminal.print_line(f"{found.folder}: restored")
    for count in runs:
        terminal.print_line(f"{count} runs had not ended; {ASKS_FIRST}")
    if not runs:
        terminal.print_line(
            "Its database is elsewhere and was not touched; where that was restored as well, say so before anything "
            f"works on it: flowc workspace restored --workspace {shlex.quote(str(folder))}"
        )


@workspace_app.command("restored")
def restored_command(workspace: WorkspaceFolder = None, user: ActsAs = None) -> None:
    """Say that the database was restored from an earlier state by other tools, before anything works on it."""
    found = open_workspace(workspace)
    from runtime.governance.restoring import doubt_runs
    from store.users import OWNER

    by = found.user(user)
    by.must("say that a database was restored", OWNER)
    terminal.print_line(f"{doubt_runs(found, by.name)} runs had not ended; {ASKS_FIRST}")


@audit_app.command("verify")
def verify_command(
    heads: Annotated[
        Path | None, typer.Option("--heads", metavar="FILE", help="A copy of the heads that was kept elsewhere.")
    ] = None,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """Say whether the audit is as it was written; exit status 1 where it is not."""
    found = open_workspace(workspace)
    from store import audit

    file = heads or found.heads
    text = file.read_text("utf-8") if file.is_file() else ""
    with found.database.transaction() as connection:
        faults = audit.verify(connection, text, found.key.public)
        count = sum(1 for _ in audit.events(connection))
    if as_json:
        terminal.print_json(
            {
                "events": count,
                "heads": len(text.splitlines()),
                "faults": [{"code": f.code, "event": f.sequence, "message": f.message} for f in faults],
            }
        )
    else:
        for one in faults:
            terminal.print_line(f"{one.message} [{one.code}]")
        terminal.print_line(f"{count} events, {len(text.splitlines())} heads, {len(faults)} faults")
    if faults:
        raise typer.Exit(FINDINGS)


@audit_app.command("export")
def export_command(
    workspace: WorkspaceFolder = None,
    execution: Annotated[str | None, typer.Argument()] = None,
    unmasked: Annotated[
        bool,
        typer.Option("--unmasked", help="With what is else hidden; takes the roles that read it, and is told."),
    ] = False,
    user: ActsAs = None,
) -> None:
    """Print the events, one JSON object a line; those of one execution where it is named."""
    host = open_host(workspace)
    import json
    from dataclasses import asdict

    from runtime.exporting import exported

    by = host.workspace.user(user) if unmasked else None
    for one in exported(host, execution, unmasked_for=by):
        terminal.print_line(json.dumps(asdict(one), ensure_ascii=False))


@audit_app.command("retain")
def retain_command(workspace: WorkspaceFolder = None, user: ActsAs = None) -> None:
    """Delete personal values that were kept as long as `keep_personal` says; exit status 1 where some cannot be."""
    host = open_host(workspace)
    from runtime.forget import retain

    done = retain(host, host.workspace.user(user))
    for one in done.forgotten:
        terminal.print_line(f"{one.execution}: {one.values} personal values deleted at {one.at}")
    for why in done.refused.values():
        terminal.print_line(why)
    keep = host.privacy.keep_personal
    told = f"kept for {keep}" if keep else "kept until they are deleted by name ([privacy] keep_personal says no time)"
    terminal.print_line(f"{len(done.forgotten)} runs forgotten; personal values are {told}")
    if done.refused:
        raise typer.Exit(FINDINGS)


@audit_app.command("head")
def head_command(workspace: WorkspaceFolder = None) -> None:
    """Sign where the audit stands and print it; keep it elsewhere, and a chain made anew shows against it."""
    found = open_workspace(workspace)
    from store import audit

    found.seal()
    with found.database.transaction() as connection:
        audit.write_head(connection, found.key, found.heads, least=1)
    terminal.print_line(
        found.heads.read_text("utf-8").splitlines()[-1] if found.heads.is_file() else "nothing was done yet"
    )
