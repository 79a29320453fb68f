"""The file of decisions: lines are added under a lock, and are on the disk when that is said."""

import os
from collections.abc import Callable
from pathlib import Path

from compiler.build.files import output_failed
from ir.decisions.decision import Decision, decision_line, read_decisions
from ir.files import lock


def append(file: Path, made: tuple[Decision, ...], check: Callable[[tuple[Decision, ...]], None]) -> None:
    """Add decisions, all of them or none.

    Args:
        check: given what the file holds while nobody else writes; what it raises keeps everything as it is.

    Raises:
        OutputError: the file cannot be written.
        BadInputFile: a line of it is no decision.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise output_failed(file, error) from error
    try:
        lock(handle)
        text = file.read_bytes().decode("utf-8")
        check(read_decisions(text, str(file)))
        lines = "".join(map(decision_line, made))
        data = (lines if not text or text.endswith("\n") else f"\n{lines}").encode()
        size = os.fstat(handle).st_size
        try:
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, size)  # no half line stays
            raise output_failed(file, error) from error
    finally:
        os.close(handle)
