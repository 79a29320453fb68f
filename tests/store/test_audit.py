"""The audit: whatever is changed in it is found, by the chain or by its signed heads."""

from pathlib import Path
from random import Random

import pytest

from evals.crashes.tampering import TAMPERINGS, UNSEEN
from store import audit
from store.workspace import Workspace, make_workspace

EVENTS = 20


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One with twenty events, a head over the first twelve."""
    found = make_workspace(tmp_path)
    with found.database.transaction() as connection:
        for number in range(EVENTS):
            audit.append(connection, "noted", "wen", {"number": number, "of": "危化品"}, f"e{number % 3}")
            if number == 11:
                assert audit.write_head(connection, found.key, found.heads, least=1)
    return found


def faults(workspace: Workspace) -> list[audit.Fault]:
    """What verification finds."""
    with workspace.database.transaction() as connection:
        return audit.verify(connection, workspace.heads.read_text("utf-8"), workspace.key.public)


def test_what_was_not_touched_is_whole(workspace: Workspace) -> None:
    """Events in their order, of all or of one execution."""
    assert faults(workspace) == []
    with workspace.database.transaction() as connection:
        assert [one.body["number"] for one in audit.events(connection)] == [*range(EVENTS)]
        assert [one.body["number"] for one in audit.events(connection, "e1")] == [*range(1, EVENTS, 3)]


@pytest.mark.parametrize("how", TAMPERINGS)
@pytest.mark.parametrize("at", [1, 6, 12, 13, EVENTS - 1])
def test_tampering_is_found(workspace: Workspace, how: str, at: int) -> None:
    """Changed, removed, exchanged, cut off, made anew: each is found, made anew where a head covers it."""
    with workspace.database.transaction() as connection:
        TAMPERINGS[how](connection, at, Random(at))
    assert bool(faults(workspace)) is (at <= 12 or how not in UNSEEN)


def test_heads_are_signed(workspace: Workspace) -> None:
    """Neither a head that somebody else wrote nor a line that is none passes."""
    text = workspace.heads.read_text("utf-8")
    workspace.heads.write_text(text.replace('"count":12', '"count":13'), "utf-8")
    assert "not signed by this workspace" in faults(workspace)[0].message
    workspace.heads.write_text(text + "lost\n", "utf-8")
    assert "line 2 of the heads is no head" in faults(workspace)[0].message
    workspace.heads.write_text("lost\n" + text, "utf-8")
    assert [one.code for one in faults(workspace)] == ["no-head"]


@pytest.mark.parametrize("left", [1, 40, 150])
def test_a_torn_last_head_is_told_and_the_next_one_takes_its_place(workspace: Workspace, left: int) -> None:
    """By a code with what to do; the heads before it count, and a chain made anew still shows against them."""
    whole = workspace.heads.read_text("utf-8")
    with workspace.database.transaction() as connection:
        assert audit.write_head(connection, workspace.key, workspace.heads, least=1)
    torn = workspace.heads.read_text("utf-8")[: len(whole) + left]
    workspace.heads.write_text(torn, "utf-8")
    (fault,) = faults(workspace)
    assert fault.code == "torn-head" and "line 2" in fault.message and "`flowc audit head`" in fault.message
    with workspace.database.transaction() as connection:
        assert audit.write_head(connection, workspace.key, workspace.heads, least=1)
    assert workspace.heads.read_text("utf-8").startswith(whole) and faults(workspace) == []
    assert len(workspace.heads.read_text("utf-8").splitlines()) == 2
    with workspace.database.transaction() as connection:
        TAMPERINGS["changed, chain made anew"](connection, 6, Random(6))
    assert {one.code for one in faults(workspace)} == {"chain-made-anew"}


def test_a_head_without_the_end_of_its_line_is_one(workspace: Workspace) -> None:
    """As in a copy that was pasted: it counts, and is kept when the next one is written."""
    text = workspace.heads.read_text("utf-8")
    workspace.heads.write_text(text.removesuffix("\n"), "utf-8")
    assert faults(workspace) == []
    with workspace.database.transaction() as connection:
        assert audit.write_head(connection, workspace.key, workspace.heads, least=1)
    assert workspace.heads.read_text("utf-8").startswith(text) and faults(workspace) == []
    workspace.heads.write_text(text.replace('"count":12', '"count":13').removesuffix("\n"), "utf-8")
    assert [one.code for one in faults(workspace)] == ["head-unsigned"]


def test_a_head_comes_after_enough_events(workspace: Workspace) -> None:
    """Not one for each event."""
    with workspace.transaction() as connection:
        for _ in range(audit.EVERY - (EVENTS - 12) - 1):
            audit.append(connection, "noted", "wen", {})
    assert len(workspace.heads.read_text("utf-8").splitlines()) == 1
    with workspace.transaction() as connection:
        audit.append(connection, "noted", "wen", {})
    assert len(workspace.heads.read_text("utf-8").splitlines()) == 2
    assert faults(workspace) == []


def test_heads_of_a_long_file_are_counted_from_its_end(workspace: Workspace) -> None:
    """Each head still stands for so many events when there are more of them than are read at once."""
    for _ in range(40):
        with workspace.transaction() as connection:
            audit.extend(connection, [audit.Note("noted", "wen", {"at": n}) for n in range(audit.EVERY)])
    heads = workspace.heads.read_text("utf-8")
    assert len(heads) > 2 * audit.LONGEST
    assert len(heads.splitlines()) == 1 + 40
    assert faults(workspace) == []
