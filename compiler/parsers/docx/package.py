"""The zipped parts of a Word document: safe reading, relationships, styles."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

from compiler.parsers import faults
from compiler.parsers.draft import Refused
from compiler.parsers.limits import MEBIBYTE, Limits

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_STRICT = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": W.encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": R.encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/math": b"http://schemas.openxmlformats.org/officeDocument/2006/math",
}
_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    EOFError,
    KeyError,
)
Element = Any  # lxml has no types of its own


def w(name: str) -> str:
    """The qualified name of a WordprocessingML element or attribute."""
    return f"{{{W}}}{name}"


def value(element: Element | None, name: str = "val") -> str | None:
    """An attribute of the element, None where either is missing."""
    return None if element is None else element.get(w(name))


def is_on(element: Element | None) -> bool:
    """Whether a toggle such as `w:b` is there and not switched off."""
    return element is not None and (value(element) or "true").lower() not in ("0", "false", "off", "none")


@dataclass(frozen=True)
class Package:
    """The parts of the document, read on demand and within limits."""

    path: str
    names: frozenset[str]
    main: str
    _zip: zipfile.ZipFile = field(repr=False)
    limits: Limits = field(repr=False)
    _seen_as: Callable[[Element], Element] = field(repr=False, default=lambda root: root)

    @classmethod
    def open(
        cls, data: bytes, path: str, limits: Limits, seen_as: Callable[[Element], Element] = lambda root: root
    ) -> "Package":
        """Open the zip and find the main part.

        Args:
            seen_as: what becomes of the root of each part before it is read.

        Raises:
            Refused: the zip is broken, is a bomb, or holds no Word document.
        """
        try:
            zipped = zipfile.ZipFile(io.BytesIO(data))
            infos = zipped.infolist()
        except _BROKEN_ZIP as error:
            raise Refused(faults.unreadable(path, "Word document", str(error))) from None
        unpacked = sum(info.file_size for info in infos)
        if unpacked > limits.unpacked_bytes:
            raise Refused(faults.oversize(path, "bytes unpacked", unpacked, limits.unpacked_bytes))
        if unpacked > 16 * MEBIBYTE and unpacked / max(len(data), 1) > limits.zip_ratio:
            ratio = round(unpacked / max(len(data), 1))
            raise Refused(faults.oversize(path, "times its size when unpacked", ratio, limits.zip_ratio))
        names = frozenset(info.filename for info in infos)
        main = _main_part(zipped, names)
        if main is None:
            raise Refused(faults.unreadable(path, "Word document", "its main part is missing"))
        return cls(path, names, main, zipped, limits, seen_as)

    def part(self, name: str) -> Element | None:
        """The root of an XML part, None where there is none.

        Raises:
            Refused: the main part is damaged; other damaged parts count as missing.
        """
        if name not in self.names:
            return None
        try:
            return self._seen_as(_parse(self._unpacked(name)))
        except (*_BROKEN_ZIP, etree.XMLSyntaxError) as error:
            if name == self.main:
                raise Refused(faults.unreadable(self.path, "Word document", str(error)[:120])) from None
            return None

    def data(self, name: str) -> bytes:
        """The bytes of a part, empty where it is missing or damaged.

        Raises:
            Refused: it is larger than the limits allow.
        """
        try:
            return self._unpacked(name) if name in self.names else b""
        except _BROKEN_ZIP:
            return b""

    def _unpacked(self, name: str) -> bytes:
        with self._zip.open(name) as stream:
            data = stream.read(self.limits.unpacked_bytes + 1)
        if len(data) > self.limits.unpacked_bytes:
            raise Refused(faults.oversize(self.path, "bytes unpacked", len(data), self.limits.unpacked_bytes))
        return data

    def related(self, kind: str) -> Element | None:
        """The root of the part that the main part names as its `styles`, `numbering`, `comments` …"""
        return next((self.part(target) for type_, _, target in self.relations if type_ == kind), None)

    @cached_property
    def relations(self) -> tuple[tuple[str, str, str], ...]:
        """The main part's relations: last word of the type, id, target."""
        folder, name = posixpath.split(self.main)
        root = self.part(f"{folder}/_rels/{name}.rels")
        return tuple(_relations(root, folder)) if root is not None else ()

    @cached_property
    def targets(self) -> Mapping[str, str]:
        """Part names by relation id."""
        return {id_: target for _, id_, target in self.relations}


def _parse(data: bytes) -> Element:
    for strict, plain in _STRICT.items():
        data = data.replace(strict, plain)
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _main_part(zipped: zipfile.ZipFile, names: frozenset[str]) -> str | None:
    try:
        root = _parse(zipped.read("_rels/.rels"))
        for type_, _, target in _relations(root, ""):
            if type_ == "officeDocument" and target in names:
                return target
    except (*_BROKEN_ZIP, etree.XMLSyntaxError):
        pass
    return next((name for name in ("word/document.xml", "word/document2.xml") if name in names), None)


