"""The file of kept cases: where it stands, how it is read, and that it is changed by one at a time."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pydantic import ValidationError

from compiler.build.files import output_failed, write_whole
from compiler.build.folder import SUMMARY
from ir.codec import read_json
from ir.errors import BadInputFile
from ir.files import held
from ir.kept_case import SUFFIX, KeptCases

FOLDER = "tests"
"""Where kept cases stand, beside the documents."""


def cases_beside(path: Path, name: str) -> Path:
    """The file of the kept cases of a workflow: in `tests/` beside the documents of its build, else beside it.

    Args:
        path: of the workflow.
        name: of its file, without what says that it is a workflow.
    """
    own = path.resolve()
    root = next((up for up in own.parents if (up / SUMMARY).is_file()), None)
    raw = read_json((root / SUMMARY).read_bytes())[0] if root is not None else None
    where = raw.get("decisions") if isinstance(raw, dict) else None
    if root is None or not isinstance(where, str):
        return path.with_name(name + SUFFIX)
    return (root / where).resolve().parent / FOLDER / own.parent.relative_to(root) / (name + SUFFIX)


def read_cases(file: Path, workflow_id: str) -> KeptCases | None:
    """The kept cases of a workflow; None where there is no file.

    Raises:
        BadInputFile: the file is of another form, or of another workflow.
    """
    if not file.is_file():
        return None
    raw, faults = read_json(file.read_bytes())
    try:
        found = None if faults else KeptCases.model_validate(raw)
    except ValidationError as error:
        fault = error.errors()[0]
        where = "/" + "/".join(str(part) for part in fault["loc"])
        told = f"{file}: {where}: {fault['msg']}; `flowc schema tests` shows the form"
        raise BadInputFile(told) from None
    if found is None:
        raise BadInputFile(f"{file}: {faults[0].message}; mend it, or take it away and make the cases anew")
    if found.workflow != workflow_id:
        told = f'{file} holds cases of "{found.workflow}", not of "{workflow_id}"'
        raise BadInputFile(f"{told}; name the right file with --tests")
    return found


def change_cases(file: Path, workflow_id: str, change: Callable[[KeptCases | None], KeptCases]) -> KeptCases:
    """Put other cases in the place of those that the file holds.

    Args:
        change: given what the file holds while nobody else changes it; what it raises keeps everything as it is.

    Raises:
        BadInputFile: the file is of another form, or of another workflow.
        OutputError: it cannot be written.
    """
    with ExitStack() as alone:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            alone.enter_context(held(file.parent))  # the file itself is another one with each change
        except OSError as error:
            raise output_failed(file, error) from error
        changed = change(read_cases(file, workflow_id))
        write_whole(file, json.dumps(changed.to_json(), ensure_ascii=False, indent=2) + "\n")
    return changed
