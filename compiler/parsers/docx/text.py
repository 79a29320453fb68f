"""A Word paragraph's text: runs, fields, tracked changes, content controls, text boxes, notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler.parsers.docx.fields import Fields
from compiler.parsers.docx.looks import is_unseen
from compiler.parsers.docx.math import formula, m
from compiler.parsers.docx.package import MC, W14, Element, Styles, is_on, value, w
from compiler.parsers.docx.revisions import CLOSED, OPENED
from compiler.parsers.docx.symbols import CHECKED, UNCHECKED, from_font

_LONGEST = 20  # of a power or a row of notes' marks
_FIGURES = re.compile(r"[\d+\-−–(),;* ]*\d[\d+\-−–(),;* ]*", re.ASCII)
_SUPERSCRIPT = str.maketrans("0123456789+-−–()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−–()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₍₎")
_DELETED = frozenset({w("del"), w("moveFrom")})
_SILENT = frozenset({w("instrText"), w("delInstrText"), w("delText"), w("rPr"), w("pPr"), w("sdtPr"), w("sdtEndPr")})
_BREAKS = {w("br"): "\n", w("cr"): "\n", w("tab"): "\t", w("ptab"): "\t", w("noBreakHyphen"): "-"}


@dataclass(frozen=True, slots=True)
class _Looks:
    """How a run looks: weight, size in points, whether it is hidden, its font, whether it is raised, underlined."""

    bold: bool
    size: float
    hidden: bool
    font: str | None
    raised: str | None
    capitals: bool
    underlined: bool = False


@dataclass(slots=True)
class Changes:
    """Tracked changes met so far."""

    insertions: int = 0
    deletions: int = 0


@dataclass(frozen=True, slots=True)
class NoteReference:
    """A footnote, endnote or comment that a text refers to; `marks` stand around it where its change is to be seen."""

    kind: str
    id: str
    deleted: bool = False
    marks: tuple[str, str] = ("", "")


@dataclass(slots=True)
class Text:
    """What a paragraph says.

    Attributes:
        shown: its text, with tabs and forced line breaks.
        hidden: text formatted as hidden.
        deleted: text whose deletion is tracked.
        drawings: pictures, diagrams and other objects in it; `boxes`, their text boxes.
        notes: the footnotes, endnotes and comments that it refers to.
        bold: characters shown in bold; `underlined`, underlined ones; `sizes`, by type size.
        capitals: characters shown as capitals, however typed.
    """

    shown: str = ""
    hidden: str = ""
    deleted: str = ""
    drawings: list[Element] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[NoteReference] = field(default_factory=list)
    bold: int = 0
    capitals: int = 0
    underlined: int = 0
    sizes: dict[float, int] = field(default_factory=dict)


class TextReader:
    """Reads paragraphs in order, since fields go over them."""

    def __init__(self, styles: Styles, changes: Changes) -> None:
        self.styles = styles
        self.changes = changes
        self.fields = Fields()

    def read(self, paragraph: Element) -> Text:
        """The paragraph's text."""
        text = Text()
        style_id = value(paragraph.find(f"{w('pPr')}/{w('pStyle')}")) or self.styles.default_paragraph
        style = self.styles.get(style_id)
        self._children(
            paragraph,
            text,
            _Looks(
                style.bold,
                style.size or self.styles.default_size,
                style.hidden,
                style.font,
                style.raised,
                style.capitals,
            ),
            deleted=False,
        )
        return text

    def _children(self, element: Element, text: Text, looks: _Looks, *, deleted: bool) -> None:
        for child in element:
            tag = child.tag
            if not isinstance(tag, str) or tag in _SILENT:
                continue
            if tag == w("r"):
                self._run(child, text, looks, deleted=deleted)
            elif tag in _DELETED:
                self.changes.deletions += 1
                self._children(child, text, looks, deleted=True)
            elif tag in (w("ins"), w("moveTo")):
                self.changes.insertions += 1
                self._children(child, text, looks, deleted=deleted)
            elif tag == w("sdt"):
                self._control(child, text, looks, deleted=deleted)
            elif tag == w("ruby"):
                base = child.find(w("rubyBase"))
                self._children(base if base is not None else child, text, looks, deleted=deleted)
            elif tag == m("oMath"):
                self._formula(child, text, looks, deleted=deleted)
            elif tag == w("fldSimple") and next(child.iter(w("r")), None) is None:
                self._add(self.fields.shown(value(child, "instr") or ""), text, looks, deleted=deleted)
            else:
                self._children(child, text, looks, deleted=deleted)

    def _control(self, control: Element, text: Text, looks: _Looks, *, deleted: bool) -> None:
        box = control.find(f"{w('sdtPr')}/{{{W14}}}checkbox")
        if box is None:
            self._children(control, text, looks, deleted=deleted)
            return
        checked = box.find(f"{{{W14}}}checked")
        state = checked.get(f"{{{W14}}}val", "0") if checked is not None else "0"
        self._add(CHECKED if state in ("1", "true") else UNCHECKED, text, looks, deleted=deleted)

    def _formula(self, element: Element, text: Text, looks: _Looks, *, deleted: bool) -> None:
        self._add(formula(element), text, looks, deleted=deleted)
        for removed in element.iter(*_DELETED):
            self._add("".join(part.text or "" for part in removed.iter(m("t"))), text, looks, deleted=True)

    def _run(self, run: Element, text: Text, looks: _Looks, *, deleted: bool) -> None:
        looks = self._looks(run, looks)
        deleted = deleted or _is_struck(run)
        for child in run:
            tag = child.tag
            if tag == w("fldChar"):
                shown = self.fields.mark(value(child, "fldCharType"))
                self._add(shown or _form_field(child), text, looks, deleted=deleted, field=True)
            elif tag == w("instrText"):
                self.fields.add(child.text or "")
            elif tag in (w("t"), w("delText")):
                words = set_off(from_font(child.text or "", looks.font), looks.raised, text.shown)
                self._add(words, text, looks, deleted=deleted or tag == w("delText"))
            elif tag in _BREAKS:
                self._add(_BREAKS[tag], text, looks, deleted=deleted)
            elif tag == w("sym"):
                self._add(_symbol(child), text, looks, deleted=deleted)
            elif tag in (w("footnoteReference"), w("endnoteReference"), w("commentReference")):
                kind, marks = (
                    tag.rpartition("}")[2].removesuffix("Reference"),
                    (child.get(OPENED, ""), child.get(CLOSED, "")),
                )
                text.notes.append(NoteReference(kind, value(child, "id") or "", deleted, marks))
            elif tag in (w("drawing"), w("pict"), w("object"), f"{{{MC}}}AlternateContent"):
                text.drawings.append(child)
                text.boxes.extend(text_boxes(child))
            elif isinstance(tag, str) and tag == w("ruby"):
                self._children(run, text, looks, deleted=deleted)

    def _looks(self, run: Element, looks: _Looks) -> _Looks:
        properties = run.find(w("rPr"))
        if properties is None:
            return looks
        style = self.styles.get(value(properties.find(w("rStyle"))))
        bold, size, hidden = looks.bold or style.bold, style.size or looks.size, looks.hidden or style.hidden
        if properties.find(w("b")) is not None:
            bold = is_on(properties.find(w("b")))
        if properties.find(w("vanish")) is not None:
            hidden = is_on(properties.find(w("vanish")))
        hidden = hidden or is_unseen(run, self.styles)
        points = value(properties.find(w("sz")))
        fonts = properties.find(w("rFonts"))
        if (value(fonts, "eastAsia") or "") in ("黑体", "SimHei"):
            bold = True  # the Chinese face that stands for bold
        return _Looks(
            bold,
            float(points) / 2 if points and points.isdecimal() else size,
            hidden,
            value(fonts, "ascii") or value(fonts, "hAnsi") or style.font or looks.font,
            value(properties.find(w("vertAlign"))) or style.raised or looks.raised,
            is_on(properties.find(w("caps")))
            if properties.find(w("caps")) is not None
            else style.capitals or looks.capitals,
            style.name != "hyperlink" and (value(properties.find(w("u"))) or "none") != "none",
        )

    def _add(self, words: str, text: Text, looks: _Looks, *, deleted: bool, field: bool = False) -> None:
        if not words or (self.fields.hides() and not field):
            return
        if deleted:
            text.deleted += words
        elif looks.hidden:
            text.hidden += words
        else:
            text.shown += words
            weight = len(words.strip())
            text.bold += weight if looks.bold else 0
            text.capitals += weight if looks.capitals else 0
            text.underlined += weight if looks.underlined else 0
            text.sizes[looks.size] = text.sizes.get(looks.size, 0) + weight


