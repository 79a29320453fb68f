"""Files are written whole or not at all, whatever writes them."""

from pathlib import Path

import pytest

from ir.files import replacing, write_whole


def test_what_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    """Neither a part of the new content nor a file beside it."""
    target = tmp_path / "a.txt"
    write_whole(target, "old")
    with pytest.raises(RuntimeError, match="half way"), replacing(target) as file:
        file.write(b"ne")
        raise RuntimeError("half way")
    assert target.read_text() == "old" and [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_permissions_are_those_that_are_asked_for(tmp_path: Path) -> None:
    """What holds a secret is for its owner alone; else a file that is there keeps its own."""
    target = tmp_path / "key"
    with replacing(target, 0o600) as file:
        file.write(b"secret")
    assert target.stat().st_mode & 0o777 == 0o600
    target.chmod(0o640)
    write_whole(target, "another")
    assert target.stat().st_mode & 0o777 == 0o640
