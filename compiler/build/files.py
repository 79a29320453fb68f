"""Writing files that others read: whole or not at all."""

import os
import stat
import tempfile
from pathlib import Path

from ir.errors import CompilerError


class OutputError(CompilerError):
    """A file or folder of the build cannot be written."""

    code = "output-failed"


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
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror or error}; make the folder {path.parent} writable, free disk space, "
            "or name another folder for the output"
        ) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    """The permissions that new files are not given; a temporary file is made with fewer than a file should have."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
