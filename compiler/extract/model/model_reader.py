"""The reader that asks a language model, as `compiler.extract.contract` wants it."""

from compiler.context import Context
from compiler.extract.contract import Reader
from compiler.extract.model.classify_with_model import classify_with_model
from compiler.extract.model.extract_with_model import extract_with_model
from ir.document import Document
from ir.facts import DocumentRole
from ir.procedure import Procedure


class ModelReader:
    """Asks the context's model what a document prescribes.

    Args:
        other: says what a document is for, and reads those of which the model says nothing.
    """

    def __init__(self, other: Reader) -> None:
        self._other = other

    def classify_document(self, ctx: Context, document: Document) -> DocumentRole:
        """See `Reader`."""
        assert ctx.model is not None
        return classify_with_model(ctx, document, self._other.classify_document(ctx, document), ctx.model)

    def extract_procedures(self, ctx: Context, document: Document) -> tuple[Procedure, ...]:
        """See `Reader`."""
        assert ctx.model is not None
        read = extract_with_model(ctx, document, ctx.model)
        return self._other.extract_procedures(ctx, document) if read is None else read
