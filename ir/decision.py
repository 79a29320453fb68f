"""What a person decided about a draft, tied to words of the document so that it outlives the next compilation.

Decisions stand one a line in `decisions.jsonl`; the file is the truth, and of two that speak of the same the later one
counts.
"""

import json
from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue, ValidationError

from ir.base import Model
from ir.errors import BadInputFile

FILE = "decisions.jsonl"
DecisionKind = Literal["accept", "answer", "correct", "declare"]
Subject = Literal["prohibition", "question", "step"]


class Anchor(Model):
    """The words that a decision is about.

    Args:
        text: the words; they are looked for without regard to white space.
        before, after: some words around them, which tell them from the same words elsewhere.
        block: the address of their block when it was decided; it may have moved since.
    """

    doc_id: str
    text: str
    before: str = ""
    after: str = ""
    block: str | None = None

    def fits(self, doc_id: str, text: str) -> bool:
        """Whether words of a document are those that the decision is about."""
        return doc_id == self.doc_id and plain(text) == plain(self.text)


class Decision(Model):
    """One decision.

    Args:
        kind: `accept` leaves something as it is; `answer`, `correct` and `declare` carry a `value`.
        subject: what is decided on: a prohibition that nothing enforces, a question, a step that no Node Type fits.
        author: who decided.
        time: when, ISO 8601 with its offset from UTC.
        reason: why.
    """

    kind: DecisionKind
    subject: Subject
    anchor: Anchor
    author: str
    time: str
    reason: str
    value: JsonValue = None


def plain(text: str) -> str:
    """Words without white space, which differs between versions of a document.

    >>> plain(" a b\\n c")
    'abc'
    """
    return "".join(text.split())


def read_decisions(text: str, name: str) -> tuple[Decision, ...]:
    """The decisions of a file's text.

    Raises:
        BadInputFile: a line is no decision; the message says which and what is wrong.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(Decision.model_validate_json(line))
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in fault["loc"]) or "the line"
            message = f"{name}, line {number}: {where}: {fault['msg']}; mend the line or take it out"
            raise BadInputFile(message) from None
    return tuple(found)


def decision_line(decision: Decision) -> str:
    """A decision as a line of the file."""
    return json.dumps(decision.to_json(), ensure_ascii=False, sort_keys=True) + "\n"


def accepted(decisions: Iterable[Decision], subject: Subject, doc_id: str, text: str) -> Decision | None:
    """The decision that accepts something as it is, by its words; None where nobody does."""
    own = [one for one in decisions if one.subject == subject and one.anchor.fits(doc_id, text)]
    return own[-1] if own and own[-1].kind == "accept" else None
