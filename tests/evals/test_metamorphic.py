"""Changes of words that drafts must follow, and how what became of them is judged."""

from pathlib import Path

import pytest

from compiler.parsers import parse
from evals.metamorphic import RESULTS, Change, Result, Said, changed, compiled, drawn, result, tried
from ir.verdict import StatementFate
from tests.effort import drawn as sampled

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
NOTHING = Said(frozenset(), frozenset(), (), (), 0, forbids=False, unplaced=False)


@pytest.mark.xdist_group("metamorphic")
def test_drafts_follow_their_words_or_ask() -> None:
    """Each number, negation, class and role that is changed changes the draft, or is asked about."""
    found = [(change, tried(change, document, drafts)) for change, document, drafts in drawn(CASES, sampled(12, 40), 0)]
    assert [change for change, told in found if told not in ("changed", "asked")] == []
    assert {change.kind for change, _ in found} == {"number", "negation", "class", "role"}


def change(kind: str, old: str, new: str) -> Change:
    """A change of a sentence."""
    said = StatementFate(block="p1", start=0, end=40, text="…", fate="carried")
    return Change("c", kind, "p1", 4, 4 + len(old), old, new, said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "before", "after", "told"),
    [
        (change("number", "5", "10"), {"values": {("5", "5 t")}}, {"values": {("10", "10 t")}}, "changed"),
        (change("number", "5", "10"), {"values": {("5", "5 t")}}, {"values": {("5", "10 t")}}, "silent"),
        (change("number", "5", "10"), {"values": {("5", "5 t")}}, {"texts": ("10 t",)}, "silent"),
        (change("number", "5", "10"), {}, {"texts": ("obtain 10 quotes",)}, "changed"),
        (change("number", "5", "10"), {}, {"asked": ("“10 t”: what?",)}, "asked"),
        (change("number", "5", "10"), {}, {"unplaced": True}, "listed"),
        (change("negation", "不得", "可以"), {"forbids": True, "refused": 1}, {"refused": 1}, "silent"),
        (change("negation", "不得", "可以"), {"forbids": True, "refused": 1}, {}, "changed"),
        (change("role", "clerk", "guard"), {"people": {"clerk"}}, {"people": {"clerk"}}, "silent"),
        (change("role", "clerk", "guard"), {"people": {"clerk"}}, {"people": {"Guard"}}, "changed"),
    ],
)
def test_what_became_of_a_change(made: Change, before: dict, after: dict, told: Result) -> None:  # type: ignore[type-arg]
    """The same value under the new words is silence, however often the words stand there."""

    def said(parts: dict) -> Said:  # type: ignore[type-arg]
        sets = {key: frozenset(value) if isinstance(value, set) else value for key, value in parts.items()}
        return Said(**{**NOTHING.__dict__, **sets})

    assert result(made, said(before), said(after)) == told
    assert told in RESULTS


def test_a_change_is_made_in_its_place() -> None:
    """And nowhere else."""
    document = parse(b"# Rules\n\nThe clerk pays 5 euros and 5 cents.\n\nThe guard looks on.\n", "r.md").document
    assert document is not None
    block = next(one for one in document.blocks if "5 euros" in one.text)
    said = StatementFate(block=block.address, start=0, end=len(block.text), text=block.text, fate="carried")
    made = Change("c", "number", block.address, 15, 16, "5", "10", said)
    texts = [one.text for one in changed(document, made).blocks]
    assert "The clerk pays 10 euros and 5 cents." in texts and "The guard looks on." in texts
    assert compiled(document)
