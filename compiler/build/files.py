"""Writing the files of a build; where that fails, what is said of it."""

import os
from pathlib import Path

from ir import files
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
    """Write a file of a build whole; see `ir.files.write_whole`.

    Raises:
        OutputError: the folder or the file cannot be written; the message says what to do.
    """
    try:
        files.write_whole(path, content)
    except OSError as error:
        raise output_failed(path, error) from error


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
