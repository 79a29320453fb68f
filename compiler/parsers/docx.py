"""Word: paragraphs and tables in document order, numbering as rendered, notes, headers, text boxes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.parsers import faults
from compiler.parsers.docx_numbering import Numbering
from compiler.parsers.docx_package import Element, Package, Style, Styles, value, w
from compiler.parsers.docx_tables import cells_of, grid_of
from compiler.parsers.docx_text import Changes, Text, TextReader
from compiler.parsers.draft import Draft, Reading
from compiler.parsers.join import split_lines
from compiler.parsers.limits import Limits, Revisions
from compiler.parsers.revisions import seen_as
from ir.diagnostics import Diagnostic
from ir.document import BlockTag, Label

_HEADING = re.compile(r"(?:heading|标题)\s*(\d)$")
_CONTENTS = re.compile(r"(?:toc|目录)\s*(?:\d|heading)$")
_CONTAINERS = frozenset(map(w, ("sdtContent", "ins", "moveTo", "customXml", "smartTag")))
_REMOVED = frozenset(map(w, ("del", "moveFrom")))
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_DEEPEST = 12


def read(data: bytes, path: str, limits: Limits, revisions: Revisions = "accepted") -> Reading:
    """Read a Word document.

    Raises:
        Refused: the package is damaged or larger than the limits allow.
    """
    package = Package.open(data, path, limits, lambda root: seen_as(root, revisions))
    root = package.part(package.main)
    body = root.find(w("body")) if root is not None else None
    story = _Story(package)
    drafts: list[Draft] = []
    if root is not None and body is not None:
        drafts += story.furniture(root, "header")
        drafts += story.blocks(body)
        drafts += story.furniture(root, "footer")
    changes = story.changes
    warnings: tuple[Diagnostic, ...] = ()
    if changes.insertions or changes.deletions:
        warnings = (faults.tracked_changes(path, changes.insertions, changes.deletions, revisions),)
    return Reading(tuple(drafts), story.title or _title(package), None, warnings)


def _title(package: Package) -> str | None:
    core = package.part("docProps/core.xml")
    title = core.find("{http://purl.org/dc/elements/1.1/}title") if core is not None else None
    text = (title.text or "").strip() if title is not None else ""
    return text if text and not re.fullmatch(r"(?i)(?:untitled|document\d*|.*\.docx?|普通文档|文档\d*)", text) else None


@dataclass(frozen=True, slots=True)
class _Look:
    """How a paragraph is set: its style with its own settings over it."""

    style_id: str | None
    style: Style
    outline: int | None
    centred: bool
    num_id: str | None
    level: int


class _Story:
    """Walks the document's contents in order."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.changes = Changes()
        self.styles = Styles(package.related("styles"))
        self.numbering = Numbering(package.related("numbering"))
        self.reader = TextReader(self.styles, self.changes)
        self._notes = {kind: self._note_texts(kind) for kind in _NOTE_PARTS}
        self._carried = ""
        self.title: str | None = None

    def blocks(self, parent: Element, tag: BlockTag | None = None, depth: int = 0) -> Iterator[Draft]:
        """The paragraphs and tables under an element, those in content controls and text boxes included."""
        for child in parent:
            if child.tag == w("p"):
                yield from self._paragraph(child, tag, depth)
            elif child.tag == w("tbl"):
                yield from self._table(child, tag, depth)
            elif child.tag == w("sdt"):
                yield from self._control(child, tag, depth)
            elif (
                child.tag in _CONTAINERS
                or (isinstance(child.tag, str) and child.tag.endswith("}AlternateContent"))
                or (isinstance(child.tag, str) and child.tag.endswith("}Choice"))
            ):
                yield from self.blocks(child, tag, depth)

    def furniture(self, root: Element, kind: BlockTag) -> Iterator[Draft]:
        """Running headers or footers, each part once."""
        done: set[str] = set()
        texts: set[str] = set()
        for reference in root.iter(w(f"{kind}Reference")):
            target = self.package.targets.get(
                reference.get("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id", "")
            )
            if target is None or target in done:
                continue
            done.add(target)
            part = self.package.part(target)
            for draft in self.blocks(part, kind) if part is not None else ():
                if draft.text not in texts or draft.kind == "table":
                    texts.add(draft.text)
                    yield draft

    def _control(self, control: Element, tag: BlockTag | None, depth: int) -> Iterator[Draft]:
        content = control.find(w("sdtContent"))
        if content is None:
            return
        gallery = value(control.find(f"{w('sdtPr')}/{w('docPartObj')}/{w('docPartGallery')}"))
        contents = gallery == "Table of Contents" and tag is None
        yield from self.blocks(content, "navigation" if contents else tag, depth)

    def _paragraph(self, element: Element, tag: BlockTag | None, depth: int) -> Iterator[Draft]:
        look = self._look(element)
        text = self.reader.read(element)
        text.shown = self._carried + text.shown
        self._carried = ""
        properties = element.find(f"{w('pPr')}/{w('rPr')}")
        if properties is not None and any(properties.find(name) is not None for name in _REMOVED):
            self.changes.deletions += 1
            self._carried = text.shown  # its end is deleted, so it runs on in the next paragraph
            text.shown = ""
        if tag is None and _CONTENTS.match(look.style.name):
            tag = "navigation"
        if text.shown.strip():
            yield from self._shown(text, look, tag)
        yield from self._aside(text, tag)
        for box in text.boxes if depth < _DEEPEST else ():
            yield from self.blocks(box, tag, depth + 1)
        yield from self._referred(text)

    def _look(self, element: Element) -> _Look:
        properties = element.find(w("pPr"))
        style_id = value(properties.find(w("pStyle"))) if properties is not None else None
        style_id = style_id or self.styles.default_paragraph
        style = self.styles.get(style_id)
        outline, centred, num_id, level = style.outline, style.centred, style.num_id, style.level
        if properties is not None:
            given = value(properties.find(w("outlineLvl")))
            outline = int(given) if given and given.isdecimal() else outline
            justified = value(properties.find(w("jc")))
            centred = justified == "center" if justified else centred
            numbers = properties.find(w("numPr"))
            if numbers is not None:
                num_id = value(numbers.find(w("numId"))) or num_id
                given = value(numbers.find(w("ilvl")))
                level = int(given) if given and given.isdecimal() else level
        if num_id and level is None:
            level = self.numbering.level_of_style(num_id, style_id)
        return _Look(style_id, style, outline, centred, num_id, level or 0)

    def _shown(self, text: Text, look: _Look, tag: BlockTag | None) -> Iterator[Draft]:
        heading = self._heading(look)
        label = self.numbering.label(look.num_id, look.level) if tag is None else None
        lines = split_lines(text.shown)
        if heading and tag is None:
            lines = [" ".join(lines)]
            if look.style.name == "title" and self.title is None:
                self.title = lines[0]
        size = max(text.sizes, key=lambda points: text.sizes[points]) if text.sizes else 0.0
        weight = sum(text.sizes.values())
        for number, line in enumerate(lines):
            yield Draft(
                line,
                heading=heading if tag is None else None,
                depth=look.level + 1 if label and not heading else None,
                label=label if number == 0 else None,
                tag=tag,
                size=size,
                bold=weight > 0 and text.bold >= weight,
                centred=look.centred,
            )

    def _heading(self, look: _Look) -> int | None:
        match = _HEADING.match(look.style.name)
        if match and int(match[1]):
            return int(match[1])
        if look.style.name == "title":
            return 1
        return look.outline + 1 if look.outline is not None and look.outline < 9 else None

    def _aside(self, text: Text, tag: BlockTag | None) -> Iterator[Draft]:
        """Hidden and deleted text, kept apart."""
        if text.hidden.strip():
            yield Draft(text.hidden, kind="paragraph", tag=tag or "hidden")
        if text.deleted.strip():
            yield Draft(text.deleted, kind="paragraph", tag="deleted")

    def _referred(self, text: Text) -> Iterator[Draft]:
        """The footnotes and comments that the paragraph refers to."""
        for kind, id_ in text.notes:
            words = self._notes.get(kind, {}).get(id_)
            if words:
                note: BlockTag = "comment" if kind == "comment" else "footnote"
                yield Draft(words, kind="paragraph", tag=note, beside=True)

    def _note_texts(self, kind: str) -> dict[str, str]:
        root = self.package.related(_NOTE_PARTS[kind])
        if root is None:
            return {}
        reader = TextReader(self.styles, self.changes)
        texts = {}
        for note in root.iter(w(kind)):
            if value(note, "type") in (None, "normal"):
                words = "\n".join(reader.read(paragraph).shown.strip() for paragraph in note.iter(w("p")))
                texts[value(note, "id") or ""] = words.strip()
        return texts

    def _table(self, element: Element, tag: BlockTag | None, depth: int) -> Iterator[Draft]:
        if depth >= _DEEPEST:
            return
        grid = grid_of(element)
        if len(grid.cells) == 1:  # a frame around text
            yield from self.blocks(grid.cells[0].element, tag, depth + 1)
            return
        aside: list[Draft] = []
        cells = [self._cell(cell.element, aside, tag, depth) for cell in grid.cells]
        yield Draft(kind="table", tag=tag, cells=tuple(cells_of(grid, cells)))
        yield from aside
        for covered in grid.covered:  # what Word does not show
            unseen = (draft for draft in self.blocks(covered, "hidden", depth + 1) if draft.text)
            yield from (replace(draft, kind="paragraph", label=None) for draft in unseen)

    def _cell(self, element: Element, aside: list[Draft], tag: BlockTag | None, depth: int) -> tuple[str, bool]:
        """The cell's text and whether it is bold; nested tables, hidden text and notes go to `aside`."""
        lines: list[str] = []
        bold: list[bool] = []
        for draft in self.blocks(element, tag, depth + 1):
            if draft.kind == "table" or draft.tag != tag:
                aside.append(draft)
            else:
                lines.append(_with_label(draft.text, draft.label))
                bold.append(draft.bold)
        return "\n".join(lines), bool(bold) and all(bold)


def _with_label(text: str, label: Label | None) -> str:
    """A cell has no label of its own, so a generated one is written out."""
    return f"{label.text} {text}" if label else text
