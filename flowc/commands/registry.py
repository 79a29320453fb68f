"""`flowc registry`: versions of workflows, from draft to deprecated: what there is, what it is for, what changed."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from flowc import terminal
from flowc.commands.options import AsJson, EmbedderName, WorkflowFile, loaded_catalog, loaded_embedder, settings
from flowc.commands.runs.running import ActsAs, WorkspaceFolder, open_host, open_workspace, print_table, versioned
from flowc.stopping import FINDINGS, Stop, existing_path, setup_faults

registry_app = typer.Typer(
    name="registry",
    help="Submit, review, publish, find, compare and deprecate versions of workflows.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Versioned = Annotated[str, typer.Argument(metavar="ID[@vN]", help="A workflow, or one version of it.")]
Owner = Annotated[str | None, typer.Option("--owner", metavar="NAME", help="Who answers for the workflow.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="May be given several times.")]


class StateName(StrEnum):
    """The states of a version."""

    DRAFT = "draft"
    REVIEW = "review"
    PUBLISHED = "published"
    DEPRECATED = "deprecated"


@registry_app.command("submit")
def submit_command(
    file: WorkflowFile,
    owner: Owner = None,
    tag: Tags = None,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Put a workflow into the registry as a draft: one of a build as it was reviewed, with all that is open in it."""
    host = open_host(workspace)
    from compiler.build.folder import SUMMARY
    from compiler.build.read_build import references_in
    from flowc.views.registry import error_lines, headline
    from ir.codec import read_workflow
    from ir.version import VERSION
    from registry.versions import submit
    from review.submission import hand_over_cases, judged_cases, submission

    path = existing_path(file)
    workflow, faults = read_workflow(path.read_bytes())
    if workflow is None:
        told = "\n".join(str(one) for one in faults)
        tells = shlex.join(["flowc", "validate", str(path)])
        raise Stop(f"{path} holds no workflow that can be read; `{tells}` tells more\n{told}", "bad-input-file")
    build = next((up for up in path.resolve().parents if (up / SUMMARY).is_file()), None)
    given = submission(workflow, build)
    hand_over_cases(path, given.workflow, host.workspace.folder)
    about = given.workflow.metadata
    tags = tuple(dict.fromkeys((*about.tags, *(tag or ()))))
    workflow = given.workflow.model_copy(
        update={"metadata": about.model_copy(update={"owner": owner or about.owner, "tags": tags})}
    )
    found = submit(
        host.workspace, host.workspace.user(user), workflow, host.catalog, VERSION,
        references=references_in(path.resolve().parent.parent), open_questions=given.open_questions,
        reviewed=given.reviewed, cases=judged_cases(host.workspace.folder, workflow),
    )  # fmt: skip
    terminal.print_line(headline(found))
    for line in error_lines(found):
        terminal.print_line(terminal.clean(line))
    if found.report.errors:
        _print_next(None, "validate", str(path))
    else:
        _print_next(workspace, "registry", "review", found.name)


