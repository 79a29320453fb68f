"""What a person decided about a draft, tied to words of the document so that it outlives the next compilation.

Decisions stand one a line in `decisions.jsonl`; lines are only added, an undo is one too. The file is the truth, and of
two that speak of the same the later one counts.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import ValidationError, model_validator

from ir.base import Model
from ir.decisions.anchor import Anchor, Mark, Subject, plain
from ir.decisions.operation import Operation
from ir.errors import BadInputFile

FILE = "decisions.jsonl"
DecisionKind = Literal["accept", "reject", "answer", "correct", "declare", "comment", "undo"]
RULING: tuple[DecisionKind, ...] = ("accept", "reject", "answer", "declare")
"""Kinds of which the last says what holds of an element; corrections and comments stand beside each other."""


class Decision(Model):
    """One decision.

    Args:
        kind: `accept` leaves something as it is; `reject` says that it is wrong; `answer` and `correct` carry a
            `value`; `declare` says that a statement is no duty; `comment` changes nothing; `undo` takes another back.
        subject: what is decided on.
        anchor: its words; None for what rests on none.
        author: who decided.
        time: when, ISO 8601 with its offset from UTC.
        reason: why.
        value: of an answer its words, of a correction the operation.
        id: unique; a line that was written without one has the beginning of its digest.
        doc_id: the document that the draft was drawn from; where it is not said, that of the anchor.
        element: the id that it had in its procedure or workflow.
        name: what it was called.
        procedure: the id of the procedure that it was in.
        seen: digest of the element as the author saw it.
        undoes: the id of the decision that an undo takes back.
        settles: ids of the decisions of two readers that differed, and that it settles.
    """

    kind: DecisionKind
    subject: Subject
    anchor: Anchor | None = None
    author: str
    time: str
    reason: str
    value: Operation | str | None = None
    id: str = ""
    doc_id: str | None = None
    element: str | None = None
    name: str = ""
    procedure: str | None = None
    seen: str | None = None
    undoes: str | None = None
    settles: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """By id: what stands in `value` may be a list, which has no hash of its own."""
        return hash(self.id)

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> "Decision":
        if (self.kind == "correct") != (self.value is not None and not isinstance(self.value, str)):
            raise ValueError("an operation stands in `value` of a correction, and there alone")
        if (self.kind == "answer") != isinstance(self.value, str):
            raise ValueError("the words of an answer stand in `value` of an answer, and there alone")
        if (self.kind == "undo") != (self.undoes is not None):
            raise ValueError("`undoes` names the decision that an undo takes back, and stands there alone")
        return self

    @property
    def mark(self) -> Mark:
        """What is decided on; without an id where it was decided on words alone."""
        return Mark(kind=self.subject, id=self.element or "", name=self.name, anchor=self.anchor)

    @property
    def document(self) -> str | None:
        """The id of the document that it concerns."""
        return self.doc_id or (self.anchor.doc_id if self.anchor else None)

    def is_about(self, other: "Decision") -> bool:
        """Whether two decisions are about the same element."""
        if self.subject != other.subject or self.procedure != other.procedure:
            return False
        if self.element is not None and other.element is not None:
            return self.element == other.element
        return (
            self.anchor is not None
            and other.anchor is not None
            and other.anchor.fits(self.anchor.doc_id, self.anchor.text)
        )


def read_decisions(text: str, name: str) -> tuple[Decision, ...]:
    """The decisions of a file's text.

    Raises:
        BadInputFile: a line is no decision; the message says which and what is wrong.
    """
    found: list[Decision] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            read = Decision.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in fault["loc"]) or "the line"
            message = f"{name}, line {number}: {where}: {fault['msg']}; mend the line or take it out"
            raise BadInputFile(message) from None
        found.append(read if read.id else read.model_copy(update={"id": line_id(line)}))
    return tuple(found)


def line_id(line: str) -> str:
    """The id of a decision that was written without one."""
    return hashlib.sha256(line.strip().encode()).hexdigest()[:16]


def decision_line(decision: Decision) -> str:
    """A decision as a line of the file."""
    return json.dumps(decision.to_json() | _operation(decision), ensure_ascii=False, sort_keys=True) + "\n"


def _operation(decision: Decision) -> dict[str, object]:
    """The operation with the word that says which it is, which is a default of its form."""
    if decision.value is None or isinstance(decision.value, str):
        return {}
    return {"value": {"do": decision.value.do, **decision.value.to_json()}}


def in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """The decisions that nobody took back, in their order; an undo may be undone."""
    listed = tuple(decisions)
    gone = taken_back(listed)
    return tuple(one for one in listed if one.kind != "undo" and one.id not in gone)


def taken_back(decisions: Sequence[Decision]) -> frozenset[str]:
    """The ids of the decisions that somebody took back, undos among them."""
    gone: set[str] = set()
    for one in reversed(decisions):
        if one.kind == "undo" and one.id not in gone and one.undoes is not None:
            gone.add(one.undoes)
    return frozenset(gone)


def accepted(decisions: Iterable[Decision], subject: Subject, doc_id: str, text: str) -> Decision | None:
    """The decision that leaves something as it is or answers it, by its words; None where nobody does."""
    own = [one for one in decisions if one.subject == subject and one.anchor and one.anchor.fits(doc_id, text)]
    ruling = [one for one in own if one.kind in RULING]
    return ruling[-1] if ruling and ruling[-1].kind in ("accept", "answer") else None


def declared(decisions: Iterable[Decision], doc_id: str, block: str, text: str) -> Decision | None:
    """The decision that says of words of a block that they are no duty, alone or with others; None where none does."""
    words = plain(text)
    own = [
        one
        for one in decisions
        if one.kind in RULING
        and one.anchor
        and (one.anchor.doc_id, one.anchor.block) == (doc_id, block)
        and one.subject in ("statement", "prohibition", "text")
        and words in plain(one.anchor.text)
    ]
    return own[-1] if own and own[-1].kind == "declare" else None
