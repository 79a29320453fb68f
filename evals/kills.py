"""Whether a build whose process is ended leaves nothing behind: no process, no half of a build, nothing asked twice.

`resume_after_kill` ends one that asks a model and begins it again: what was answered is not asked for again.
`end_builds` ends builds at moments drawn at random: the earlier build stands there whole, or the new one.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from compiler.build.earlier import MANIFEST
from evals.chat_stub import Answer, Stub, serving
from evals.stub_reader import answer_to, write_policies

_PATIENCE = 120.0
_SETTLED = 10.0  # seconds for an answer that was sent to be kept
_MARK = "EVALS_BUILD"  # environment variable by which the processes of a build are found, wherever they belong by now
Standing = Literal["earlier", "new", "broken"]


@dataclass
class HaltingEndpoint:
    """Answers after a time; after so many answers it lets the others wait, and breaks off with them in the end.

    Args:
        most: answers before it halts.
    """

    latency: float
    most: int
    _begun: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    ended: threading.Event = field(default_factory=threading.Event)

    def __call__(self, body: dict[str, Any], number: int) -> Answer:
        """What becomes of a request."""
        with self._lock:
            self._begun += 1
            halted = self._begun > self.most and not self.ended.is_set()
        time.sleep(self.latency)
        if halted:
            self.ended.wait(_PATIENCE)
            return Answer(cut=True)
        return answer_to(body)


@dataclass(frozen=True)
class Resumed:
    """What a build came to that was begun again.

    Args:
        answered: requests whose answers had been sent when the process was ended.
        asked_again: of these, those that came again.
        same: whether its drafts and findings are those of a build that was left alone.
    """

    answered: int
    asked_again: int
    same: bool

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return self.answered > 0 and self.asked_again == 0 and self.same


def resume_after_kill(documents: int, latency: float, concurrency: int, work: Path) -> Resumed:
    """Compile policies in a process that is ended with SIGKILL halfway, and then once more.

    Other requests are under way when it is ended; an answer counts as had when it was kept, or had ten seconds to be.

    Args:
        work: an empty folder for policies, caches and builds.
    """
    write_policies(work / "policies", documents)
    halting = HaltingEndpoint(latency, documents + 1)  # of two for each, and the trial of the mode
    with serving(halting) as stub:
        command, options = _command(work, stub, "cache", "out", concurrency)
        with subprocess.Popen(command, **options) as process:  # noqa: S603 - our own command
            _wait_for(stub, halting.most, work / "cache")
            process.kill()
        before = [json.dumps(body) for body in stub.answered]
        come = len(stub.requests)
        halting.ended.set()
        _run(work, stub, "cache", "out", concurrency)
        again = {json.dumps(body) for body in stub.requests[come:]}
        _run(work, stub, "other-cache", "whole", concurrency)
    same = _made(work / "out") == _made(work / "whole") and len(_made(work / "whole")) >= documents
    return Resumed(len(before), sum(body in again for body in before), same)


def _wait_for(stub: Stub, answers: int, cache: Path) -> None:
    """Wait for the answers to be sent, and a while for them to be kept."""
    limit = time.monotonic() + _PATIENCE
    while len(stub.answered) < answers and time.monotonic() < limit:
        time.sleep(0.01)
    limit = time.monotonic() + _SETTLED
    kept = cache / "flowc" / "answers"
    while len(list(kept.glob("*.json"))) < answers - 1 and time.monotonic() < limit:
        time.sleep(0.01)


def _run(work: Path, stub: Stub, cache: str, out: str, concurrency: int) -> None:
    command, options = _command(work, stub, cache, out, concurrency)
    subprocess.run(command, check=True, **options)  # noqa: S603 - our own command


def _command(work: Path, stub: Stub, cache: str, out: str, concurrency: int) -> tuple[list[str], dict[str, Any]]:
    words = ["compile", str(work / "policies"), "-o", str(work / out), "--model", "stub", "--base-url", stub.url]
    words += ["--embedder", "lexical", "--jobs", str(concurrency), "--quiet"]
    environment = os.environ | {"XDG_CACHE_HOME": str(work / cache), "OPENAI_API_KEY": "none"}
    return [sys.executable, "-m", "flowc", *words], {"env": environment, "stdout": subprocess.DEVNULL}


def _made(build: Path) -> dict[str, bytes]:
    """Drafts, procedures and findings, by path."""
    return {
        file.relative_to(build).as_posix(): file.read_bytes()
        for kind in ("*.workflow.json", "procedures.json", "*.diagnostics.json")
        for file in build.rglob(kind)
    }


# --- ended at any moment ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ended:
    """What a build left that was ended.

    Args:
        moment: seconds after its start, or after it began to write (`writing`).
        standing: which build is in the folder; `broken` where it is neither, or has a part of another.
        left: commands of processes that were still there when the time for that was over.
        held: its output was still open then.
        seconds: until the last process had ended.
    """

    signal: str
    moment: float
    writing: bool
    standing: Standing
    left: tuple[str, ...]
    held: bool
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return self.standing != "broken" and not self.left and not self.held


@dataclass(frozen=True)
class EndedBuilds:
    """What builds left that were ended.

    Args:
        resumed: whether the same command, begun again, made the new build and left nothing beside it.
    """

    ended: tuple[Ended, ...]
    resumed: bool

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return self.resumed and all(one.holds for one in self.ended)


def end_builds(
    documents: int, moments: int, jobs: int, seed: int, work: Path, *, signals: Sequence[str], patience: float = 5.0
) -> EndedBuilds:
    """End builds at moments drawn at random, each with each of the signals; every other moment is while it writes.

    Args:
        work: an empty folder for policies and builds.
        signals: names; SIGINT goes to all processes of the terminal, as Ctrl-C does, others to the command alone.
        patience: seconds after which no process may be left.
    """
    write_policies(work / "before", documents)
    write_policies(work / "policies", documents + 2)
    out = work / "place" / "out"
    _compile(work, "before", out, jobs).wait()
    out.rename(work / "earlier")
    begun = time.monotonic()
    _compile(work, "policies", out, jobs).wait()
    whole = time.monotonic() - begun
    out.rename(work / "new")
    rng = random.Random(seed)  # noqa: S311 - no secret
    draws = [(name, bool(number % 2), rng.random()) for number in range(moments) for name in signals]
    ended = tuple(_end(work, jobs, name, writing, luck, whole, patience) for name, writing, luck in draws)
    _put(work, "earlier")
    _compile(work, "policies", out, jobs).wait()
    beside = [path.name for path in out.parent.iterdir()]
    return EndedBuilds(ended, _standing(work) == "new" and beside == ["out"])


def _end(work: Path, jobs: int, name: str, writing: bool, luck: float, whole: float, patience: float) -> Ended:
    """Begin a build where the earlier one stands, end it, and look at what is left."""
    out = work / "place" / "out"
    if not out.exists() or _standing(work) != "earlier":
        _put(work, "earlier")
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    process = _compile(work, "policies", out, jobs, mark)
    drain = threading.Thread(target=_drain, args=(process,), daemon=True)
    drain.start()
    moment = luck * (_WRITING if writing else whole)
    if writing:
        _wait_until_it_writes(out, process)
    time.sleep(moment)
    begun = time.monotonic()
    with contextlib.suppress(ProcessLookupError):
        number = getattr(signal, name)
        (os.killpg if name == "SIGINT" else os.kill)(process.pid, number)
    process.wait()
    while (left := _processes(mark)) and time.monotonic() < begun + patience:
        time.sleep(0.02)
    seconds = time.monotonic() - begun
    drain.join(max(0.0, begun + patience - time.monotonic()))
    for found in left:
        os.kill(found, signal.SIGKILL)
    return Ended(name, moment, writing, _standing(work), tuple(left.values()), drain.is_alive(), seconds)


_WRITING = 0.6  # seconds, about, from the first file to the last process of a build of a dozen documents


def _compile(work: Path, policies: str, out: Path, jobs: int, mark: str = "") -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "flowc", "compile", str(work / policies), "-o", str(out), "--offline"]
    command += ["--embedder", "lexical", "--jobs", str(jobs)]
    return subprocess.Popen(  # noqa: S603 - our own command
        command,
        env=os.environ | {_MARK: mark, "XDG_CACHE_HOME": str(work / "cache")},
        stdout=subprocess.PIPE if mark else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_heed_interrupts,
    )


def _heed_interrupts() -> None:
    """What a shell starts in the background ignores SIGINT, and so would its builds."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _drain(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    with process.stdout as pipe:
        pipe.read()


