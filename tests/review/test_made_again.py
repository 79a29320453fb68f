"""What drafting keeps from one correction to the next changes nothing of what comes of it."""

import shutil
from pathlib import Path
from random import Random

import pytest
from reviewed_build import POLICY

from compiler.build.builder import compile_documents, redraft
from compiler.build.folder import write_build
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.decisions import apply_decisions
from evals.decisions.made import decisions_on
from ir.decisions.decision import Decision
from review.draft import drafts_of, open_draft
from review.folder import read_build
from validator.analysis import branch_outcomes
from validator.proofs import same

CASES = Path(__file__).parents[2] / "fixtures" / "cases"


def _settings(decisions: tuple[Decision, ...] = ()) -> Settings:
    return Settings(embedder="lexical", syntax=False, decisions=decisions)


def _told(build: Build) -> list[object]:
    drafts = [
        (one.procedure, one.workflow, one.diagnostics, one.statements, one.verdict, one.bindings)
        for one in build.procedures
    ]
    return [drafts, [one.decided for one in build.documents], [one.diagnostics for one in build.documents]]


@pytest.mark.parametrize("case", ["release", "road-excavation-permit", "hazmat-transport"])
def test_what_was_worked_out_before_changes_nothing(case: str, tmp_path: Path) -> None:
    """Decisions in turn, some taken out again, in other orders: each draft is the one that a fresh compile gives."""
    documents, rng = tmp_path / "documents", Random(case)
    if case == "release":
        documents.mkdir()
        (documents / "release.md").write_text(POLICY, encoding="utf-8")
    else:
        shutil.copytree(CASES / case / "documents", documents)
    write_build(compile_documents(documents, _settings()), tmp_path / "out")
    folder = read_build(tmp_path / "out")
    chosen = list(decisions_on(open_draft(folder.root, drafts_of(folder.root)[0]), 24))
    lists = [tuple(chosen[:end]) for end in (8, 9, 10, 24)]
    lists += [tuple(one for one in chosen if one is not left) for left in rng.sample(chosen, 2)]
    lists.append(tuple(rng.sample(chosen, len(chosen))))
    kept = [_told(redraft(folder.readings, _settings(decisions))) for decisions in lists]
    for decisions, told in zip(lists, kept, strict=True):
        apply_decisions._course.cache_clear()
        branch_outcomes._KNOWN.clear()
        same._KNOWN.clear()
        assert _told(compile_documents(documents, _settings(decisions))) == told
