"""What is open in a draft, and what became of each statement, for people and programs."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import JsonValue

from flowc.review import OpenItem
from flowc.terminal import clean, one_line, paint, print_line, table
from flowc.views.findings import plural
from ir.verdict import FATES, SET_ASIDE, StatementFate

_TITLES = {
    "prohibition": "prohibitions that nothing enforces",
    "question": "weighty questions",
    "step": "steps that no Node Type fits",
}


def print_items(items: Sequence[OpenItem], statements: Sequence[StatementFate]) -> None:
    """What is open, by what it is; then the texts that demand something and have no place."""
    for subject, title in _TITLES.items():
        own = [one for one in items if one.subject == subject]
        if own:
            print_line(paint(f"{title} ({len(own)}):", "bold"))
        for one in own:
            print_line(f"  {one.id}: {clean(one_line(one.question or one.quotes[0][0]))}")
    unplaced = [one for one in statements if one.fate == "unplaced"]
    if unplaced:
        print_line(paint(f"texts without a place ({len(unplaced)}):", "bold"))
    for text in unplaced:
        reason = f" ({clean(text.reason)})" if text.reason else ""
        print_line(f"  {text.block}: {clean(one_line(text.text))}{reason}")
    count = len(items) + len(unplaced)
    print_line(f"{plural(count, 'thing')} open" if count else "nothing open")


def print_statements(statements: Sequence[StatementFate]) -> None:
    """Each statement with what became of it, and how many there are of each kind."""
    rows = [
        [one.block, _fate(one), clean(one_line(one.text)), " ".join(one.by) or one.reason or ""] for one in statements
    ]
    table(["place", "fate", "words", "by"], rows, wrapped=["words", "by"])
    kinds = [one.fate for one in statements]
    counted = [f"{kinds.count(fate)} {fate}" for fate in FATES if fate in kinds]
    aside = sum(kind in SET_ASIDE for kind in kinds)
    print_line(f"{plural(len(kinds), 'statement')}: {', '.join(counted)}; {aside} of them demand nothing")


def items_json(items: Sequence[OpenItem], statements: Sequence[StatementFate]) -> list[JsonValue]:
    """The same for programs; texts without a place have the subject `text`."""
    unplaced = (one.to_json() for one in statements if one.fate == "unplaced")
    return [*(asdict(one) for one in items), *({"subject": "text", **one} for one in unplaced)]


def _fate(one: StatementFate) -> str:
    return f"{one.fate}, forbidden: {one.prohibition}" if one.prohibition else one.fate
