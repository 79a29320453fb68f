"""A build's folder appears whole, and what a person changed or put there stays."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import compiler.build.beside
from compiler.build.beside import folder_beside, try_folder
from compiler.build.earlier import MANIFEST, Kept, digest, read_earlier
from compiler.build.files import OutputError
from compiler.build.making import FolderInMaking

ONE = {"a/x.workflow.json": "{1}", "b/y.json": "{2}", "summary.json": "{}"}
OTHER = {"a/x.workflow.json": "{3}", "c/z.json": "{4}", "summary.json": "{ }"}


def build(out: Path, files: dict[str, str], *, force: bool = False) -> list[Kept]:
    """Write a build of these files; gives what was kept."""
    with folder_beside(out) as made:
        folder = FolderInMaking(read_earlier(out, "summary.json"), made, force=force)
        for name, content in files.items():
            folder.write(name, content)
        folder.keep_the_rest("none")
        folder.finish("summary.json")
    assert not made.exists()
    return folder.kept


def standing(out: Path) -> dict[str, str]:
    """What stands in a folder, the manifest aside."""
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in files.items() if name != MANIFEST}


@pytest.fixture(params=["exchanged", "one by one", "inside"])
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the folder gets to its place."""
    if request.param == "one by one":
        monkeypatch.setattr(compiler.build.beside, "_exchanged", lambda made, out: False)
    if request.param == "inside":
        (tmp_path / "out").mkdir()
        monkeypatch.chdir(tmp_path / "out")
    return str(request.param)


def test_a_build_takes_the_place_of_another(tmp_path: Path, way: str) -> None:
    """The files of the new one are there, those of the earlier one are not, and the manifest tells them."""
    assert build(tmp_path / "out", ONE) == []
    assert build(tmp_path / "out", OTHER) == []
    assert standing(tmp_path / "out") == OTHER
    assert not (tmp_path / "out" / "b").exists()
    told = dict(line.split("  ")[::-1] for line in (tmp_path / "out" / MANIFEST).read_text().splitlines())
    assert told == {name: digest(content.encode()) for name, content in OTHER.items()}


