"""`flowc eval run sopbench:DIR`: procedures with tools of their own, run on the rows of a benchmark."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from flowc import terminal
from flowc.stopping import Stop, existing_path

if TYPE_CHECKING:
    from compiler.build.scheduler import Settings
    from evals.replies import Way
    from evals.sopbench.report import SopReport

SOPBENCH = "sopbench:"
RUNS = "runs"
"""Beside the report the folder of the workspaces."""


def answered_from(settings: "Settings", way: "Way | None", replies: Path | None) -> "Settings":
    """The settings with the folder of recordings, which is outside the repository: they hold the benchmark's words.

    Raises:
        Stop: no folder is named, or it is inside the repository.
    """
    import evals
    from evals.replies import with_replies

    if way is None:
        return settings
    if replies is None:
        raise Stop(f"{SOPBENCH} has no folder of recordings of its own: name one with --replies", "bad-setting")
    home = Path(evals.__file__).resolve().parent.parent
    if way == "record" and (home / ".git").exists() and replies.resolve().is_relative_to(home):
        raise Stop(f"--replies {replies} is in flowc's repository, where no words of SOP-Bench may lie", "bad-setting")
    return with_replies(settings, way, replies)


def run_suites(
    suites: list[str],
    settings: "Settings",
    *,
    limit: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
    runtime: bool = False,
) -> None:
    """Run benchmarks and print what came of them.

    Args:
        runtime: in workspaces, in place of the stepper; they are kept in `out`, and gone on with.

    Raises:
        Stop: other suites are named beside them; a folder is missing; `out` is a file.
    """
    from evals.sopbench.report import SopReport
    from evals.sopbench.run import run_sopbench

    other = [suite for suite in suites if not suite.startswith(SOPBENCH)]
    if other:
        raise Stop(f"{other[0]} is measured by other figures than {SOPBENCH}; run the two apart", "bad-setting")
    folders = [existing_path(Path(suite.removeprefix(SOPBENCH))) for suite in suites]
    if out is not None and out.exists() and not out.is_dir():
        raise Stop(f"-o {out} is a file; name a folder for the report", "bad-setting")
    with terminal.progress(quiet=quiet or as_json) as advance, TemporaryDirectory(prefix="flowc-sopbench-") as passing:
        place = (Path(passing) if out is None else out / RUNS) if runtime else None
        reports = [run_sopbench(folder, settings, limit=limit, progress=advance, runtime=place) for folder in folders]
    report = SopReport(method=reports[0].method, benchmarks=tuple(one for each in reports for one in each.benchmarks))
    if out is not None:
        _write(report, out)
    if as_json:
        terminal.print_json(report.model_dump(mode="json"))
    elif not quiet:
        _print(report, out)


def _write(report: "SopReport", out: Path) -> None:
    from compiler.build.files import write_whole
    from ir.codec import layout

    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "sopbench.json", layout(report.model_dump(mode="json")) + "\n")


def _print(report: "SopReport", out: Path | None) -> None:
    from evals.sopbench.report import HEADS, table

    terminal.table(HEADS, table(report), numbers=HEADS[1:])
    for one in report.benchmarks:
        if one.workflow is None:
            terminal.print_line(f"{one.name}: no draft: {one.refusal}")
            continue
        said = [f"{one.name}: {len(one.called_anywhere)} of {one.tools} tools in the draft"]
        said += [f"inputs that no column gives: {', '.join(one.unbound)}"] if one.unbound else []
        said += [f"columns that no output gives: {', '.join(one.unfound)}"] if one.unfound else []
        terminal.print_line("; ".join(said))
    terminal.print_line(
        f"{report.method}: {report.success:.1%} of all rows, {report.mean_success:.1%} on average over procedures; one "
        "compilation each, not like for like with an agent that reads the procedure for every row"
    )
    if out is not None:
        terminal.print_line(f"written: {out / 'sopbench.json'}")
