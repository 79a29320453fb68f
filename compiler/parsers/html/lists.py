"""The numbers and bullets that a browser puts before list items."""

import re
from dataclasses import dataclass

from bs4 import Tag

from compiler.parsers.counters import write_number
from compiler.parsers.html.sheet import Sheet
from compiler.text.labels import STRUCTURAL, parse_label
from ir.document import Label

_TYPES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_BULLETS = {"disc": "•", "circle": "◦", "square": "▪"}
_BY_DEPTH = ("disc", "circle", "square")
_CERTAIN = (STRUCTURAL - {"annex"}) | {"decimal", "chinese-comma", "chinese-paren"}
_KIX = re.compile(r"(?:^|\s)lst-kix_\w+-(\d)(?:\s|$)")  # Google Docs
_CHINESE = ("cjk-ideographic", "simp-chinese-informal", "trad-chinese-informal", "cjk-decimal")


def written_depth(element: Tag) -> int:
    """How deep a list is that stands beside the one it belongs in, where its class or its items say so; else 0."""
    found = _KIX.search(" ".join(map(str, element.get_attribute_list("class"))))
    item = element.find("li", recursive=False)
    told = _integer(item.get("aria-level")) if isinstance(item, Tag) else None
    return min(int(found[1]) + 1 if found else max(told or 0, 0), 9)


def bears_terms(element: Tag) -> bool:
    """Whether a `dl` says something on each of its terms, rather than being a text with numbers of its own."""
    terms = element.find_all("dt")
    return bool(terms) and not any(parse_label(" ".join(term.get_text(" ").split())) for term in terms)


def bears_labels(element: Tag) -> bool:
    """Whether the items of a list begin with numbers of their own, which then count rather than the browser's."""
    items = element.find_all("li", recursive=False)
    labels = [parse_label(" ".join(item.get_text(" ").split())) for item in items]
    found = [label for label in labels if label and label.ordered and label.kind != "number"]
    if not found or len(found) < len(items):
        return False
    if len(found) == 1:
        return found[0].kind in _CERTAIN
    return len({label.kind for label in found}) == 1 and len({label.number for label in found}) == len(found)


@dataclass
class ListCounter:
    """Counts the items of one list."""

    style: str
    number: int
    step: int

    @classmethod
    def from_element(cls, element: Tag, depth: int, sheet: Sheet) -> "ListCounter":
        """The counter of an `ol` or `ul` that stands `depth` lists deep."""
        ordered = element.name == "ol"
        style = sheet.declarations(element)
        given = style.get("list-style-type") or style.get("list-style", "").partition(" ")[0]
        kind = _TYPES.get(str(element.get("type", "")))
        usual = "decimal" if ordered else _BY_DEPTH[min(depth, 2)]
        items = len(element.find_all("li", recursive=False))
        backwards = element.has_attr("reversed")
        start = _integer(element.get("start"))
        first = start if start is not None else items if backwards else 1
        return cls(given or kind or usual, first, -1 if backwards else 1)

    def next(self, item: Tag) -> Label | None:
        """The label of the next item, None where the list shows none."""
        value = _integer(item.get("value"))
        number = value if value is not None else self.number
        self.number = number + self.step
        if self.style == "none":
            return None
        if self.style in _BULLETS:
            return Label(text=_BULLETS[self.style], generated=True, ordered=False)
        if self.style.startswith(("'", '"')):
            return Label(text=self.style.strip("'\" ") or "•", generated=True, ordered=False)
        text = write_number(number, self.style)
        return Label(text=text + ("、" if self.style in _CHINESE else "."), generated=True)


def _integer(value: object) -> int | None:
    text = str(value).strip() if value is not None else ""
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 9 else None
