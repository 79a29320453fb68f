"""How a Word paragraph is set: its style, with its own settings over it."""

import re
from dataclasses import dataclass

from compiler.parsers.docx_numbering import Numbering
from compiler.parsers.docx_package import Element, Indent, Style, Styles, value, w

_HEADING = re.compile(r"(?:heading|标题)\s*(\d)$")
_TWENTIETHS = 20  # to the point


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
        level = numbering.level_of_style(num_id, style_id)
    listed = numbering.indent(num_id, level or 0) if num_id else Indent()
    inherited = listed.over(style.indent) if own else style.indent.over(listed)
    return Look(style_id, style, outline, centred, num_id, level or 0, Indent.of(properties).over(inherited), initial)
