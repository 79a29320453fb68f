"""The reader that asks a language model, as `compiler.extract.contract` wants it."""

from compiler.context import Context
from compiler.extract.contract import Reader
from compiler.extract.model.classify_with_model import classify_with_model
from compiler.extract.model.extract_with_model import extract_with_model
from ir.document import Document
from ir.errors import CompilerError
from ir.facts import DocumentRole
from ir.procedure import Procedure
from llm import Model
from llm.failing import model_failed, no_answer


class ModelReader:
    """Asks the context's model what a document prescribes.

    Args:
        other: says what a document is for; where the context falls back on it, it reads what the model does not.
    """

    def __init__(self, other: Reader) -> None:
        self._other = other

    def classify_document(self, ctx: Context, document: Document) -> DocumentRole:
        """See `Reader`."""
        assert ctx.model is not None
        role = classify_with_model(ctx, document, self._other.classify_document(ctx, document), ctx.model)
        if ctx.unanswered and not _falls_back(ctx):
            ctx.report(no_answer(document.doc_id, ctx.fault))
        return role

    def extract_procedures(self, ctx: Context, document: Document) -> tuple[Procedure, ...]:
        """See `Reader`."""
        assert ctx.model is not None
        read = self._read(ctx, document, ctx.model)
        if read is not None:
            return read
        if _falls_back(ctx):
            return self._other.extract_procedures(ctx, document)
        ctx.report(no_answer(document.doc_id, ctx.fault))
        return ()

    @staticmethod
    def _read(ctx: Context, document: Document, model: Model) -> tuple[Procedure, ...] | None:
        """What the model reads; None where there is none, or where flowc falls over its answer and may fall back."""
        if not ctx.fallback:
            return extract_with_model(ctx, document, model)
        try:
            return extract_with_model(ctx, document, model)
        except CompilerError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an answer sets off, the document is read without it
            message = f"the model's answer cannot be used ({type(error).__name__}: {str(error)[:200]}); read without it"
            ctx.report(model_failed(document.doc_id, message, "an answer that flowc stumbled over", "a usable answer"))
            return None


def _falls_back(ctx: Context) -> bool:
    return ctx.fallback or ctx.counting
