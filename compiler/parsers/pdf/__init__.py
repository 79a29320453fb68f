"""PDF: pages of drawn text to paragraphs, tables and notes in reading order."""

from compiler.parsers.draft import Reading
from compiler.parsers.protocol import ParseOptions
from compiler.parsers.sample import Sample
from ir.source import MediaKind


class PdfParser:
    """Reads PDF."""

    kind: MediaKind = "pdf"

    def detect(self, sample: Sample) -> bool:
        """The mark of a PDF may stand behind other bytes."""
        return b"%PDF-" in sample.data[:1024]

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """Read it, as `compiler.parsers.protocol.Parser` says."""
        from compiler.parsers.pdf.reader import read

        return read(data, path, options.limits)
