"""Decisions: looked at before they are taken, taken where nobody else took one meanwhile, and taken back."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ir.decisions.anchor import Mark
from ir.decisions.decision import RULING, Decision, DecisionKind, decision_line, in_force
from ir.decisions.operation import AnyOperation
from ir.diagnostics import Diagnostic
from ir.errors import BadInputFile
from review.draft import ReviewDraft, open_draft, with_lines
from review.errors import Conflict, Fault, Refused
from review.ledger import append
from review.queue import Item
from validator.diff import Difference, compare


@dataclass(frozen=True)
class Preview:
    """What a decision would come to.

    Args:
        faults: why it cannot be taken.
        draft: the draft that would be; None where none can be made.
        new, gone: findings that would come, and go.
        changes: what would change, by meaning; None where nothing would.
    """

    faults: tuple[Fault, ...]
    draft: ReviewDraft | None = None
    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()
    changes: Difference | None = None


def new_decision(
    draft: ReviewDraft,
    item: Item,
    kind: DecisionKind,
    *,
    author: str,
    reason: str,
    value: AnyOperation | str | None = None,
) -> Decision:
    """A decision on an item, anchored to its words; nothing is written."""
    mark = mark_of(draft, item)
    return Decision(
        kind=kind, subject=item.subject, anchor=mark.anchor, author=author, time=_now(), reason=reason, value=value,
        id=uuid.uuid4().hex, doc_id=draft.document.doc_id, element=item.id or None, name=item.title,
        procedure=draft.procedure.id, seen=item.seen or None,
    )  # fmt: skip


def mark_of(draft: ReviewDraft, item: Item) -> Mark:
    """How the element of an item is found again."""
    element = draft.elements.get((item.subject, item.id))
    if element is not None:
        return element.mark(draft.anchoring)
    if item.decision is not None and item.key.startswith("decision:"):
        return item.decision.mark
    for quote, block in item.words:
        text = draft.document.text_at(block or "") or ""
        start = _start(draft, item, quote, block)
        if block is not None and text[start : start + len(quote)] == quote:
            anchor = draft.anchoring.anchor(draft.document.span(block, start, start + len(quote)))
            return Mark(kind=item.subject, id=item.id, name=item.title, anchor=anchor)
    return Mark(kind=item.subject, id=item.id, name=item.title)


def preview(draft: ReviewDraft, decision: Decision) -> Preview:
    """What a decision would come to; nothing is written."""
    faults, after = _tried(draft, (decision,))
    if faults or after is None:
        return Preview(faults)
    known = {(one.error_code, one.message) for one in draft.diagnostics}
    now = {(one.error_code, one.message) for one in after.diagnostics}
    changed = draft.workflow != after.workflow
    return Preview(
        (), after,
        new=tuple(one for one in after.diagnostics if (one.error_code, one.message) not in known),
        gone=tuple(one for one in draft.diagnostics if (one.error_code, one.message) not in now),
        changes=compare(draft.workflow, after.workflow, draft.catalog) if changed else None,
    )  # fmt: skip


def decide(draft: ReviewDraft, decision: Decision, seen: int | None = None) -> ReviewDraft:
    """Take a decision; gives the draft that it comes to.

    Args:
        seen: revision of the draft that the author looked at; None for this one's.

    Raises:
        Conflict: somebody else decided about the same element since; nothing is written.
        Refused: it does not fit the draft; nothing is written.
        OutputError: the file cannot be written.
    """
    return decide_all(draft, (decision,), seen)


def decide_all(draft: ReviewDraft, decisions: Sequence[Decision], seen: int | None = None) -> ReviewDraft:
    """Take several decisions, all of them or none; each has a line of its own.

    Raises:
        Conflict, Refused, OutputError: as `decide`.
    """
    for one in decisions:
        if not one.reason.strip():
            raise Refused((Fault("reason", "no-reason", "a decision needs a reason; say why"),))
    if faults := _tried(draft, decisions)[0]:
        raise Refused(faults)
    since = draft.revision if seen is None else seen

    def check(listed: tuple[Decision, ...]) -> None:
        shown = [one for one in listed if draft.reader in (None, one.author)]
        for other in shown[since:]:
            if any(_clashes(other, one) for one in decisions):
                raise Conflict(other)

    append(draft.build.decisions, tuple(decisions), check)
    return _reopened(draft, draft.reader)


def undo(draft: ReviewDraft, author: str, reason: str = "taken back", which: str | None = None) -> ReviewDraft:
    """Take a decision back; the draft is as if it had not been taken, and both lines stay.

    Args:
        which: id of the decision; None for the author's last one in force on this draft.

    Raises:
        Refused: there is none.
        OutputError: the file cannot be written.
    """
    own = [one for one in in_force(draft.decisions) if one.procedure in (draft.procedure.id, None)]
    chosen = [one for one in own if (one.id == which if which else one.author == author)]
    if not chosen:
        missing = (
            f"there is no decision {which!r} in force" if which else f"{author} has decided nothing that is in force"
        )
        raise Refused((Fault("which", "nothing-to-undo", f"{missing}; `flowc review status` lists decisions"),))
    last = chosen[-1]
    made = Decision(
        kind="undo", subject=last.subject, anchor=last.anchor, author=author, time=_now(), reason=reason,
        id=uuid.uuid4().hex, doc_id=last.doc_id, element=last.element, name=last.name, procedure=last.procedure,
        undoes=last.id,
    )  # fmt: skip

    def check(listed: tuple[Decision, ...]) -> None:
        if last.id not in {one.id for one in in_force(listed)}:
            raise Conflict(next(one for one in reversed(listed) if one.undoes == last.id))

    append(draft.build.decisions, (made,), check)
    return _reopened(draft, draft.reader)


def new_settlement(
    kept: Sequence[Decision],
    lost: Sequence[Decision],
    withdrawn: Sequence[Decision],
    *,
    author: str,
    reason: str,
) -> tuple[Decision, ...]:
    """The decisions that settle a difference between two readers, each naming all that they decided.

    What is kept stands, and is ruled on anew, so that it is the last word.

    Args:
        withdrawn: what is taken back: what is lost, and what took back what is kept.
    """
    named, last, now = tuple(one.id for one in (*kept, *lost)), kept[-1], _now()
    undoing = [
        Decision(
            kind="undo", subject=one.subject, anchor=one.anchor, author=author, time=now, reason=reason,
            id=uuid.uuid4().hex, doc_id=one.doc_id, element=one.element, name=one.name, procedure=one.procedure,
            undoes=one.id, settles=named,
        )
        for one in withdrawn
    ]  # fmt: skip
    ruling: DecisionKind = "reject" if last.kind == "reject" else "accept"
    settled = Decision(
        kind=ruling, subject=last.subject, anchor=last.anchor, author=author, time=now, reason=reason,
        id=uuid.uuid4().hex, doc_id=last.doc_id, element=last.element, name=last.name, procedure=last.procedure,
        seen=last.seen, settles=named,
    )  # fmt: skip
    return (*undoing, settled)


def _tried(draft: ReviewDraft, decisions: Sequence[Decision]) -> tuple[tuple[Fault, ...], ReviewDraft | None]:
    """What keeps decisions from being taken, and else the draft that they come to.

    Where it has one reader's decisions alone, everybody is to have a draft with them too.
    """
    lines = "".join(map(decision_line, decisions))
    try:
        after = with_lines(draft, lines)
        if draft.reader is not None:
            with_lines(_reopened(draft, None), lines)
    except BadInputFile as error:
        return (Fault("", error.code, error.args[0]),), None
    new = {one.id for one in decisions}
    wrong = [one for one in after.fates if one.id in new and one.code is not None]
    return tuple(Fault(one.field or "", str(one.code), one.message or "") for one in wrong), after


def _reopened(draft: ReviewDraft, reader: str | None) -> ReviewDraft:
    """The draft as it stands now, for a reader who is not to see others' decisions, or with everybody's."""
    return open_draft(draft.folder, draft.workflow.workflow_id, draft.build.decisions, reader)


def _clashes(other: Decision, one: Decision) -> bool:
    """Whether a decision that came meanwhile rules on the same element."""
    return other.kind in (*RULING, "correct", "undo") and one.kind != "comment" and other.is_about(one)


def _start(draft: ReviewDraft, item: Item, quote: str, block: str | None) -> int:
    """Where a quote of an item begins: as its evidence says, a statement's as its id says."""
    place, _, start = item.id.rpartition(":")
    if place == block and start.isdecimal():
        return int(start)
    for gap in draft.workflow.gaps:
        for one in gap.evidence if gap.id == item.id else ():
            if (one.quote, one.block) == (quote, block) and one.start is not None:
                return one.start
    return max((draft.document.text_at(block or "") or "").find(quote), 0)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
