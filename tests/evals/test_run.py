"""Runs over tiny suites: what is measured, what a crash costs, which cases are taken."""

from dataclasses import replace
from pathlib import Path

import pytest
from eval_samples import HTML, SLUG, write_case

import evals.outcome
import evals.runner
from catalog.load import Catalog
from compiler.build.scheduler import Settings
from compiler.context import Context
from evals.cases import Case
from evals.errors import MalformedSuite, NoCases
from evals.metrics import FOUND
from evals.outcome import Outcome, outcome_of_gold
from evals.reports.report import REPORT_FILE, read_report
from evals.runner import Choice, run, run_with_pictures
from evals.tally import Tally, share
from ir.errors import MissingPath

pytestmark = pytest.mark.slow

pytest_plugins = ("eval_fixtures",)

ALONE = Choice(jobs=1)
F1 = {  # of what is found or missed; all others are shares of what gold has, or of pairs
    "extraction.step", "extraction.deadline", "extraction.condition", "extraction.gap", "workflow.node",
    "workflow.edge", "workflow.order", "workflow.mapping", "behaviour.node", "governance.node",
}  # fmt: skip


@pytest.fixture
def three(suite: Path) -> Path:
    """A suite of three cases: two of `dev`, one held out."""
    for slug, split in (("a-case", "dev"), ("b-case", "held_out"), ("c-case", "dev")):
        write_case(suite / slug, split=split)
    return suite


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch, catalog: Catalog) -> None:
    """The catalog is loaded once for all tests here."""
    monkeypatch.setattr(evals.runner, "load_catalog", lambda *folders: catalog)


@pytest.fixture
def perfect(monkeypatch: pytest.MonkeyPatch, ctx: Context) -> None:
    """A compiler that gives gold."""
    monkeypatch.setattr(evals.runner, "compile_case", lambda case, settings: outcome_of_gold(case, ctx))


def crashing(monkeypatch: pytest.MonkeyPatch, ctx: Context, slug: str) -> None:
    """A compiler that gives gold, but crashes at one case."""

    def compiled(case: Case, settings: Settings) -> Outcome:
        if case.slug == slug:
            raise RuntimeError("out of ink")
        return outcome_of_gold(case, ctx)

    monkeypatch.setattr(evals.runner, "compile_case", compiled)


def test_the_compiler_is_run_and_measured(suite: Path) -> None:
    """The sample through the whole compiler: most steps are found, the draft is valid, what was used is counted."""
    write_case(suite / SLUG)
    report = run([suite], choice=ALONE)
    (case,) = report.suites[0].cases
    assert case.crash is None, case.crash
    assert {"parsing.text", "extraction.step", "workflow.order", "behaviour", "validity.final"} <= set(case.metrics)
    assert case.metrics["parsing.text"].value == 1.0 and case.metrics["extraction.step"].recall >= 0.5
    assert (case.cost.documents, case.cost.calls, case.cost.money) == (1, 0, 0.0)
    assert 0 < case.cost.seconds < report.seconds
    assert (report.made.mode, report.made.repeat, report.crashed) == ("offline", 1, ())


def test_the_report_reads_back(three: Path, perfect: None, tmp_path: Path) -> None:
    """As its file, and as the folder that holds it."""
    report = run([three], choice=ALONE)
    (tmp_path / REPORT_FILE).write_text(report.text(), "utf-8")
    assert read_report(tmp_path) == read_report(tmp_path / REPORT_FILE) == report
    with pytest.raises(MalformedSuite, match=REPORT_FILE):
        read_report(three)
    (tmp_path / REPORT_FILE).write_text('{"made": 1}', "utf-8")
    with pytest.raises(MalformedSuite, match="made"):
        read_report(tmp_path)


def test_gold_given_is_all_right_in_each_case(three: Path, perfect: None) -> None:
    """Every figure of every case is 1, and so is each pooled one."""
    report = run([three], choice=ALONE)
    figures = report.suites[0].figures
    assert {name: figure.value for name, figure in figures.items() if figure.value != 1.0} == {}
    assert figures["behaviour"].cases == 3 and report.suites[0].name == "cases"