def _wait_until_it_writes(out: Path, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError):  # one that was there is away
            if any(out.parent.glob(".flowc-*/*/*")):
                return
        time.sleep(0.002)


def _processes(mark: str) -> dict[int, str]:
    """The processes of a build and their commands."""
    wanted = f"{_MARK}={mark}".encode()
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def _put(work: Path, build: str) -> None:
    shutil.rmtree(work / "place" / "out", ignore_errors=True)
    shutil.copytree(work / build, work / "place" / "out")


def _standing(work: Path) -> Standing:
    """Which build stands in the place."""
    return standing(work / "place" / "out", work / "earlier", work / "new")


def standing(out: Path, earlier: Path, new: Path) -> Standing:
    """Which of two builds stands in a folder, whole and nothing else; of the new one some files have other times."""
    if not out.is_dir() or dict(_hashes(out)) != _told(out):
        return "broken"
    if _told(out) == _told(earlier):
        return "earlier"
    return "new" if _told(out).keys() == _told(new).keys() and _made(out) == _made(new) else "broken"


def _hashes(build: Path) -> Iterator[tuple[str, str]]:
    for file in build.rglob("*"):
        name = file.relative_to(build).as_posix()
        if name != MANIFEST and not file.is_dir():
            yield name, hashlib.sha256(file.read_bytes()).hexdigest()


def _told(build: Path) -> dict[str, str]:
    """The hash of each file, as the build's manifest has it."""
    file = build / MANIFEST
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {name: found for found, name in (line.split("  ", 1) for line in lines)}
