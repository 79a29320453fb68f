"""How an element of a page looks, as far as reading depends on it: weight, size, place, and whether it is seen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bs4 import BeautifulSoup, Tag

from ir.document import BlockTag

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?([.#][\w-]+)?", re.I)
_SIZE = re.compile(r"([\d.]+)\s*(pt|px|em|rem|%)")
_TO_POINTS = {"pt": 1.0, "px": 0.75, "em": 12.0, "rem": 12.0, "%": 0.12}
_WHITE = frozenset({"#fff", "#ffffff", "white", "rgb(255,255,255)"})
_MENU = re.compile(r"(?:^|[\s_-])(?:nav|navbar|menu|breadcrumbs?|pagination|sidebar|toc)(?:$|[\s_-])", re.I)
_MENU_LINKS = 5


@dataclass(frozen=True, slots=True)
class Sheet:
    """The declarations of the page's own style sheets that select one element, class or id."""

    rules: Mapping[str, str]

    @classmethod
    def of(cls, soup: BeautifulSoup) -> "Sheet":
        """Read the page's `<style>` elements; nothing is fetched."""
        rules: dict[str, str] = {}
        for style in soup.find_all("style"):
            text = re.sub(
                r"/\*.*?\*/|@media\s+print\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", style.get_text(), flags=re.S
            )
            for selectors, body in _RULE.findall(text[:400_000]):
                for selector in selectors.split(","):
                    name = selector.strip()
                    if name and _SELECTOR.fullmatch(name):
                        rules[name] = f"{rules.get(name, '')};{body}"
        return cls(rules)

    def declarations(self, element: Tag) -> dict[str, str]:
        """The element's declarations, its own `style` last."""
        names = [element.name, *(f".{name}" for name in element.get_attribute_list("class") if name)]
        names += [f"{element.name}{name}" for name in names[1:]]
        if element.get("id"):
            names.append(f"#{element.get('id')}")
        body = ";".join([*(self.rules[name] for name in names if name in self.rules), str(element.get("style", ""))])
        pairs = (part.partition(":") for part in body.split(";"))
        return {
            key.strip().lower(): words.strip().lower().removesuffix("!important").strip() for key, _, words in pairs
        }


@dataclass(frozen=True, slots=True)
class Looks:
    """Looks that an element hands down to its text; size in points, 0 where nothing says."""

    bold: bool = False
    centred: bool = False
    size: float = 0.0
    hidden: bool = False
    struck: bool = False
    backed: bool = False

    def within(self, element: Tag, sheet: Sheet) -> "Looks":
        """The looks inside an element."""
        style = sheet.declarations(element)
        bold, size, centred = self.bold, self.size, self.centred
        if element.name in ("b", "strong", "th"):
            bold = True
        weight = style.get("font-weight", "")
        if weight:
            bold = weight in ("bold", "bolder") or (weight.isdecimal() and int(weight) >= 600)
        match = _SIZE.match(style.get("font-size", ""))
        if match:
            size = float(match[1].strip(".") or 0) * _TO_POINTS[match[2]]
        place = style.get("text-align") or str(element.get("align", "")).lower()
        if place or element.name == "center":
            centred = element.name == "center" or place == "center"
        backed = self.backed or any(key in style for key in ("background", "background-color", "background-image"))
        backed = backed or element.has_attr("bgcolor")
        hidden = self.hidden or _is_hidden(element, style, backed)
        crossed = "line-through" in style.get("text-decoration", "") or "line-through" in style.get(
            "text-decoration-line", ""
        )
        struck = self.struck or element.name in ("del", "s", "strike") or crossed
        return replace(self, bold=bold, size=size, centred=centred, hidden=hidden, struck=struck, backed=backed)

    @property
    def aside(self) -> BlockTag | None:
        """What text is tagged as that a reader does not see, or sees crossed out; None for other text."""
        return "hidden" if self.hidden else "deleted" if self.struck else None


def _is_hidden(element: Tag, style: Mapping[str, str], backed: bool) -> bool:
    if (
        element.has_attr("hidden")
        or style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
    ):
        return True
    size = _SIZE.match(style.get("font-size", ""))
    if style.get("font-size") == "0" or (size and float(size[1].strip(".") or 0) * _TO_POINTS[size[2]] < 2):
        return True
    if style.get("opacity") in ("0", "0.0", "0%"):
        return True
    far = re.match(r"-\d{4,}", style.get("left", "") or style.get("text-indent", ""))
    colour = style.get("color", "").replace(" ", "")
    behind = (style.get("background-color") or style.get("background") or "").replace(" ", "")
    if colour and (colour == behind or {colour, behind} <= _WHITE):
        return True
    return bool(far) or (colour in _WHITE and not backed)


def is_navigation(element: Tag) -> bool:
    """Whether the element is a menu: named so, or little else than links."""
    if element.name == "nav" or element.get("role") in ("navigation", "menu", "menubar", "doc-toc"):
        return True
    if element.name not in ("ul", "ol", "div", "td", "p", "section", "aside", "table"):
        return False
    links = element.find_all("a", href=True)
    if len(links) < _MENU_LINKS:
        return False
    text = "".join(element.get_text().split())
    linked = sum(len("".join(link.get_text().split())) for link in links)
    named = _MENU.search(" ".join([*element.get_attribute_list("class"), str(element.get("id", ""))]).strip())
    prose = any(mark in text for mark in "。；") or any(len(link.get_text()) > 60 for link in links)
    return bool(text) and not prose and linked >= (0.6 if named else 0.88) * len(text)