def test_a_case_that_crashes_counts_as_zero_and_is_named(
    monkeypatch: pytest.MonkeyPatch, ctx: Context, three: Path
) -> None:
    """Each metric that gold has is missed; the others' cases are as without it."""
    crashing(monkeypatch, ctx, "c-case")
    report = run([three], choice=ALONE)
    fine, _, crashed = report.suites[0].cases
    assert report.crashed == ("cases/c-case",) and crashed.crash == "RuntimeError: out of ink"
    assert set(crashed.metrics) == set(fine.metrics)
    assert {tally.value for tally in crashed.metrics.values()} == {0.0}
    assert {tally.value for tally in fine.metrics.values()} == {1.0}
    assert report.suites[0].worst_first[0] is crashed


def test_a_crash_weighs_as_much_as_a_case_with_nothing_right(
    monkeypatch: pytest.MonkeyPatch, ctx: Context, three: Path
) -> None:
    """Of F1 all is wanted and nothing found, of a share nothing is right: one of three equal cases is lost.

    Runs: 28 of 42, 0.667. Steps: 16 right of 24 wanted and 16 found, 32 / 40 = 0.8.
    """
    assert FOUND == F1
    crashing(monkeypatch, ctx, "c-case")
    suite = run([three], choice=ALONE).suites[0]
    fine, _, crashed = suite.cases
    wanted = {name: tally.wanted for name, tally in fine.metrics.items()}
    assert (wanted["behaviour"], wanted["behaviour.decision"], wanted["extraction.step"]) == (14, 35, 8)
    assert crashed.metrics == {
        name: Tally(wanted=count) if name in F1 else share(0, count) for name, count in wanted.items()
    }
    assert suite.figures["behaviour"].tally == share(28, 42)
    step = suite.figures["extraction.step"]
    assert (step.tally, step.value) == (Tally(right=16, wanted=24, found=16), 0.8)
    assert {f.value for name, f in suite.figures.items() if name not in F1} == {28 / 42}
    assert {f.value for name, f in suite.figures.items() if name in F1} == {0.8}


def test_what_goes_wrong_in_measuring_is_the_cases_crash(
    monkeypatch: pytest.MonkeyPatch, perfect: None, three: Path
) -> None:
    """A metric that raises for a view costs the case alone."""

    def broken(view: object) -> None:
        raise ValueError("the graph has a cycle")

    monkeypatch.setattr(evals.runner, "result_of", broken)
    assert run([three], choice=ALONE).crashed == ("cases/a-case", "cases/b-case", "cases/c-case")


def test_a_split_and_a_limit_choose_cases(three: Path, perfect: None) -> None:
    """By split, then so many by name."""
    slugs = {
        choice: [case.slug for case in run([three], choice=choice).suites[0].cases]
        for choice in (
            replace(ALONE, split="dev"),
            replace(ALONE, split="held_out"),
            replace(ALONE, split="dev", limit=1),
            replace(ALONE, limit=2),
            ALONE,
        )
    }
    assert list(slugs.values()) == [
        ["a-case", "c-case"], ["b-case"], ["a-case"], ["a-case", "b-case"], ["a-case", "b-case", "c-case"],
    ]  # fmt: skip


def test_what_was_chosen_is_in_the_report(three: Path, perfect: None) -> None:
    """Split, limit and repetitions."""
    made = run([three], choice=replace(ALONE, split="dev", limit=1, repeat=2)).made
    assert (made.split, made.limit, made.repeat) == ("dev", 1, 2)


def test_no_case_of_the_split_is_said(suite: Path) -> None:
    """Not an empty report."""
    write_case(suite / SLUG)
    with pytest.raises(NoCases, match="held_out"):
        run([suite], choice=replace(ALONE, split="held_out"))


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(MissingPath, match="nowhere"):
        run([tmp_path / "nowhere"], choice=ALONE)


