"""A disk that is full from the nth write on, as far as a process can tell; see `evals.faults`."""

import _pyio  # type: ignore[import-not-found]
import builtins
import errno
import io
import os
import runpy
import shutil
import stat
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.parsers.worker import WORKER
from evals.kills import Standing, standing
from evals.stub_reader import write_policies

_MAKING = ("mkdir", "link", "symlink", "rename", "replace", "truncate", "ftruncate", "fsync")


@dataclass(frozen=True)
class Filled:
    """What a build came to whose disk was full from the nth write on.

    Args:
        reached: whether there was an nth write.
        beside: what stands beside the build's folder.
        said: the end of what the command said.
    """

    nth: int
    reached: bool
    status: int
    standing: Standing
    beside: tuple[str, ...]
    said: str

    @property
    def holds(self) -> bool:
        """Whether all is as it should be: the earlier build and status 3, or the new one where there was room."""
        told = self.said.startswith("error[") and "internal-error" not in self.said
        right = self.standing == "earlier" and self.status == 3 and told
        return not self.beside and (right or (self.standing == "new" and self.status == 0))


def fill_disk(documents: int, writes: Sequence[int], work: Path) -> list[Filled]:
    """Compile policies where an earlier build stands, once for each number of writes for which there is room.

    Each build is made in a copy of this process, so that loading what it needs is paid for once.

    Args:
        writes: from which write on the disk is full. What makes a file or folder, or puts it on the disk, is a write.
        work: an empty folder for policies and builds.
    """
    write_policies(work / "before", documents)
    write_policies(work / "policies", documents + 2)
    compile_documents([work / "before"], Settings(embedder="lexical"))  # loads what any build loads
    WORKER.end()  # a copy of this process has none
    out = work / "place" / "out"
    for name, policies in (("earlier", "before"), ("new", "policies")):
        status, _ = _in_copy(_command(work, policies), work / "said", None)
        assert status == 0, (work / "said").read_text("utf-8")
        out.rename(work / name)
    return [_filled(nth, work) for nth in writes]


def _filled(nth: int, work: Path) -> Filled:
    out = work / "place" / "out"
    if not out.exists() or standing(out, work / "earlier", work / "new") != "earlier":
        shutil.rmtree(work / "place", ignore_errors=True)
        shutil.copytree(work / "earlier", out)
    status, reached = _in_copy(_command(work, "policies"), work / "said", nth)
    beside = tuple(path.name for path in out.parent.iterdir() if path != out)
    said = (work / "said").read_text("utf-8")
    return Filled(nth, reached, status, standing(out, work / "earlier", work / "new"), beside, said)


def _command(work: Path, policies: str) -> list[str]:
    out = work / "place" / "out"
    return ["compile", str(work / policies), "-o", str(out), "--offline", "--embedder", "lexical", "-q", "-j", "1"]


def _in_copy(command: list[str], said: Path, nth: int | None) -> tuple[int, bool]:
    """Run the command `flowc` in a copy of this process; its status, and whether the disk was full for it."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _run(command, said, nth, tell)
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        reached = bool(pipe.read())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), reached


def _run(command: list[str], said: Path, nth: int | None, tell: int) -> NoReturn:
    """Run the command, and end this process with its status."""
    status = 70
    try:
        heard = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(heard, stream)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(stream, "w")) for stream in (1, 2))
        os.environ["XDG_CACHE_HOME"] = str(said.with_name("cache"))
        sys.argv = ["flowc", *command]
        if nth is not None:
            _fill_from(nth, tell)
        runpy.run_module("flowc", run_name="__main__")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - whatever it is, the copy ends here
        traceback.print_exc()
    finally:
        WORKER.end()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _fill_from(nth: int, tell: int) -> None:
    """Let this process find the disk full from the nth write on; the first time, a byte goes to `tell`."""
    done = 0
    write, really_open = os.write, os.open

    def count() -> None:
        nonlocal done
        done += 1
        if done == nth:
            write(tell, b"x")
        if done >= nth:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write_some(file: int, data: bytes) -> int:
        if stat.S_ISREG(os.fstat(file).st_mode) and file > sys.stderr.fileno():
            try:
                count()
            except OSError:
                write(file, data[: len(data) // 2])  # a part finds room
                raise
        return write(file, data)

    def open_some(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if flags & os.O_CREAT and not os.path.lexists(path):
            count()
        return really_open(path, flags, *args, **kwargs)

    def counted(really: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            count()
            return really(*args, **kwargs)

        return call

    for name in _MAKING:
        setattr(os, name, counted(getattr(os, name)))
    for name, call in (("write", write_some), ("open", open_some)):
        setattr(os, name, call)
    builtins.open = io.open = _pyio.open  # files of which write by way of os.write
