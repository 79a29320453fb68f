"""A benchmark's folder: the procedure, its tools and the rows, as SOP-Bench ships them."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ir.errors import BadInputFile, MissingPath

SOP, SPECS, TOOLS, ABOUT, ROWS = "sop.txt", "toolspecs.json", "tools.py", "metadata.json", "test_set_with_outputs.csv"
_LONGEST_CELL = 10_000_000


@dataclass(frozen=True)
class Row:
    """One case: the texts of the CSV by column; the number counts from 1."""

    number: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class Benchmark:
    """One procedure with its tools and cases.

    Args:
        inputs: columns that are given, as the benchmark says; None where it does not.
        outputs: columns that are to be found.
    """

    name: str
    folder: Path
    columns: tuple[str, ...]
    inputs: tuple[str, ...] | None
    outputs: tuple[str, ...]
    rows: tuple[Row, ...]

    def path(self, name: str) -> Path:
        """A file of it."""
        return self.folder / name


def read_benchmarks(folder: Path, limit: int | None = None) -> tuple[Benchmark, ...]:
    """The benchmark in a folder, or those in the folders below it.

    Args:
        limit: at most so many rows of each, from the top.

    Raises:
        CompilerError: the folder is missing, or lacks a file that a benchmark has, or one of them is malformed.
    """
    if not folder.is_dir():
        raise MissingPath(
            f"{folder}: there is no such folder; name one with {SOP}, {SPECS}, {TOOLS}, {ABOUT} and {ROWS}"
        )
    folders = [folder] if (folder / SOP).exists() else sorted(one.parent for one in folder.glob(f"*/{SOP}"))
    if not folders:
        raise BadInputFile(
            f"{folder}: found no {SOP} in it nor in the folders below it; name the folder of a benchmark"
        )
    return tuple(_read(one, limit) for one in folders)


def _read(folder: Path, limit: int | None) -> Benchmark:
    missing = [name for name in (SOP, SPECS, TOOLS, ABOUT, ROWS) if not (folder / name).is_file()]
    if missing:
        raise BadInputFile(f"{folder}: found no {', '.join(missing)}; a benchmark has all of them")
    about = _about(folder / ABOUT)
    columns, rows = _rows(folder / ROWS)
    outputs, inputs = _names(about, "output_columns", folder), _names(about, "input_columns", folder)
    if not outputs:
        raise BadInputFile(f"{folder / ABOUT}: found no output_columns; expected the columns that are to be found")
    for column in (*outputs, *inputs):
        if column not in columns:
            raise BadInputFile(f"{folder / ABOUT}: {column!r} is no column of {ROWS}, which has {', '.join(columns)}")
    named = about.get("name")
    name = named if isinstance(named, str) and named else folder.name
    return Benchmark(name, folder, columns, inputs or None, outputs, rows[:limit])


def _about(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (ValueError, OSError) as error:
        raise BadInputFile(f"{path}: it cannot be read as JSON ({error}); restore the benchmark's file") from error
    if not isinstance(found, dict):
        raise BadInputFile(f"{path}: found {type(found).__name__}, expected an object with output_columns")
    return found


def _names(about: Mapping[str, object], key: str, folder: Path) -> tuple[str, ...]:
    found = about.get(key, [])
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise BadInputFile(f"{folder / ABOUT}: {key} is no list of names of columns")
    return tuple(found)


def _rows(path: Path) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            columns = tuple(name for name in reader.fieldnames or () if name)
            rows = [{name: raw.get(name) or "" for name in columns} for raw in reader]
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise BadInputFile(f"{path}: it cannot be read as CSV ({error}); restore the benchmark's file") from error
    if not rows:
        raise BadInputFile(f"{path}: found no row; expected the benchmark's cases")
    return columns, tuple(Row(number, values) for number, values in enumerate(rows, 1))
