"""Where the words of decisions are in a later version of their document."""

import pytest

from compiler.decisions.anchoring import Anchoring
from compiler.parsers import parse
from ir.document import Document

WAS = """# Rules

The clerk files the order. The manager approves orders above 5000 EUR within 3 days.

The guard must not open the gate at night.

The cook sets the table.
"""


def document(text: str) -> Document:
    """The text as a document."""
    read = parse(text.encode(), "rules.md").document
    assert read is not None
    return read


def state_of(words: str, now: str) -> str:
    """What becomes of words when the text is another one."""
    before = document(WAS)
    block = next(one for one in before.blocks if words in one.text)
    start = block.text.index(words)
    anchor = Anchoring(before).anchor(before.span(block.address, start, start + len(words)))
    return Anchoring(document(now)).find(anchor).state


MANAGER, GUARD, COOK = "The manager approves orders", "The guard must not open the gate", "The cook sets the table"


@pytest.mark.parametrize(
    ("words", "was", "now", "state"),
    [
        (MANAGER, "", "", "unchanged"),
        (MANAGER, "# Rules\n", "# Rules\n\nThe porter sweeps.\n", "unchanged"),
        (MANAGER, "within 3 days", "within three days", "unchanged"),
        (MANAGER, "5000 EUR", "8000 EUR", "drifted"),
        (MANAGER, "above 5000", "up to 5000", "drifted"),
        (MANAGER, "The manager approves", "The manager may approve", "drifted"),
        (MANAGER, "The clerk files the order.", "The clerk destroys the order.", "unchanged"),
        (GUARD, "must not open", "must open", "drifted"),
        (GUARD, "at night", "during the night shift", "drifted"),
        (COOK, "The cook sets the table.\n", "", "orphaned"),
        (COOK, "The cook sets the table.\n", "\nAll windows are closed.\n\n\nThe cook sets the table.\n", "unchanged"),
    ],
)
def test_words_are_what_they_were_or_not(words: str, was: str, now: str, state: str) -> None:
    """By what they and their duty say, not by likeness."""
    assert state_of(words, WAS.replace(was, now) if was else WAS) == state


def test_a_paragraph_elsewhere_is_moved() -> None:
    """Both its neighbours are others."""
    lines = WAS.strip().split("\n\n")
    assert state_of(GUARD, "\n\n".join([lines[0], lines[2], lines[1], lines[3]])) == "moved"


def test_the_same_words_in_another_duty_are_not_those() -> None:
    """Where the sentence that they stood in is gone."""
    now = WAS.replace("The cook sets the table.", "Whenever a guest arrives late, the cook sets the table again.")
    assert state_of("cook sets the table", now) == "drifted"


def test_several_equal_places_are_told_apart_by_what_stands_around() -> None:
    """Where nothing does, nothing is chosen."""
    twice = document("The porter sweeps. The porter sweeps.\n")
    span = twice.span(twice.blocks[0].address, 19, 36)
    anchor = Anchoring(twice).anchor(span)
    found = Anchoring(twice).find(anchor)
    assert (found.state, found.span) == ("unchanged", span)
    bare = anchor.model_copy(update={"before": "", "after": "", "above": None, "below": None, "block": None})
    assert Anchoring(twice).find(bare).several
