"""How much of a file reaches the document, and one text in three formats."""

from pathlib import Path

import pytest

from compiler.parsers import parse
from evals.reading import CORPUS, covered, main, similarity, text_by_mupdf, text_by_word, whole_text
from ir.document import Document

pytestmark = pytest.mark.slow

PLAN = [CORPUS / "en" / f"ir-plan-counteractive.{ending}" for ending in ("docx", "pdf", "html")]
FILES = sorted(f for f in CORPUS.rglob("*") if f.suffix in (".pdf", ".docx")) if CORPUS.is_dir() else []
needs_corpus = pytest.mark.skipif(not FILES, reason="the shared corpus is not here")


def document_of(file: Path) -> Document | None:
    return parse(file.read_bytes(), file.name).document


def test_share_counts_each_place_once() -> None:
    """Text that stands twice must be found twice; what is lost shows; ligatures and cut words are no loss."""
    assert covered("the same line\nthe same line", "the same line") == (11, 22)
    assert covered("ofﬁce hours are ex-\ntended", "office hours are extended") == (22, 22)
    assert covered("丢失的一句话在这里", "别的内容") == (0, 9)


@needs_corpus
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nearly_every_character_stands_in_a_block(file: Path) -> None:
    """As MuPDF and the XML have it; the command holds poppler and Chromium against it too."""
    document = document_of(file)
    if document is None:
        pytest.skip("refused, with a code")
    right, total = covered(text_by_mupdf(file) if file.suffix == ".pdf" else text_by_word(file), whole_text(document))
    assert right >= 0.99 * total


@needs_corpus
def test_one_text_in_three_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """Clauses and labels of Word, PDF and HTML are the same but for what a format has no place for."""
    assert main(["formats", *map(str, PLAN)]) == 0
    assert capsys.readouterr().out.count("clauses") == 3


def test_likeness_sees_labels_and_clauses() -> None:
    """Another label lowers the second figure alone, another clause the first."""
    one, relabelled, reworded = (
        parse(text.encode(), "a.md").document
        for text in (
            "1. Open the valve\n2. Close it",
            "1. Open the valve\n3. Close it",
            "1. Open the valve\n2. Shut it",
        )
    )
    assert one is not None and relabelled is not None and reworded is not None
    assert similarity(one, one) == (1.0, 1.0)
    assert similarity(one, relabelled)[0] == 1.0 > similarity(one, relabelled)[1]
    assert similarity(one, reworded)[0] < 1.0 == similarity(one, reworded)[1]
