"""The content of a file before it is known what it is, and what it is where no parser reads it."""

import io
import re
import zipfile
from dataclasses import dataclass
from functools import cached_property

from compiler.parsers import faults
from compiler.parsers.decoding import SNIFFED, decode
from compiler.parsers.draft import Refused
from ir.diagnostics import Diagnostic

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
_XML = re.compile(r"\s*<\?xml|\s*<[A-Za-z_][\w.-]*(?::[\w.-]+)?[\s>]")
HTML_PAGE = re.compile(r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S)
"""The beginning of what says itself that it is a web page."""
HTML_TAG = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|div|p|table|tr|h[1-6]|ul|ol|li|span|br|style|script|link|article|section|main|center|font|pre|blockquote|dl|del|ins|b|i|em|strong|a|img|form)"
    r"(?=[\s>/])",
    re.I,
)


@dataclass(frozen=True)
class Sample:
    """Some content and what the file is called, which no parser trusts further than it must."""

    data: bytes
    path: str

    @cached_property
    def head(self) -> str:
        """The first characters of the content as text."""
        return decode(self.data[: SNIFFED * 4]).text.lstrip("\ufeff \t\r\n")

    @cached_property
    def tags(self) -> list[str]:
        """The HTML tags in the head."""
        return HTML_TAG.findall(self.head)

    @cached_property
    def names(self) -> tuple[str, ...] | None:
        """The files in a zip archive; None where it is none.

        Raises:
            Refused: it is one, and damaged.
        """
        if not self.data.startswith(b"PK"):
            return None
        try:
            return tuple(zipfile.ZipFile(io.BytesIO(self.data)).namelist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeError):
            what = "Word document" if b"word/" in self.data else "zip archive"
            if b"PK\x05\x06" not in self.data[-66_000:]:
                missing = "the zip directory at the end is missing"
                raise Refused(faults.truncated(self.path, what, missing)) from None
            raise Refused(faults.unreadable(self.path, what, "the zip directory is broken")) from None

    @cached_property
    def foreign(self) -> Diagnostic | None:
        """What the content is, where it is neither PDF nor Word nor text; None where it is text."""
        path, data = self.path, self.data
        if self.names is not None:
            return _archive(self.names, path)
        if data.startswith(OLE):
            return _compound(data, path)
        for mark, name in _OTHERS:
            if data.startswith(mark) and (len(mark) > 2 or _is_binary(data)):
                advice = faults.OCR if "image" in name else _UNPACK if "archive" in name else _CONVERT
                return faults.unsupported(path, name, advice)
        if _is_binary(data):
            return faults.unsupported(path, "binary data of no known kind", _CONVERT)
        return self._foreign_text()

    def _foreign_text(self) -> Diagnostic | None:
        path, head = self.path, self.head
        if re.match(r"(?:From:|MIME-Version:|Content-Type:).*", head) and "multipart/related" in head[:2000].lower():
            return faults.unsupported(path, "a web archive (MHTML)", "save the page as HTML only")
        if HTML_PAGE.match(head):
            return None
        if re.search(r"<(?:pkg:package|w:wordDocument|office:document)[\s>]", head):
            return faults.unsupported(path, "an Office document as one XML file", "save it as DOCX")
        if _XML.match(head) and not self.tags:
            return faults.unsupported(path, "XML of an unknown vocabulary", _CONVERT)
        return None


def _archive(names: tuple[str, ...], path: str) -> Diagnostic:
    """What a zip archive holds that is no Word document."""
    folders = {name.partition("/")[0].lower() for name in names}
    for folder, what in (("xl", "an Excel workbook"), ("ppt", "a PowerPoint presentation"), ("oebps", "an e-book")):
        if folder in folders:
            return faults.unsupported(path, what, _CONVERT)
    if "content.xml" in names:
        return faults.unsupported(path, "an OpenDocument file", "save it as DOCX or PDF")
    return faults.unsupported(path, f"a zip archive of {len(names)} files", _UNPACK)


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


def _is_binary(data: bytes) -> bool:
    sample = decode(data[:SNIFFED]).text
    controls = sum(char < " " and char not in "\t\r\n\f\v\x1b" for char in sample)
    return controls + sample.count("\ufffd") > max(2, 0.03 * len(sample))