def _relations(root: Element, folder: str) -> Iterator[tuple[str, str, str]]:
    for relation in root:
        if not isinstance(relation.tag, str) or relation.get("TargetMode") == "External":
            continue
        target = relation.get("Target", "")
        target = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        yield relation.get("Type", "").rpartition("/")[2], relation.get("Id", ""), target


@dataclass(frozen=True, slots=True)
class Indent:
    """How far a paragraph is set in: all its lines, and its first line besides, in twentieths of a point."""

    left: int | None = None
    first: int | None = None

    @classmethod
    def from_properties(cls, properties: Element | None) -> "Indent":
        """What paragraph properties say; None where they are silent."""
        own = properties.find(w("ind")) if properties is not None else None
        left = _whole(value(own, "left") or value(own, "start"))
        hanging, first = _whole(value(own, "hanging")), _whole(value(own, "firstLine"))
        return cls(left, -hanging if hanging else first)

    def over(self, base: "Indent") -> "Indent":
        """This one, with `base` where it is silent."""
        return Indent(base.left if self.left is None else self.left, base.first if self.first is None else self.first)


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,6}", text) else None


@dataclass(frozen=True)
class Style:
    """What the reader needs of a paragraph or character style, inherited values filled in.

    Args:
        lineage: its id and those of the styles that it is based on, itself first.
    """

    name: str = ""
    lineage: tuple[str, ...] = ()
    outline: int | None = None
    num_id: str | None = None
    level: int | None = None
    bold: bool = False
    size: float | None = None
    hidden: bool = False
    centred: bool = False
    indent: Indent = Indent()
    font: str | None = None
    raised: str | None = None
    capitals: bool = False


class Styles:
    """Styles by id, resolved along `basedOn`."""

    def __init__(self, root: Element | None) -> None:
        self._raw: dict[str, Element] = {}
        self._done: dict[str, Style] = {}
        self.default_paragraph: str | None = None
        self.default_size = 10.0
        if root is None:
            return
        size = value(root.find(f"{w('docDefaults')}/{w('rPrDefault')}/{w('rPr')}/{w('sz')}"))
        self.default_size = float(size) / 2 if size and size.isdecimal() else 10.0
        for element in root.iter(w("style")):
            id_ = value(element, "styleId")
            if id_ is None:
                continue
            self._raw[id_] = element
            if value(element, "type") == "paragraph" and value(element, "default") in ("1", "true"):
                self.default_paragraph = id_

    def get(self, id_: str | None) -> Style:
        """The style with all that it inherits; an empty one where there is none."""
        if id_ is None or id_ not in self._raw:
            return Style()
        if id_ not in self._done:
            self._done[id_] = Style()  # a style based on itself inherits nothing
            self._done[id_] = self._resolve(self._raw[id_])
        return self._done[id_]

    def _resolve(self, element: Element) -> Style:
        base = self.get(value(element.find(w("basedOn"))))
        name = (value(element.find(w("name"))) or "").lower()
        paragraph, run = element.find(w("pPr")), element.find(w("rPr"))
        outline, num_id, level, centred = base.outline, base.num_id, base.level, base.centred
        if paragraph is not None:
            outline = _integer(paragraph.find(w("outlineLvl")), outline)
            centred = _is_centred(paragraph, centred)
            numbering = paragraph.find(w("numPr"))
            if numbering is not None:
                num_id = value(numbering.find(w("numId"))) or num_id
                level = _integer(numbering.find(w("ilvl")), level)
        bold, size, hidden = base.bold, base.size, base.hidden
        font, raised, capitals = base.font, base.raised, base.capitals
        if run is not None:
            bold = is_on(run.find(w("b"))) if run.find(w("b")) is not None else bold
            hidden = is_on(run.find(w("vanish"))) if run.find(w("vanish")) is not None else hidden
            points = value(run.find(w("sz")))
            size = float(points) / 2 if points and points.isdecimal() else size
            font = value(run.find(w("rFonts")), "ascii") or font
            capitals = is_on(run.find(w("caps"))) if run.find(w("caps")) is not None else capitals
            raised = value(run.find(w("vertAlign"))) or raised
        return Style(
            name,
            (value(element, "styleId") or "", *base.lineage),
            outline,
            num_id,
            level,
            bold,
            size,
            hidden,
            centred,
            Indent.from_properties(paragraph).over(base.indent),
            font,
            raised,
            capitals,
        )


def _integer(element: Element | None, otherwise: int | None) -> int | None:
    text = value(element)
    return int(text) if text and text.lstrip("-").isdecimal() else otherwise


def _is_centred(paragraph: Element, otherwise: bool) -> bool:
    justified = value(paragraph.find(w("jc")))
    return justified == "center" if justified else otherwise
