"""Cue words as data: one YAML file a language, read once and compiled."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml


class Lexicon:
    """The cue words of one language, with the lists that are matched longest first.

    Args:
        data: the parsed YAML.
    """

    def __init__(self, language: str, data: dict[str, Any]) -> None:
        self.language = language
        self.data = data

    def words(self, *path: str) -> tuple[str, ...]:
        """A list of words (or a mapping's keys), longest first; empty where there is none."""
        found: Any = self.data
        for key in path:
            found = found.get(key, {}) if isinstance(found, dict) else {}
        return tuple(sorted((str(word) for word in found), key=len, reverse=True))

    def table(self, *path: str) -> dict[str, Any]:
        """A mapping."""
        found: Any = self.data
        for key in path:
            found = found.get(key, {})
        return dict(found)

    @cache  # noqa: B019 - a lexicon lives as long as the process
    def pattern(self, *path: str) -> re.Pattern[str]:
        """A regular expression: a literal one from the data, or the alternation of a list's words."""
        found: Any = self.data
        for key in path:
            found = found.get(key, {}) if isinstance(found, dict) else {}
        flags = 0 if self.language == "zh" else re.IGNORECASE
        if isinstance(found, str):
            return re.compile(found, flags)
        words = self.words(*path)
        if not words:
            return re.compile(r"(?!)")
        edge = "" if self.language == "zh" else r"\b"
        return re.compile(edge + "(?:" + "|".join(re.escape(word) for word in words) + ")" + edge, flags)

    def has(self, text: str, *path: str) -> bool:
        """Whether any of the words stands in the text."""
        return self.pattern(*path).search(text) is not None


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language; English where the language has none of its own."""
    name = language if language in ("zh", "en") else "en"
    text = files("compiler.offline").joinpath("cues", f"{name}.yaml").read_text("utf-8")
    return Lexicon(name, yaml.safe_load(text))
