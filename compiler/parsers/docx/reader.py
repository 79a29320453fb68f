"""Word: paragraphs and tables in document order, numbering as rendered, notes, headers, text boxes."""

import re
from collections.abc import Iterator
from dataclasses import replace

from compiler.parsers import faults
from compiler.parsers.docx.clauses import clause_styles, is_clause, titled
from compiler.parsers.docx.fields import close_fields
from compiler.parsers.docx.looks import Look, look_of
from compiler.parsers.docx.nesting import nested
from compiler.parsers.docx.numbering import Numbering
from compiler.parsers.docx.package import Element, Package, R, Styles, value, w
from compiler.parsers.docx.parts import diagram_texts, embedded, picture_texts
from compiler.parsers.docx.revisions import seen_as
from compiler.parsers.docx.tables import cells_in, cells_of, grid_of
from compiler.parsers.docx.text import Changes, Text, TextReader
from compiler.parsers.draft import Draft, Reading, Refused
from compiler.parsers.join import has_ideographs, is_title, split_lines
from compiler.parsers.protocol import ParseOptions, ReadEmbedded
from compiler.text.labels import parse_label
from ir.diagnostics import Diagnostic, Severity
from ir.document import BlockTag, Label

_CAPTION = re.compile(r"caption|题注")
_CONTENTS = re.compile(r"(?:toc|目录)\s*(?:\d|heading)$")
_CONTAINERS = frozenset(map(w, ("sdtContent", "ins", "moveTo", "customXml", "smartTag")))
_REMOVED = frozenset(map(w, ("del", "moveFrom")))
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_DEEPEST = 12


def read(data: bytes, path: str, options: ParseOptions) -> Reading:
    """Read a Word document.

    Raises:
        Refused: the package is damaged or larger than the limits allow.
    """
    package = Package.open(data, path, options.limits, lambda root: seen_as(root, options.revisions))
    root = package.part(package.main)
    body = root.find(w("body")) if root is not None else None
    story = _Story(package, options.read_embedded)
    drafts: list[Draft] = []
    if root is not None and body is not None:
        drafts += story.furniture(root, "header")
        story.learn(body)
        drafts += nested(list(titled(list(story.story(body)))))
        drafts += story.furniture(root, "footer")
    changes = story.changes
    if changes.insertions or changes.deletions:
        story.warnings.append(faults.tracked_changes(path, changes.insertions, changes.deletions, options.revisions))
    return Reading(tuple(drafts), story.title or _title(package), None, tuple(story.warnings))


def _title(package: Package) -> str | None:
    core = package.part("docProps/core.xml")
    title = core.find("{http://purl.org/dc/elements/1.1/}title") if core is not None else None
    text = (title.text or "").strip() if title is not None else ""
    return text if text and not re.fullmatch(r"(?i)(?:untitled|document\d*|.*\.docx?|普通文档|文档\d*)", text) else None


