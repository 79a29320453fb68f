"""Generated numbering of Word: numId → abstractNum → overrides → styles, with running counters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.parsers.counters import write_number
from compiler.parsers.docx.package import Element, Indent, Style, value, w
from compiler.parsers.docx.symbols import from_font, is_private
from ir.document import Label

_PLACEHOLDER = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list's definition."""

    start: int = 1
    style: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    paragraph_style: str | None = None
    font: str | None = None
    indent: Indent = field(default_factory=Indent)


@dataclass(slots=True)
class _Counter:
    values: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Labels of numbered paragraphs, to be asked for in document order."""

    def __init__(self, root: Element | None, styles: dict[str, Style] | None = None) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._linked: dict[str, str] = {}
        self._style_links: dict[str, str] = {}
        self._nums: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._counters: dict[str, _Counter] = {}
        if root is None:
            return
        for element in root.iter(w("abstractNum")):
            self._read_abstract(element)
        for element in root.iter(w("num")):
            self._read_num(element)

    def level_of_style(self, num_id: str, styles: Sequence[str]) -> int:
        """The level that a list's definition ties to the first of some styles that it ties any to; 0 without any.

        Args:
            styles: ids, a style before those that it is based on.
        """
        _, levels = self._definition(num_id)
        tied = {level.paragraph_style: at for at, level in reversed(levels.items()) if level.paragraph_style}
        return next((tied[style] for style in styles if style in tied), 0)

    def indent(self, num_id: str, at: int) -> Indent:
        """How far the list sets its level `at` in."""
        _, levels = self._definition(num_id)
        return levels.get(at, Level()).indent

    def label(self, num_id: str | None, at: int) -> Label | None:
        """The next label of the list at level `at` (from 0), None where the list shows none."""
        if num_id is None or num_id == "0" or num_id not in self._nums:
            return None
        abstract, levels = self._definition(num_id)
        level = levels.get(at)
        if level is None:
            return None
        if level.style == "bullet":
            shown = from_font(level.text, level.font)
            glyph = "".join("•" if is_private(char) else char for char in shown)
            return Label(text=glyph.strip() or "•", generated=True, ordered=False)
        counter = self._counter(num_id, abstract, at)
        self._count(counter, self._nums[num_id][2], at, levels)
        text = _PLACEHOLDER.sub(lambda match: self._figure(counter, levels, int(match[1]) - 1, level), level.text)
        return Label(text=text.strip(), generated=True, ordered=level.style != "none") if text.strip() else None

    def _counter(self, num_id: str, abstract: str, at: int) -> _Counter:
        """What a list counts with: all of one definition together, from its first own start down for itself."""
        shared, starts = self._counters.setdefault(abstract, _Counter()), self._nums[num_id][2]
        if not starts or at < min(starts):
            return shared
        own = self._counters.setdefault(num_id + "/", _Counter())
        own.values |= {upper: shared.values[upper] for upper in range(min(starts)) if upper in shared.values}
        return own

    @staticmethod
    def _count(counter: _Counter, starts: dict[int, int], at: int, levels: dict[int, Level]) -> None:
        for upper in range(at):
            if upper not in counter.values and upper in levels:  # a level that is left out counts as begun
                counter.values[upper] = starts.get(upper, levels[upper].start)
        start = starts.get(at, levels[at].start)
        counter.values[at] = counter.values[at] + 1 if at in counter.values else start
        for deeper in [level for level in counter.values if level > at]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or (restart > 0 and at < restart):
                del counter.values[deeper]

    def _figure(self, counter: _Counter, levels: dict[int, Level], at: int, own: Level) -> str:
        level = levels.get(at, Level())
        number = counter.values.get(at, level.start)
        style = "decimal" if own.legal or level.style in ("bullet", "none") else level.style
        return write_number(number, style)

    def _definition(self, num_id: str) -> tuple[str, dict[int, Level]]:
        """Id of the abstract list and its levels; a list that points to a style takes that style's."""
        if num_id not in self._nums:
            return "", {}
        abstract, own, _ = self._nums[num_id]
        for _ in range(8):
            link = self._linked.get(abstract)
            if link is None or link not in self._style_links:
                break
            abstract = self._style_links[link]
        return abstract, self._abstract.get(abstract, {}) | own

    def _read_abstract(self, element: Element) -> None:
        id_ = value(element, "abstractNumId")
        if id_ is None:
            return
        self._abstract[id_] = dict(filter(None, map(_level, element.findall(w("lvl")))))
        link = value(element.find(w("numStyleLink")))
        if link:
            self._linked[id_] = link
        named = value(element.find(w("styleLink")))
        if named:
            self._style_links[named] = id_

    def _read_num(self, element: Element) -> None:
        id_, abstract = value(element, "numId"), value(element.find(w("abstractNumId")))
        if id_ is None or abstract is None:
            return
        levels: dict[int, Level] = {}
        starts: dict[int, int] = {}
        for override in element.findall(w("lvlOverride")):
            at = value(override, "ilvl")
            if at is None or not at.isdecimal():
                continue
            read = _level(override.find(w("lvl"))) if override.find(w("lvl")) is not None else None
            if read:
                levels[int(at)] = read[1]
            start = value(override.find(w("startOverride")))
            if start and start.isdecimal():
                starts[int(at)] = int(start)
        self._nums[id_] = (abstract, levels, starts)


def _level(element: Element) -> tuple[int, Level] | None:
    at = value(element, "ilvl")
    if at is None or not at.isdecimal():
        return None
    restart = value(element.find(w("lvlRestart")))
    start = value(element.find(w("start"))) or "1"
    style = element.find(w("numFmt"))
    if style is None:  # newer formats stand in an alternate, the known one beside it
        style = next(element.iter(w("numFmt")), None)
    level = Level(
        start=int(start) if start.isdecimal() else 1,
        style=value(style) or "decimal",
        text=value(element.find(w("lvlText"))) or "",
        restart=int(restart) if restart and restart.isdecimal() else None,
        legal=element.find(w("isLgl")) is not None and value(element.find(w("isLgl"))) not in ("0", "false"),
        paragraph_style=value(element.find(w("pStyle"))),
        font=value(element.find(f"{w('rPr')}/{w('rFonts')}"), "ascii"),
        indent=Indent.from_properties(element.find(w("pPr"))),
    )
    return int(at), level
