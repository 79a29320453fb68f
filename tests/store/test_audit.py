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
