"""HTML: paragraphs, headings, lists and data tables of a page; layout, menus and hidden parts told apart."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from compiler.parsers import faults
from compiler.parsers.decoding import decode
from compiler.parsers.draft import Draft, Reading
from compiler.parsers.html.chrome import chrome_tag, heading_and_mark, is_navigation, obliges
from compiler.parsers.html.counters import generated_labels
from compiler.parsers.html.lists import ListCounter, bears_labels, bears_terms, written_depth
from compiler.parsers.html.looks import Looks
from compiler.parsers.html.math import math_text
from compiler.parsers.html.notes import Notes, note_tag, note_text
from compiler.parsers.html.sheet import Sheet
from compiler.parsers.html.tables import is_data_table, name_tables, table_cells
from compiler.parsers.html.text import (
    alternative,
    closed,
    collapse,
    control_text,
    heading_level,
    inline_text,
    is_markup,
    join_titles,
)
from compiler.parsers.join import has_ideographs, split_lines
from compiler.parsers.limits import Limits
from compiler.parsers.plain.text import Lines, paragraphs
from compiler.parsers.scripts import close_fractions, write_script
from compiler.text.labels import parse_label
from ir.document import BlockTag, Label

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "menu",
        "dir",
        "html",
        "frameset",
    ]
)
SILENT = frozenset(
    [
        "script",
        "style",
        "head",
        "embed",
        "canvas",
        "audio",
        "video",
        "map",
        "colgroup",
        "col",
    ]
)
_DEEPEST = 110  # elements deeper than this are read without their structure
_BREAK = "\n"


def read(data: bytes, path: str, limits: Limits) -> Reading:
    """Read an HTML page; nothing that it refers to is fetched."""
    decoded = decode(data, declared=True)
    soup = BeautifulSoup(decoded.text.replace("\x00", ""), "lxml")
    sheet, root = Sheet.from_soup(soup), soup.body or soup
    name_tables(root, sheet)
    page = _Page(sheet, Notes.from_soup(soup), soup.select_one("main, [role=main]"), generated_labels(soup, sheet))
    looks = replace(Looks().within(root, page.sheet), removed=False, unseen=False)
    drafts = join_titles([*page.walk(root, looks, None), *page.rest()])
    heads = soup.find_all("h1")
    named = heads[0] if len(heads) == 1 and not parse_label(inline_text(heads[0])) else soup.title
    title = inline_text(named) if named else None
    warnings = (faults.undecodable(path, decoded.encoding, decoded.replaced),) if decoded.replaced else ()
    return Reading(tuple(drafts), title, None, warnings)


class _Page:
    """Walks the page, gathering text until something begins a new block."""

    def __init__(self, sheet: Sheet, notes: Notes, main: Tag | None, generated: Mapping[int, Label]) -> None:
        self.sheet = sheet
        self.notes = notes
        self.generated = generated
        self._above_main = {id(parent) for parent in main.parents} if main else set()
        self._main = main
        self._text: list[str] = []
        self._looks: list[tuple[int, Looks]] = []
        self._aside: list[Draft] = []
        self._label: Label | None = None
        self._typed = False
        self._term = False
        self._depth = 0
        self._level = 0

    def walk(self, element: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        """The blocks under an element."""
        yield from self._children(element, looks, tag)
        yield from self._flush(tag)

    def rest(self) -> Iterator[Draft]:
        """The notes whose marks have not been met."""
        for note, mark in self.notes.by_mark.values():
            if id(note) not in self.notes.told:
                self.notes.told.add(id(note))
                text = note_text(inline_text(note), mark)
                yield Draft(text, kind="paragraph", tag=self.notes.tags[id(note)])

    def _children(self, element: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        self._level += 1
        if self._level > _DEEPEST:
            self._add(element.get_text(" "), looks)
        else:
            for child in list(element.children):
                if isinstance(child, Tag):
                    yield from self._element(child, looks, tag)
                elif isinstance(child, NavigableString) and not is_markup(child):
                    self._add(str(child), looks)
        self._level -= 1

    def _element(self, element: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        name = element.name.lower()
        if name in SILENT or (name == "input" and element.get("type") == "hidden"):
            return
        if id(element) in self.notes.tags:
            return
        own = looks.within(element, self.sheet)
        if id(element) in self.notes.by_mark:
            yield from self._note(element, own, tag)
        elif own.aside != looks.aside:
            self._set_aside(element, own, own.aside or (None if tag == looks.aside else tag))
        elif name == "br":
            self._text.append(_BREAK)
        elif name in ("template", "noscript"):
            self._set_aside(element, own, "hidden")
        elif name in ("iframe", "noframes"):
            self._aside += self._framed(element)
        elif name in ("img", "area"):
            self._aside += [Draft(words, kind="paragraph", tag=tag) for words in (alternative(element),) if words]
        elif name == "math":
            self._add(math_text(element), own)
        elif name == "textarea":
            yield from self._flush(tag)
            self._add(control_text(element), own)
            yield from self._flush(tag)
        elif name in ("input", "select", "button"):
            self._add(f" {control_text(element)} ", own)
        elif name not in BLOCKS:
            yield from self._children(element, own, tag)
        else:
            yield from self._flush(tag)
            yield from self._block(element, name, own, tag)
            yield from self._flush(tag)

    def _block(self, element: Tag, name: str, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        inner = self._tag_of(element, name, tag)
        self._label = self.generated.get(id(element), self._label)
        level = heading_level(element, name)
        if inner != tag:
            yield from self._children(element, looks, inner)
            yield from self._flush(inner)
        elif level:
            yield from self._heading(element, looks, level, tag)
        elif name in ("ol", "ul", "menu", "dir"):
            yield from self._list(element, looks, tag)
        elif name == "dl" and bears_terms(element):
            self._depth += 1
            yield from self._children(element, looks, tag)
            yield from self._flush(tag)
            self._depth -= 1
        elif name == "dt" and self._depth:
            self._term = True
            yield from self._children(element, looks, tag)
            yield from self._flush(tag)
            self._term = False
        elif name == "table":
            yield from self._table(element, looks, tag)
        elif name == "pre":
            yield from self._preformatted(element, tag)
        elif name in ("figcaption", "caption"):
            text = inline_text(element)
            if text:
                yield Draft(text, kind="caption", tag=tag)
        else:
            yield from self._children(element, looks, tag)

    def _tag_of(self, element: Tag, name: str, tag: BlockTag | None) -> BlockTag | None:
        if tag is not None:
            return tag
        noted = note_tag(element)
        if noted:
            return noted
        if is_navigation(element):
            return "navigation"
        beside_main = id(element.parent) in self._above_main and id(element) not in self._above_main
        if beside_main and element is not self._main and name != "h1" and element.find("h1") is None:
            return "navigation"
        role = element.get("role")
        if (name == "footer" or role == "contentinfo") and not element.find_parent(["article", "main", "section"]):
            return "footer"
        if (name == "header" or role == "banner") and element.find("h1") is None:
            return "header" if not element.find_parent(["article", "main", "section"]) else tag
        return tag

    def _framed(self, element: Tag) -> Iterator[Draft]:
        """A page that is written within the page; one that would have to be fetched is not read."""
        page = str(element.get("srcdoc", "")) or element.get_text()
        if page and self._level < _DEEPEST // 2:
            inner = self._within()
            inner._level += 10
            yield from inner.walk(BeautifulSoup(page, "lxml"), Looks(), None)

    def _note(self, link: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        """The mark of a note, with the note kept beside what bears the mark."""
        note, mark = self.notes.by_mark[id(link)]
        if mark:
            yield from self._children(link, looks, tag)
        if id(note) in self.notes.told:
            return
        self.notes.told.add(id(note))
        kind = self.notes.tags[id(note)]
        inner = self._within()
        drafts = [*inner._children(note, Looks(), kind), *inner._flush(kind)]
        words = " ".join(draft.text for draft in drafts if draft.tag == kind)
        self._aside.append(Draft(note_text(words, mark), kind="paragraph", tag=kind, beside=True))
        self._aside += [draft for draft in drafts if draft.tag != kind]

    def _set_aside(self, element: Tag, looks: Looks, tag: BlockTag | None) -> None:
        """Keep what stands out of the text that it is found in, to be told after it."""
        inner = self._within()
        shell = inner._block(element, element.name.lower(), looks, tag)
        self._aside += [*shell, *inner._flush(tag)]

    def _heading(self, element: Tag, looks: Looks, level: int, tag: BlockTag | None) -> Iterator[Draft]:
        drafts = list(self._within().walk(element, looks, tag))
        text = " ".join(draft.text for draft in drafts if draft.kind is None and draft.text and draft.tag == tag)
        text, mark = heading_and_mark(text)
        if text:
            yield Draft(text, heading=level if tag is None else None, tag=tag, label=self._take_label())
        if mark:
            yield Draft(mark, kind="paragraph", tag=tag or "navigation")
        yield from (draft for draft in drafts if draft.kind is not None or draft.tag != tag)

    def _within(self) -> "_Page":
        """A reader for an element's inside, as deep as this one."""
        inner = _Page(self.sheet, self.notes, None, self.generated)
        inner._level = self._level
        return inner

    def _list(self, element: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        counter = ListCounter.from_element(element, self._depth, self.sheet)
        typed = bears_labels(element)
        above, self._depth = self._depth, max(self._depth + 1, written_depth(element))
        for child in list(element.children):
            if isinstance(child, Tag) and id(child) in self.notes.tags:
                counter.next(child)
                continue
            if isinstance(child, Tag) and child.name.lower() == "li":
                own = looks.within(child, self.sheet)
                if own.aside != looks.aside:
                    self._set_aside(child, own, own.aside)
                    continue
                yield from self._flush(tag)
                counted = counter.next(child)
                self._label, self._typed = None if typed else self.generated.get(id(child), counted), typed
                yield from self._children(child, own, tag)
                yield from self._flush(tag)
                self._label, self._typed = None, False
            elif isinstance(child, Tag):
                yield from self._element(child, looks, tag)
            elif isinstance(child, NavigableString) and not is_markup(child):
                self._add(str(child), looks)
        yield from self._flush(tag)
        self._depth = above

    def _table(self, element: Tag, looks: Looks, tag: BlockTag | None) -> Iterator[Draft]:
        if not is_data_table(element):
            yield from self._children(element, looks, tag)
            return
        caption = element.find("caption")
        if isinstance(caption, Tag) and inline_text(caption):
            yield Draft(inline_text(caption), kind="caption", tag=tag)
        cells = table_cells(element, lambda cell: self._cell_text(cell, element, looks))
        yield Draft(kind="table", tag=tag, cells=tuple(cells))

    def _cell_text(self, cell: Tag, table: Tag, looks: Looks) -> str | None:
        """What a cell says, None where it is left out; what is not seen of it is kept for after the table."""
        own = looks
        for element in reversed([cell, *takewhile(lambda parent: parent is not table, cell.parents)]):
            own = own.within(element, self.sheet)
        if own.aside != looks.aside:
            self._set_aside(cell, own, own.aside)
            return None if own.removed else ""
        lines = []
        for draft in self._within().walk(cell, own, None):
            if draft.tag is None:
                lines.append(f"{draft.label.text} {draft.text}" if draft.label else draft.text)
            else:
                self._aside.append(draft)
        return "\n".join(lines)

    def _preformatted(self, element: Tag, tag: BlockTag | None) -> Iterator[Draft]:
        """Lines as they are typed: those of a text with its own layout as a text file's, others as they are."""
        text = element.get_text().replace("\u00a0", " ")
        if has_ideographs(text) or any(parse_label(line.strip()) for line in text.splitlines()):
            for draft in paragraphs(Lines.split(text)):
                yield replace(draft, tag=tag, depth=self._depth or None)
        elif text.strip():
            yield Draft(text.strip("\n"), kind="paragraph", tag=tag, depth=self._depth or None)

    def _add(self, text: str, looks: Looks) -> None:
        words = collapse(text)
        if looks.script and words:
            words = write_script(words, looks.script, "".join(self._text[-2:]))
        if words:
            self._text.append(words)
            self._looks.append((len(words.strip()), looks))

    def _take_label(self) -> Label | None:
        label, self._label = self._label, None
        return label

    def _flush(self, tag: BlockTag | None) -> Iterator[Draft]:
        """What was gathered, one piece a paragraph."""
        text = close_fractions(closed("".join(self._text)))
        looks, self._text, self._looks = self._looks, [], []
        weight = sum(count for count, _ in looks) or 1
        bold = sum(count for count, look in looks if look.bold) >= weight
        centred = sum(count for count, look in looks if look.centred) >= weight
        size = max((look.size for count, look in looks if count), default=0.0)
        linked = 2 * sum(count for count, look in looks if look.linked) >= weight
        given = tag
        for line in split_lines(text):
            label = self._take_label()
            tag = None if given in ("navigation", "footer") and not linked and obliges(line) else given
            tag = tag or (None if given else chrome_tag(line, linked=linked))
            if self._depth:
                own, self._typed = self._typed, False
                inner = self._depth + (label is None and not own and parse_label(line) is not None)
                item = label is not None or (self._term and parse_label(line) is None)
                yield Draft(line, kind="list_item" if item else None, depth=inner, label=label, tag=tag)
            else:
                yield Draft(line, tag=tag, bold=bold, centred=centred, size=size, label=label)
        aside, self._aside = self._aside, []
        yield from aside
