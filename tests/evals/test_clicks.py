"""Clicks are timed as they are made: each is answered by a running server, and does what it says."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from evals.clicks.__main__ import CLICKS
from evals.clicks.reviewer import Reviewer, served
from evals.generate.shapes import SHAPES
from ir.decisions.decision import FILE, read_decisions


@pytest.mark.slow
def test_each_click_does_what_it_says(tmp_path: Path) -> None:
    """A step is accepted and two are corrected; looking and trying write nothing."""
    file, build = tmp_path / "documents" / "filing.md", tmp_path / "build"
    file.parent.mkdir()
    file.write_bytes(SHAPES["plain-steps"].document(3))
    made = compile_documents(file)
    write_build(made, build)
    with served(tmp_path / "plant", [build]) as address:
        client = Reviewer.client_at(address)
        reviewer = Reviewer(client, f"/drafts/build/{made.procedures[0].workflow.workflow_id}")
        steps = reviewer.steps()
        assert len(steps) == 3
        assert all(click(reviewer, steps[at % 3]) > 0 for at, click in enumerate(CLICKS.values()))
        client.close()
    decided = read_decisions((file.parent / FILE).read_text("utf-8"), FILE)
    assert [(one.kind, one.element) for one in decided] == [("accept", "s3"), ("correct", "s2"), ("correct", "s3")]
