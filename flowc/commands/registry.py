"""`flowc registry`: versions of workflows, from draft to deprecated."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from flowc import terminal
from flowc.commands.options import AsJson, WorkflowFile
from flowc.commands.running import ActsAs, WorkspaceFolder, open_host, open_workspace, print_table, versioned
from flowc.stopping import Stop, existing_path

registry_app = typer.Typer(
    name="registry",
    help="Submit, review, publish and deprecate versions of workflows.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Versioned = Annotated[str, typer.Argument(metavar="ID[@vN]", help="A workflow, or one version of it.")]


@registry_app.command("submit")
def submit_command(file: WorkflowFile, workspace: WorkspaceFolder = None, user: ActsAs = None) -> None:
    """Put a workflow into the registry as a draft, with the tables of data of its build."""
    host = open_host(workspace)
    from compiler.fates.verdict import is_weighty
    from compiler.version import VERSION
    from ir.codec import read_workflow
    from registry.versions import submit

    path = existing_path(file)
    workflow, faults = read_workflow(path.read_bytes())
    if workflow is None:
        raise Stop(f"{path}: {faults[0]}; `flowc validate` tells more", "bad-input-file")
    questions = tuple(gap.id for gap in workflow.gaps if is_weighty(gap, workflow))
    found = submit(
        host.workspace, host.workspace.user(user), workflow, host.catalog, VERSION,
        references=_references(path), open_questions=questions,
    )  # fmt: skip
    _print_version(found)
    terminal.print_line(f"Next: flowc registry review {found.name}")


def _references(workflow: Path) -> dict[str, Any]:
    """The tables of data of the build that a workflow stands in."""
    folder = workflow.resolve().parent.parent / "references"
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}


@registry_app.command("review")
def review_command(
    version: Versioned,
    back: Annotated[str, typer.Option("--back", metavar="REASON", help="Give it back to its author.")] = "",
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Hand a draft in for review, or give it back."""
    found = open_workspace(workspace)
    from registry.versions import review

    _print_version(review(found, found.user(user), *_numbered(found, version), back=back))


@registry_app.command("publish")
def publish_command(
    version: Versioned,
    accept_open: Annotated[
        str, typer.Option("--accept-open", metavar="REASON", help="Why open questions may stay open.")
    ] = "",
    manual: Annotated[
        list[str] | None, typer.Option("--manual", metavar="TYPE", help="A person carries out nodes of this Type.")
    ] = None,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Publish a version: it can be run, and is never changed again."""
    host = open_host(workspace)
    from registry.versions import publish
    from runtime.executors.registry import MANUAL

    people = set(manual or ())

    def bind(node: Any, node_type: Any) -> str | None:
        return MANUAL if node.type in people else host.executors.bind(node, node_type)

    workflow_id, number = _numbered(host.workspace, version)
    by = host.workspace.user(user)
    found = publish(host.workspace, by, workflow_id, number, host.catalog, bind, accepted=accept_open)
    _print_version(found)
    terminal.print_line(f"Next: flowc run start {found.name} --ask")


@registry_app.command("deprecate")
def deprecate_command(
    version: Versioned,
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS", help="Why; kept with it.")],
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Let no run of a version begin any more."""
    found = open_workspace(workspace)
    from registry.versions import deprecate

    _print_version(deprecate(found, found.user(user), *_numbered(found, version), reason))


@registry_app.command("list")
def list_command(workspace: WorkspaceFolder = None, as_json: AsJson = False) -> None:
    """List all versions."""
    found = open_workspace(workspace)
    from registry.versions import versions

    with found.database.transaction() as connection:
        known = versions(connection)
    if as_json:
        terminal.print_json([_summary(one) for one in known])
        return
    print_table([(one.name, one.state, one.author, one.definition.metadata.title or "") for one in known])


@registry_app.command("show")
def show_command(version: Versioned, workspace: WorkspaceFolder = None, as_json: AsJson = False) -> None:
    """Show a version: its state, report, pins, executors, history."""
    found = open_workspace(workspace)
    from registry.versions import version_of

    with found.database.transaction() as connection:
        one = version_of(connection, *_numbered(found, version))
    if as_json:
        terminal.print_json({**_summary(one), "definition": one.definition.to_json(), "report": one.report.to_json()})
        return
    _print_version(one)
    terminal.print_line(f"digest {one.digest}")
    for name, executor in one.executors.items():
        terminal.print_line(f"  {name}: {one.definition.nodes[name].type} by {executor}")
    for moved in one.history:
        terminal.print_line(
            f"  {moved.at[:19]} {moved.after} by {moved.by}{f': {moved.reason}' if moved.reason else ''}"
        )


@registry_app.command("verify")
def verify_command(version: Versioned, workspace: WorkspaceFolder = None) -> None:
    """Say whether a published version is what was signed; exit status 3 where it is not."""
    found = open_workspace(workspace)
    from registry.versions import checked, version_of

    with found.database.transaction() as connection:
        one = checked(version_of(connection, *_numbered(found, version)), found.key)
    terminal.print_line(f"{one.name}: as it was published ({one.digest})")


def _numbered(workspace: Any, name: str) -> tuple[str, int]:
    """The version that a name means: without a number the last."""
    from registry.errors import UnknownVersion
    from registry.versions import versions

    workflow_id, number = versioned(name)
    if number is not None:
        return workflow_id, number
    with workspace.database.transaction() as connection:
        known = versions(connection, workflow_id)
    if not known:
        raise UnknownVersion(f"there is no workflow {workflow_id}; `flowc registry list` shows what there is")
    return workflow_id, known[-1].number


def _summary(version: Any) -> dict[str, Any]:
    return {
        "version": version.name, "state": version.state, "title": version.definition.metadata.title,
        "digest": version.digest, "author": version.author, "executors": version.executors,
        "pins": [one.to_json() for one in version.pins], "calls": [one.to_json() for one in version.calls],
        "history": [one.to_json() for one in version.history],
    }  # fmt: skip


def _print_version(version: Any) -> None:
    told = f"{version.report.errors} errors, {version.report.warnings} warnings"
    open_ = f", {len(version.report.open_questions)} open questions" if version.report.open_questions else ""
    terminal.print_line(f"{version.name}: {version.state} ({told}{open_})")
