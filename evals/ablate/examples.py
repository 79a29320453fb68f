"""Where each pattern of the rule reader matches, and where it does not: taken while development texts are read."""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import compiler.extract.rules as rules
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
    found: dict[str, Examples] = {}
    undo: list[tuple[Any, str, re.Pattern[str]]] = []
    for unit in chosen:
        if unit.kind != "pattern":
            continue
        module, name = unit.id.rsplit(".", 1)
        own = getattr(sys.modules[f"{rules.__name__}.{module}"], name)
        found[unit.id] = Examples()
        for label, loaded in list(sys.modules.items()):
            for key, value in list(vars(loaded).items()) if label.startswith("compiler.") else ():
                if value is own:
                    undo.append((loaded, key, own))
                    setattr(loaded, key, _Watched(own, found[unit.id]))
    try:
        yield found
    finally:
        for loaded, key, own in undo:
            setattr(loaded, key, own)