def set_off(words: str, raised: str | None, before: str) -> str:
    """A raised or lowered number, in the characters that Unicode has for it, so that it does not lengthen another.

    >>> set_off("6", "superscript", "over 10"), set_off("th", "superscript", "the 5"), set_off("2", "subscript", "CO")
    ('⁶', 'th', '2')
    """
    if not raised or len(words) > _LONGEST or not _FIGURES.fullmatch(words):
        return words
    if raised == "superscript":
        return words.translate(_SUPERSCRIPT)
    return words.translate(_SUBSCRIPT) if raised == "subscript" and before[-1:].isdigit() else words


def text_boxes(element: Element) -> Iterator[Element]:
    """The contents of text boxes in a drawing, each once: its newer form, else the fallback."""
    if element.tag == f"{{{MC}}}AlternateContent":
        choice = [box for part in element.findall(f"{{{MC}}}Choice") for box in text_boxes(part)]
        yield from choice or [box for part in element.findall(f"{{{MC}}}Fallback") for box in text_boxes(part)]
        return
    for child in element:
        if child.tag == w("txbxContent"):
            yield child
        elif isinstance(child.tag, str):
            yield from text_boxes(child)


def _is_struck(run: Element) -> bool:
    """Whether the text is crossed out, which says that it no longer holds."""
    properties = run.find(w("rPr"))
    return properties is not None and any(is_on(properties.find(w(name))) for name in ("strike", "dstrike"))


def _symbol(element: Element) -> str:
    try:
        code = int(value(element, "char") or "", 16)
    except ValueError:
        return ""
    return from_font(chr(code), value(element, "font")) if 0x20 <= code < 0xD800 or 0xE000 <= code <= 0xFFFD else ""


def _form_field(element: Element) -> str:
    """The state of a legacy form's box or list; its text fields have a result as other fields do."""
    data = element.find(w("ffData"))
    if data is None:
        return ""
    box = data.find(w("checkBox"))
    if box is not None:
        state = box.find(w("checked"))
        return CHECKED if is_on(state if state is not None else box.find(w("default"))) and len(box) else UNCHECKED
    choices = data.find(w("ddList"))
    if choices is not None:
        chosen = value(choices.find(w("result"))) or "0"
        entries = [value(entry) or "" for entry in choices.findall(w("listEntry"))]
        return entries[int(chosen)] if chosen.isdecimal() and int(chosen) < len(entries) else ""
    return ""
