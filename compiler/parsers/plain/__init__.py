"""Plain text and Markdown."""

import re
from pathlib import PurePosixPath

from compiler.parsers.draft import Reading
from compiler.parsers.protocol import ParseOptions
from compiler.parsers.sample import Sample
from ir.source import MediaKind

_MARKDOWN = re.compile(
    r"^#{1,6}\s+\S|^(?:```|~~~)|^[^\S\n]*\|?[^\S\n]*:?-{3,}:?\s*\|[\s:|-]*$|\*\*\S[^*\n]*\S\*\*|\[[^\]\n]{1,1000}\]\((?:https?:|#|/|\.)[^)\s]*\)"
    r"|^[^\S\n]*[-*]\s+\[[ xX]\]\s",
    re.M,
)
_NAMES = (".md", ".markdown", ".mdown")


class MarkdownParser:
    """Reads Markdown."""

    kind: MediaKind = "markdown"

    def detect(self, sample: Sample) -> bool:
        """Text with three of its marks; with one, or with no tags, where it is called so."""
        if sample.foreign:
            return False
        marks = len(_MARKDOWN.findall(sample.head))
        named = PurePosixPath(sample.path).suffix.lower() in _NAMES
        return marks >= 3 or (named and (not sample.tags or marks > 0))

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """Read it, as `compiler.parsers.protocol.Parser` says."""
        from compiler.parsers.plain.markdown import read

        return read(data, path, options.limits)


class TextParser:
    """Reads plain text."""

    kind: MediaKind = "text"

    def detect(self, sample: Sample) -> bool:
        """Whatever is text."""
        return sample.foreign is None

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """Read it, as `compiler.parsers.protocol.Parser` says."""
        from compiler.parsers.plain.text import read

        return read(data, path, options.limits)
