"""A build's folder read back: the same page, the same documents; what is broken is told with its file."""

import json
from pathlib import Path

import pytest

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.read_build import read_build, references_in
from compiler.build.scheduler import Settings
from compiler.report.review.page import render_review
from ir.errors import BadInputFile
from llm.choice import ModelChoice


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first case, compiled from recorded answers."""
    case = Path(__file__).resolve().parents[3] / "fixtures" / "cases" / "hazmat-transport"
    folder = tmp_path_factory.mktemp("build") / "out"
    write_build(compile_documents(case / "documents", Settings(model=ModelChoice(replay=case / "replies"))), folder)
    return folder


def test_what_is_read_gives_the_page_that_was_written(out: Path) -> None:
    """To the letter: workflow, procedure, documents, bindings, statements, findings and verdict are all there."""
    build = read_build(out)
    (draft,) = build.drafts
    (page,) = out.glob("*/*.review.html")
    assert render_review(build.review(draft, load_catalog())) == page.read_text("utf-8")
    assert build.draft(build.workflow(draft).workflow_id) == draft
    assert build.draft("none") is None
    assert [build.document(one.document) is not None for one in build.documents] == [True] * 3
    assert len(build.references()) == 1 == len(references_in(out))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"documents": "x"}, "summary.json"),
        ({"clean": None}, "summary.json"),
        ({"procedures": [{"title": "x"}]}, "summary.json"),
    ],
)
def test_a_summary_that_is_none(out: Path, tmp_path: Path, change: dict[str, object], told: str) -> None:
    """Is told with its file and what to do; what a later flowc adds is left aside."""
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    file = tmp_path / "summary.json"
    file.write_text(json.dumps({**summary, "later": 1}), "utf-8")
    assert len(read_build(tmp_path).documents) == 3
    file.write_text(json.dumps({**summary, **change}), "utf-8")
    with pytest.raises(BadInputFile, match=f"{told}.*compile again"):
        read_build(tmp_path)
    file.unlink()
    with pytest.raises(BadInputFile, match="compile again"):
        read_build(tmp_path)
