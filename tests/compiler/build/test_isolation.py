"""A bug that one document or procedure sets off costs that one alone."""

from pathlib import Path

import pytest

import compiler.pipeline
from compiler.build.builder import compile_documents
from compiler.context import Context
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.extract.rules.rule_reader import RuleReader
from ir.document import Document

TEXT = """# {title}

1. The clerk checks the application.
2. The clerk shall record the application in the register.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents that compile."""
    for title in ("Bad", "Good"):
        (tmp_path / f"{title.lower()}.md").write_text(TEXT.format(title=f"{title} Applications"))
    return tmp_path


def test_a_document_that_sets_off_a_bug(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported with the place in the code; the other one is compiled."""

    classify = RuleReader.classify_document

    def stumbling(self: RuleReader, ctx: Context, document: Document) -> object:
        if document.doc_id == "bad.md":
            raise KeyError("x")
        return classify(self, ctx, document)

    monkeypatch.setattr(RuleReader, "classify_document", stumbling)
    build = compile_documents([folder])
    bad, good = build.documents
    assert [(d.error_code, d.location.file) for d in bad.diagnostics] == [("internal-error", "bad.md")]
    assert "KeyError: 'x', at test_isolation.py:" in bad.diagnostics[0].message
    assert [d.error_code for d in good.diagnostics if d.error_code == "internal-error"] == []
    assert [p.procedure.doc_id for p in build.procedures] == ["good.md"]


def test_a_procedure_that_sets_off_a_bug(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its document says so; the procedure of the other one has its draft."""

    def stumbling(ctx: Context, procedure: object, *decided: object) -> object:
        if "bad.md" in repr(procedure):
            raise ZeroDivisionError
        return synthesize_draft(ctx, procedure, *decided)  # type: ignore[arg-type]

    monkeypatch.setattr(compiler.pipeline, "synthesize_draft", stumbling)
    build = compile_documents([folder])
    assert [p.procedure.doc_id for p in build.procedures] == ["good.md"]
    assert "internal-error" in [d.error_code for d in build.documents[0].diagnostics]
