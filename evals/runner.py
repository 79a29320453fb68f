"""Runs suites of cases through the compiler and measures what comes of them."""

import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from catalog.embedders import load_embedder
from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.build.scheduler import Settings
from compiler.context import Context
from compiler.text.syntax import available
from evals.cases import Case, Split, read_suite
from evals.errors import NoCases
from evals.matching.tokens import document_tokens, plain_prompt, token_allowance
from evals.matching.view import View
from evals.metrics import FOUND, measure
from evals.metrics.behaviour import walked
from evals.outcome import compile_case, outcome_of_gold
from evals.pet.suite import PET, pet_suites
from evals.replies import OF_PET, Way, with_replies
from evals.reports.pictures import Picture, pictures_of
from evals.reports.report import BY_MODEL, CaseResult, Cost, Made, Report, ScenarioResult, SuiteResult, repeated
from evals.reports.run import Run
from evals.tally import Tally, share
from ir.errors import BadSetting, MissingPath
from ir.version import VERSION
from llm import ModelChoice, OpenedModel
from primers.load import load_primers

PACKAGES = ("numpy", "pydantic", "pymupdf", "python-docx", "beautifulsoup4", "rjieba", "spacy")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Choice:
    """Which cases are run, and how.

    Args:
        split: only the cases of this split.
        limit: at most so many cases of each suite, in the order of their names.
        repeat: how often each case is compiled; more than once shows the spread.
        jobs: processes side by side, None for as many as there are cores; with a model no more than these, and than its
            limits have requests at a time, which they share.
        pictures: draw gold and draft of each case.
        way: of a run with a model: replay what is recorded, or record; None for neither.
        replies: folder of the recordings; None for the one beside each case.
    """

    split: Split | None = None
    limit: int | None = None
    repeat: int = 1
    jobs: int | None = None
    pictures: bool = True
    way: Way | None = None
    replies: Path | None = None


@dataclass(frozen=True)
class Measured:
    """One case: its figures, and its pictures; none of held-out cases, of which only the scores are looked at."""

    result: CaseResult
    pictures: tuple[Picture, ...] = ()


