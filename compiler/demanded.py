"""The approvals that a document's sentences demand, read from cue words: what a model's reading is held against."""

from functools import lru_cache

from compiler.offline.reading import DocumentReader
from compiler.offline.statements import Statement
from compiler.readable import readable
from ir.document import Document


@lru_cache(maxsize=8)
def demanded_approvals(document: Document) -> tuple[Statement, ...]:
    """The acts of approving, in reading order; those of tables, whose words are put together, are left out."""
    told = DocumentReader(readable(document)).read()
    return tuple(
        statement
        for each in told
        for statement in each.statements
        if statement.kind == "action" and statement.step_kind == "approval" and not statement.words
    )
