"""What a decision is about, named so that a later reading has it again: its words, and what stood around them."""

from typing import Literal

from ir.base import Model

Subject = Literal[
    "step", "edge", "condition", "fact", "result", "rule", "constraint", "prohibition", "question", "text", "statement",
    "workflow",
]  # fmt: skip
"""What is decided on: parts of a procedure (an `edge` is a flow, a `text` one without a place), a rule of a pack, a
prohibition or another statement of the document, the workflow as a whole."""


class Anchor(Model):
    """The words that a decision is about.

    Args:
        text: the words; they are looked for without regard to white space.
        before, after: some words around them in their block, which tell them from the same words elsewhere.
        block: the address of their block when it was decided; it may have moved since.
        within: the sentence, or its part with one duty, that they stand in.
        above, below: the end of the block before theirs, and the beginning of the one after it.
    """

    doc_id: str
    text: str
    before: str = ""
    after: str = ""
    block: str | None = None
    within: str | None = None
    above: str | None = None
    below: str | None = None

    def fits(self, doc_id: str, text: str) -> bool:
        """Whether words of a document are those that the decision is about."""
        return doc_id == self.doc_id and plain(text) == plain(self.text)


class Mark(Model):
    """One element, as it was called when it was spoken of and by its words.

    Args:
        id: of an edge `FROM->TO`, with `?CONDITION` where it has one; of a rule `PACK/RULE`; `start` and `end` are
            steps without words.
        name: what it is called or says, which tells it from others that rest on the same words.
        anchor: its words; None for what rests on none, as what a person put in.
    """

    kind: Subject
    id: str
    name: str = ""
    anchor: Anchor | None = None


def plain(text: str) -> str:
    """Words without white space, which differs between versions of a document.

    >>> plain(" a b\\n c")
    'abc'
    """
    return "".join(text.split())
