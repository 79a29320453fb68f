"""How long a click takes on a long draft's page in `flowc serve`, beside one of six steps: `python -m evals.clicks`.

Both drafts are reviewed in the same minutes by turns, in a real server, over HTTP; each figure is the median. The short
draft is the first case; long ones are made up, of so many articles, and, where the corpus is beside the repository,
its incident response plan.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from evals.clicks.reviewer import Reviewer, served
from evals.generate.shapes import SHAPES

REPOSITORY = Path(__file__).resolve().parent.parent.parent
POLICY = REPOSITORY / "fixtures" / "cases" / "hazmat-transport" / "documents" / "危险化学品运输管理制度.pdf"
CORPUS = REPOSITORY.parent / "shared" / "corpus"
PLAN = Path("en") / "ir-plan-counteractive.docx"
ARTICLES = 120
WANTED = 3
"""How many times as long a click on a long draft may take."""
Click = Callable[[Reviewer, str], float]
CLICKS: dict[str, Click] = {
    "the page": lambda reviewer, _: reviewer.page(),
    "open an item": Reviewer.open,
    "accept a step": Reviewer.accept,
    "try a correction": Reviewer.try_actor,
    "save what was tried": Reviewer.correct_as_tried,
    "save untried": Reviewer.correct_actor,
}


@dataclass(frozen=True)
class _Draft:
    """A draft to be looked at.

    Args:
        build: the folder of its build.
    """

    build: Path
    workflow_id: str
    steps: int


def main() -> int:
    """Print the table: for each click the medians of both drafts, and how many times as long the long one takes."""
    parser = argparse.ArgumentParser(prog="python -m evals.clicks", description=__doc__)
    parser.add_argument("--times", type=int, default=7, help="how often each click is made on each draft")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="the folder of real documents")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in report(Path(folder), given.corpus, given.times):
            print(line, flush=True)  # noqa: T201
    return 0


def report(folder: Path, corpus: Path, times: int) -> Iterator[str]:
    """The lines of the table."""
    articles = SHAPES["guarded-articles"]
    made = {f"articles.{articles.ending}": articles.document(ARTICLES), POLICY.name: POLICY.read_bytes()}
    if (corpus / PLAN).is_file():
        made[PLAN.name] = (corpus / PLAN).read_bytes()
    drafts = sorted((_compiled(folder / f"build{at}", *one) for at, one in enumerate(made.items())), key=_steps)
    with served(folder / "plant", [one.build for one in drafts]) as address:
        client = Reviewer.client_at(address)
        reviewers = [Reviewer(client, f"/drafts/{one.build.name}/{one.workflow_id}") for one in drafts]
        yield f"a click, the median of {times}; how many times as long as on the short draft (wanted: {WANTED})"
        yield _row("", [f"{one.steps} steps" for one in drafts])
        for name, click in CLICKS.items():
            yield _row(name, _told(_medians(click, reviewers, times)))
    if PLAN.name not in made:
        yield f"{PLAN} was not looked at: {corpus} is not here; name the corpus with --corpus"


def _compiled(build: Path, name: str, data: bytes) -> _Draft:
    """A document's build, with the longest of its drafts."""
    file = build.parent / f"{build.name}-documents" / name
    file.parent.mkdir()
    file.write_bytes(data)
    made = compile_documents(file)
    write_build(made, build)
    longest = max(made.procedures, key=lambda one: len(one.procedure.steps))
    return _Draft(build, longest.workflow.workflow_id, len(longest.procedure.steps))


def _steps(draft: _Draft) -> int:
    return draft.steps


def _medians(click: Click, reviewers: Sequence[Reviewer], times: int) -> list[float]:
    """Of each draft; a first click of its own goes before, as what is loaded once is no click's."""
    taken: list[list[float]] = [[] for _ in reviewers]
    steps = [reviewer.steps() for reviewer in reviewers]
    for turn in range(times + 1):
        for reviewer, own, seconds in zip(reviewers, steps, taken, strict=True):
            seconds.append(click(reviewer, own[turn % len(own)]))
    return [statistics.median(seconds[1:]) for seconds in taken]


def _told(medians: list[float]) -> list[str]:
    first = medians[0]
    return [f"{first:.3f} s", *(f"{one:.3f} s ({one / first:.1f} x)" for one in medians[1:])]


def _row(name: str, cells: list[str]) -> str:
    return f"  {name:20}" + "".join(f"{cell:>18}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main())
