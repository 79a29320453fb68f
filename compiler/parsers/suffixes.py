"""What the suffix of a file's name says that its content is; the content decides what it is read as."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from ir.source import MediaKind

NAMES: Mapping[MediaKind, str] = MappingProxyType(
    {"pdf": "PDF", "docx": "Word (DOCX)", "html": "HTML", "markdown": "Markdown", "text": "plain text"}
)
_PDF: tuple[MediaKind, ...] = ("pdf",)
_DOCX: tuple[MediaKind, ...] = ("docx",)
_HTML: tuple[MediaKind, ...] = ("html",)
_MARKDOWN: tuple[MediaKind, ...] = ("markdown", "text", "html")
_TEXT: tuple[MediaKind, ...] = ("text", "markdown")
READ: Mapping[str, tuple[MediaKind, ...]] = MappingProxyType(
    {".pdf": _PDF, ".docx": _DOCX, ".docm": _DOCX, ".html": _HTML, ".htm": _HTML, ".xhtml": _HTML}
    | {".md": _MARKDOWN, ".markdown": _MARKDOWN, ".txt": _TEXT, ".text": _TEXT}
)
"""The kinds that agree with a suffix, of suffixes that are read; the first is what the suffix says."""
_NOT_READ = MappingProxyType({".doc": "Word 97–2003", ".rtf": "rich text (RTF)", ".odt": "OpenDocument"})


def claimed_otherwise(path: str, kind: MediaKind | None) -> tuple[str, str] | None:
    """The suffix, and the kind that it says, where the content is of another one.

    Args:
        kind: of the content; None where it is of none that is read.

    >>> claimed_otherwise("a/rules.DOCX", "text"), claimed_otherwise("rules.doc", "html")
    (('.docx', 'Word (DOCX)'), ('.doc', 'Word 97–2003'))
    >>> claimed_otherwise("rules.txt", "markdown"), claimed_otherwise("rules", "pdf"), claimed_otherwise("a.rtf", None)
    (None, None, None)
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in READ:
        return None if kind in READ[suffix] else (suffix, NAMES[READ[suffix][0]])
    return (suffix, _NOT_READ[suffix]) if kind and suffix in _NOT_READ else None
