"""What can be switched off: the patterns of the reader's modules and the word lists of its languages, each by an id."""

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import compiler.extract.rules as rules
from compiler.text.lexicon import lexicon
from ir.source import Language

NEVER = re.compile(r"(?!)")
Kind = Literal["pattern", "words"]


@dataclass(frozen=True)
class Unit:
    """One rule.

    Args:
        id: `repeats._FINISHED`, a pattern by module and name; `en:modals`, `en:patterns.norms.refuse`, a list or a
            pattern of a language by its key.
        language: the language whose texts it reads; None for both.
        lines: of source that it takes.
    """

    id: str
    kind: Kind
    language: Language | None
    lines: int


def units() -> tuple[Unit, ...]:
    """All patterns of the reader's modules, then all lists, in the order of their names."""
    return (*_patterns(), *_lists())


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        yield importlib.import_module(found.name)


def _patterns() -> Iterator[Unit]:
    for module in sorted(_modules(), key=lambda one: str(one.__name__)):
        short = module.__name__.removeprefix(f"{rules.__name__}.")
        source = Path(module.__file__).read_text("utf-8")
        for name, value in vars(module).items():
            begin = re.search(rf"^{re.escape(name)}\b[^\n]*=", source, re.MULTILINE)
            if isinstance(value, re.Pattern) and begin is not None:
                yield Unit(f"{short}.{name}", "pattern", _language(short, name), _lines(source, begin.start()))


def _language(module: str, name: str) -> Language | None:
    if module.startswith("zh.") or name.endswith("_ZH"):
        return "zh"
    return "en" if module.startswith("en.") or name.endswith("_EN") else None


def _lines(source: str, at: int) -> int:
    """Lines of a statement: up to the line that is not indented and closes nothing."""
    lines = source[at:].split("\n")
    count = 1
    while count < len(lines) and re.match(r"\s+\S|[)\]}]", lines[count]):
        count += 1
    return count


def _lists() -> Iterator[Unit]:
    for language in ("en", "zh"):
        for path in _paths(lexicon(language).data):
            kind: Kind = "pattern" if path[0] == "patterns" else "words"
            yield Unit(f"{language}:{'.'.join(path)}", kind, "en" if language == "en" else "zh", 1)


def _paths(data: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        path = (*above, str(key))
        several = isinstance(value, dict) and any(isinstance(one, dict | list) for one in value.values())
        if several or above == ("patterns",):
            yield from _paths(value, path)
        elif isinstance(value, list | str | dict) and value:
            yield path


@contextmanager
def without(unit: Unit) -> Iterator[None]:
    """Switch a unit off for a while: the pattern matches nothing, the list is empty."""
    undo = _without_list(unit) if ":" in unit.id else _without_pattern(unit)
    try:
        yield
    finally:
        undo()


def _without_pattern(unit: Unit) -> Any:
    module, name = unit.id.rsplit(".", 1)
    own = getattr(sys.modules[f"{rules.__name__}.{module}"], name)
    places = [
        (found, key)
        for label, found in list(sys.modules.items())
        if label.startswith("compiler.")
        for key, value in list(vars(found).items())
        if value is own
    ]
    for found, key in places:
        setattr(found, key, NEVER)

    def undo() -> None:
        for found, key in places:
            setattr(found, key, own)

    return undo


def _without_list(unit: Unit) -> Any:
    language, path = unit.id.split(":")
    cues = lexicon(language)
    *above, last = path.split(".")
    table = cues.data
    for key in above:
        table = table[key]
    own = table[last]
    table[last] = type(own)() if not isinstance(own, str) else NEVER.pattern
    _forget(cues)

    def undo() -> None:
        table[last] = own
        _forget(cues)

    return undo


def _forget(cues: Any) -> None:
    type(cues).words.cache_clear()
    type(cues).pattern.cache_clear()
    for label, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if label.startswith("compiler.") else ():
            if hasattr(value, "cache_clear") and value is not lexicon:
                value.cache_clear()
