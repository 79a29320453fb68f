"""The reader that goes by cue words, as `compiler.extract.contract` wants it."""

from compiler.context import Context
from compiler.extract.rules.classify_document import classify_document
from compiler.extract.rules.document_reader import DocumentReader, provision_readings
from compiler.extract.rules.extract_procedures import ReadingMethod, extract_procedures
from compiler.extract.rules.readings import ProvisionReading
from compiler.text.punctuation import punctuated, quoted_from
from compiler.text.syntax import Tagger, parser, tagger
from ir.document import Document
from ir.facts import DocumentRole
from ir.procedure import Procedure


class RuleReader:
    """Reads by cue words; deterministic, and without a model.

    Args:
        syntax: use the `syntax` extra for English where it is installed; without it, cue words alone.
    """

    def __init__(self, *, syntax: bool = True) -> None:
        self._syntax = syntax
        self._last: tuple[Document, Document, list[ProvisionReading]] | None = None  # several passes ask about one

    def classify_document(self, ctx: Context, document: Document) -> DocumentRole:
        """See `Reader`."""
        read, told = self._read(document)
        return classify_document(ctx, read, told)

    def extract_procedures(self, ctx: Context, document: Document) -> tuple[Procedure, ...]:
        """See `Reader`."""
        method: ReadingMethod = "syntax" if self._tagger(document) else "cues"
        read, told = self._read(document)
        found = extract_procedures(ctx, read, told, method)
        return found if read is document else tuple(quoted_from(one, document) for one in found)

    def provisions(self, document: Document) -> list[ProvisionReading]:
        """What each provision of a document says; the last document asked about is read once."""
        return self._read(document)[1]

    def _read(self, document: Document) -> tuple[Document, list[ProvisionReading]]:
        """The document with the marks of its language, and what its provisions say."""
        if self._last is None or self._last[0] is not document:
            shown = punctuated(document)
            tagger = self._tagger(document)
            told = [*provision_readings(shown)]
            if tagger is not None:
                told = DocumentReader(shown, tagger, parser()).read()
            self._last = document, shown, told
        return self._last[1], self._last[2]

    def _tagger(self, document: Document) -> Tagger | None:
        return tagger() if self._syntax and document.language == "en" else None
