"""HTML: the text of a page as a browser shows it, without what only leads about the site."""

import re

from compiler.parsers.decoding import SNIFFED
from compiler.parsers.draft import Reading
from compiler.parsers.protocol import ParseOptions
from compiler.parsers.sample import HTML_PAGE, Sample
from ir.source import MediaKind


class HtmlParser:
    """Reads web pages."""

    kind: MediaKind = "html"

    def detect(self, sample: Sample) -> bool:
        """What says that it is a page, or has as many tags as one."""
        if sample.foreign:
            return False
        head, tags = sample.head, sample.tags
        begins = re.match(r"<(?:!--|[a-z])", head, re.I) and tags and len(tags) * 400 > len(head[:SNIFFED]) / 10
        return bool(HTML_PAGE.match(head) or begins) or (len(tags) >= 5 and len(tags) * 300 > len(head))

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """Read it, as `compiler.parsers.protocol.Parser` says."""
        from compiler.parsers.html.reader import read

        return read(data, path, options.limits)
