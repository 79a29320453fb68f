"""How an element of a page looks, as far as reading depends on it: weight, size, place, and whether it is seen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bs4 import Tag

from compiler.parsers.html.sheet import Sheet
from compiler.parsers.scripts import Script
from ir.document import BlockTag

_SIZE = re.compile(r"([\d.]+)\s*(pt|px|em|rem|%)")
_TO_POINTS = {"pt": 1.0, "px": 0.75, "em": 12.0, "rem": 12.0, "%": 0.12}
_HEX = re.compile(r"#[0-9a-f]{3,8}(?![\w-])")
_RGB = re.compile(r"rgba?\(([^()]*)\)")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_NO_COLOUR = frozenset({"", "none", "transparent", "inherit", "initial", "unset", "currentcolor"})
_CLIPPED = re.compile(r"inset\((?:50|100)%|circle\(0|polygon\(0(?:px)?\s0(?:px)?,\s*0(?:px)?\s0(?:px)?,\s*0(?:px)?\s0")
_OFF_SCREEN = re.compile(r"-\d{4,}")
_NOTHING = re.compile(r"0+(?:\.0+)?\s*(?:px|pt|em|rem|%)?")
_RAISED = {"super": "super", "sub": "sub"}
_RAISED_CLASS = re.compile(r"(?:^|[\s-])(?:(super|superscript|MsoFootnoteReference)|(subscript))(?:$|\s)")
_NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnote-?ref|noteref|fn-?ref)(?:$|\s)")


@dataclass(frozen=True, slots=True)
class Looks:
    """Looks that an element hands down to its text; size in points, 0 where nothing says.

    Attributes:
        removed: not shown, whatever is inside.
        unseen: not shown, unless something inside says otherwise.
        tiny: in type too small to be seen.
        colour: of the text, empty where nothing says.
        behind: the colour of the ground, empty for the page's own, `?` where it cannot be told.
        script: raised or lowered, or the raised mark of a note.
    """

    bold: bool = False
    centred: bool = False
    size: float = 0.0
    removed: bool = False
    unseen: bool = False
    tiny: bool = False
    struck: bool = False
    colour: str = ""
    behind: str = ""
    script: Script | None = None
    linked: bool = False

    def within(self, element: Tag, sheet: Sheet) -> "Looks":
        """The looks inside an element."""
        style = sheet.declarations(element)
        bold, centred = self.bold, self.centred
        if element.name in ("b", "strong", "th"):
            bold = True
        weight = style.get("font-weight", "")
        if weight:
            bold = weight in ("bold", "bolder") or (weight.isdecimal() and int(weight) >= 600)
        size, tiny = self._size(style.get("font-size", ""))
        place = style.get("text-align") or str(element.get("align", "")).lower()
        if place or element.name == "center":
            centred = element.name == "center" or place == "center"
        crossed = any("line-through" in style.get(key, "") for key in ("text-decoration", "text-decoration-line"))
        ground = " ".join(style.get(key, "") for key in ("background", "background-color", "background-image")).strip()
        shown = style.get("visibility", "")
        return replace(
            self,
            bold=bold,
            size=size,
            centred=centred,
            tiny=tiny,
            removed=self.removed or _is_removed(element, style),
            unseen=shown in ("hidden", "collapse") or (self.unseen and shown != "visible"),
            struck=self.struck or element.name in ("del", "s", "strike") or crossed,
            colour=_colour(style.get("color") or str(element.get("color", ""))) or self.colour,
            behind=_ground(ground or str(element.get("bgcolor", ""))) or self.behind,
            script=_script(element, style) or self.script,
            linked=self.linked or (element.name == "a" and element.has_attr("href")),
        )

    def _size(self, given: str) -> tuple[float, bool]:
        match = _SIZE.match(given)
        if match:
            size = float(match[1].strip(".") or 0) * _TO_POINTS[match[2]]
            return size, size < 2 or (self.tiny and match[2] in ("em", "%"))
        return (self.size, self.tiny or given == "0") if given != "medium" else (self.size, False)

    @property
    def hidden(self) -> bool:
        """Whether a reader does not see the text."""
        same = self.colour == (self.behind or "#ffffff") and self.colour != ""
        return self.removed or self.unseen or self.tiny or same or self.colour == "transparent"

    @property
    def aside(self) -> BlockTag | None:
        """What text is tagged as that a reader does not see, or sees crossed out; None for other text."""
        return "hidden" if self.hidden else "deleted" if self.struck else None


def _is_removed(element: Tag, style: Mapping[str, str]) -> bool:
    """Whether nothing of the element is shown: left out, seen through, moved off the screen or cut to nothing."""
    display = style.get("display", "")
    closed = element.name == "dialog" and not element.has_attr("open") and not display
    told = element.name in ("title", "desc", "metadata") and element.find_parent("svg") is not None
    if closed or told or element.name == "datalist":
        return True
    if display == "none" or (element.has_attr("hidden") and not display) or style.get("mso-hide") == "all":
        return True
    if style.get("opacity", "1").rstrip("%") in ("0", "0.0", ".0"):
        return True
    if any(_OFF_SCREEN.match(style.get(key, "")) for key in ("left", "top", "text-indent", "margin-left")):
        return True
    if re.match(r"scale(?:3d)?\(0\s*[,)]", style.get("transform", "")) or _CLIPPED.match(style.get("clip-path", "")):
        return True
    clip = set(re.findall(r"\d+", style.get("clip", ""))) if style.get("clip", "").startswith("rect(") else {"9"}
    if clip <= {"0", "1"} and style.get("position") in ("absolute", "fixed"):
        return True
    cut = any(style.get(key, "") in ("hidden", "clip") for key in ("overflow", "overflow-y"))
    return cut and any(_NOTHING.fullmatch(style.get(key, "")) for key in ("height", "max-height", "width", "max-width"))


def _colour(text: str) -> str:
    """A colour as `#rrggbb`, `transparent` for one that is seen through, empty for none; else as it is written."""
    text = text.strip().lower()
    if text == "transparent":
        return text
    if text in _NO_COLOUR:
        return ""
    rgb = _RGB.fullmatch(text)
    if rgb:
        parts = re.findall(r"[\d.]+%?", rgb[1])
        if len(parts) == 4 and _NOTHING.fullmatch(parts[3]):
            return "transparent"
        whole = len(parts) >= 3 and all(part.isdecimal() for part in parts[:3])
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in parts[:3]) if whole else text
    if _HEX.fullmatch(text) and len(text) in (4, 5):
        text = "#" + "".join(2 * digit for digit in text[1:4])
    return _NAMED.get(text, text)


def _ground(text: str) -> str:
    """The colour that a background is painted with; `?` where it is a picture or cannot be told."""
    text = text.lower().strip()
    if "url(" in text or "gradient" in text or "var(" in text:
        return "?"
    found = _HEX.search(text) or _RGB.search(text)
    words = [found[0]] if found else [word for word in text.split() if word not in _NO_COLOUR]
    colour = _colour(words[0]) if words else ""
    return "" if colour == "transparent" else colour


def _script(element: Tag, style: Mapping[str, str]) -> Script | None:
    """Whether the element raises or lowers its text, and whether that is the mark of a note."""
    classes = " ".join(map(str, element.get_attribute_list("class")))
    named = _RAISED_CLASS.search(classes)
    raised = _RAISED.get({"sup": "super"}.get(element.name, element.name)) or _RAISED.get(
        style.get("vertical-align", "")
    )
    if element.name in ("td", "th", "tr", "table", "img"):
        return None
    if element.get("role") == "doc-noteref" or (element.name == "a" and _NOTE_CLASS.search(classes)):
        return "note"
    if not raised and not named:
        return None
    if raised == "sub" or (named and named[2]):
        return "sub"
    linked = element if is_inner_link(element) else element.find(is_inner_link) or element.find_parent(is_inner_link)
    return "note" if linked else "super"


def is_raised(element: Tag) -> bool:
    """Whether the element's name or class raises its text, as the mark of a note is raised."""
    named = _RAISED_CLASS.search(" ".join(map(str, element.get_attribute_list("class"))))
    return element.name == "sup" or (named is not None and named[1] is not None)


def is_inner_link(element: Tag) -> bool:
    """Whether the element leads to a place on the same page."""
    return element.name == "a" and str(element.get("href", "")).startswith("#")
