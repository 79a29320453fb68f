"""Recorded answers of a capable model, replayed without a network: the blessed draft."""

import json
import socket
from pathlib import Path

import pytest
from conftest import Flowc

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
BLESSED = sorted(CASES.glob("*/blessed/*.workflow.json"))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No connection can be made, no answer is cached, and there is no key."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "FLOWC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("blessed", BLESSED, ids=lambda path: path.parts[-3])
def test_the_blessed_draft_is_made_again(blessed: Path, flowc: Flowc, tmp_path: Path) -> None:
    """Byte for byte, twice."""
    case = blessed.parents[1]
    for name in ("once", "twice"):
        told = flowc("compile", case / "documents", "-o", tmp_path / name, "--replay", case / "replies", "--json")
        assert told.status == 0, told.err
        (draft,) = (tmp_path / name).rglob(blessed.name)
        assert draft.read_bytes() == blessed.read_bytes()
        assert json.loads(draft.read_text("utf-8"))["provenance"]["mode"] == "model"


def test_one_is_blessed() -> None:
    """The first case."""
    assert [path.parts[-3] for path in BLESSED] == ["hazmat-transport"]
