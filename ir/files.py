"""Writing files that others read: whole or not at all, and one at a time."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: Path, permissions: int | None = None) -> Iterator[IO[bytes]]:
    """A new file that takes a path's place once all is written and on the disk; missing folders are made.

    Where what writes it fails, what stood there stays, and nothing is left beside it.

    Args:
        permissions: None for those of the file that is there, else those of new files.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if permissions is None:
            permissions = stat.S_IMODE(path.stat().st_mode) if path.exists() else file_permissions(0o666)
        Path(temporary).chmod(permissions)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part; see `replacing`.

    Args:
        content: text is written as UTF-8 with line feeds as they stand.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    with replacing(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def lock(handle: int) -> None:
    """Wait until nobody else holds a file or folder, and hold it until the handle is closed.

    Where neither the system nor the file system has locks nothing is held.
    """
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, so that files in it are changed by one at a time; see `lock`.

    Raises:
        OSError: there is no such folder, or it cannot be read.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)


def file_permissions(wanted: int) -> int:
    """The permissions that a new file or folder is given; a temporary one is made with fewer."""
    mask = os.umask(0o077)
    os.umask(mask)
    return wanted & ~mask
