"""Quotes made from the documents of the cases: changed ones support nothing, harmless ones are found."""

from functools import cache

import pytest

from evals.quotes import Quote, accepted, changed, documents, harmless, main, missed
from ir.document import Document

pytestmark = pytest.mark.slow


@cache
def texts(language: str) -> tuple[Document, ...]:
    """The cases' documents of a language."""
    return tuple(document for _, document in documents() if document.language == language)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_changed_quote_is_accepted(language: str) -> None:
    """At least two hundred in each language, each with one token changed."""
    made = [quote for document in texts(language) for quote in changed(document, 0)]
    assert len(made) >= 200
    assert {quote.kind for quote in made} >= {"number", "unit", "negation", "modality", "comparator", "role"}
    assert [quote for document in texts(language) for quote in accepted(document, 0)] == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_harmless_quotes_are_located(language: str) -> None:
    """Spacing, width, marks, hyphenation, line breaks: as many, and nearly all found."""
    made: list[Quote] = [quote for document in texts(language) for quote in harmless(document, 0)]
    lost = [quote for document in texts(language) for quote in missed(document, 0)]
    assert len(made) >= 200
    assert len(lost) <= 0.03 * len(made)


def test_command_counts(tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]) -> None:
    """A document of one's own, and a status that says whether all is well."""
    file = tmp_path_factory.mktemp("rules") / "rules.md"
    file.write_text("# Rules\n\nThe clerk must file the form within 3 working days.\n", "utf-8")
    assert main([str(file)]) == 0
    assert "0 of" in capsys.readouterr().out
