"""A folder that appears whole: made beside the one that stands, and put in its place in one step.

Where the system cannot exchange two folders in one step (Windows; a folder that is a mount point, that holds one, or
in which somebody works), the files are moved in one by one, the record of them last.
"""

import ctypes
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from compiler.build.files import OutputError, output_failed, write_new
from ir.files import file_permissions, held

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX, _SUFFIX = ".flowc-", ".part"
_HERE = -100  # AT_FDCWD: paths are meant as they stand
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


@contextmanager
def folder_beside(out: Path) -> Iterator[Path]:
    """An empty folder on the disk of `out`; it is taken away in the end, with whatever is in it then.

    What an earlier process left of such folders, when it was ended, is taken away first.

    Args:
        out: a real path, without links. Folders above it that are missing are made; they stay where `out` does.

    Raises:
        OutputError: no folder can be made there.
    """
    missing = [folder for folder in out.parents if not folder.exists()]
    with ExitStack() as done:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            done.callback(_remove_empty, missing)
            home = out.parent if _can_take_its_place(out) else out
            with held(home):
                _remove_left_behind(home)
                made = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX, dir=home))
                done.callback(shutil.rmtree, made, ignore_errors=True)
                done.enter_context(held(made))
            _like(out, made)
        except OSError as error:
            raise output_failed(out, error) from error
        yield made


def take_its_place(made: Path, out: Path, last: str) -> None:
    """Put a folder that is whole in the place of another, if there is one.

    Args:
        made: afterwards what stood at `out`, or nothing.
        last: the file that is moved when all others are, where they are moved one by one.

    Raises:
        OutputError: it cannot be done; what was there still is.
    """
    try:
        _sync_folders(made)
        if not out.exists():
            made.rename(out)
        elif made.parent == out or not _exchanged(made, out):
            _move_files(made, out, last)
    except OSError as error:
        raise output_failed(out, error) from error
    with suppress(OSError):  # the folder is there, perhaps not yet on the disk
        _sync(out.parent)


def keep(entries: Iterable[str], out: Path, made: Path) -> None:
    """Have entries of a folder, and all below them, in the one that takes its place as well.

    Args:
        entries: paths below `out`, folders before what is in them.

    Raises:
        OutputError: a file stands where the other has a folder, or cannot be kept.
    """
    for name in entries:
        source, target = out / name, made / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir() and not source.is_symlink():
                if not target.is_dir():
                    target.mkdir()
                    shutil.copystat(source, target)
            elif source.is_symlink():
                target.symlink_to(source.readlink())
            else:
                try:
                    target.hardlink_to(source)
                except FileExistsError:
                    raise
                except OSError:  # a file system without hard links
                    shutil.copy2(source, target)
        except FileExistsError as error:
            raise OutputError(
                f"{source} stands where the build has a {'folder' if target.is_dir() else 'file'}; move it away, "
                "or name another folder for the output"
            ) from error
        except OSError as error:
            raise output_failed(source, error) from error


def _like(out: Path, made: Path) -> None:
    """Give a folder the permissions and the owner of the one that it will stand for."""
    if not out.exists():
        made.chmod(file_permissions(0o777))
        return
    shutil.copystat(out, made)
    was = out.stat()
    with suppress(OSError, AttributeError):  # another's folder; Windows
        os.chown(made, was.st_uid, was.st_gid)
        made.chmod(was.st_mode & 0o7777)


def _can_take_its_place(out: Path) -> bool:
    """Whether a folder beside `out` could be exchanged with it."""
    if not out.exists():
        return True
    if out == out.parent or Path.cwd().is_relative_to(out) or not os.access(out.parent, os.W_OK | os.X_OK):
        return False
    device = out.parent.stat().st_dev
    return all(folder.stat().st_dev == device for folder in (out, *_folders(out)))


def _folders(folder: Path) -> Iterator[Path]:
    """The folders below one, links aside."""
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            found = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        yield from found
        waiting += found


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    if os.name != "posix":
        return False
    libc = ctypes.CDLL(None)
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin":
        return bool(libc.renamex_np(*names, ctypes.c_uint(_EXCHANGE)) == 0)
    if not hasattr(libc, "renameat2"):
        return False
    return bool(libc.renameat2(_HERE, names[0], _HERE, names[1], ctypes.c_uint(_EXCHANGE)) == 0)


def _move_files(made: Path, out: Path, last: str) -> None:
    files = [path.relative_to(made) for path in made.rglob("*") if path.is_symlink() or not path.is_dir()]
    for file in sorted(files, key=lambda one: one.as_posix() == last):
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (made / file).replace(out / file)


def _sync_folders(made: Path) -> None:
    """Have the names of all files on the disk, so that they are there before the folder is."""
    for folder in (made, *_folders(made)):
        _sync(folder)


def _sync(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that writes folders when it likes
            raise
    finally:
        os.close(handle)


def _remove_left_behind(home: Path) -> None:
    """Take away the folders that no process holds any more."""
    if fcntl is None:
        return
    for folder in home.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders, innermost first, until one has something in it."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def try_folder(out: Path) -> None:
    """Find out whether a folder can be written, or made, by writing there.

    Raises:
        OutputError: it cannot.
    """
    place = out.resolve()
    with folder_beside(place) as made:
        try:
            write_new(made / "trial", b"flowc")
            if not place.exists():
                made.rename(place)
                shutil.rmtree(place)
        except OSError as error:
            raise output_failed(out, error) from error