def test_what_is_no_builds_stays(tmp_path: Path, way: str) -> None:
    """Files, links and folders of a person, also in a folder that the earlier build made and this one does not."""
    out = tmp_path / "out"
    build(out, ONE)
    for name in ("notes.txt", "b/notes.txt", "own/deep/notes.txt"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(name)
    (out / "own" / "link").symlink_to("nowhere")
    (out / "empty").mkdir()
    before = (out / "notes.txt").stat().st_ino
    assert build(out, OTHER) == []
    assert standing(out) == OTHER | {n: n for n in ("notes.txt", "b/notes.txt", "own/deep/notes.txt")}
    assert (out / "own" / "link").readlink() == Path("nowhere")
    assert (out / "empty").is_dir()
    assert (out / "notes.txt").stat().st_ino == before


def test_what_a_person_changed_is_kept_until_forced(tmp_path: Path, way: str) -> None:
    """The new draft stands beside it, again and again; taken over by hand or by force, it is the build's."""
    out = tmp_path / "out"
    build(out, ONE)
    (out / "a" / "x.workflow.json").write_text("mine")
    kept = [Kept("a/x.workflow.json", "a/x.workflow.new.json")]
    for _ in range(2):
        assert build(out, OTHER) == kept
        assert standing(out) == OTHER | {"a/x.workflow.json": "mine", "a/x.workflow.new.json": "{3}"}
    (out / "a" / "x.workflow.new.json").replace(out / "a" / "x.workflow.json")
    assert build(out, ONE) == []
    assert standing(out) == ONE
    (out / "a" / "x.workflow.json").write_text("mine")
    assert build(out, OTHER, force=True) == []
    assert standing(out) == OTHER


def test_a_changed_file_that_is_no_longer_made_is_kept_and_told(tmp_path: Path, way: str) -> None:
    """Each build says so, until it is away or one is forced."""
    out = tmp_path / "out"
    build(out, ONE)
    (out / "b" / "y.json").write_text("mine")
    for _ in range(2):
        assert build(out, OTHER) == [Kept("b/y.json", None)]
        assert standing(out) == OTHER | {"b/y.json": "mine"}
    assert build(out, OTHER, force=True) == []
    assert standing(out) == OTHER


def test_the_draft_beside_a_changed_file_may_be_changed_too(tmp_path: Path) -> None:
    """Both are kept."""
    out = tmp_path / "out"
    build(out, ONE)
    (out / "a" / "x.workflow.json").write_text("mine")
    build(out, OTHER)
    (out / "a" / "x.workflow.new.json").write_text("mine too")
    build(out, ONE)
    files = standing(out)
    assert [files[f"a/x.workflow{n}.json"] for n in ("", ".new", ".new.new")] == ["mine", "mine too", "{1}"]


def test_what_stood_there_before_the_first_build_is_kept(tmp_path: Path) -> None:
    """No build made it; the same content is no matter."""
    (tmp_path / "out" / "b").mkdir(parents=True)
    (tmp_path / "out" / "b" / "y.json").write_text("mine")
    (tmp_path / "out" / "summary.json").write_text("{}")
    assert build(tmp_path / "out", ONE) == [Kept("b/y.json", "b/y.new.json")]


def test_a_file_where_a_folder_is_needed_is_named(tmp_path: Path) -> None:
    """Nothing is written, and the message says what is in the way."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("mine")
    with pytest.raises(OutputError, match=r"out/a stands where the build has a folder"):
        build(tmp_path / "out", ONE)
    assert standing(tmp_path / "out") == {"a": "mine"}


@pytest.mark.parametrize("call", ["fsync", "mkdir"])
def test_a_full_disk_leaves_the_earlier_build(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whichever call there is no room: nothing has changed, and nothing is left lying about."""
    out = tmp_path / "out"
    build(out, ONE)
    (out / "notes.txt").write_text("mine")
    before = standing(out)
    failed = 0
    out_is_there = 1 if call == "mkdir" else 0  # a folder that is there need not be made
    for nth in range(1 + out_is_there, 50):
        monkeypatch.setattr(os, call, failing(getattr(os, call), nth))
        try:
            build(out, OTHER)
        except OutputError as error:
            failed += "No space left" in str(error)
        else:
            break
        finally:
            monkeypatch.undo()
        assert standing(out) == before
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert standing(out) == OTHER | {"notes.txt": "mine"}
    assert failed > 2


def failing(really: Callable[..., object], nth: int) -> Callable[..., object]:
    """A call that finds the disk full the nth time."""
    calls = iter(range(1, 1000))

    def call(*args: object, **kwargs: object) -> object:
        if next(calls) == nth:
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(*args, **kwargs)

    return call


def test_what_a_killed_process_left_is_taken_away(tmp_path: Path) -> None:
    """Not what another process holds that is at work beside this one."""
    (tmp_path / ".flowc-killed.part").mkdir()
    (tmp_path / ".flowc-killed.part" / "half").write_text("")
    with folder_beside(tmp_path / "other") as held:
        build(tmp_path / "out", ONE)
        assert sorted(path.name for path in tmp_path.iterdir()) == [held.name, "out"]


def test_a_place_is_tried_without_leaving_anything(tmp_path: Path) -> None:
    """Folders above it that were made for the trial go again; a place that cannot be is said."""
    try_folder(tmp_path / "a" / "b" / "out")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file/out"):
        try_folder(tmp_path / "file" / "out")
    with pytest.raises(OutputError, match="File name too long"):
        try_folder(tmp_path / ("x" * 300))


def test_the_folder_keeps_its_permissions(tmp_path: Path) -> None:
    """Those of the folder and of its files; new ones have those of any new file."""
    out = tmp_path / "out"
    build(out, ONE)
    (tmp_path / "any").mkdir()
    assert out.stat().st_mode == (tmp_path / "any").stat().st_mode
    out.chmod(0o2750)
    (out / "a" / "x.workflow.json").chmod(0o640)
    build(out, OTHER)
    assert out.stat().st_mode & 0o7777 == 0o2750
    assert (out / "a" / "x.workflow.json").stat().st_mode & 0o7777 == 0o640
