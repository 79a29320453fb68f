"""What stands in other parts of a Word file than its text: embedded documents, diagrams, the words for pictures."""

import re
from collections.abc import Iterator
from email import message_from_bytes

from compiler.parsers.docx.package import Element, Package
from compiler.parsers.draft import Reading
from compiler.parsers.protocol import ReadEmbedded

_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_FILE_NAME = re.compile(r"(?i)\S*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)|https?:\S+")


def embedded(package: Package, target: str, read: ReadEmbedded) -> Reading:
    """Read a document that a Word file takes in whole (`w:altChunk`), by its content; what it takes in is not read.

    Raises:
        Refused: it is of no kind that a parser reads, or damaged.
    """
    return read(_web_page(package.data(target)), target)


def _web_page(data: bytes) -> bytes:
    """The page in a web archive (MHT); other data as they are."""
    if not re.match(rb"\s*(?:MIME-Version|From|Content-Type):", data[:200], re.I):
        return data
    pages = (
        part.get_payload(decode=True) for part in message_from_bytes(data).walk() if "html" in part.get_content_type()
    )
    return next((page for page in pages if isinstance(page, bytes)), data)


def diagram_texts(package: Package, drawing: Element) -> Iterator[str]:
    """The words of a drawing's diagrams (SmartArt), node by node."""
    for reference in drawing.iter(f"{{{_DIAGRAM}}}relIds"):
        ids = [name for key, name in reference.attrib.items() if key.endswith("}dm")]
        root = package.part(package.targets.get(ids[0], "")) if ids else None
        for node in root.iter(f"{{{_DIAGRAM}}}pt") if root is not None else ():
            lines = ("".join(t.text or "" for t in p.iter(f"{{{_DRAWING}}}t")) for p in node.iter(f"{{{_DRAWING}}}p"))
            words = "\n".join(line.strip() for line in lines if line.strip())
            if words:
                yield words


def picture_texts(drawing: Element) -> Iterator[str]:
    """What the author wrote for those who cannot see a picture; the name of a file says nothing."""
    told = set[str]()
    for element in drawing.iter():
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        words = " ".join((element.get({"docPr": "descr", "shape": "alt"}.get(name, "-")) or "").split())
        if words and words not in told and not _FILE_NAME.fullmatch(words):
            told.add(words)
            yield words
