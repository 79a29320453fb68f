"""`flowc eval`: how good are the drafts, measured against gold; better or worse than before?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flowc import terminal
from flowc.commands.options import (
    AsJson,
    BaseUrl,
    CatalogFolder,
    EmbedderName,
    ModelName,
    Offline,
    PrimersFolder,
    settings,
)
from flowc.commands.sopbench import SOPBENCH, answered_from, run_suites
from flowc.extras import need_running
from flowc.stopping import FINDINGS, Stop, existing_path, setup_faults

if TYPE_CHECKING:
    from compiler.build.configuration import Configuration
    from compiler.build.scheduler import Settings
    from evals.reports.run import Run
    from evals.runner import Choice
    from llm.choice import ModelChoice

evals_app = typer.Typer(
    name="eval",
    help=(
        "Measure drafts against gold. Exit status: 0 nothing fell; 1 a regression, or a case that crashed; "
        "2 the command's words are off; 3 the environment failed, or two reports that cannot be compared."
    ),
    short_help="Measure drafts against gold.",
    no_args_is_help=True,
)
Report_ = Annotated[Path, typer.Argument(metavar="REPORT", help="A folder that `flowc eval run -o` wrote, or a file.")]
SplitName = Literal["dev", "held_out"]


@evals_app.command("run")
def run_command(
    suites: Annotated[
        list[str],
        typer.Argument(
            metavar="SUITE", help="Folders of cases, single cases, pet:FILE for PET, sopbench:DIR for SOP-Bench."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for report.json, report.md, report.html.")
    ] = None,
    offline: Offline = False,
    model: ModelName = None,
    base_url: BaseUrl = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Recorded answers stand for a model: those beside each case.")
    ] = False,
    record: Annotated[bool, typer.Option("--record", help="Record the model's answers beside each case.")] = False,
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies",
            metavar="DIR",
            help="Another folder of recordings (PET: fixtures/pet/replies; SOP-Bench: your own).",
        ),
    ] = None,
    split: Annotated[SplitName | None, typer.Option("--split", help="Only the cases of this split.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="At most N cases of each suite.")
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, help="Compile each case N times; shows the spread.")
    ] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Processes, one a core without it; with a model, requests at a time.",
        ),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="BASELINE", help="Fail where a case fell against this report.")
    ] = None,
    syntax: Annotated[
        bool, typer.Option("--syntax/--no-syntax", help="Use the syntax extra where it is installed.")
    ] = True,
    runtime: Annotated[
        bool, typer.Option("--runtime", help="SOP-Bench: publish the drafts and run the rows as a batch.")
    ] = False,
    catalog: CatalogFolder = None,
    primers: PrimersFolder = None,
    embedder: EmbedderName = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No table, notices or progress.")] = False,
) -> None:
    """Compile suites of cases and measure what comes of them."""
    from evals.replies import Way
    from evals.reports.compare import regressions
    from evals.reports.report import read_report
    from evals.runner import Choice
    from flowc.views.evals import print_regressions, print_report

    if offline and (model or replay or record):
        raise Stop("--offline asks no model: leave out --model, --replay and --record", "bad-setting")
    found = settings(
        catalog=catalog, primers=primers, embedder=embedder, model=model, base_url=base_url, concurrency=jobs,
        quiet=quiet,
    )  # fmt: skip
    if replay and (model or record):
        raise Stop("--replay asks no model: leave out --model and --record", "bad-setting")
    asked = None if offline else _asked(found, replay=bool(replay), record=bool(record), quiet=quiet)
    if asked is None and not offline and not quiet:
        terminal.print_notice("no model configured: measuring the offline compiler")
    way: Way | None = "replay" if replay else "record" if record else None
    if any(suite.startswith(SOPBENCH) for suite in suites):
        asking = answered_from(_settings(found, asked, syntax=syntax), way, replies)
        if runtime:
            need_running()
        run_suites(suites, asking, limit=limit, out=out, as_json=as_json, quiet=quiet, runtime=runtime)
        return
    if runtime:
        raise Stop(f"--runtime is for {SOPBENCH} alone; leave it out", "bad-setting")
    for suite in suites:
        if not suite.startswith("pet:"):
            existing_path(Path(suite))
    baseline = read_report(existing_path(against)) if against else None
    choice = Choice(
        split=split, limit=limit, repeat=repeat, jobs=jobs, pictures=out is not None, way=way, replies=replies
    )
    run = _run(suites, _settings(found, asked, syntax=syntax), choice, quiet=quiet)
    if out is not None:
        _write(run, out)
    if as_json:
        terminal.print_line(run.report.text().rstrip("\n"))
    elif not quiet:
        print_report(run.report, out)
    fell = regressions(baseline, run.report) if baseline else ()
    print_regressions(fell)
    if fell or run.report.crashed:
        raise typer.Exit(FINDINGS)


@evals_app.command("compare")
def compare_command(before: Report_, after: Report_, as_json: AsJson = False) -> None:
    """Say what rose and what fell between two reports; exit status 1 where a case fell."""
    from evals.reports.compare import compare
    from evals.reports.report import read_report
    from flowc.views.evals import print_comparison

    comparison = compare(read_report(existing_path(before)), read_report(existing_path(after)))
    if as_json:
        terminal.print_json(comparison.model_dump(mode="json"))
    else:
        print_comparison(comparison)
    if any(change.fell for change in comparison.cases):
        raise typer.Exit(FINDINGS)


@evals_app.command("bless")
def bless_command(
    report: Report_,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Another file than the one in evals/baselines/.")
    ] = None,
) -> None:
    """Make a report the baseline that later runs are held against."""
    from compiler.build.files import write_whole
    from evals.reports.compare import BASELINES, baseline_path, bless
    from evals.reports.report import read_report

    read = read_report(existing_path(report))
    if read.crashed:
        raise Stop(f"{', '.join(read.crashed)} crashed: a crash is no baseline; mend it first", "bad-input-file")
    if to is None and not (BASELINES.parent.parent / ".git").exists():
        raise Stop("flowc does not run from its repository; name a file for the baseline with --to", "bad-setting")
    target = to or baseline_path(read)
    write_whole(target, bless(read).text())
    terminal.print_line(f"blessed: {target}")


@evals_app.command("list")
def list_command(
    suites: Annotated[list[Path] | None, typer.Argument(metavar="SUITE", help="Folders of cases.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the cases of suites, or the metrics and baselines where none is named."""
    from evals.cases import read_suite
    from evals.reports.compare import BASELINES
    from flowc.views.evals import case_rows, metric_rows

    if not suites:
        terminal.table(["metric family", "what it counts"], metric_rows(), wrapped=["what it counts"])
        for path in sorted(BASELINES.glob("*.json")):
            terminal.print_line(f"baseline: {path}")
        return
    rows = [case_rows(case) for suite in suites for case in read_suite(existing_path(suite))]
    heads = ["case", "language", "split", "formats", "procedures", "steps", "scenarios", "features"]
    if as_json:
        terminal.print_json([dict(zip(heads, row, strict=True)) for row in rows])
        return
    terminal.table(heads, rows, numbers=["procedures", "steps", "scenarios"], wrapped=["features"])


