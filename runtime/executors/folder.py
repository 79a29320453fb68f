"""Files of a folder that executors write: once a key, whole or not at all, and nowhere else.

No part of a name is a link, and none leads upwards: each folder on the way is opened by itself, links refused. What is
written is on disk before it is told. Which key wrote which document stands in a file of the folder, `.written.jsonl`.
"""

import errno
import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, cast

from pydantic import AfterValidator, JsonValue

from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.lines import FLAGS, added, line_of, locked, put
from runtime.executors.texts import Text, TextSetting, value_of
from store.clock import now

LEDGER, LONGEST = ".written.jsonl", 200


def _name(name: str) -> str:
    for part in name.split("/"):
        if not part or part.startswith(".") or "\\" in part or "\0" in part:
            raise ValueError("a name lies in the folder: no part of it is empty, begins with a dot or has a backslash")
    if re.search(r"[{}]", Text(name).safe_substitute(dict.fromkeys(Text(name).get_identifiers(), ""))):
        raise ValueError("write inputs as {{input}}")
    return name


NameSetting = Annotated[TextSetting, AfterValidator(_name)]


def name_of(name: str, call: Call) -> str:
    """The name of a file, each input in it cleaned of what is no letter, digit, dot, `-` or `_`.

    Raises:
        ExecutorFault: an input leaves nothing, or the name is too long.
    """
    values = {}
    for one in Text(name).get_identifiers():
        value = unicodedata.normalize("NFC", value_of(one, call.inputs))
        values[one] = re.sub(r"[^\w.-]+", "_", value).strip("._")
        if not values[one]:
            raise ExecutorFault("BAD_INPUT", f"{one} is {value!r}, which is no name of a file", made=False)
    found = Text(name).substitute(values)
    if any(len(part.encode()) > LONGEST for part in found.split("/")):
        raise ExecutorFault("BAD_INPUT", f"{found[:50]}…: a name of more than {LONGEST} bytes", made=False)
    return found


def append_once(root: Path, name: str, record: Mapping[str, JsonValue], seconds: float) -> dict[str, Any]:
    """The line that a file has for the key of a record; it is added where there is none.

    Args:
        record: with `key`.
        seconds: to wait for others who write there.

    Raises:
        ExecutorFault: it cannot be written, or lies outside of the folder.
    """
    with _inside(root, name) as (folder, last), locked(folder, last, seconds) as file:
        return added(file, record)


def write_once(root: Path, name: str, key: str, content: bytes, seconds: float) -> dict[str, Any]:
    """What is known of the document that a key wrote; it is written where there is none.

    Raises:
        ExecutorFault: it cannot be written, lies outside of the folder, or the name has another document.
    """
    with _inside(root, LEDGER) as (top, ledger), locked(top, ledger, seconds) as file:
        known = line_of(file, key)
        if known is not None:
            return known
        with _inside(root, name) as (folder, last):
            _place(folder, last, name, content)
        digest = hashlib.sha256(content).hexdigest()
        return added(file, {"key": key, "path": name, "sha256": digest, "at": now()})


@contextmanager
def _inside(root: Path, name: str) -> Iterator[tuple[int, str]]:
    """The open folder in which a file lies, and the file's own name."""
    *parts, last = name.split("/")
    opened: list[int] = []
    try:
        root.mkdir(parents=True, exist_ok=True)
        opened.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for part in parts:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=opened[-1])
                os.fsync(opened[-1])
            opened.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | FLAGS, dir_fd=opened[-1]))
        yield opened[-1], last
    except OSError as error:
        raise _refused(name, error) from error
    finally:
        for one in opened:
            os.close(one)


def _refused(name: str, error: OSError) -> ExecutorFault:
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return ExecutorFault("OUTSIDE_FOLDER", f"{name}: a part of it is a link or no folder", made=False)
    return ExecutorFault("NOT_WRITTEN", f"{name}: {error.strerror or error}", passing=True, made=False)


def _place(folder: int, last: str, name: str, content: bytes) -> None:
    """A document under a name that has none, or has the same one."""
    part = f".{last}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | FLAGS
    try:
        with os.fdopen(os.open(part, flags, 0o640, dir_fd=folder), "wb", buffering=0) as file:
            put(cast("BinaryIO", file), 0, content)
        os.link(part, last, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        with os.fdopen(os.open(last, os.O_RDONLY | os.O_NONBLOCK | FLAGS, dir_fd=folder), "rb") as there:
            if there.read() != content:
                message = f"{name} is there already with another content; a name with more inputs tells them apart"
                raise ExecutorFault("FILE_EXISTS", message, made=False) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        os.fsync(folder)
