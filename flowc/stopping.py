"""How a command that cannot go on says so: one block on stderr, and an exit status."""

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flowc import terminal
from ir.errors import CompilerError

if TYPE_CHECKING:
    from compiler.build.configuration import Configuration

FINDINGS, WORDS, ENVIRONMENT = 1, 2, 3
"""Exit statuses: what was read has faults; the command's words are off; the environment failed."""
TRACEBACK = "FLOWC_TRACEBACK"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Stop(CompilerError):  # noqa: N818 - it is what it does to the command
    """A command cannot go on, for a reason that only the command line knows.

    Args:
        message: what is wrong and what to do about it.
        code: kebab-case name of the fault.
        exit_status: `WORDS` or `ENVIRONMENT`.
    """

    def __init__(self, message: str, code: str, exit_status: int = WORDS) -> None:
        super().__init__(message)
        self.code, self.exit_status = code, exit_status


def report(error: Exception) -> int:
    """Say on stderr what went wrong and what to do next; returns the exit status."""
    if os.environ.get(TRACEBACK) not in (None, "", "0"):
        traceback.print_exception(error)
    if isinstance(error, CompilerError):
        return _block(error.code, str(error.args[0] if error.args else error), error.exit_status)
    if isinstance(error, OSError) and error.filename is not None:
        advice = "free disk space" if error.errno in _FULL else "check the path and its permissions"
        return _block("environment", f"{error.filename}: {error.strerror}; {advice}", ENVIRONMENT)
    if isinstance(error, OSError) and error.errno in _FULL:
        return _block("environment", f"the output cannot be written: {error.strerror}; free disk space", ENVIRONMENT)
    if isinstance(error, MemoryError):
        return _block("environment", "not enough memory; compile fewer documents at once", ENVIRONMENT)
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    advice = "this is a bug of flowc; please report it with the command, its input"
    trace = "and the trace above" if os.environ.get(TRACEBACK) else f"and the trace that {TRACEBACK}=1 prints"
    return _block("internal-error", f"{message}\n{advice} {trace}", ENVIRONMENT)


def _block(code: str, message: str, exit_status: int) -> int:
    head, *rest = message.split("\n")
    sys.stdout.flush()
    sys.stderr.write(terminal.paint(f"error[{code}]", "red", sys.stderr) + f": {terminal.clean(head)}\n")
    for line in rest:
        sys.stderr.write(f"  {terminal.clean(line)}\n")
    return exit_status


@contextmanager
def setup_faults(configuration: "Configuration") -> Iterator[None]:
    """Turn what is wrong with catalog, primers or embedder into a `Stop`.

    Faults of a catalog or of primers that somebody named are the command's; else the installation is broken.
    """
    from catalog.embedders.errors import EmbedderError
    from catalog.errors import CatalogError
    from primers.load import PrimerError

    try:
        yield
    except CatalogError as error:
        raise _unusable(str(error), error.code, named=configuration.is_set("catalog")) from error
    except PrimerError as error:
        message = "\n".join(["the primers cannot be used:", *(str(fault) for fault in error.faults)])
        raise _unusable(message, error.code, named=configuration.is_set("primers")) from error
    except EmbedderError as error:
        raise Stop(str(error), "embedder-failed", ENVIRONMENT) from error


def _unusable(message: str, code: str, *, named: bool) -> Stop:
    if named:
        return Stop(message, code, WORDS)
    return Stop(f"{message}\nthese files come with flowc; install it again", code, ENVIRONMENT)


@contextmanager
def ended_by_signal() -> Iterator[None]:
    """Let the signals that ask the process to end do so by way of what is to be cleared away.

    Elsewhere they end it at once, whatever it is at; processes that it started end with it.
    """
    before: dict[int, Any] = {}

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, end) for number in (getattr(signal, name) for name in names)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def existing_path(path: Path) -> Path:
    """The path, which must exist.

    Raises:
        MissingPath: it does not; the message names what was probably meant.
    """
    from ir.errors import MissingPath
    from validator.suggest import nearest

    if path.exists():
        return path
    if path.is_symlink():
        raise MissingPath(f"{path}: this link leads nowhere: there is no {path.readlink()}")
    parent, name = path.parent, path.name
    while not parent.is_dir() and parent != parent.parent:
        parent, name = parent.parent, parent.name
    siblings = [entry.name for entry in parent.iterdir()] if parent.is_dir() else []
    near = nearest(name, siblings)
    hint = f'; did you mean "{parent / near}"?' if near else f'; there is no "{name}" in {parent.resolve()}'
    raise MissingPath(f"{path}: there is no such file or folder{hint}")
