"""Files are written whole, under names that any system can hold."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.build.files import OutputError, write_whole
from compiler.text.names import safe_name


def test_writes_text_and_bytes(tmp_path: Path) -> None:
    """Missing folders are made, text is UTF-8, nothing else is left in the folder."""
    write_whole(tmp_path / "甲" / "乙.txt", "危险\n")
    write_whole(tmp_path / "甲" / "乙.txt", b"\x00\xff")
    assert (tmp_path / "甲" / "乙.txt").read_bytes() == b"\x00\xff"
    assert [path.name for path in (tmp_path / "甲").iterdir()] == ["乙.txt"]


def test_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while writing costs neither the old content nor a stray file."""
    target = tmp_path / "a.txt"
    target.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"No space left.*name another folder.*\[output-failed\]"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    """Where a folder should be stands a file: the message says which path."""
    (tmp_path / "a").write_text("")
    with pytest.raises(OutputError, match="a/b"):
        write_whole(tmp_path / "a" / "b", "x")


def test_permissions_are_those_of_new_files(tmp_path: Path) -> None:
    """Others may read a file of the build as they may any other new file."""
    write_whole(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@given(st.text(max_size=300))
def test_names_are_safe(text: str) -> None:
    """No dots, separators or control characters, never empty, never too long, and the same again."""
    name = safe_name(text)
    assert name
    assert len(name.encode()) <= 121
    assert not set(name) & set('/\\.:*?"<>|\x00\n\t ')
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("危险品运输管理制度（2026年）", "危险品运输管理制度(2026年)"),
        ("..", "unnamed"),
        ("a/../b", "a-b"),
        ("nul", "nul_"),
        ("LPT1", "LPT1_"),
    ],
)
def test_names_of_known_texts(text: str, name: str) -> None:
    """Chinese stays, paths become flat, reserved names are avoided."""
    assert safe_name(text) == name
