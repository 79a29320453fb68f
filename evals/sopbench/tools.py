"""Calls of the benchmark's tools, which run in a process of their own."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from pydantic import JsonValue

from catalog.importing.errors import MissingExtra
from ir.errors import BadInputFile
from ir.walk import Outcome

SECONDS = 20.0
LOADING = 60.0
RESULT = "result"
"""Under which a result that is no object is kept."""


class Tools:
    """The tools of a benchmark; a context, at whose end the process ends.

    The process has none of our environment, works in a folder of its own and has so many seconds for a call; then it is
    ended and begun anew. `random` is seeded for each call, so that a call gives the same whatever was called before.

    Raises:
        CompilerError: the tools cannot be loaded, or need a module that is not installed.
    """

    def __init__(self, file: Path, seconds: float = SECONDS) -> None:
        self._file, self._seconds = file.resolve(), seconds
        self._known: dict[str, Outcome] = {}
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> "Tools":
        self._home = tempfile.TemporaryDirectory(prefix="flowc-tools-")
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._home.cleanup()

    def call(self, tool: str, arguments: Mapping[str, JsonValue], seed: str) -> Outcome:
        """What a tool gives, or the code with which it fails: TOOL_FAILED, TOOL_TIMEOUT, NO_SUCH_TOOL."""
        asked = json.dumps({"tool": tool, "arguments": dict(arguments), "seed": f"{seed}:{tool}"}, sort_keys=True)
        if asked not in self._known:
            self._known[asked] = self._ask(asked)
        return self._known[asked]

    def required(self, tool: str) -> tuple[str, ...]:
        """The arguments without which the tool's function cannot be called; none where that cannot be told."""
        told = self._ask(json.dumps({"signature_of": tool})).output or {}
        names = told.get("required")
        return tuple(map(str, names)) if isinstance(names, list) else ()

    def _ask(self, asked: str) -> Outcome:
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(asked + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._answers.get(timeout=self._seconds))
        except queue.Empty:
            self._end()
            return Outcome(error="TOOL_TIMEOUT", message=f"it gave nothing within {self._seconds:g} seconds")
        except (OSError, ValueError):
            self._end()
            return Outcome(error="TOOL_FAILED", message="its process ended")
        if "error" in answer:
            return Outcome(error=answer["error"], message=answer["message"])
        result = answer["result"]
        return Outcome(output=result if isinstance(result, dict) else {RESULT: result})

    def _start(self) -> None:
        self._answers = queue.Queue()
        self._process = subprocess.Popen(  # noqa: S603 - a fixed program; the file is the benchmark that was named
            [sys.executable, "-I", str(Path(__file__).with_name("serve_tools.py")), str(self._file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=self._home.name,
            env={"PATH": os.defpath, "HOME": self._home.name, "PYTHONHASHSEED": "0"},
        )
        threading.Thread(target=_read, args=(self._process, self._answers), daemon=True).start()
        try:
            answer = json.loads(self._answers.get(timeout=LOADING))
        except (queue.Empty, ValueError) as error:
            raise BadInputFile(f"{self._file}: it was not loaded within {LOADING:g} seconds") from error
        if answer.get("error") == "MISSING_MODULE":
            needs = f"{self._file}: the tools need the module {answer['message']!r}"
            raise MissingExtra(f"{needs}; install it, or `flowc[bench]` for what SOP-Bench needs")
        if "error" in answer:
            raise BadInputFile(f"{self._file}: the tools cannot be loaded: {answer['message']}")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._process = None


def _read(process: "subprocess.Popen[str]", answers: "queue.Queue[str]") -> None:
    """Hand on what a process writes, and an empty text at its end."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError):  # the pipe was closed under it
        for line in process.stdout:
            answers.put(line)
    answers.put("")