def run(
    suites: Sequence[str | Path] | str | Path,
    settings: Settings | None = None,
    choice: Choice | None = None,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Run suites and measure them; the arguments are those of `run_with_pictures`, without the pictures."""
    return run_with_pictures(suites, settings, replace(choice or Choice(), pictures=False), progress=progress).report


def run_with_pictures(
    suites: Sequence[str | Path] | str | Path,
    settings: Settings | None = None,
    choice: Choice | None = None,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> Run:
    """Run suites, measure them and draw gold and drafts beside each other.

    With a model, each suite is measured twice: by the model, under the name `NAME by model`, and offline beside it.

    Args:
        suites: folders of cases, single cases, or `pet:FILE` for the external benchmark.
        progress: told the stage, how many of its cases are done, and how many there are.

    Raises:
        CompilerError: a suite is malformed, or has no case of the split; the catalog or embedder cannot be loaded.
    """
    started = time.perf_counter()
    settings, choice = settings or Settings(), choice or Choice()
    if isinstance(suites, str | Path):
        suites = [suites]
    if not suites:
        raise NoCases("no suite was named")
    results: list[SuiteResult] = []
    pictures: dict[str, tuple[Picture, ...]] = {}
    for suite in suites:
        if str(suite).startswith(PET):
            if choice.split is not None:
                raise BadSetting(f"{suite} has no splits; leave --split out")
            by = with_replies(settings, choice.way, choice.replies or OF_PET)
            results += pet_suites(Path(str(suite).removeprefix(PET)), by, choice.limit)
            continue
        name, cases = Path(suite).resolve().name, chosen_cases(Path(suite), choice)
        offline = replace(settings, model=None)
        for called, by in ((f"{name}{BY_MODEL}", settings), (name, offline)) if settings.model else ((name, offline),):
            found = tuple(_measured(cases, by, choice, progress))
            pictures |= {f"{called}/{one.result.slug}": one.pictures for one in found}
            results.append(SuiteResult(name=called, cases=tuple(one.result for one in found)))
    seconds = time.perf_counter() - started
    return Run(Report(made=provenance(settings, choice), suites=tuple(results), seconds=seconds), pictures)


def chosen_cases(folder: Path, choice: Choice) -> tuple[Case, ...]:
    """The cases of a suite that are asked for.

    Raises:
        MissingPath: the folder does not exist.
        NoCases: there is none of the split.
    """
    if not folder.exists():
        raise MissingPath(f"{folder}: there is no such file or folder")
    cases = [case for case in read_suite(folder) if choice.split in (None, case.file.split)]
    if not cases:
        raise NoCases(f"{folder}: no case of the split {choice.split}; leave --split out, or see `flowc eval list`")
    return tuple(cases[: choice.limit])


def _measured(cases: Sequence[Case], settings: Settings, choice: Choice, progress: Progress) -> Iterator[Measured]:
    jobs, settings = _processes(settings, choice, len(cases))
    done: list[list[Measured]] = []
    with _pool(jobs) as submit:
        each_by = [with_replies(settings, choice.way, choice.replies or case.folder / "replies") for case in cases]
        waiting = [
            [submit(case, by, choice.pictures) for _ in range(choice.repeat)]
            for case, by in zip(cases, each_by, strict=True)
        ]
        for number, (case, each) in enumerate(zip(cases, waiting, strict=True)):
            progress("eval", number, len(cases))
            done.append([_result(case, wait, settings) for wait in each])
    progress("eval", len(cases), len(cases))
    for each_of in done:
        yield Measured(repeated([one.result for one in each_of]), each_of[0].pictures)


def _processes(settings: Settings, choice: Choice, cases: int) -> tuple[int, Settings]:
    """How many processes there are, and the settings of each: together they keep to the limits of the model."""
    cores, model = os.cpu_count() or 1, settings.model
    if isinstance(model, OpenedModel):
        return 1, settings
    if model is None or model.name is None:
        return min(choice.jobs or cores, cases), settings
    jobs = min(choice.jobs or cores, cores, model.limits.concurrency, cases)
    return jobs, replace(settings, model=replace(model, limits=model.limits.shared(jobs)))


def _result(case: Case, wait: Callable[[], Measured], settings: Settings) -> Measured:
    """A case's result; a process that died costs its case alone."""
    try:
        return wait()
    except BrokenProcessPool:
        return Measured(
            crashed_result(case, "the process was ended from outside, perhaps for want of memory", settings)
        )


class _pool:  # noqa: N801 - a context manager, used as a function
    """Gives a function that begins the measuring of a case, in this process or in others."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Callable[[Case, Settings, bool], Callable[[], Measured]]:
        if self._jobs <= 1:
            return lambda case, settings, pictures: lambda: measure_case(case, settings, pictures)
        method = "spawn" if sys.platform == "win32" else "forkserver"
        start = multiprocessing.get_context(method)
        if method == "forkserver":
            start.set_forkserver_preload(["evals.runner"])
        executor = self._executor = ProcessPoolExecutor(self._jobs, mp_context=start)

        def submit(case: Case, settings: Settings, pictures: bool) -> Callable[[], Measured]:
            begun: Future[Measured] = executor.submit(measure_case, case, settings, pictures)
            return begun.result

        return submit

    def __exit__(self, *error: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=error[0] is None, cancel_futures=True)


def measure_case(case: Case, settings: Settings, pictures: bool) -> Measured:
    """Compile one case and measure what came of it; whatever goes wrong is the case's crash, never another's."""
    try:
        view = View(case, compile_case(case, settings), load_catalog(*settings.catalogs))
        return Measured(result_of(view), pictures_of(view) if pictures and case.file.split == "dev" else ())
    except Exception as error:  # noqa: BLE001 - the case is named in the report
        return Measured(crashed_result(case, f"{type(error).__name__}: {error}", settings))


def result_of(view: View) -> CaseResult:
    """The figures of a case and what came of it."""
    usage = view.outcome.usage
    failures = [
        ScenarioResult(workflow=pair.gold.workflow_id, scenario=run.scenario, differences=run.differences)
        for pair in view.pairs
        for run in walked(view, pair)
        if not run.passed and view.case.file.split == "dev"  # of held-out cases only the scores are looked at
    ]
    return _case(
        view.case,
        metrics=dict(measure(view)),
        failures=tuple(failures),
        cost=Cost(
            seconds=usage.seconds,
            calls=usage.calls,
            tokens=usage.tokens,
            money=usage.money,
            documents=len(view.case.file.documents),
            steps=len(view.found_steps),
            allowed=sum(
                token_allowance(
                    document_tokens(document),
                    sum(draft.procedure.doc_id == document.doc_id for draft in view.outcome.drafts),
                )
                for document in view.policies
            ),
            plain=sum(plain_prompt(document, view.catalog) for document in view.policies),
        ),
    )


def crashed_result(case: Case, why: str, settings: Settings) -> CaseResult:
    """The result of a case that crashed: each metric that gold has is missed."""
    catalog = load_catalog(*settings.catalogs)
    ctx = Context(catalog, load_primers(settings.primers), _no_index)
    try:
        best = dict(measure(View(case, outcome_of_gold(case, ctx), catalog)))
    except Exception:  # noqa: BLE001 - what crashed may be the parser
        try:
            best = dict(measure(View(case, outcome_of_gold(case, ctx, documents={}), catalog)))
        except Exception:  # noqa: BLE001 - or gold itself
            best = {}
    metrics = {
        name: Tally(wanted=tally.wanted) if name in FOUND else share(0, tally.wanted)
        for name, tally in best.items()
        if tally.wanted
    }
    return _case(case, metrics=metrics, crash=why, cost=Cost(seconds=0.0, documents=len(case.file.documents)))


def _no_index() -> NodeIndex:
    raise AssertionError("gold needs no search")


def _case(case: Case, **rest: object) -> CaseResult:
    file = case.file
    return CaseResult.model_validate(
        {
            "slug": case.slug,
            "title": file.title,
            "language": file.language,
            "split": file.split,
            "features": file.features,
            **rest,
        }
    )


def provenance(settings: Settings, choice: Choice) -> Made:
    """By what a report is made."""
    catalog = load_catalog(*settings.catalogs)
    loaded = load_embedder(settings.embedder, base_url=settings.base_url, api_key=settings.api_key)
    primers = load_primers(settings.primers)
    return Made(
        commit=_commit(),
        flowc=VERSION,
        mode=_mode(settings),
        method="syntax" if settings.syntax and available() else "cues",
        catalog=catalog.digest,
        embedder=loaded.embedder.model_id,
        primers=tuple(f"{p.name}@{p.version}" for p in primers.by_name.values()),
        split=choice.split,
        limit=choice.limit,
        repeat=choice.repeat,
        versions={"python": platform.python_version(), **_versions()},
    )


def _mode(settings: Settings) -> str:
    if settings.model is None:
        return "offline"
    return (settings.model.name if isinstance(settings.model, ModelChoice) else settings.model.model.name) or "replay"


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _commit() -> str | None:
    """The commit of the repository around this file; None where there is none, as in an installed flowc."""
    folder = Path(__file__).resolve().parent.parent / ".git"
    try:
        head = (folder / "HEAD").read_text("utf-8").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8").strip()
        packed = (folder / "packed-refs").read_text("utf-8").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), None)
    except OSError:
        return None
