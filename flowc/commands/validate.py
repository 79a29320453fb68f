"""`flowc validate`: what is wrong with workflows, as people, programs and CI read it; and how it can be mended."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import WORKFLOW_NAMES, CatalogFolder, loaded_catalog, settings
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flowc.report import Report
    from validator.suppressions import Rules


class FindingsFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"


def validate_command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help=f"Workflows, JSON or YAML; of a folder, each {WORKFLOW_NAMES} in it."),
    ],
    format_: Annotated[
        FindingsFormat,
        typer.Option("--format", help="text for people, json for programs; sarif, github and gitlab for CI."),
    ] = FindingsFormat.TEXT,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only these codes: a,b,branch-*; errors of reading always."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODES", help="Set findings of these codes aside; they are still listed."),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why --ignore; kept with what it sets aside.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Show what the fixes of the findings would change.")] = False,
    write: Annotated[bool, typer.Option("--write", help="With --fix: change the files.")] = False,
    catalog: CatalogFolder = None,
) -> None:
    """Check workflows: structure, types, branches, governance, calls. Older forms are read, with warnings."""
    from flowc.checking import CheckContext
    from flowc.report import Report

    if write and not fix:
        raise Stop("--write goes with --fix; nothing else changes files", "bad-setting")
    if fix and format_ is not FindingsFormat.TEXT:
        raise Stop("--fix prints text; leave --format out (json and sarif list the fixes without --fix)", "bad-setting")
    configuration = settings(catalog=catalog)
    rules = _rules(configuration.rules, select or [], ignore or [], reason)
    paths = _workflows(files)
    context = CheckContext(loaded_catalog(configuration), tuple(paths))
    whole = True
    if fix:
        from flowc.commands.fixing import fix_files

        reports, whole = fix_files(paths, context, rules, write=write)
    else:
        reports = [Report.check(path, context, rules) for path in paths]
    notices = _idle(rules, reports, whole=any(file.is_dir() for file in files))
    status = 0 if whole and not any(report.has_errors for report in reports) else FINDINGS
    _print(reports, format_, status, notices, summed=fix and not write)
    for notice in notices:
        terminal.print_notice(notice)
    if status:
        raise typer.Exit(status)


def _workflows(files: list[Path]) -> list[Path]:
    """The files named, and the workflows below the folders named, each once."""
    from flowc.reading import workflows_below

    paths: list[Path] = []
    for file in files:
        if existing_path(file).is_dir():
            below = workflows_below(file, broken=True)
            if not below:
                raise Stop(f"{file}: no {WORKFLOW_NAMES} below this folder; name a workflow", "bad-input-file")
            paths += below
        else:
            paths.append(file)
    return list(dict.fromkeys(paths))


def _rules(rules: "Rules", select: list[str], ignore: list[str], reason: str | None) -> "Rules":
    """The decisions of the settings with those of the command, which come first.

    Raises:
        BadSetting: a code is none.
    """
    from dataclasses import replace

    from validator.suppressions import Ignore, checked_pattern

    if reason is not None and not ignore:
        raise Stop("--reason goes with --ignore: say which codes it is about", "bad-setting")
    if reason is not None and not reason.strip():
        raise Stop("--reason is empty; say why, or leave it out", "bad-setting")
    ignored = [checked_pattern(code, "--ignore", ignoring=True) for code in _codes(ignore, "--ignore")]
    chosen = [checked_pattern(code, "--select") for code in _codes(select, "--select")]
    own = tuple(Ignore(code, reason or "command line", "--ignore") for code in ignored)
    return replace(rules, ignores=(*own, *rules.ignores), select=tuple(chosen))


def _codes(words: list[str], flag: str) -> list[str]:
    """The codes of a list that commas part.

    Raises:
        Stop: there is none between two commas.
    """
    codes = [code.strip("[]` ").lower() for word in words for code in word.split(",")]
    if "" in codes:
        raise Stop(f"{flag}: a code is empty; write them as a,b,branch-*", "bad-setting")
    return codes


def _idle(rules: "Rules", reports: "Sequence[Report]", *, whole: bool) -> list[str]:
    """What to say of entries that set nothing aside, unless what they speak of was not looked at.

    Args:
        whole: whether a folder was looked at, so that a workflow that is not there is nowhere.
    """
    from validator.suggest import did_you_mean, nearest

    if rules.select or any(report.checked.workflow is None for report in reports):
        return []
    judged = [one for report in reports for one in report.judged]
    seen = sorted({report.checked.workflow.workflow_id for report in reports if report.checked.workflow})
    notices = []
    for one in rules.ignores:
        if any(one.covers(found.finding) for found in judged):
            continue
        said = f"the ignored {one} matches no finding; "
        if one.workflow is None or one.workflow in seen:
            notices.append(said + "leave it out if it is no longer needed")
        elif whole or nearest(one.workflow, seen):
            notices.append(said + f"no workflow is called so{did_you_mean(one.workflow, seen)}")
    return notices


def _print(
    reports: "Sequence[Report]", format_: FindingsFormat, status: int, notices: list[str], *, summed: bool
) -> None:
    """Print what was found; `summed`, its sum alone."""
    match format_:
        case FindingsFormat.TEXT:
            from flowc.views.verdict import print_reports, print_sum

            (print_sum if summed else print_reports)(reports)
            if first := next((one for report in reports for one in report.shown), None):
                terminal.print_notice(
                    f"what a code means and what to do about it: flowc explain-code {first.error_code}"
                )
        case FindingsFormat.JSON:
            terminal.print_json([entry for report in reports for entry in report.to_json()])
        case FindingsFormat.SARIF:
            from flowc.views.sarif import as_sarif

            terminal.print_json(as_sarif(reports, status, notices))
        case FindingsFormat.GITLAB:
            from flowc.views.gitlab import as_code_quality

            terminal.print_json([entry for report in reports for entry in as_code_quality(report)])
        case FindingsFormat.GITHUB:
            from flowc.views.annotations import as_annotations

            if lines := "".join(as_annotations(report) for report in reports):
                terminal.print_line(lines.rstrip("\n"))
    if format_ is not FindingsFormat.TEXT:
        _tell_left_out(reports, format_)


def _tell_left_out(reports: "Sequence[Report]", format_: FindingsFormat) -> None:
    """Say on stderr how much of what was found a format does not show."""
    from flowc.views.findings import plural

    left_out = sum(report.left_out for report in reports)
    aside = sum(one.ignored is not None for report in reports for one in report.judged)
    if left_out:
        terminal.print_notice(f"{plural(left_out, 'finding')} of codes that were not selected left out")
    if aside and format_ in (FindingsFormat.GITHUB, FindingsFormat.GITLAB):
        terminal.print_notice(
            f"{plural(aside, 'finding')} set aside and left out; --format text, json or sarif has them"
        )
