"""The numbers that a page's style sheet puts before its elements, with counters of its own."""

import re
from collections import defaultdict
from collections.abc import Mapping

from bs4 import Tag

from compiler.parsers.counters import write_number
from compiler.parsers.html.sheet import Sheet
from compiler.text.labels import parse_label
from ir.document import Label

_TOKEN = re.compile(
    r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|counter\(\s*([\w-]+)\s*(?:,\s*([\w-]+)\s*)?\)"
    r"|counters\(\s*([\w-]+)\s*,\s*[\"']([^\"']*)[\"']\s*(?:,\s*([\w-]+)\s*)?\)|attr\(\s*([\w-]+)\s*\))",
    re.I,
)
_NAMED = re.compile(r"([a-z_][\w-]*)(?:\s+(-?\d{1,6}))?", re.I)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.I)
_DEEPEST = 110


def generated_labels(root: Tag, sheet: Sheet) -> Mapping[int, Label]:
    """The labels that the style sheet generates, by the elements before which they are shown."""
    counting = _Counting(sheet)
    if sheet.before_rules:
        counting.walk(root, 0)
    return counting.labels


class _Counting:
    """Goes through a page as a browser counts in it: a counter reaches the later siblings of what resets it."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.open: dict[str, list[tuple[int, int]]] = defaultdict(list)  # of each name: whose children, and the count
        self.labels: dict[int, Label] = {}

    def walk(self, parent: Tag, depth: int) -> None:
        """Count under an element."""
        for element in parent.children:
            if not isinstance(element, Tag):
                continue
            style, before = self.sheet.declarations(element), self.sheet.before(element)
            if style.get("display") == "none":
                continue
            for declared in (style, before):
                for name, value in _named(declared.get("counter-reset", ""), 0):
                    self._begin(name, id(parent), value)
                for name, value in _named(declared.get("counter-increment", ""), 1):
                    self._add(name, id(parent), value)
            label = self._label(element, before.get("content", ""))
            if label:
                self.labels[id(element)] = label
            if depth < _DEEPEST:
                self.walk(element, depth + 1)
        for counts in self.open.values():
            while counts and counts[-1][0] == id(parent):
                counts.pop()

    def _begin(self, name: str, parent: int, value: int) -> None:
        counts = self.open[name]
        if counts and counts[-1][0] == parent:
            counts.pop()
        counts.append((parent, value))

    def _add(self, name: str, parent: int, value: int) -> None:
        counts = self.open[name]
        if not counts:
            counts.append((parent, 0))
        counts[-1] = (counts[-1][0], counts[-1][1] + value)

    def _label(self, element: Tag, content: str) -> Label | None:
        """What is shown before the element, where it is a number, or an item's bullet."""
        at, text, counted = 0, "", False
        while match := _TOKEN.match(content, at):
            at = match.end()
            plain = match[1] if match[1] is not None else match[2]
            if plain is not None:
                text += _ESCAPE.sub(_character, plain)
            elif match[3]:
                text += write_number(self._counts(match[3])[-1], (match[4] or "decimal").lower())
            elif match[5]:
                text += match[6].join(
                    write_number(count, (match[7] or "decimal").lower()) for count in self._counts(match[5])
                )
            else:
                text += str(element.get(match[8], ""))
            counted = counted or plain is None
        if content[at:].strip() or not text.strip():
            return None
        found = parse_label(f"{text.strip()} X", heading=True)
        if not found or found.end != len(text.strip()) or not (counted or element.name == "li"):
            return None
        return Label(text=text.strip(), generated=True, ordered=found.ordered)

    def _counts(self, name: str) -> list[int]:
        return [count for _, count in self.open[name.lower()]] or [0]


def _named(text: str, usual: int) -> list[tuple[str, int]]:
    if text in ("", "none"):
        return []
    return [(match[1], int(match[2]) if match[2] else usual) for match in _NAMED.finditer(text)]


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else 0
    return chr(code) if 0 < code < 0xD800 else match[2] or ""