def test_several_suites_keep_apart(three: Path, tmp_path: Path, perfect: None) -> None:
    """Each under the name of its folder; a single case is a suite of its own."""
    write_case(tmp_path / "more" / "x-case")
    report = run([three, tmp_path / "more", three / "a-case"], choice=ALONE)
    assert [(suite.name, len(suite.cases)) for suite in report.suites] == [("cases", 3), ("more", 1), ("a-case", 1)]
    assert report.suite("more") is report.suites[1] and report.suite("none") is None


def test_repetitions_are_one_case_with_their_spread(monkeypatch: pytest.MonkeyPatch, ctx: Context, three: Path) -> None:
    """Every second compile forgets the draft: tallies are added, the values lie 1 apart."""
    count = iter(range(100))

    def compiled(case: Case, settings: Settings) -> Outcome:
        whole = outcome_of_gold(case, ctx)
        return replace(whole, drafts=()) if next(count) % 2 else whole

    monkeypatch.setattr(evals.runner, "compile_case", compiled)
    (case,) = run([three], choice=replace(ALONE, limit=1, repeat=2)).suites[0].cases
    assert case.metrics["extraction.step"] == Tally(right=8, wanted=16, found=8)
    assert case.spread["extraction.step"] == 1.0 and "parsing.text" not in case.spread


def test_progress_is_told(three: Path, perfect: None) -> None:
    """Each case as it is done, then all."""
    told: list[tuple[str, int, int]] = []
    run([three], choice=ALONE, progress=lambda *step: told.append(step))
    assert told == [("eval", 0, 3), ("eval", 1, 3), ("eval", 2, 3), ("eval", 3, 3)]


def test_of_held_out_cases_only_the_scores_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, ctx: Context, three: Path
) -> None:
    """No pictures, and no word of which run went wrong."""

    def compiled(case: Case, settings: Settings) -> Outcome:
        flow = case.workflows[SLUG]
        edges = tuple(e for e in flow.edges if (e.source, e.target) != ("hand_over", "remind"))
        return outcome_of_gold(case, ctx, workflows={SLUG: flow.model_copy(update={"edges": edges})})

    monkeypatch.setattr(evals.runner, "compile_case", compiled)
    made = run_with_pictures([three], choice=ALONE)
    shown = {case.slug: bool(case.failures) for case in made.report.suites[0].cases}
    assert shown == {"a-case": True, "b-case": False, "c-case": True}
    assert {key: bool(value) for key, value in made.pictures.items()} == {
        "cases/a-case": True, "cases/b-case": False, "cases/c-case": True,
    }  # fmt: skip


def test_a_document_that_crashes_the_parser_costs_its_case_alone(
    monkeypatch: pytest.MonkeyPatch, ctx: Context, suite: Path
) -> None:
    """One document of two makes the parser raise: what gold wants is known still.

    All but one figure: which changed quotes its document does not say by chance is not known without the document.
    """
    write_case(suite / "a-case")
    write_case(suite / "b-case", html=HTML.replace("Measuring", "Crashing"))
    parse = evals.outcome.parse_document

    def parser(of: Context, data: bytes, path: str) -> object:
        if b"Crashing" in data:
            raise IndexError("no such page")
        return parse(of, data, path)

    monkeypatch.setattr(evals.outcome, "parse_document", parser)
    monkeypatch.setattr(evals.runner, "compile_case", lambda case, settings: outcome_of_gold(case, ctx))
    report = run([suite], choice=ALONE)
    fine, crashed = report.suites[0].cases
    assert (report.crashed, crashed.crash) == (("cases/b-case",), "IndexError: no such page")
    assert {tally.value for tally in fine.metrics.values()} == {1.0}
    wanted = {name: tally.wanted for name, tally in fine.metrics.items() if name != "grounding.refused"}
    wanted["parsing.text"] -= 1  # «Crashing» is a letter shorter than «Measuring», once on the page
    assert {name: tally.wanted for name, tally in crashed.metrics.items()} == wanted
    assert {tally.value for tally in crashed.metrics.values()} == {0.0}
