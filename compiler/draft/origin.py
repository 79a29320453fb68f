"""From which bytes a draft was read, and what its Types were searched with."""

from compiler.context import Context
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import DocumentRef, Workflow


def with_origin(ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]) -> Workflow:
    """The draft with the bytes that it was read from, and what its Types were searched with."""
    own = (document for document in documents if document.doc_id == procedure.doc_id)
    cited = tuple(DocumentRef(doc_id=document.doc_id, sha256=document.source.sha256) for document in own)
    changes = {"documents": cited, "embedder": ctx.index.embedder.model_id}
    provenance = draft.provenance and draft.provenance.model_copy(update=changes)
    return draft.model_copy(update={"provenance": provenance})
