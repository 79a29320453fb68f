"""Writing files that others read: whole or not at all."""

import os
import stat
import tempfile
from pathlib import Path

from ir.errors import CompilerError


class OutputError(CompilerError):
    """A file or folder of the build cannot be written."""

    code = "output-failed"


def output_failed(path: Path, error: OSError) -> OutputError:
    """What is said where the system does not let a file or folder be written."""
    return OutputError(
        f"cannot write {path}: {error.strerror or error}; make the folder {path.parent} writable, free disk space, "
        "or name another folder for the output"
    )


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part; missing folders are made.

    A file that is there keeps its permissions.

    Args:
        content: text is written as UTF-8 with line feeds as they stand.

    Raises:
        OutputError: the folder or the file cannot be written; the message says what to do.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else file_permissions(0o666))
        Path(temporary).replace(path)
    except OSError as error:
        raise output_failed(path, error) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_new(path: Path, data: bytes, permissions: int | None = None) -> None:
    """Write a file that nobody reads yet, and have it on the disk; missing folders are made.

    Args:
        permissions: None for those of new files.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if permissions is not None:
        path.chmod(permissions)


def file_permissions(wanted: int) -> int:
    """The permissions that a new file or folder is given; a temporary one is made with fewer."""
    mask = os.umask(0o077)
    os.umask(mask)
    return wanted & ~mask