class _Story:
    """Walks the document's contents in order."""

    def __init__(self, package: Package, read_embedded: ReadEmbedded | None) -> None:
        self.package = package
        self.changes = Changes()
        self.styles = Styles(package.related("styles"))
        self.numbering = Numbering(package.related("numbering"))
        self.reader = TextReader(self.styles, self.changes)
        self._notes = {kind: self._note_texts(kind) for kind in _NOTE_PARTS}
        self._carried: tuple[Text, Look] | None = None
        self._in_cell = False
        self._clauses: frozenset[str | None] = frozenset()
        self._read_embedded = read_embedded
        self._embedded = set[str]()
        self.title: str | None = None
        self.warnings: list[Diagnostic] = []

    def learn(self, body: Element) -> None:
        """Find out how the document uses its heading styles, and close what would swallow its text."""
        self._clauses = clause_styles(body, self.styles)
        close_fields(body)

    def blocks(self, parent: Element, tag: BlockTag | None = None, depth: int = 0) -> Iterator[Draft]:
        """The paragraphs and tables under an element, those in content controls and text boxes included."""
        for child in parent:
            if child.tag == w("p"):
                yield from self._paragraph(child, tag, depth)
            elif child.tag == w("tbl"):
                yield from self._left(tag)
                yield from self._table(child, tag, depth)
            elif child.tag == w("sdt"):
                yield from self._control(child, tag, depth)
            elif child.tag == w("altChunk"):
                yield from self._left(tag)
                yield from self._chunk(child, tag)
            elif (
                child.tag in _CONTAINERS
                or (isinstance(child.tag, str) and child.tag.endswith("}AlternateContent"))
                or (isinstance(child.tag, str) and child.tag.endswith("}Choice"))
            ):
                yield from self.blocks(child, tag, depth)

    def _chunk(self, element: Element, tag: BlockTag | None) -> Iterator[Draft]:
        """A document that stands whole in this one's place; each is read once."""
        target = self.package.targets.get(element.get(f"{{{R}}}id", ""))
        if target is None or self._read_embedded is None or target in self._embedded:
            return
        self._embedded.add(target)
        try:
            reading = embedded(self.package, target, self._read_embedded)
        except Refused as refused:
            self.warnings.append(refused.diagnostic.model_copy(update={"severity": Severity.WARNING}))
            return
        self.warnings.extend(reading.diagnostics)
        yield from (replace(draft, tag=draft.tag or tag, page=None, box=None) for draft in reading.drafts)

    def story(self, parent: Element, tag: BlockTag | None = None, depth: int = 0) -> Iterator[Draft]:
        """The pieces of a body, a cell or a box; no paragraph runs on beyond its end."""
        yield from self.blocks(parent, tag, depth)
        yield from self._left(tag)

    def _left(self, tag: BlockTag | None) -> Iterator[Draft]:
        """A paragraph whose end is deleted, where no other follows that it could run on in."""
        if self._carried:
            (text, look), self._carried = self._carried, None
            label = self.numbering.label(look.num_id, look.level) if tag is None else None
            yield from self._shown(text, look, label, tag)

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
            for draft in self.story(part, kind) if part is not None else ():
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
        look = look_of(element, self.styles, self.numbering)
        text = self.reader.read(element)
        if self._carried:
            text.shown = self._carried[0].shown + text.shown
            self._carried = None
        properties = element.find(f"{w('pPr')}/{w('rPr')}")
        mark_is_gone = properties is not None and any(properties.find(name) is not None for name in _REMOVED)
        if mark_is_gone:
            self.changes.deletions += 1
        if mark_is_gone or look.is_initial:
            if text.shown.strip():  # it runs on in the next paragraph
                self._carried = replace(text, deleted="", hidden="", drawings=[], boxes=[], notes=[]), look
            text.shown = ""
        if tag is None and _CONTENTS.match(look.style.name):
            tag = "navigation"
        label = (
            None
            if tag or mark_is_gone or look.is_initial or _is_unseen(text)
            else self.numbering.label(look.num_id, look.level)
        )
        if text.shown.strip() or (label and self._in_cell):
            yield from self._shown(text, look, label, tag)
        yield from self._aside(text, tag)
        for drawing in text.drawings:
            yield from (Draft(words, kind="paragraph", tag=tag) for words in diagram_texts(self.package, drawing))
            yield from (Draft(words, kind="paragraph", tag=tag or "hidden") for words in picture_texts(drawing))
        for box in text.boxes if depth < _DEEPEST else ():
            yield from self.story(box, tag, depth + 1)
        yield from self._referred(text)

    def _shown(self, text: Text, look: Look, label: Label | None, tag: BlockTag | None) -> Iterator[Draft]:
        heading = None if is_clause(text.shown, label, look.style_id in self._clauses) else look.heading
        lines = split_lines(text.shown) or [""]
        if heading and tag is None:
            lines = [" ".join(lines)]
            if look.style.name == "title" and self.title is None:
                self.title = lines[0]
        size = max(text.sizes, key=lambda points: text.sizes[points]) if text.sizes else 0.0
        weight = sum(text.sizes.values())
        for number, line in enumerate(lines):
            yield Draft(
                line,
                kind="caption" if tag is None and not heading and _CAPTION.fullmatch(look.style.name) else None,
                heading=heading if tag is None else None,
                depth=look.level + 1 if label and not heading else None,
                label=label if number == 0 else None,
                list_id=look.num_id if label and number == 0 else None,
                indent=look.indent(labelled=bool(label) or parse_label(line) is not None),
                tag=tag,
                size=size,
                bold=weight > 0 and text.bold >= weight,
                set_off=_is_capital(line, text) or _is_underlined(line, text),
                centred=look.centred,
            )

    def _aside(self, text: Text, tag: BlockTag | None) -> Iterator[Draft]:
        """Hidden and deleted text, kept apart."""
        if text.hidden.strip():
            yield Draft(text.hidden, kind="paragraph", tag=tag or "hidden")
        if text.deleted.strip():
            yield Draft(text.deleted, kind="paragraph", tag="deleted")

    def _referred(self, text: Text) -> Iterator[Draft]:
        """The footnotes and comments that the paragraph refers to."""
        for reference in text.notes:
            words = self._notes.get(reference.kind, {}).get(reference.id)
            if words:
                note: BlockTag = "comment" if reference.kind == "comment" else "footnote"
                shown = words.join(reference.marks)
                yield Draft(shown, kind="paragraph", tag="deleted" if reference.deleted else note, beside=True)

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
            yield from self.story(grid.cells[0].element, tag, depth + 1)
            return
        aside: list[Draft] = []
        cells = [self._cell(cell.element, aside, tag, depth) for cell in grid.cells]
        yield Draft(kind="table", tag=tag, cells=tuple(cells_of(grid, cells)))
        yield from aside
        for row in grid.deleted:
            for gone in cells_in(row):
                yield from (draft for draft in self.story(gone, "deleted", depth + 1) if draft.kind != "table")
        for covered in grid.covered:  # what Word does not show
            unseen = (draft for draft in self.story(covered, "hidden", depth + 1) if draft.text)
            yield from (replace(draft, kind="paragraph", label=None) for draft in unseen)

    def _cell(self, element: Element, aside: list[Draft], tag: BlockTag | None, depth: int) -> tuple[str, bool]:
        """The cell's text and whether it is bold; nested tables, hidden text and notes go to `aside`."""
        lines: list[str] = []
        bold: list[bool] = []
        outside, self._in_cell = self._in_cell, True
        for draft in self.story(element, tag, depth + 1):
            if draft.kind == "table" or draft.tag != tag:
                aside.append(draft)
            else:
                lines.append(_with_label(draft.text, draft.label))
                bold.append(draft.bold)
        self._in_cell = outside
        return "\n".join(lines), bool(bold) and all(bold)


def _is_unseen(text: Text) -> bool:
    """Whether the whole paragraph is hidden, so that no number shows for it."""
    return not text.shown.strip() and bool(text.hidden.strip())


def _is_capital(line: str, text: Text) -> bool:
    """Whether a line is set off as titles are, by capitals throughout."""
    capitals = line.isupper() or text.capitals >= sum(text.sizes.values()) > 0
    return capitals and not has_ideographs(line) and is_title(line) and len(re.findall(r"[^\W\d_]{3,}", line)) > 0


def _is_underlined(line: str, text: Text) -> bool:
    """Whether a line is set off as titles are, by a line under all of it, which is none to write on."""
    return text.underlined >= sum(text.sizes.values()) > 0 and is_title(line) and "_" not in line and len(line) < 60


def _with_label(text: str, label: Label | None) -> str:
    """A cell has no label of its own, so a generated one is written out."""
    return f"{label.text} {text}".strip() if label else text
