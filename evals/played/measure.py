"""Plays the scenarios of a case on its draft, on gold itself, or on a second reader's gold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import yaml

from catalog.load import Catalog
from compiler.build.scheduler import Settings
from compiler.context import Context
from evals.cases import Case
from evals.errors import MalformedSuite
from evals.matching.nodes import match
from evals.matching.places import Places
from evals.matching.view import View
from evals.metrics.behaviour import takes_no_exception_path
from evals.outcome import compile_case, read_documents
from evals.played.play import Played, Sides, play
from evals.tally import Tally, pooled, share
from ir.codec import read_workflow
from llm import ModelChoice, open_model
from primers.load import load_primers

Of = Literal["draft", "gold", "second"]
STORIES, PLAYED, SECOND = "stories.yaml", "played", "second"


@dataclass(frozen=True)
class CaseFound:
    """What the players found in a case.

    Args:
        told: whether every workflow of it could be played; the figures are of those that could.
    """

    runs: Tally
    steps: Tally
    told: bool
    played: tuple[Played, ...]


def played_case(case: Case, of: Of, choice: ModelChoice, catalog: Catalog, *, offline: bool) -> CaseFound:
    """Play all scenarios of a case; by the recorded players, or by the model that is named, which is recorded.

    Raises:
        CompilerError: the stories or the second gold are malformed; the model cannot be asked.
    """
    kept = case.folder / PLAYED
    model = open_model(replace(choice, record=kept)).model if choice.name else None
    if model is None and kept.is_dir():
        model = open_model(ModelChoice(replay=kept)).model
    stories = _stories(case)
    runs: list[Tally] = []
    steps: list[Tally] = []
    played: list[Played] = []
    told = True
    for gold_id, sides in _sides(case, of, catalog, offline=offline):
        own = match(case.workflows[gold_id], case.workflows[gold_id], Places({}), catalog)
        scenarios = [
            (one, stories[one.name]) for one in case.scenarios_of(gold_id) if takes_no_exception_path(one, own)
        ]
        if sides is None:
            runs.append(share(0, len(scenarios)))
            continue
        found = play(model, sides, catalog, scenarios) if model is not None else None
        if found is None:
            told = False
            continue
        played += found
        runs.append(share(sum(one.passed for one in found), len(found)))
        steps += [Tally(right=one.steps[2], wanted=one.steps[0], found=one.steps[1]) for one in found]
    return CaseFound(pooled(runs), pooled(steps), told, tuple(played))


def _sides(
    case: Case, of: Of, catalog: Catalog, *, offline: bool
) -> Iterator[tuple[str, Sides | None]]:  # fmt: skip
    """By gold workflow what is played, matched to it; None where there is nothing."""
    if of == "draft":
        replies = case.folder / "replies"
        model = None if offline else ModelChoice(replay=replies)
        view = View(case, compile_case(case, Settings(model=model, syntax=False)), catalog)
        for pair in view.pairs:
            sides = Sides(pair.gold, pair.matching) if pair.matching is not None else None
            yield pair.gold.workflow_id, sides
        return
    ctx = Context(catalog, load_primers(), lambda: None)  # type: ignore[arg-type,return-value]
    places = Places(read_documents(case, ctx))
    for name, gold in case.workflows.items():
        other = gold
        if of == "second":
            path = case.folder / SECOND / f"{name}.workflow.json"
            read, faults = read_workflow(path.read_bytes()) if path.is_file() else (None, ())
            if read is None:
                raise MalformedSuite(f"{path}: {faults[0] if faults else 'there is no such file'}")
            other = read
        yield name, Sides(gold, match(gold, other, places, catalog))


def _stories(case: Case) -> dict[str, str]:
    """By scenario its story.

    Raises:
        MalformedSuite: a scenario has none.
    """
    path = case.folder / STORIES
    told = yaml.safe_load(path.read_text("utf-8"))
    names = {one.name for one in case.scenarios}
    if not isinstance(told, dict) or not names <= set(told):
        missing = sorted(names - set(told)) if isinstance(told, dict) else "all"
        raise MalformedSuite(f"{path}: no story for {missing}")
    return {name: str(told[name]) for name in names}
