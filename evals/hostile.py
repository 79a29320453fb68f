"""Whether each of a hundred hostile inputs becomes a document or a code, the same wherever it is compiled."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiler.build.earlier import MANIFEST
from compiler.text.names import printable_path
from evals.generate.hostile_folder import make_hostile_folder

_PLAIN = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
_LOCALES = {
    "LC_ALL=C": {"LC_ALL": "C"},
    "LC_ALL=C, names as ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@dataclass(frozen=True)
class HostileBuilds:
    """What became of the inputs.

    Args:
        codes: how many inputs were refused with each code; `document` for those that were read.
        lost: inputs of which the build does not speak.
        stumbled: inputs over which flowc stumbled.
        different: files that are other ones, or not there, in another place; by the place.
        places: where they were compiled, and how many seconds it took.
        slowest: the input whose passes took longest, and how many seconds of the processor.
    """

    codes: dict[str, int]
    lost: tuple[str, ...]
    stumbled: tuple[str, ...]
    different: dict[str, tuple[str, ...]]
    places: dict[str, float]
    slowest: tuple[str, float]

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return not self.lost and not self.stumbled and not any(self.different.values())


def compile_hostile(work: Path, left_out: Collection[str] = ()) -> HostileBuilds:
    """Compile the folder in UTF-8, in other locales, and beside two processes that take all they get.

    Args:
        work: an empty folder for inputs and builds.
        left_out: folders of inputs that are not compiled.
    """
    made = [path.relative_to(work / "inputs") for path in make_hostile_folder(work / "inputs")]
    for name in left_out:
        shutil.rmtree(work / "inputs" / name)
    wanted = [printable_path(path) for path in made if path.parts[0] not in left_out]
    places = _LOCALES | _gbk(work / "locales")
    seconds = {"C.UTF-8": _compile(work, "plain", _PLAIN)}
    for number, (name, environment) in enumerate(places.items()):
        seconds[name] = _compile(work, str(number), environment)
    with _busy(2):
        seconds["beside two busy processes"] = _compile(work, "busy", _PLAIN)
    expected = _contents(work / "plain")
    builds = dict(zip(list(seconds)[1:], [*map(str, range(len(places))), "busy"], strict=True))
    summary = json.loads((work / "plain" / "summary.json").read_text("utf-8"))
    codes = {one["document"]: one["code"] or "document" for one in summary["documents"]}
    return HostileBuilds(
        codes=dict(Counter(codes.values()).most_common()),
        lost=tuple(name for name in wanted if name not in codes),
        stumbled=tuple(name for name, code in codes.items() if code == "internal-error"),
        different={name: _differences(expected, _contents(work / folder)) for name, folder in builds.items()},
        places=seconds,
        slowest=_slowest(work / "plain"),
    )


def _compile(work: Path, out: str, environment: dict[str, str]) -> float:
    command = [sys.executable, "-m", "flowc", "compile", "inputs", "-o", out, "--offline", "--embedder", "lexical"]
    begun = time.perf_counter()
    subprocess.run(  # noqa: S603 - our own command
        [*command, "--jobs", "2", "--quiet"], cwd=work, env=os.environ | environment, check=False
    )
    return time.perf_counter() - begun


def _gbk(folder: Path) -> dict[str, dict[str, str]]:
    """The locale of China before UTF-8, where the system can make it."""
    folder.mkdir()
    made = shutil.which("localedef")
    if made is None:
        return {}
    command = [made, "-i", "zh_CN", "-f", "GBK", str(folder / "zh_CN.GBK")]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:  # noqa: S603 - the system's own
        return {}
    return {"zh_CN.GBK": {"LC_ALL": "zh_CN.GBK", "LOCPATH": str(folder)}}


@contextmanager
def _busy(number: int) -> Iterator[None]:
    begun = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in begun:
            process.kill()
            process.wait()


def _contents(build: Path) -> dict[str, object]:
    """What is in the files of a build, times aside."""
    found: dict[str, object] = {}
    for file in build.rglob("*"):
        name = file.relative_to(build).as_posix()
        if file.is_file() and name not in (MANIFEST, "index.html"):
            found[name] = file.read_bytes()
    for name in ("summary.json", "ledger.jsonl"):
        if name in found:
            text = (build / name).read_text("utf-8")
            found[name] = [_timeless(json.loads(one)) for one in (text.splitlines() if "jsonl" in name else [text])]
    return found


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.endswith("seconds")}


def _differences(one: dict[str, object], other: dict[str, object]) -> tuple[str, ...]:
    return tuple(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def _slowest(build: Path) -> tuple[str, float]:
    spent = Counter[str]()
    for line in (build / "ledger.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        spent[row["subject"]] += row["processor_seconds"]
    return spent.most_common(1)[0]
