"""The process in which the benchmark's tools run: foreign code, by itself, without our environment.

It stands alone and imports nothing of flowc. It is started with the file of the tools, reads one call a line from its
standard input (`{"tool": …, "arguments": {…}, "seed": …}`, or `{"signature_of": …}` for what a tool needs)
and writes one answer a line (`{"result": …}`, or `{"error": …, "message": …}`). What the tools print goes nowhere.
"""

import contextlib
import importlib.util
import inspect
import json
import math
import os
import random
import sys
from pathlib import Path
from typing import TextIO

MEMORY = 4 << 30


def main(path: Path) -> None:
    """Answer calls until there are none."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    _limit()
    holders: list[object] = []
    try:
        holders = load(path)
        answer: dict[str, object] = {"result": None}
    except ModuleNotFoundError as error:
        answer = {"error": "MISSING_MODULE", "message": str(error.name)}
    except BaseException as error:  # noqa: BLE001 - whatever foreign code does is told, not raised
        answer = {"error": "NOT_LOADED", "message": f"{type(error).__name__}: {error}"}
    _say(answers, answer)
    for line in sys.stdin:
        call = json.loads(line)
        if "signature_of" in call:
            _say(answers, {"result": {"required": required(holders, call["signature_of"])}})
        else:
            _say(answers, answered(holders, call["tool"], call["arguments"], call["seed"]))


def load(path: Path) -> list[object]:
    """The objects that have the tools: each class of the module that needs no argument, and the module."""
    spec = importlib.util.spec_from_file_location("benchmark_tools", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    random.seed(0)
    found: list[object] = []
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == spec.name:
            with contextlib.suppress(TypeError):  # one that needs arguments holds no tools
                found.append(value())
    return [*found, module]


def required(holders: list[object], tool: str) -> list[str]:
    """The arguments that a tool's function has no value for by itself."""
    function = next((found for one in holders if callable(found := getattr(one, tool, None))), None)
    with contextlib.suppress(TypeError, ValueError):
        named = inspect.signature(function).parameters.values() if function is not None else ()
        return [
            one.name
            for one in named
            if one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ]
    return []


def answered(holders: list[object], tool: str, arguments: dict[str, object], seed: str) -> dict[str, object]:
    """What one call gives."""
    function = next((found for one in holders if callable(found := getattr(one, tool, None))), None)
    try:
        random.seed(seed)
        if function is not None:
            return {"result": plain(function(**arguments))}
        router = next((found for one in holders if (found := getattr(one, "process_tool_call", None))), None)
        if router is None:
            return {"error": "NO_SUCH_TOOL", "message": tool}
        return {"result": plain(router(tool, arguments))}
    except BaseException as error:  # noqa: BLE001 - as above
        return {"error": "TOOL_FAILED", "message": f"{type(error).__name__}: {error}"[:500]}


def plain(value: object) -> object:
    """A value as JSON has it: numbers of numpy as numbers, what is not a number as null, the rest as text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    inner = getattr(value, "item", None)
    return plain(inner()) if callable(inner) else str(value)


def _say(answers: TextIO, answer: dict[str, object]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
