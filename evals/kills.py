"""Whether a build whose process was ended goes on where it was: what was answered is not asked for again."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.chat_stub import Answer, Stub, serving
from evals.stub_reader import answer_to, write_policies

_PATIENCE = 120.0
_SETTLED = 10.0  # seconds for an answer that was sent to be kept


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
