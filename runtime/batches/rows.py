"""The rows of a batch: read from a table by the fields of a workflow's inputs."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from ir.errors import BadInputFile
from ir.fields import FieldSpec
from ir.workflow import Workflow
from runtime.errors import BadInputs
from runtime.values import storable

ID = "id"
LONGEST_CELL = 10_000_000


@dataclass(frozen=True)
class InputRow:
    """One row as it was read.

    Args:
        id: of its column `id`, else its number.
        fault: why it is none, with the code; None where it is one.
    """

    id: str
    inputs: Mapping[str, JsonValue]
    fault: tuple[str, str] | None = None


def read_rows(file: Path, workflow: Workflow) -> list[InputRow]:
    """The rows of a table, each read by the fields of the workflow's inputs; one that is none is a row with a fault.

    Of a CSV a cell of a text field is its text, a cell of any other field what it is as JSON (`5000`, `true`, `[1]`),
    and an empty cell is no value. Of JSON lines each value is what it is.

    Raises:
        BadInputFile: it is neither .csv nor .jsonl, cannot be read, or has no row.
        BadInputs: columns that are no input of the workflow.
    """
    readers = {".csv": _csv_rows, ".jsonl": _jsonl_rows}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise BadInputFile(f"{file}: expected a file .csv or .jsonl, with a row for each run")
    try:
        rows = [*reader(file, workflow)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputFile(f"{file}: it cannot be read as {file.suffix} in UTF-8: {error}") from error
    if not rows:
        raise BadInputFile(f"{file}: there is no row in it; write one for each run")
    return [*_named_once(rows)]


def _csv_rows(file: Path, workflow: Workflow) -> Iterator[InputRow]:
    csv.field_size_limit(LONGEST_CELL)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines)
        heads = [head.strip() for head in next(reader, [])]
        _known(file, heads, workflow)
        for number, cells in enumerate((cells for cells in reader if any(cells)), 1):
            given = dict(zip(heads, cells, strict=False))
            name = given.get(ID, "").strip() or str(number)
            if len(cells) > len(heads):
                yield InputRow(
                    name, {}, (BadInputFile.code, f"it has {len(cells)} cells, and there are {len(heads)} columns")
                )
                continue
            inputs = {
                head: _cell(text, workflow.inputs[head])
                for head, text in given.items()
                if text != "" and head in workflow.inputs
            }
            yield InputRow(name, inputs)


def _known(file: Path, heads: Sequence[str], workflow: Workflow) -> None:
    """Stop where no row could be what a run takes."""
    inputs = ", ".join(workflow.inputs) or "nothing"
    wrong = [f"{head or 'a column without a name'}: no input of the workflow, which takes {inputs}"
             for head in heads if head != ID and head not in workflow.inputs]  # fmt: skip
    wrong += [f"{head}: it is there {times} times" for head, times in Counter(heads).items() if times > 1]
    if wrong:
        raise BadInputs(f"{file}: the columns do not fit:\n" + "\n".join(f"- {one}" for one in wrong))


def _cell(text: str, spec: FieldSpec) -> JsonValue:
    """What a cell holds, by its field; where it is no such thing, its text, which is refused then.

    >>> _cell("007", FieldSpec(type="string")), _cell("5000", FieldSpec(type="number"))
    ('007', 5000)
    >>> _cell("five", FieldSpec(type="number"))
    'five'
    """
    listed = {str(value): value for value in spec.enum or () if isinstance(value, str)}
    if text in listed or (spec.enum is None and spec.type in ("string", "date", "datetime", "duration")):
        return text
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _jsonl_rows(file: Path, workflow: Workflow) -> Iterator[InputRow]:
    with file.open(encoding="utf-8-sig", newline="\n") as lines:
        for number, line in enumerate((line for line in lines if line.strip()), 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield InputRow(str(number), {}, (BadInputFile.code, f"it is no JSON: {error}"))
                continue
            if not isinstance(row, dict):
                yield InputRow(str(number), {}, (BadInputFile.code, f"expected an object, found {type(row).__name__}"))
                continue
            name = row.get(ID)
            inputs = row if ID in workflow.inputs else {key: value for key, value in row.items() if key != ID}
            plain = isinstance(name, str | int) and not isinstance(name, bool) and storable(name) and str(name).strip()
            if name is None or plain:
                yield InputRow(str(number) if name is None else str(name).strip(), inputs)
            else:
                yield InputRow(str(number), {}, (BadInputFile.code, f"its id is {name!r}; expected a text or a number"))


def _named_once(rows: Iterable[InputRow]) -> Iterator[InputRow]:
    """The rows, where a name that was there before is a fault."""
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        if row.id in seen and row.fault is None:
            told = f"row {number} has the id of row {seen[row.id]}; give it one of its own"
            yield InputRow(row.id, row.inputs, (BadInputs.code, told))
            continue
        seen.setdefault(row.id, number)
        yield row
