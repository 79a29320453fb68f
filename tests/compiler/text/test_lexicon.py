"""The lexicons: patterns put together from each other, and nothing in them that no code asks for."""

from pathlib import Path

import pytest

from compiler.text.lexicon import Lexicon, lexicon

ROOT = Path(__file__).resolve().parents[3]
CODE = "\n".join(
    file.read_text("utf-8") for part in ("compiler", "validator") for file in sorted((ROOT / part).rglob("*.py"))
)


def test_a_pattern_is_put_together_from_others() -> None:
    """`{name}` is a neighbour, `{group.name}` a pattern elsewhere; neither is taken for a count such as `{2}`."""
    cues = Lexicon("en", {"times": {"unit": "days?"}, "patterns": {"a": {"n": r"\d{2}", "long": "{n} {times.unit}"}}})
    assert cues.patterns("a").long.fullmatch("14 days") is not None
    assert cues.patterns("a").long.fullmatch("4 days") is None


def test_a_pattern_that_is_not_there_is_an_error() -> None:
    """A misspelt name does not match nothing without a word."""
    with pytest.raises(AttributeError, match=r"no pattern 'forbits' under patterns.norms of cues/en.yaml"):
        _ = lexicon("en").patterns("norms").forbits


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_pattern_compiles_and_is_asked_for(language: str) -> None:
    """By the code of the reader, or by a pattern beside it."""
    cues = lexicon(language)
    for part, entries in cues.data["patterns"].items():
        for name in entries:
            assert getattr(cues.patterns(part), name).pattern
            said = f".{name}" in CODE or f'"{name}"' in CODE
            assert said or any(f"{{{name}}}" in text for text in entries.values()), f"{part}.{name}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_list_is_asked_for(language: str) -> None:
    """By its key."""
    assert not [key for key in lexicon(language).data if f'"{key}"' not in CODE]
