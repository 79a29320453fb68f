"""PET as suites of an evaluation: read from syntax, by a language model, or by both beside each other."""

import time
from collections.abc import Sequence
from pathlib import Path

from compiler.build.scheduler import Settings
from compiler.text.syntax import available
from evals.pet.read import read_records
from evals.pet.run import DocumentScores, run, run_with_model
from evals.reports.report import BY_MODEL, CaseResult, Cost, SuiteResult
from evals.tally import Tally
from ir.errors import BadSetting
from llm import OpenedModel, open_model

PET = "pet:"


def pet_suites(path: Path, settings: Settings, limit: int | None = None) -> list[SuiteResult]:
    """The figures on the texts of a file, each of which is a case.

    They are read by the narrative reader; where a model is chosen, by that, and by the narrative reader beside it where
    the `syntax` extra is there.

    Args:
        limit: at most so many texts, in the order of the file.

    Raises:
        CompilerError: the file is missing or malformed; without a model, the `syntax` extra is not there or not wanted.
    """
    if settings.model is None and not settings.syntax:
        raise BadSetting(f"{PET}{path} is read from syntax alone; leave --no-syntax out")
    only = [record.id for record in read_records(path)[:limit]]
    found: list[SuiteResult] = []
    started = time.perf_counter()
    if settings.model is not None:
        opened = settings.model if isinstance(settings.model, OpenedModel) else open_model(settings.model)
        report = run_with_model(path, opened, only=only)
        found.append(_suite(f"{PET}{path.stem}{BY_MODEL}", report.documents, started))
        started = time.perf_counter()
    if settings.model is None or (settings.syntax and available()):
        found.append(_suite(f"{PET}{path.stem}", run(path, only=only).documents, started))
    return found


def _suite(name: str, found: Sequence[DocumentScores], started: float) -> SuiteResult:
    each = (time.perf_counter() - started) / max(len(found), 1)
    return SuiteResult(name=name, cases=tuple(_case(one, each) for one in found))


def _case(one: DocumentScores, seconds: float) -> CaseResult:
    scores = one.scores
    counted = {
        "pet.mention": scores.mentions,
        "pet.mention_exact": scores.mentions_exact,
        "pet.relation": scores.relations,
        "pet.relation_exact": scores.relations_exact,
        "pet.activity_graph": scores.graph,
        **{f"pet.mention.{kind.value}": counts for kind, counts in scores.mention_types.items()},
        **{f"pet.relation.{kind.value}": counts for kind, counts in scores.relation_types.items()},
    }
    tallies = {key: Tally(right=one.right, wanted=one.gold, found=one.found) for key, one in counted.items()}
    return CaseResult(
        slug=one.id,
        title=one.id,
        language="en",
        split="all",
        metrics={key: tally for key, tally in tallies.items() if tally.applies},
        cost=Cost(seconds=seconds, calls=one.calls, tokens=one.tokens, documents=1),
        crash=one.fault,
    )
