"""How a Word paragraph is set: its style, with its own settings over it; and what is set so that nobody sees it."""

import re
from dataclasses import dataclass

from compiler.parsers.docx.numbering import Numbering
from compiler.parsers.docx.package import Element, Indent, Style, Styles, value, w

_HEADING = re.compile(r"(?:heading|标题)\s*(\d)$")
_TWENTIETHS = 20  # to the point
_TINY = 3  # half points


@dataclass(frozen=True, slots=True)
class Look:
    """How a paragraph is set; `is_initial`, as the large first letter of the next one."""

    style_id: str | None
    style: Style
    outline: int | None
    centred: bool
    num_id: str | None
    level: int
    setting: Indent
    is_initial: bool = False

    @property
    def heading(self) -> int | None:
        """The level of heading that the style or the outline level makes it, from 1."""
        named = heading_of(self.style)
        if named:
            return named
        return self.outline + 1 if self.outline is not None and self.outline < 9 else None

    def indent(self, *, labelled: bool) -> float:
        """How far the label or, of a paragraph without one, the left edge is set in; in points."""
        left, first = self.setting.left or 0, self.setting.first or 0
        return (left + first if labelled else min(left, left + first)) / _TWENTIETHS


def heading_of(style: Style) -> int | None:
    """The level of a heading's style by its name, None for others."""
    match = _HEADING.match(style.name)
    if match and int(match[1]):
        return int(match[1])
    return 1 if style.name == "title" else None


def look_of(element: Element, styles: Styles, numbering: Numbering) -> Look:
    """How the paragraph is set."""
    properties = element.find(w("pPr"))
    style_id = value(properties.find(w("pStyle"))) if properties is not None else None
    style_id = style_id or styles.default_paragraph
    style = styles.get(style_id)
    outline, centred, num_id, level = style.outline, style.centred, style.num_id, style.level
    own, initial = False, False
    if properties is not None:
        given = value(properties.find(w("outlineLvl")))
        outline = int(given) if given and given.isdecimal() else outline
        initial = (value(properties.find(w("framePr")), "dropCap") or "none") != "none"
        justified = value(properties.find(w("jc")))
        centred = justified == "center" if justified else centred
        numbers = properties.find(w("numPr"))
        if numbers is not None:
            own = True
            num_id = value(numbers.find(w("numId"))) or num_id
            given = value(numbers.find(w("ilvl")))
            level = int(given) if given and given.isdecimal() else level
    if num_id and level is None:
        level = numbering.level_of_style(num_id, style.lineage)
    listed = numbering.indent(num_id, level or 0) if num_id else Indent()
    inherited = listed.over(style.indent) if own else style.indent.over(listed)
    indent = Indent.from_properties(properties).over(inherited)
    return Look(style_id, style, outline, centred, num_id, level or 0, indent, initial)


def is_unseen(run: Element, styles: Styles) -> bool:
    """Whether a run's own settings hide it from a reader: type of a point or so, or white on the bare page.

    White words in tables, boxes, shaded paragraphs and styles of their own are taken to stand on a ground.
    """
    properties = run.find(w("rPr"))
    if properties is None:
        return False
    points = value(properties.find(w("sz"))) or ""
    if points.isdecimal() and int(points) <= _TINY:
        return True
    colour = properties.find(w("color"))
    if (value(colour) or "").upper() != "FFFFFF" or value(colour, "themeColor") or _shaded(properties):
        return False
    around = list(run.iterancestors(w("p"), w("tbl"), w("txbxContent"), w("document")))
    setting = next((element.find(w("pPr")) for element in around if element.tag == w("p")), None)
    style = value(setting.find(w("pStyle"))) if setting is not None else None
    page = [element for element in around if element.tag == w("document")]
    on_page = len(page) > 0 and page[0].find(w("background")) is None and len(around) == 2
    return on_page and style in (None, styles.default_paragraph) and not (setting is not None and _shaded(setting))


def _shaded(properties: Element) -> bool:
    fill = (value(properties.find(w("shd")), "fill") or "auto").upper()
    return fill not in ("AUTO", "FFFFFF") or properties.find(w("highlight")) is not None
