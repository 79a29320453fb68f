"""What kind of document some bytes are, whatever the file is called."""

import io
import re
import zipfile
from pathlib import PurePosixPath

from compiler.parsers import faults
from compiler.parsers.decoding import SNIFFED, decode
from compiler.parsers.draft import Refused
from ir.diagnostics import Diagnostic
from ir.source import MediaKind

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"BM", "a BMP image"),
    (b"RIFF", "a RIFF file (WebP image, sound or video)"),
    (b"{\\rtf", "rich text (RTF)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"%!PS", "PostScript"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "an SQLite database"),
)
_CONVERT = "convert it to one of them"
_UNPACK = "unpack it and compile its files"
_HTML = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|div|p|table|tr|h[1-6]|ul|ol|li|span|br|style|script|link|article|section|main|center|font|pre|blockquote|dl|del|ins|b|i|em|strong|a|img|form)"
    r"(?=[\s>/])",
    re.I,
)
_MARKDOWN = re.compile(
    r"^#{1,6}\s+\S|^(?:```|~~~)|^\s*\|?\s*:?-{3,}:?\s*\|[\s:|-]*$|\*\*\S[^*\n]*\S\*\*|\[[^\]\n]+\]\((?:https?:|#|/|\.)[^)\s]*\)"
    r"|^\s*[-*]\s+\[[ xX]\]\s",
    re.M,
)
_XML = re.compile(r"\s*<\?xml|\s*<[A-Za-z_][\w.-]*(?::[\w.-]+)?[\s>]")


def media_kind(data: bytes, path: str) -> MediaKind:
    """The kind of the content.

    The name only decides between Markdown and plain text, which the content of a short file cannot.

    Raises:
        Refused: the content is of no kind that a parser reads; the diagnostic says what it is.
    """
    if not data.strip(b"\x00 \t\r\n\f"):
        raise Refused(faults.empty(path, "no bytes" if not data else "only blanks"))
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK"):
        return _zipped(data, path)
    if data.startswith(OLE):
        raise Refused(_compound(data, path))
    for mark, name in _OTHERS:
        if data.startswith(mark) and (len(mark) > 2 or _is_binary(data)):
            advice = faults.OCR if "image" in name else _UNPACK if "archive" in name else _CONVERT
            raise Refused(faults.unsupported(path, name, advice))
    return _textual(data, path)


def _zipped(data: bytes, path: str) -> MediaKind:
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeError):
        what = "Word document" if b"word/" in data else "zip archive"
        if b"PK\x05\x06" not in data[-66_000:]:
            raise Refused(faults.truncated(path, what, "the zip directory at the end is missing")) from None
        raise Refused(faults.unreadable(path, what, "the zip directory is broken")) from None
    folders = {name.partition("/")[0].lower() for name in names}
    if "word" in folders or any(name.lower().endswith("document.xml") for name in names):
        return "docx"
    for folder, what in (("xl", "an Excel workbook"), ("ppt", "a PowerPoint presentation"), ("oebps", "an e-book")):
        if folder in folders:
            raise Refused(faults.unsupported(path, what, _CONVERT))
    if "content.xml" in names:
        raise Refused(faults.unsupported(path, "an OpenDocument file", "save it as DOCX or PDF"))
    raise Refused(faults.unsupported(path, f"a zip archive of {len(names)} files", _UNPACK))


def _compound(data: bytes, path: str) -> Diagnostic:
    """What an OLE compound file holds, by the names of its streams."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return faults.encrypted(path, "Office document")
    if "WordDocument".encode("utf-16-le") in data:
        return faults.legacy_word(path)
    for stream, what in (("Workbook", "a legacy Excel workbook"), ("PowerPoint Document", "a legacy presentation")):
        if stream.encode("utf-16-le") in data:
            return faults.unsupported(path, what, _CONVERT)
    return faults.unsupported(path, "an OLE compound file", _CONVERT)


def _textual(data: bytes, path: str) -> MediaKind:
    if _is_binary(data):
        raise Refused(faults.unsupported(path, "binary data of no known kind", _CONVERT))
    head = decode(data[: SNIFFED * 4]).text.lstrip("\ufeff \t\r\n")
    if re.match(r"(?:From:|MIME-Version:|Content-Type:).*", head) and "multipart/related" in head[:2000].lower():
        raise Refused(faults.unsupported(path, "a web archive (MHTML)", "save the page as HTML only"))
    tags = _HTML.findall(head)
    if re.match(r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", head, re.I | re.S):
        return "html"
    if re.search(r"<(?:pkg:package|w:wordDocument|office:document)[\s>]", head):
        raise Refused(faults.unsupported(path, "an Office document as one XML file", "save it as DOCX"))
    if re.match(r"<(?:!--|[a-z])", head, re.I) and tags and len(tags) * 400 > len(head[:SNIFFED]) / 10:
        return "html"
    if _XML.match(head) and not tags:
        raise Refused(faults.unsupported(path, "XML of an unknown vocabulary", _CONVERT))
    if len(tags) >= 5 and len(tags) * 300 > len(head):
        return "html"
    marks = len(_MARKDOWN.findall(head))
    named = PurePosixPath(path).suffix.lower() in (".md", ".markdown", ".mdown")
    return "markdown" if marks >= 3 or (named and not tags) or (marks and named) else "text"


def _is_binary(data: bytes) -> bool:
    sample = decode(data[:SNIFFED]).text
    controls = sum(char < " " and char not in "\t\r\n\f\v\x1b" for char in sample)
    return controls + sample.count("\ufffd") > max(2, 0.03 * len(sample))