@registry_app.command("review")
def review_command(
    version: Versioned,
    back: Annotated[str, typer.Option("--back", metavar="REASON", help="Give it back to its author.")] = "",
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Hand a draft in for review, or give it back."""
    found = open_workspace(workspace)
    from flowc.views.registry import headline
    from registry.versions import review

    terminal.print_line(headline(review(found, found.user(user), *_numbered(found, version), back=back)))


@registry_app.command("publish")
def publish_command(
    version: Versioned,
    accept_open: Annotated[
        str, typer.Option("--accept-open", metavar="REASON", help="Why what is open may stay open.")
    ] = "",
    manual: Annotated[
        list[str] | None, typer.Option("--manual", metavar="TYPE", help="A person carries out nodes of this Type.")
    ] = None,
    compatible: Annotated[
        bool, typer.Option("--compatible", help="Refuse what callers of the version published before cannot call.")
    ] = False,
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Publish a version: it can be run, and is never changed again."""
    host = open_host(workspace)
    from flowc.views.registry import contract_lines, headline, waived_lines
    from registry.pinned import deprecated_types
    from registry.versions import publish, version_of
    from review.submission import judged_cases

    workflow_id, number = _numbered(host.workspace, version)
    by = host.workspace.user(user)
    with host.workspace.database.transaction() as connection:
        asked = version_of(connection, workflow_id, number)
    found = publish(
        host.workspace, by, workflow_id, number, host.catalog, host.binder(manual or ()), accepted=accept_open,
        compatible=compatible, cases=judged_cases(host.workspace.folder, asked.definition),
    )  # fmt: skip
    terminal.print_line(headline(found))
    for line in waived_lines(found):
        terminal.print_line(terminal.clean(line))
    if found.report.compatibility:
        terminal.print_notice("\n".join(contract_lines(found.report.compatibility)))
    for told in deprecated_types(found.pins, host.catalog):
        terminal.print_notice(told)
    _print_next(workspace, "run", "start", found.name, "--ask")


@registry_app.command("deprecate")
def deprecate_command(
    version: Versioned,
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS", help="Why; kept with it.")],
    workspace: WorkspaceFolder = None,
    user: ActsAs = None,
) -> None:
    """Let no run of a version begin any more."""
    found = open_workspace(workspace)
    from flowc.views.registry import headline
    from registry.versions import deprecate

    terminal.print_line(headline(deprecate(found, found.user(user), *_numbered(found, version), reason)))


@registry_app.command("list")
def list_command(
    state: Annotated[StateName | None, typer.Option("--state", help="Only versions in this state.")] = None,
    owner: Owner = None,
    tag: Tags = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only published versions whose Types the catalog here has otherwise.")
    ] = False,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """List the versions; with several tags, those that have all of them."""
    found = open_workspace(workspace)
    from flowc.views.registry import row, summary
    from registry.pinned import stale_pins
    from registry.versions import versions

    with found.database.transaction() as connection:
        known = [
            one
            for one in versions(connection)
            if state in (None, one.state)
            and owner in (None, one.definition.metadata.owner)
            and set(tag or ()) <= set(one.definition.metadata.tags)
        ]
    if stale:
        catalog = loaded_catalog(settings(at=found.folder.parent))
        pins = {one.name: stale_pins(one, catalog) for one in known if one.state == "published"}
        known = [one for one in known if pins.get(one.name)]
        if as_json:
            terminal.print_json([{**summary(one), "stale": [pin.to_json() for pin in pins[one.name]]} for one in known])
        else:
            print_table([(one.name, pin.type, pin.version, pin.what) for one in known for pin in pins[one.name]])
        return
    if as_json:
        terminal.print_json([summary(one) for one in known])
        return
    print_table([row(one) for one in known])


@registry_app.command("search")
def search_command(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in one's own words.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many workflows.")] = 5,
    deprecated: Annotated[bool, typer.Option("--deprecated", help="Deprecated versions as well.")] = False,
    embedder: EmbedderName = None,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """Find the published workflows that a task may be for, best first, with the reasons; none where nothing fits."""
    found = open_workspace(workspace)
    from flowc.views.registry import found_lines
    from registry.search import WorkflowIndex
    from registry.versions import findable

    if not task.strip():
        raise Stop("there is nothing to search for; say what is to be done", "bad-setting")
    configuration = settings(embedder=embedder, at=found.folder.parent)
    with found.database.transaction() as connection:
        known = findable(connection, deprecated=deprecated)
    with setup_faults(configuration):
        index = WorkflowIndex(known, loaded_catalog(configuration), loaded_embedder(configuration).embedder)
        fitting = index.search(task, limit)
    if as_json:
        terminal.print_json([one.to_json() for one in fitting])
        return
    if not fitting:
        listing = "`flowc registry list --state published` shows what there is"
        terminal.print_line(f"none of the {len(known)} published workflows fits; say it in other words, or {listing}")
    for one in fitting:
        for line in found_lines(one):
            terminal.print_line(terminal.clean(line))


@registry_app.command("diff")
def diff_command(
    old: Versioned,
    new: Versioned,
    workspace: WorkspaceFolder = None,
    as_json: AsJson = False,
) -> None:
    """Say what changed between two versions, which runs take another way, and whether callers can go on.

    Exit status: 0 nothing changed; 1 something did; 2 the words of the command are off.
    """
    found = open_workspace(workspace)
    from flowc.views.diff import as_text
    from flowc.views.registry import contract_lines
    from registry.compatibility import compatibility
    from registry.versions import version_of
    from validator.diff import compare
    from validator.diff.changes import Comparison

    names = [_numbered(found, one) for one in (old, new)]
    with found.database.transaction() as connection:
        before, after = (version_of(connection, *name) for name in names)
    catalog = loaded_catalog(settings(at=found.folder.parent))
    difference = compare(before.definition, after.definition, catalog, (before.name, after.name))
    held = compatibility(before, after, catalog)
    if as_json:
        told = {"same": difference.same, **difference.to_json()}
        terminal.print_json({"difference": told, "compatibility": held.to_json()})
    else:
        terminal.print_line(as_text(Comparison(differences=(difference,))).rstrip("\n"))
        for line in contract_lines(held):
            terminal.print_line(terminal.clean(line))
    if not difference.same:
        raise typer.Exit(FINDINGS)


@registry_app.command("show")
def show_command(version: Versioned, workspace: WorkspaceFolder = None, as_json: AsJson = False) -> None:
    """Show a version: its state, report, pins, executors, history, and Types that are not to be used any more."""
    found = open_workspace(workspace)
    from flowc.views.registry import summary, version_lines
    from registry.pinned import deprecated_types, stale_pins
    from registry.versions import version_of

    numbered = _numbered(found, version)
    with found.database.transaction() as connection:
        one = version_of(connection, *numbered)
    catalog = loaded_catalog(settings(at=found.folder.parent))
    stale, deprecated = stale_pins(one, catalog), list(deprecated_types(one.pins, catalog))
    if as_json:
        told = {"stale": [pin.to_json() for pin in stale], "deprecated_types": deprecated}
        whole = {"definition": one.definition.to_json(), "report": one.report.to_json()}
        terminal.print_json({**summary(one), **told, **whole})
        return
    for line in version_lines(one):
        terminal.print_line(terminal.clean(line))
    for words in (*(f"{pin.type} {pin.version}: {pin.what}" for pin in stale), *deprecated):
        terminal.print_notice(words)


@registry_app.command("verify")
def verify_command(version: Versioned, workspace: WorkspaceFolder = None) -> None:
    """Say whether a published version is what was signed; exit status 3 where it is not."""
    found = open_workspace(workspace)
    from registry.versions import checked, version_of

    numbered = _numbered(found, version)
    with found.database.transaction() as connection:
        one = checked(version_of(connection, *numbered), found.key)
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


def _print_next(workspace: Path | None, *words: str) -> None:
    """The command that comes next, as it can be typed, in the same workspace."""
    where = ["--workspace", str(workspace)] if workspace else []
    terminal.print_line(f"Next: {shlex.join(['flowc', *words, *where])}")
