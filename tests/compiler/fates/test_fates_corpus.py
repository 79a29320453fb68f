"""Fates of the statements of real documents, where they are at hand."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.fates.statements import statements

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
FILES = (
    sorted(path for path in CORPUS.rglob("*") if path.suffix in (".pdf", ".docx", ".html")) if CORPUS.is_dir() else []
)


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_the_fates_add_up(file: Path) -> None:
    """Each statement of a document belongs to one draft of it; what demands something is never set aside as other."""
    build = compile_documents(file)
    document = build.documents[0].document
    if document is None or not build.procedures:
        return
    said = statements(document)
    told = {(one.block, one.start): one for draft in build.procedures for one in draft.statements}
    assert sum(draft.verdict.statements.all for draft in build.procedures) == len(told) == len(said)
    demanding = [one.piece for one in said if one.demands]
    assert not [piece.text for piece in demanding if told[piece.block, piece.start].fate == "other"]
