"""The vector cache: it saves the model's work, and never harms."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.embedders.cache import VectorCache, user_cache
from catalog.embedders.normal import unit_rows


class Counting:
    """An embedder that remembers what it was asked."""

    def __init__(self, model_id: str = "counting", dimensions: int = 3) -> None:
        self.model_id, self.dimensions = model_id, dimensions
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows that differ by the text's length."""
        self.asked += texts
        return unit_rows([[len(text) + 1.0] + [1.0] * (self.dimensions - 1) for text in texts], texts)


def test_known_texts_need_no_model(tmp_path: Path) -> None:
    """The second time nothing is embedded; a new text alone is; order and repeats of the texts are kept."""
    first, second = Counting(), Counting()
    made = VectorCache(tmp_path).vectors(first, ["a", "bbb", "a"])
    assert first.asked == ["a", "bbb"]
    kept = VectorCache(tmp_path).vectors(second, ["bbb", "a", "cc"])
    assert second.asked == ["cc"]
    assert np.array_equal(kept[:2], made[[1, 0]])


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    """Another model id asks the model, even where the ids look alike in a file name."""
    VectorCache(tmp_path).vectors(Counting("org/model"), ["a"])
    other = Counting("org:model")
    VectorCache(tmp_path).vectors(other, ["a"])
    assert other.asked == ["a"]


def test_model_that_changed_under_its_name(tmp_path: Path) -> None:
    """Rows of another length are all made anew."""
    VectorCache(tmp_path).vectors(Counting(), ["a", "bb"])
    changed = Counting(dimensions=5)
    assert VectorCache(tmp_path).vectors(changed, ["a", "cc"]).shape == (2, 5)
    assert set(changed.asked) == {"a", "cc"}


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no archive at all"])
def test_damaged_file_costs_only_time(tmp_path: Path, content: bytes) -> None:
    """A cut or foreign file is made anew."""
    VectorCache(tmp_path).vectors(Counting(), ["a"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert VectorCache(tmp_path).vectors(Counting(), ["a"]).shape == (1, 3)
    again = Counting()
    VectorCache(tmp_path).vectors(again, ["a"])
    assert again.asked == []


def test_truncated_file_costs_only_time(tmp_path: Path) -> None:
    """A file cut at any place is made anew, never read in part."""
    VectorCache(tmp_path).vectors(Counting(), ["a", "bb", "ccc"])
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for length in range(0, len(whole), 97):
        file.write_bytes(whole[:length])
        assert VectorCache(tmp_path).vectors(Counting(), ["a"]).shape == (1, 3)


def test_unwritable_folder_costs_only_time(tmp_path: Path) -> None:
    """Where no folder can be made, the vectors come all the same and nothing is left behind."""
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    assert VectorCache(blocker / "vectors").vectors(Counting(), ["a"]).shape == (1, 3)
    assert VectorCache(None).vectors(Counting(), ["a"]).shape == (1, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while writing neither breaks the cache nor leaves a draft."""
    VectorCache(tmp_path).vectors(Counting(), ["a"])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(np, "savez", full)
    VectorCache(tmp_path).vectors(Counting(), ["bb"])
    monkeypatch.undo()
    again = Counting()
    VectorCache(tmp_path).vectors(again, ["a"])
    assert again.asked == []
    assert len(list(tmp_path.iterdir())) == 1


def test_user_cache_follows_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`XDG_CACHE_HOME` is used where it is absolute, else `~/.cache`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    user_cache().vectors(Counting(), ["a"])
    assert (tmp_path / "xdg/flowc/vectors").is_dir()
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    user_cache().vectors(Counting(), ["a"])
    assert (tmp_path / "home/.cache/flowc/vectors").is_dir()
    assert not (Path(os.curdir) / "relative").exists()
