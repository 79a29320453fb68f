"""Cue words as data: one YAML file a language, read once and compiled."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader  # the C parser is several times faster
_NAMED = re.compile(r"\{([a-z_.]+)\}")


class Lexicon:
    """The cue words of one language, with the lists that are matched longest first.

    Args:
        data: the parsed YAML.
    """

    def __init__(self, language: str, data: dict[str, Any]) -> None:
        self.language = language
        self.data = data

    @cache  # noqa: B019 - a lexicon lives as long as the process
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
        """A regular expression: a literal one from the data, or the alternation of a list's words.

        `{name}` in a literal one stands for its neighbour of that name, `{deadline.quantity}` for one elsewhere.
        """
        found: Any = self.data
        for key in path:
            found = found.get(key, {}) if isinstance(found, dict) else {}
        flags = 0 if self.language == "zh" else re.IGNORECASE
        if isinstance(found, str):
            return re.compile(_NAMED.sub(lambda named: self._named(path[:-1], named[1]), found), flags)
        words = self.words(*path)
        if not words:
            return re.compile(r"(?!)")
        edge = "" if self.language == "zh" else r"\b"
        written = {"应当": "应当(?![场面日天年])"}  # `应当场核对` is 应 + 当场
        return re.compile(edge + "(?:" + "|".join(written.get(w, re.escape(w)) for w in words) + ")" + edge, flags)

    def patterns(self, part: str) -> "Patterns":
        """The patterns of one part of a reader."""
        return Patterns(self, part)

    def answer(self, text: str) -> bool | None:
        """What a cell says that is nothing but a yes or a no; None for all other."""
        plain = text.strip().lower()
        return next(
            (said == "affirmed" for said in ("affirmed", "denied") if plain in self.words("answers", said)), None
        )

    def _named(self, group: tuple[str, ...], name: str) -> str:
        return self.pattern(*(name.split(".") if "." in name else (*group, name))).pattern

    def modals(self, text: str) -> Iterator[re.Match[str]]:
        """The modal words of a text, without words that only contain one (`相应`, `无须`, `许可`, `申请`)."""
        spans = [match.span() for match in self.pattern("not_modal").finditer(text)]
        for match in self.pattern("modals").finditer(text):
            if not any(start <= match.start() and match.end() <= end for start, end in spans):
                yield match

    def modal(self, text: str) -> re.Match[str] | None:
        """The first modal word of a text."""
        return next(self.modals(text), None)

    def has(self, text: str, *path: str) -> bool:
        """Whether any of the words stands in the text."""
        return self.pattern(*path).search(text) is not None


class Patterns:
    """The patterns of one part of a reader, each an attribute: `patterns("norms").forbid`.

    Raises:
        AttributeError: there is no pattern of that name.
    """

    def __init__(self, cues: Lexicon, part: str) -> None:
        self._cues, self._part = cues, part

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name not in self._cues.data["patterns"][self._part]:
            raise AttributeError(f"no pattern {name!r} under patterns.{self._part} of cues/{self._cues.language}.yaml")
        return self._cues.pattern("patterns", self._part, name)


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language; English where the language has none of its own."""
    name = language if language in ("zh", "en") else "en"
    text = files("compiler.text").joinpath("cues", f"{name}.yaml").read_text("utf-8")
    return Lexicon(name, yaml.load(text, Loader=_LOADER))  # noqa: S506 - a safe one
