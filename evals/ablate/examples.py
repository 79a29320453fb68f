"""Where each pattern of the rule reader matches, and where it does not: taken while development texts are read."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import compiler.extract.rules as rules
from compiler.text.lexicon import Lexicon
from evals.ablate.units import Unit

LONGEST = 80


@dataclass
class Examples:
    """The shortest text that a pattern matched, and the longest that it did not, up to a line's length."""

    found: str = ""
    left: str = ""

    def note(self, text: object, *, matched: bool) -> None:
        """Take a text that was tried."""
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            return
        if matched and (not self.found or len(text) < len(self.found)):
            self.found = text
        if not matched and len(text) > len(self.left):
            self.left = text


class _Watched:
    """A pattern that notes what it is tried on."""

    def __init__(self, own: re.Pattern[str], examples: Examples) -> None:
        self._own, self._examples = own, examples

    def __getattr__(self, name: str) -> Any:
        given = getattr(self._own, name)
        if name not in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            return given

        def tried(*args: Any, **more: Any) -> Any:
            text = args[1] if name == "sub" else args[0]
            self._examples.note(text, matched=self._own.search(text) is not None)
            return given(*args, **more)

        return tried


@contextmanager
def watched(chosen: Iterable[Unit]) -> Iterator[dict[str, Examples]]:
    """While this lasts, each pattern notes its examples; by the id of the rule."""
    found = {unit.id: Examples() for unit in chosen if unit.kind == "pattern"}
    undo: list[tuple[Any, str, Any]] = [(Lexicon, "pattern", Lexicon.pattern)]
    setattr(Lexicon, "pattern", _watching(Lexicon.pattern, found))  # noqa: B010 - mypy forbids the plain assignment
    for name, examples in found.items():
        module, _, key = name.rpartition(".")
        loaded = sys.modules.get(f"{rules.__name__}.{module}")
        if loaded is not None:
            undo += _watch(getattr(loaded, key), examples)
    try:
        yield found
    finally:
        for place, key, own in undo:
            setattr(place, key, own)


def _watching(own: Callable[..., re.Pattern[str]], found: dict[str, Examples]) -> Callable[..., Any]:
    """The method that gives a lexicon's patterns, watched."""

    def pattern(cues: Lexicon, *path: str) -> Any:
        examples = found.get(f"{cues.language}:{'.'.join(path)}")
        return own(cues, *path) if examples is None else _Watched(own(cues, *path), examples)

    return pattern


def _watch(own: re.Pattern[str], examples: Examples) -> Iterator[tuple[Any, str, re.Pattern[str]]]:
    """Put a watched pattern wherever a module holds it; gives the places."""
    for label, loaded in list(sys.modules.items()):
        for key, value in list(vars(loaded).items()) if label.startswith("compiler.") else ():
            if value is own:
                setattr(loaded, key, _Watched(own, examples))
                yield loaded, key, own
