"""All parsers, and which of them reads some content."""

from functools import partial

from compiler.parsers import faults
from compiler.parsers.docx import DocxParser
from compiler.parsers.draft import Reading, Refused
from compiler.parsers.html import HtmlParser
from compiler.parsers.limits import Limits
from compiler.parsers.pdf import PdfParser
from compiler.parsers.plain import MarkdownParser, TextParser
from compiler.parsers.protocol import ParseOptions, Parser
from compiler.parsers.sample import Sample

PARSERS: tuple[Parser, ...] = (PdfParser(), DocxParser(), HtmlParser(), MarkdownParser(), TextParser())
"""In the order in which they are asked; the last one reads whatever is text."""


def parser_for(data: bytes, path: str) -> Parser:
    """The parser of some content, whatever its file is called.

    Raises:
        Refused: no parser reads it; the diagnostic says what it is.
    """
    if not data.strip(b"\x00 \t\r\n\f"):
        raise Refused(faults.empty(path, "no bytes" if not data else "only blanks"))
    sample = Sample(data, path)
    for parser in PARSERS:
        if parser.detect(sample):
            return parser
    raise Refused(sample.foreign or faults.unsupported(path, "data of no known kind", "convert it to one of them"))


def embedded_in(path: str, limits: Limits, data: bytes, name: str) -> Reading:
    """Read a document that stands inside the one of this path; what is embedded in it in turn is left alone.

    Raises:
        Refused: it is of no kind that a parser reads, or damaged.
    """
    return parser_for(data, name).parse(data, path, ParseOptions(limits))


def options_for(path: str, options: ParseOptions) -> ParseOptions:
    """The options with a way to read what is embedded in the document of this path."""
    return ParseOptions(options.limits, options.revisions, partial(embedded_in, path, options.limits))
