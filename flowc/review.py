"""What is open in a draft of a build folder, and decisions about it."""

import getpass
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from compiler.build.files import OutputError
from compiler.fates.verdict import is_weighty
from flowc.reading import decisions_in, workflow_name
from flowc.stopping import Stop
from ir.anchor import Anchor, Subject
from ir.codec import read_form, read_json, read_workflow
from ir.decision import FILE, Decision, accepted, decision_line
from ir.document import Document
from ir.verdict import StatementFate
from ir.workflow import Workflow

_AROUND = 40  # characters of the words before and after what is decided on


@dataclass(frozen=True)
class Reviewed:
    """A draft with what its build says of it.

    Args:
        decisions: the file in which decisions about its documents stand, or would.
        decided: those that its build went by.
    """

    workflow: Workflow
    document: Document
    statements: tuple[StatementFate, ...]
    decisions: Path | None
    decided: tuple[Decision, ...]


@dataclass(frozen=True)
class OpenItem:
    """Something that keeps a draft from running by itself.

    Args:
        id: of the gap; for a prohibition `BLOCK:START`.
        quotes: the words of the document, with the block of each.
        question: what is asked, where something is.
    """

    subject: Subject
    id: str
    quotes: tuple[tuple[str, str | None], ...]
    question: str | None = None

    def matches(self, what: str) -> bool:
        """Whether it is meant by an id or by words."""
        plain = "".join(what.split())
        return what == self.id or (len(plain) > 1 and any(plain in "".join(text.split()) for text, _ in self.quotes))

    @property
    def blocks(self) -> frozenset[str | None]:
        """Where its words stand."""
        return frozenset(block for _, block in self.quotes)


def read_reviewed(path: Path) -> Reviewed:
    """A draft of a build folder.

    Raises:
        Stop: the file is no draft of a build.
    """
    workflow = read_workflow(path.read_bytes())[0] if path.is_file() else None
    document = read_form(Document, _json(path.with_name("document.json")))[0]
    listed = _json(path.with_name(f"{workflow_name(path)}.statements.json"))
    if workflow is None or document is None or not isinstance(listed, list):
        message = f"{path}: no draft of a build; name a NAME.workflow.json that `flowc compile` wrote"
        raise Stop(message, "bad-input-file")
    statements = tuple(StatementFate.model_validate(each) for each in listed)
    root = next((up for up in path.resolve().parents if (up / "summary.json").is_file()), None)
    named = _json(root / "summary.json") if root else None
    where = named.get("decisions") if isinstance(named, dict) else None
    target = (root / str(where)).resolve() if root and where else None
    return Reviewed(workflow, document, statements, target, decisions_in(path.with_name(FILE)))


def open_items(reviewed: Reviewed) -> tuple[OpenItem, ...]:
    """Prohibitions that nothing enforces, weighty questions and unmapped steps, without those that were accepted."""
    return tuple(_items(reviewed))


def _items(reviewed: Reviewed) -> Iterator[OpenItem]:
    for one in reviewed.statements:
        if one.prohibition == "unenforced":
            yield OpenItem("prohibition", f"{one.block}:{one.start}", ((one.text, one.block),))
    for gap in reviewed.workflow.gaps:
        subject: Subject = "step" if gap.kind == "unmapped_step" else "question"
        quotes = [one for one in gap.evidence if one.doc_id == reviewed.document.doc_id]
        if (subject == "question" and not is_weighty(gap, reviewed.workflow)) or not quotes:
            continue
        if not all(accepted(reviewed.decided, subject, one.doc_id, one.quote) for one in quotes):
            yield OpenItem(subject, gap.id, tuple((one.quote, one.block) for one in quotes), gap.question)


def accept(
    reviewed: Reviewed, items: Sequence[OpenItem], reason: str, author: str | None, target: Path
) -> tuple[Decision, ...]:
    """Write down that things may stay as they are; gives the decisions, one for each of the words concerned.

    Raises:
        OutputError: the file cannot be written.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = tuple(
        Decision(
            kind="accept", subject=one.subject, anchor=_anchor(reviewed.document, text, block),
            author=author or getpass.getuser(), time=now, reason=reason,
        )
        for one in items
        for text, block in one.quotes
    )  # fmt: skip
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(map(decision_line, made))
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}; name another file with --decisions") from error
    return made


def _anchor(document: Document, quote: str, block: str | None) -> Anchor:
    text = document.text_at(block or "") or ""
    at = max(text.find(quote), 0)
    end = at + len(quote)
    before, after = text[max(0, at - _AROUND) : at], text[end : end + _AROUND]
    return Anchor(doc_id=document.doc_id, text=quote, before=before, after=after, block=block)


def _json(path: Path) -> JsonValue:
    try:
        return read_json(path.read_bytes())[0]
    except OSError:
        return None
