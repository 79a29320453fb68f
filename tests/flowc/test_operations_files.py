"""The container file, the units of systemd and the page of operations: what they start, name and state is so."""

import importlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup as Group
from typer.main import get_command

from flowc.main import app

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = DOCS / "operations"
UNITS = ("flowc.service", "flowc-worker.service")
PAGE = DOCS / "operations.md"
UNITS_OF_SIZE = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "s": 1, "min": 60, "h": 3600}


def parsed(words: list[str]) -> str:
    """The command of flowc that these words are, with all its options known; nothing is carried out."""
    command, path = get_command(app), list[str]()
    while isinstance(command, Group):
        path.append(words[0])
        command, words = command.commands[words[0]], words[1:]
    with command.make_context(path[-1], list(words)) as context:
        assert context.args == []
    return " ".join(path)


def commands() -> list[str]:
    """Each command of flowc that is written in these files, on one line."""
    container = (FILES / "Containerfile").read_text("utf-8").replace("\\\n#", " ")
    found = [" ".join(json.loads(one)) for one in re.findall(r"^CMD (\[.*\])$", container, re.MULTILINE)]
    found += re.findall(r"flowc ((?:workspace|serve|worker) [^\n`]*)$", container, re.MULTILINE)
    for name in UNITS:
        text = (FILES / name).read_text("utf-8")
        found += re.findall(r"/opt/flowc/bin/flowc ((?:serve|worker|workspace) .*)$", text, re.MULTILINE)
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            at = re.search(r"\bflowc ((?:serve|worker|workspace|users|audit|run|registry) .*)", line.split("  #")[0])
            found += [at[1]] if at else []
    return found


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_what_is_started_can_be_started(line: str) -> None:
    """The command and each of its options exists, and takes what it is given."""
    assert parsed(shlex.split(line))


def test_there_are_commands_of_each_file() -> None:
    """So that a change of the form of a file does not leave nothing to look at."""
    found = [parsed(shlex.split(line)) for line in commands()]
    assert found.count("serve") >= 3 and found.count("worker") >= 1
    assert {"workspace backup", "workspace restore", "workspace init", "audit verify"} <= set(found)


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_gives_more_time_than_the_grace(name: str) -> None:
    """Else systemd kills what would have ended by itself."""
    text = (FILES / name).read_text("utf-8")
    grace, stop = re.search(r"--grace (\d+)", text), re.search(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)
    assert grace and stop and int(stop[1]) >= int(grace[1]) + 10


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_one(name: str, tmp_path: Path) -> None:
    """By `systemd-analyze verify`, with a program that is there in place of the installed one."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    text = (FILES / name).read_text("utf-8").replace("/opt/flowc/bin/flowc", f"{sys.executable} -m flowc")
    (tmp_path / name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / name)], capture_output=True, text=True, check=False
    )
    assert [line for line in done.stderr.splitlines() if name in line] == [] and done.returncode == 0, done.stderr


def test_a_container_runs_as_nobody_and_is_looked_at() -> None:
    """Not as root, with a health check of an address that there is, and a volume for all that it writes."""
    from server.pages.health import ALIVE

    text = (FILES / "Containerfile").read_text("utf-8")
    assert re.search(r"^USER 10001:10001$", text, re.MULTILINE) and f"127.0.0.1:8650{ALIVE}" in text
    assert re.search(r"^VOLUME /plant$", text, re.MULTILINE) and "STOPSIGNAL SIGTERM" in text


def limits() -> list[tuple[str, str]]:
    """The limits that the page states: what is stated, and where it is set."""
    text = PAGE.read_text("utf-8").partition("## Limits")[2]
    return re.findall(r"^\|[^|]+\| ([^|]+) \| `([\w./]+:\w+(?:\.\w+)?)` \|$", text, re.MULTILINE)


@pytest.mark.parametrize(("stated", "place"), limits(), ids=[place for _, place in limits()])
def test_a_limit_is_what_is_stated(stated: str, place: str) -> None:
    """The value in the source, in the unit of the page."""
    module, _, name = place.partition(":")
    found = importlib.import_module(module.removesuffix(".py").replace("/", "."))
    for part in name.split("."):
        found = found.model_fields[part].default if hasattr(found, "model_fields") else getattr(found, part)
    value = found.total_seconds() if hasattr(found, "total_seconds") else found
    number, unit = re.fullmatch(r"([\d,.]+) ?(KiB|MiB|s|min|h|)(?: .*)?", stated.strip()).groups()  # type: ignore[union-attr]
    assert float(number.replace(",", "")) * UNITS_OF_SIZE[unit] == value


def test_the_page_states_limits() -> None:
    """Of requests, uploads, runs, documents and proofs."""
    places = {place for _, place in limits()}
    assert len(places) >= 25
    assert {place.split("/")[0] for place in places} >= {"server", "runtime", "compiler", "validator", "agents", "llm"}
