"""Drafts of a build folder as the commands name them, and what is open in them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.stopping import FINDINGS, Stop
from ir.decisions.anchor import plain

if TYPE_CHECKING:
    from review.draft import ReviewDraft
    from review.queue import Item


def draft_at(path: Path, decisions: Path | None = None) -> "ReviewDraft":
    """The draft of a NAME.workflow.json in a build folder.

    Args:
        decisions: another file of decisions than the one beside the documents.

    Raises:
        Stop: the file is no draft of a build.
    """
    from compiler.build.folder import SUMMARY
    from ir.codec import read_workflow
    from review.draft import open_draft

    workflow = read_workflow(path.read_bytes())[0] if path.is_file() else None
    root = next((up for up in path.resolve().parents if (up / SUMMARY).is_file()), None)
    if workflow is None or root is None:
        message = f"{path}: no draft of a build; name a NAME.workflow.json that `flowc compile` wrote"
        raise Stop(message, "bad-input-file")
    return open_draft(root, workflow.workflow_id, decisions)


def drafts_at(build: Path) -> "tuple[ReviewDraft, ...]":
    """Every draft of a build folder."""
    from review.draft import drafts_of, open_draft

    return tuple(open_draft(build, one) for one in drafts_of(build))


def open_items(draft: "ReviewDraft") -> "tuple[Item, ...]":
    """What keeps a draft from running by itself: prohibitions, weighty questions, unmapped steps, broken decisions."""
    from review.queue import Risk, queue, unsettled

    return tuple(one for one in unsettled(queue(draft)) if one.risk is not Risk.UNPLACED)


def named(items: "Sequence[Item]", what: str) -> "tuple[Item, ...]":
    """The items that are meant by a key, an id or words."""
    exact = tuple(one for one in items if what in (one.key, one.id))
    if exact or len(plain(what)) < 2:
        return exact
    return tuple(one for one in items if any(plain(what) in plain(words) for words, _ in one.words))


def one_named(items: "Sequence[Item]", what: str, where: Path) -> "Item":
    """The one item that is meant.

    Raises:
        Stop: none is, or several are.
    """
    found = named(items, what)
    if len(found) == 1:
        return found[0]
    fault = "is nothing of the draft" if not found else f"is in {len(found)} things"
    listed = "".join(f"\n{one.key}: {one.title}" for one in found[:20])
    raise Stop(f"“{what}” {fault}; `flowc review queue {where}` lists them{listed}", "unknown-words", FINDINGS)
