"""Files of lines of JSON: one line a key, added at the end, on disk before it is told."""

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from pydantic import JsonValue

from ir.base import canonical_json
from runtime.executors.contract import ExecutorFault

FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def locked(folder: int, name: str, seconds: float) -> Iterator[BinaryIO]:
    """A file of lines that nobody else writes meanwhile.

    Args:
        folder: an open one.
        seconds: to wait for others.

    Raises:
        OSError: it cannot be opened, is a link, or others do not end.
        ExecutorFault: it is no plain file.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | FLAGS
    with os.fdopen(os.open(name, flags, 0o640, dir_fd=folder), "r+b", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ExecutorFault("OUTSIDE_FOLDER", f"{name} is no plain file", made=False)
        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        os.fsync(folder)
        yield cast("BinaryIO", file)


def line_of(file: BinaryIO, key: str) -> dict[str, Any] | None:
    """The line of a key."""
    file.seek(0)
    sought = json.dumps(key, ensure_ascii=False).encode()
    for line in file.read().splitlines():
        record = _record(line) if sought in line else None
        if record is not None and record.get("key") == key:
            return record
    return None


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def added(file: BinaryIO, record: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The line of a record's key, added at the end where there is none; half a line that a crash left is cut off."""
    known = line_of(file, str(record["key"]))
    if known is not None:
        return known
    file.seek(0)
    content = file.read()
    begun = content[content.rfind(b"\n") + 1 :]
    size = len(content) if _record(begun) is not None else len(content) - len(begun)
    line = (b"\n" if size == len(content) and begun else b"") + canonical_json(dict(record)).encode() + b"\n"
    try:
        file.truncate(size)
        put(file, size, line)
    except OSError as error:
        made = None if _remains(file, size) else False
        raise ExecutorFault("NOT_WRITTEN", error.strerror or str(error), passing=True, made=made) from error
    return dict(record)


def _remains(file: BinaryIO, size: int) -> bool:
    """Whether something of a line that could not be written cannot be taken back."""
    try:
        file.truncate(size)
    except OSError:
        return True
    return False


def put(file: BinaryIO, at: int, content: bytes) -> None:
    """Write all of it, to the disk."""
    file.seek(at)
    while content:
        content = content[file.write(content) :]
    os.fsync(file.fileno())