case_app = typer.Typer(name="case", help="Cases of one's own.", no_args_is_help=True)
evals_app.add_typer(case_app)


@case_app.command("from-review")
def from_review_command(
    build: Annotated[Path, typer.Argument(metavar="BUILD", help="A build whose drafts are reviewed to the end.")],
    out: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the case.")],
    documents: Annotated[
        Path | None, typer.Option("--documents", metavar="DIR", help="Where the documents are, if they were moved.")
    ] = None,
) -> None:
    """Make a case of a reviewed build: its documents are copied, and what was decided becomes gold."""
    from evals.decisions.from_review import compiled_folder, write_case
    from flowc.review import drafts_at

    drafts = drafts_at(existing_path(build))
    files = write_case(drafts, documents or compiled_folder(build), out)
    terminal.print_line(f"{len(files)} files written to {out}; look through gold before you measure with it")


def _asked(found: "Configuration", *, replay: bool, record: bool, quiet: bool) -> "ModelChoice | None":
    """The model to ask; None where none is named."""
    from flowc.commands.asking import configured_model, tell_endpoint

    name = None if replay else found.text("model")
    choice = configured_model(found, name) if name or replay or record else None
    if choice is not None and not quiet:
        tell_endpoint(choice)
    return choice


def _settings(found: "Configuration", asked: "ModelChoice | None", *, syntax: bool) -> "Settings":
    from compiler.build.scheduler import Settings

    return Settings(
        catalogs=found.items("catalog") or (),
        domain=found.text("domain"),
        permissions=found.items("permissions"),
        primers=found.folder("primers"),
        embedder=found.text("embedder") or "default",
        base_url=found.text("base_url"),
        api_key=found.embedder_key(),
        syntax=syntax,
        model=asked,
    )


def _run(suites: list[str], chosen: "Settings", choice: "Choice", *, quiet: bool) -> "Run":
    from evals.runner import run_with_pictures

    with setup_faults(settings(quiet=True)), terminal.progress(quiet=quiet) as advance:
        return run_with_pictures(suites, chosen, choice, progress=advance)


def _write(run: "Run", out: Path) -> None:
    """Write the report as JSON, Markdown and HTML.

    Raises:
        Stop: the folder is a file.
    """
    from compiler.build.files import write_whole
    from evals.reports.markdown import markdown
    from evals.reports.page import page
    from evals.reports.report import REPORT_FILE

    if out.exists() and not out.is_dir():
        raise Stop(f"-o {out} is a file; name a folder for the report", "bad-setting")
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / REPORT_FILE, run.report.text())
    write_whole(out / "report.md", markdown(run.report))
    write_whole(out / "report.html", page(run))
