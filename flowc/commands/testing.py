"""`flowc test`, `flowc judge`, `flowc ask`: cases of a workflow, what people say of them, and single questions."""

import getpass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import WORKFLOW_NAMES, AsJson, CatalogFolder, WorkflowFile, loaded_catalog, settings
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from catalog.load import Catalog
    from ir.kept_case import KeptCases
    from review.cases.tested import Tested
    from validator.examples.kept import CheckedCase

TestsFile = Annotated[
    Path | None,
    typer.Option("--tests", metavar="FILE", help="By default NAME.tests.json in tests/ beside the documents."),
]


class Verdict(StrEnum):
    """What a person says of a case."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


def test_command(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A workflow, or a folder that compile wrote.")],
    tests: TestsFile = None,
    make: Annotated[
        bool, typer.Option("--make", help="Have the solver find cases; write them beside those that were judged.")
    ] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML for CI, too.")] = None,
    as_json: AsJson = False,
    catalog: CatalogFolder = None,
) -> None:
    """Run the kept cases of workflows, and say what they cover.

    Exit status: 0 all that was judged right is as it was; 1 something differs, or what a case names is gone; 2 the
    words of the command are off, or a file is of another form.
    """
    from compiler.build.files import write_whole
    from flowc.views.tests import as_junit, print_tests, tests_json
    from validator.examples.kept import FAILING, check_kept

    known = loaded_catalog(settings(catalog=catalog))
    suites: list[tuple[Tested, tuple[CheckedCase, ...]]] = []
    printed = []
    for tested in _all_tested(path, tests, known):
        if make:
            tested = _made(tested)
        kept = tested.kept
        if kept is None:
            continue
        checked = tuple(check_kept(kept, tested.workflow))
        suites.append((tested, checked))
        coverage = tested.coverage(checked)
        if as_json:
            printed.append(tests_json(tested, checked, coverage))
        else:
            terminal.print_line(terminal.paint(terminal.clean(f"{tested.path} ({tested.file})"), "bold"))
            print_tests(tested, checked, coverage)
    if not suites:
        raise Stop(f"{path}: there are no kept cases; make them: flowc test {path} --make", "bad-input-file")
    if as_json:
        terminal.print_json(printed)
    if junit is not None:
        write_whole(junit, as_junit(suites))
    if any(one.outcome in FAILING for _, checked in suites for one in checked):
        raise typer.Exit(FINDINGS)


def judge_command(
    file: WorkflowFile,
    case: Annotated[str, typer.Argument(metavar="CASE", help="Its id, as the file of cases has it: c3.")],
    verdict: Annotated[Verdict, typer.Argument(metavar="VERDICT", help="right, wrong or unsure.")],
    should: Annotated[
        str | None, typer.Option("--should", metavar="WORDS", help="What should happen, where it is wrong.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="NODE", help="The end to which it should come, where it is wrong.")
    ] = None,
    must: Annotated[
        list[str] | None, typer.Option("--must", metavar="NODE", help="A step that should run, where it is wrong.")
    ] = None,
    must_not: Annotated[
        list[str] | None, typer.Option("--must-not", metavar="NODE", help="A step that should not run.")
    ] = None,
    comment: Annotated[
        str | None, typer.Option("--comment", metavar="WORDS", help="What else there is to say.")
    ] = None,
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="Who judges; by default who is logged in.")
    ] = None,
    tests: TestsFile = None,
    catalog: CatalogFolder = None,
) -> None:
    """Say that a case is right, wrong (and what should happen), or that you cannot say."""
    from review.cases.case_file import change_cases
    from review.cases.judging import Opinion, judged

    known = loaded_catalog(settings(catalog=catalog))
    if verdict is Verdict.WRONG and not any((should, end, must, must_not)):
        told = "what should happen? say it with --should, or name the end or a step: --end, --must, --must-not"
        raise Stop(told, "bad-setting")
    tested = _tested(file, tests, known)
    opinion = Opinion(
        verdict.value, author or getpass.getuser(), comment, should, end, tuple(must or ()), tuple(must_not or ())
    )

    def taken(kept: "KeptCases | None") -> "KeptCases":
        if kept is None:
            told = f"{tested.file}: there are no kept cases; make them: flowc test {tested.path} --make"
            raise Stop(told, "bad-input-file")
        return judged(kept, tested.workflow, case, opinion)

    kept = change_cases(tested.file, tested.workflow.workflow_id, taken)
    told = next(one.told for one in kept.cases if one.id == case)
    terminal.print_line(f"{verdict.value}: {case} {terminal.clean(terminal.one_line(told))}")
    terminal.print_line(f"written to {tested.file}")


def ask_command(
    file: WorkflowFile,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="amount=5, NODE.FIELD=true, null: it is not there."),
    ] = None,
    as_json: AsJson = False,
    catalog: CatalogFolder = None,
) -> None:
    """Ask how a run with these facts ends: yes, no, back, or open, with what it then hangs on."""
    from flowc.commands.runs.running import values
    from flowc.views.answer import answer_json, print_answer
    from review.cases.facts import facts_from
    from validator.examples.ask import ask

    known = loaded_catalog(settings(catalog=catalog))
    tested = _tested(file, None, known)
    facts = facts_from(tested.targets, tested.reader, values(given or [], None, "fields"))
    answer = ask(tested.workflow, known, facts, tested.language("case.other"))
    if as_json:
        terminal.print_json(answer_json(tested, answer))
    else:
        print_answer(tested, answer)


def _made(tested: "Tested") -> "Tested":
    """The same with cases made and written; what no run shows goes to stderr."""
    from review.cases.case_file import change_cases
    from review.cases.tested import Tested

    found = tested.found  # sought before the file is locked
    change_cases(tested.file, tested.workflow.workflow_id, tested.made)
    left = found.not_found
    if left:
        told = f"no run was found for {len(left)} of {len(found.targets.all)} targets within the limits"
        terminal.print_notice(f"{tested.path}: {told}; some run may show them")
    return Tested(tested.path, tested.file, tested.workflow, tested.catalog, tested.documents)


def _all_tested(path: Path, tests: Path | None, catalog: "Catalog") -> "list[Tested]":
    from flowc.reading import workflows_below

    if not existing_path(path).is_dir():
        return [_tested(path, tests, catalog)]
    if tests is not None:
        raise Stop("--tests names the cases of one workflow; name that workflow", "bad-setting")
    files = workflows_below(path)
    if not files:
        raise Stop(f"{path}: no {WORKFLOW_NAMES} below this folder; name a folder that compile wrote", "bad-input-file")
    return [_tested(file, None, catalog) for file in files]


def _tested(path: Path, tests: Path | None, catalog: "Catalog") -> "Tested":
    from flowc.commands.workflow import read_one
    from flowc.reading import cited_documents, documents_beside, workflow_name
    from review.cases.case_file import cases_beside
    from review.cases.tested import Tested

    workflow = read_one(path, catalog)
    documents = documents_beside(path, cited_documents(workflow))
    return Tested(path, tests or cases_beside(path, workflow_name(path)), workflow, catalog, documents)
