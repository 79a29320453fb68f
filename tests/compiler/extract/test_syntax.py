"""English clauses with a tagger: verbs that no list knows, and words that are verbs only in some places."""

from collections.abc import Mapping

import pytest

from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.statements import Act
from compiler.parsers import parse
from compiler.text import syntax
from compiler.text.sentences import Piece
from compiler.text.syntax import Tagger, Word


class Stub(Tagger):
    """Gives the tags that a test says, for whichever text the words stand in."""

    def __init__(self, tags: Mapping[str, tuple[str, str]]) -> None:
        self.tags = tags
        self.name = "stub"

    def words(self, text: str) -> Mapping[int, Word]:  # type: ignore[override]
        """The tags of the words that occur in the text."""
        return {text.find(word): Word(*self.tags[word]) for word in self.tags if word in text}


def acts(text: str, tagger: Tagger | None) -> list[tuple[str, str | None]]:
    """Verb and actor of each act."""
    found = EnglishReader(tagger).read(Piece("b", 0, len(text), text), 0)
    return [(s.verb.text if s.verb else "", s.actor.text if s.actor else None) for s in found if isinstance(s, Act)]


def test_a_verb_that_no_list_knows() -> None:
    """`Zeroize` opens a command where the tagger says so; the lists alone do not know it."""
    text = "Zeroize both modules."
    assert acts(text, None) == []
    assert acts(text, Stub({"Zeroize": ("VB", "zeroize")})) == [("Zeroize", None)]


def test_a_third_person_that_no_list_knows() -> None:
    """`rekeys` between somebody and what is done; as a plural noun it is none."""
    text = "The custodian rekeys both modules."
    assert acts(text, None) == []
    assert acts(text, Stub({"rekeys": ("VBZ", "rekey")})) == [("rekeys", "custodian")]
    assert acts(text, Stub({"rekeys": ("NNS", "rekey")})) == []


def test_without_the_extra_there_is_no_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then cue words do it alone."""
    monkeypatch.setattr(syntax, "find_spec", lambda name: None)
    syntax.tagger.cache_clear()
    assert not syntax.available()
    assert syntax.tagger() is None
    syntax.tagger.cache_clear()


@pytest.mark.skipif(not syntax.available(), reason="the syntax extra is not installed")
def test_the_real_tagger() -> None:
    """The model tells the verb, and a document is read through it."""
    tagger = syntax.tagger()
    assert tagger is not None
    assert tagger.words("The clerk files the form.")[10] == Word("VBZ", "file")
    document = parse(b"# Keys\n\n1. Zeroize both modules.\n2. The custodian signs the log.\n", "a.md").document
    assert document is not None
    told = DocumentReader(document, tagger).read()
    assert [s.verb.text for t in told for s in t.statements if s.verb] == ["Zeroize", "signs"]
