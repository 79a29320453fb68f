"""`flowc catalog`: which Node Types and concepts there are, and how well they can be found."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.catalog_import import import_command
from flowc.commands.options import (
    AsJson,
    CatalogFolder,
    DomainName,
    EmbedderName,
    Permissions,
    loaded_catalog,
    loaded_embedder,
    settings,
)
from flowc.stopping import FINDINGS, Stop, existing_path, setup_faults

if TYPE_CHECKING:
    from catalog.node_type import NodeType
    from compiler.build.configuration import Configuration

catalog_app = typer.Typer(
    name="catalog",
    help="Import, list, show, search and check the Node Types that workflows may use.",
    short_help="Import, list, show, search, check Node Types.",
    no_args_is_help=True,
)

catalog_app.command("import")(import_command)


@catalog_app.command("list")
def list_command(
    catalog: CatalogFolder = None,
    category: Annotated[str | None, typer.Option("--category", metavar="NAME", help="Only this category.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the Node Types."""
    from validator.suggest import did_you_mean

    known = loaded_catalog(settings(catalog=catalog))
    types = [one for one in known.node_types.values() if category in (None, one.category)]
    if not types and category is not None:
        categories = sorted({one.category for one in known.node_types.values()})
        raise Stop(f'"{category}" is no category{did_you_mean(category, categories)}', "bad-setting")
    if as_json:
        terminal.print_json([one.to_json() for one in types])
        return
    terminal.table(
        ["type", "version", "risk", "side effect", "summary"],
        [
            [
                one.type,
                one.version,
                one.governance.risk_level_default,
                "yes" if one.capabilities.side_effect else "no",
                one.summary,
            ]
            for one in types
        ],
        wrapped=["summary"],
    )


