"""Footnotes and reviewers' comments of a page, each with the mark in the text that leads to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

from compiler.parsers.html.looks import is_inner_link, is_raised
from compiler.parsers.scripts import write_script
from ir.document import BlockTag

_MARK = re.compile(r"[\[(（【〔]?\s*(?:注\s?)?(?:\d{1,3}|[a-z]{1,5}\d{0,3}|[*†‡§¶①-⑳]{1,3})\s*[\])）】〕]?", re.I)
_WORD_PART = re.compile(r"mso-element:\s*(footnote|endnote|comment|header|footer)(?:-list)?(?![\w-])", re.I)
_WORD_TAGS: Mapping[str, BlockTag] = {
    "footnote": "footnote",
    "endnote": "footnote",
    "comment": "comment",
    "header": "header",
    "footer": "footer",
}
_NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?|MsoFootnoteText|MsoEndnoteText)(?:$|\s)", re.I)
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_HOLDERS = ["li", "p", "div", "dd", "td", "section", "aside", "article"]
_BACK = re.compile(r"^\s*(?:[↑^]|[↩⤴])\ufe0e?\s+|\s*[↩↑⤴⏎]\ufe0e?\s*$")
_LONGEST = 3000


@dataclass(frozen=True)
class Notes:
    """Which links are marks of notes, and what they lead to.

    Attributes:
        by_mark: the note that a link leads to, by the link's identity; of several links the first.
        tags: how a note is tagged, by the identity of its element.
        told: notes that have been read.
    """

    by_mark: Mapping[int, tuple[Tag, str]]
    tags: Mapping[int, BlockTag]
    told: set[int] = field(default_factory=set)

    @classmethod
    def from_soup(cls, soup: BeautifulSoup) -> "Notes":
        """Find the notes of a page: linked from a raised mark before them, or linked back to it."""
        links = [link for link in soup.find_all(is_inner_link) if _MARK.fullmatch(link.get_text().strip())]
        if not links:
            return cls({}, {})
        places = {id(element): at for at, element in enumerate(soup.find_all(True))}
        named: dict[str, Tag] = {}
        for element in soup.find_all(lambda one: one.has_attr("id") or (one.name == "a" and one.has_attr("name"))):
            for name in (element.get("id"), element.get("name")):
                named.setdefault(str(name), element)
        by_mark: dict[int, tuple[Tag, str]] = {}
        tags: dict[int, BlockTag] = {}
        for link in links:
            name = str(link.get("href"))[1:]
            target = named.get(name) or named.get(name.replace("_msocom_", "_com_"))
            note = _holder(target) if target else None
            if note is None or target is None or id(note) in tags or places[id(note)] < places[id(link)]:
                continue
            if note in link.parents or not _is_note(note, link):
                continue
            tags[id(note)] = note_tag(note) or "footnote"
            mark = "" if tags[id(note)] == "comment" else write_script(link.get_text(), "note")
            by_mark[id(link)] = (note, mark)
        listed = {at: found for at, found in by_mark.items() if _in_list_of_notes(found[0], tags)}
        return cls(listed, {id(note): tags[id(note)] for note, _ in listed.values()})


def _in_list_of_notes(note: Tag, tags: Mapping[int, BlockTag]) -> bool:
    """Whether the other items beside it are notes as well: a list of references may be linked here and there."""
    if note.name != "li" or note.parent is None:
        return True
    items = note.parent.find_all("li", recursive=False)
    return sum(id(item) in tags for item in items) * 2 > len(items)


def note_tag(element: Tag) -> BlockTag | None:
    """How the element is tagged that holds notes, comments, or the running header of a word processor's page."""
    part = _WORD_PART.search(str(element.get("style", "")))
    if part:
        return _WORD_TAGS[part[1].lower()]
    classes = " ".join(map(str, element.get_attribute_list("class")))
    named = element.name not in ("a", "span", "sup") and _NOTE_CLASS.search(classes)
    return "footnote" if named or element.get("role") in _NOTE_ROLES else None


def note_text(text: str, mark: str) -> str:
    """A note's text with its mark in front and without the arrow that leads back.

    >>> note_text("Set yearly. ↩", "[2]"), note_text("[2] Set yearly.", "[2]"), note_text("^ Set yearly.", "[2]")
    ('[2] Set yearly.', '[2] Set yearly.', '[2] Set yearly.')
    """
    text = _BACK.sub("", text).strip()
    core = mark.strip("[](（）) ")
    return text if not mark or text.startswith((mark, core, f"[{core}", f"({core}")) else f"{mark} {text}"


def _holder(target: Tag) -> Tag | None:
    """The element that is the whole note which `target` stands in."""
    for element in (target, *target.parents):
        if _WORD_PART.search(str(element.get("style", ""))) and "-list" not in str(element.get("style")):
            return element
        if element.get("role") in ("doc-footnote", "doc-endnote"):
            return element
    return target if target.name in _HOLDERS else target.find_parent(_HOLDERS)


def _is_note(note: Tag, link: Tag) -> bool:
    if any(note_tag(element) in ("footnote", "comment") for element in (note, *note.parents)):
        return True
    if len(note.get_text()) > _LONGEST or note.find(["h1", "h2", "h3", "h4", "h5", "h6", "table"]) is not None:
        return False
    around = [link, *list(link.parents)[:2]]
    ids = {str(one.get(key)) for one in around for key in ("id", "name") if one.get(key)}
    back = {str(other.get("href"))[1:] for other in note.find_all(is_inner_link)}
    raised = link.find_parent(is_raised) is not None or link.find(is_raised) is not None
    return bool(ids & back) or raised or link.get("role") == "doc-noteref"
