"""What a reader is: it says what a document is for, and which procedures it prescribes."""

from typing import Protocol

from compiler.context import Context
from ir.document import Document
from ir.facts import DocumentRole
from ir.procedure import Procedure


class Reader(Protocol):
    """Reads documents. Its methods are passes; a reader keeps nothing between them that would change what they give."""

    def classify_document(self, ctx: Context, document: Document) -> DocumentRole:
        """What the document is for, with the reason."""

    def extract_procedures(self, ctx: Context, document: Document) -> tuple[Procedure, ...]:
        """The procedures of a policy, each element with the words it came from.

        Reports `no-procedure` where there is none. What speaks of duties and found no place is listed as unplaced.
        """