@catalog_app.command("show")
def show_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A Node Type or a concept; an older name or a label will do.")
    ],
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show one Node Type or concept in full."""
    from compiler.draft.alignment import type_concepts
    from ir.codec import write_json, write_yaml
    from validator.suggest import did_you_mean

    configuration = settings(catalog=catalog)
    known = loaded_catalog(configuration)
    node_type = known.resolve(name)
    concept = None if node_type else known.concepts.get(name) or known.concept_named(name)
    entry = node_type or concept
    if entry is None:
        hint = did_you_mean(name, [*known.node_types, *known.concepts])
        raise Stop(f'"{name}" is neither a Node Type nor a concept{hint}', "unknown-entry")
    terminal.print_line((write_json if as_json else write_yaml)(entry).rstrip("\n"))
    if node_type and node_type.imported and not as_json:
        _tell_import(node_type, configuration)
    if node_type and node_type.category not in ("control", "human") and not as_json:
        _tell_executor(node_type.type)
    if concept and not as_json:
        users = [one.type for one in known.node_types.values() if concept.id in type_concepts(one)]
        terminal.print_line(f"# used by {', '.join(users) or 'no Node Type'}")


def _tell_executor(name: str) -> None:
    """Who carries a Type out in the workspace that is found here; nothing where there is none, or nothing runs."""
    from flowc.commands.runs.running import executor_table
    from flowc.extras import need_running

    try:
        need_running()
    except Stop:
        return
    from store.errors import NoWorkspace
    from store.workspace import workspace_root

    try:
        root = workspace_root()
    except NoWorkspace:
        return
    from runtime.executors.registry import setting_for

    table = executor_table(root)
    bound = table.get(setting_for(name, table) or "")
    kind = bound.get("kind") if isinstance(bound, dict) else None
    told = f"carried out by {kind}" if kind else f'no executor; bind one with [executors."{name}"]'
    terminal.print_line(f"# {told} ({root / 'flowc.toml'})")


def _tell_import(node_type: "NodeType", configuration: "Configuration") -> None:
    """What of an imported Type came from its source, what a person wrote, and what nobody has said yet."""
    from catalog.importing.record import read_record, written_by_people

    about = node_type.imported
    assert about is not None
    terminal.print_line(f"# imported from {about.source} ({about.at})")
    records = [read_record(Path(folder)) for folder in configuration.items("catalog") or ()]
    written = next((found for one in records if (found := written_by_people(node_type, one)) is not None), None)
    if written is not None:
        terminal.print_line(f"# written by people: {', '.join(written) or 'nothing'}; the rest is the source's")
    if about.assumed:
        terminal.print_line(f"# assumed, since the source does not say: {', '.join(about.assumed)}")
    for at, concept in about.proposed.items():
        terminal.print_line(f"# proposed for {at}: {concept}")


@catalog_app.command("search")
def search_command(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is to be done, as a document says it.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many candidates.")] = 10,
    domain: DomainName = None,
    permission: Permissions = None,
    catalog: CatalogFolder = None,
    embedder: EmbedderName = None,
    as_json: AsJson = False,
) -> None:
    """Find the Node Types that may do what a text asks for, best first."""
    configuration = settings(catalog=catalog, domain=domain, permissions=permission, embedder=embedder)
    known = loaded_catalog(configuration)
    if not text.strip():
        raise Stop("there is nothing to search for; say what is to be done", "bad-setting")
    from catalog.index import NodeIndex, Scope

    scope = Scope(configuration.text("domain"), configuration.items("permissions"))
    with setup_faults(configuration):
        found = NodeIndex(known, loaded_embedder(configuration).embedder, scope=scope).search(text, limit=limit)
    if as_json:
        terminal.print_json([one.to_json() for one in found])
        return
    terminal.table(
        ["score", "type", "matched"],
        [[f"{one.score:.3f}", one.type, one.matched] for one in found],
        numbers=["score"],
        wrapped=["matched"],
    )


@catalog_app.command("lint")
def lint_command(catalog: CatalogFolder = None, embedder: EmbedderName = None, as_json: AsJson = False) -> None:
    """Find entries that search or people will not tell apart or find. Exit status 1 where there are warnings."""
    from catalog.lint import lint
    from flowc.views.findings import counted, plain_lines
    from ir.diagnostics import Severity

    configuration = settings(catalog=catalog, embedder=embedder)
    known = loaded_catalog(configuration)
    with setup_faults(configuration):
        found = lint(known, loaded_embedder(configuration).embedder)
    if as_json:
        terminal.print_json([one.to_json() for one in found])
    else:
        terminal.print_line(plain_lines(found).rstrip("\n"))
        terminal.print_line(
            f"{counted(found)} in {len(known.node_types)} Node Types and {len(known.concepts)} concepts"
        )
    if any(one.severity is not Severity.INFO for one in found):
        raise typer.Exit(FINDINGS)


@catalog_app.command("gaps")
def gaps_command(
    builds: Annotated[
        list[Path], typer.Argument(metavar="BUILD...", help="Output folders of `flowc compile`, or their gaps.yaml.")
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many wants.")] = 30,
    examples: Annotated[int, typer.Option("--examples", min=0, help="How many steps of each.")] = 3,
    embedder: EmbedderName = None,
    as_json: AsJson = False,
) -> None:
    """Show what the catalog lacks: the steps of builds that no Node Type fits, by meaning, the most wanted first."""
    from catalog.gaps import group_gaps, read_gaps
    from flowc.views import catalog_gaps as view
    from flowc.views.findings import plural

    configuration = settings(embedder=embedder)
    wants = [want for build in builds for want in read_gaps(existing_path(build))]
    with setup_faults(configuration):
        groups = group_gaps(wants, loaded_embedder(configuration).embedder) if wants else ()
    if as_json:
        terminal.print_json([group.to_json() for group in groups[:limit]])
        return
    for group in groups[:limit]:
        terminal.print_line(view.as_text(group, examples))
    shown = f"; the first {limit} are shown" if len(groups) > limit else ""
    terminal.print_line(f"{plural(len(wants), 'step')} without a Node Type, {plural(len(groups), 'want')}{shown}")
