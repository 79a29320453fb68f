"""Word: paragraphs and tables in document order, with the numbers that Word would show."""

from compiler.parsers.draft import Reading
from compiler.parsers.protocol import ParseOptions
from compiler.parsers.sample import Sample
from ir.source import MediaKind


class DocxParser:
    """Reads Word documents (OOXML)."""

    kind: MediaKind = "docx"

    def detect(self, sample: Sample) -> bool:
        """A zip archive with a `word` folder or a document part.

        Raises:
            Refused: it is a zip archive, and damaged.
        """
        names = sample.names or ()
        return any(n.partition("/")[0].lower() == "word" or n.lower().endswith("document.xml") for n in names)

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """Read it, as `compiler.parsers.protocol.Parser` says."""
        from compiler.parsers.docx.reader import read

        return read(data, path, options)
