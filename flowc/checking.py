"""Reads a file as a workflow and checks it; what is wrong with the file itself is a finding like any other."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.conformance import ConformanceInput, validate_with_sources
from flowc.reading import cited_documents, sources_beside, workflows_beside
from ir.codec import Syntax, read_json, read_workflow, read_yaml
from ir.diagnostics import Diagnostic, Location, Severity
from ir.normalise import Resolve, declared_outputs, normalise
from ir.workflow import Workflow
from validator.analysis.call_graph import call_nodes
from validator.checks import CheckInput, validate
from validator.inline_outputs import differing_outputs

LARGEST = 64 * 1024 * 1024
"""Bytes. A workflow is a thousandth of it; a larger file is something else."""
_ORDER = list(Severity)


@dataclass(frozen=True)
class Checked:
    """A file and all that is wrong with it.

    Args:
        path: as the person named it.
        data: its bytes; empty where they could not be read.
        as_written: its value, as it was written; None where there is none.
        value: what fixes speak of: the workflow as it is stored; of a file that cannot be read, `as_written`.
        workflow: None where there is an error of reading.
        found: errors first.
    """

    path: Path
    data: bytes
    as_written: JsonValue
    value: JsonValue
    workflow: Workflow | None
    found: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The file's text, as far as it is text."""
        return self.data.decode("utf-8-sig", errors="replace")

    @property
    def older(self) -> bool:
        """Whether it was read from an older form than the one that is stored."""
        return self.value != self.as_written


def syntax_of(path: Path) -> Syntax:
    """What a file is written in, which its name says."""
    return "yaml" if path.suffix.lower() in (".yaml", ".yml") else "json"


def resolver(catalog: Catalog) -> Resolve:
    """Gives the Node Type that an older name stands for, None where none or several do."""

    def resolve(name: str) -> str | None:
        node_type = catalog.resolve(name)
        return node_type.type if node_type else None

    return resolve


@dataclass(frozen=True, eq=False)
class CheckContext:
    """What workflows are checked with: the catalog, and other workflows that they may call, each read once.

    Args:
        named: the files that the person named together.
    """

    catalog: Catalog
    named: tuple[Path, ...] = ()
    _read: dict[Path, Workflow | None] = field(default_factory=dict)

    def callable_from(self, workflow: Workflow, path: Path) -> tuple[Workflow, ...]:
        """The workflows that one may call: those named with it and those beside it; none where it calls none."""
        if not any(call_nodes(workflow)):
            return ()
        others = dict.fromkeys(each.resolve() for each in (*self.named, *workflows_beside(path)))
        found = (self._workflow(each) for each in others if each != path.resolve())
        return tuple(each for each in found if each is not None)

    def _workflow(self, path: Path) -> Workflow | None:
        """The workflow of a file; None where it is none, which is said where that file is checked."""
        if path not in self._read:
            data = _data(path)
            self._read[path] = (
                None
                if isinstance(data, Diagnostic)
                else read_workflow(data, resolve=resolver(self.catalog), syntax=syntax_of(path))[0]
            )
        return self._read[path]


def check_file(path: Path, context: CheckContext) -> Checked:
    """Read a workflow, older forms included, and check it; in a build folder, against its document too."""
    data = _data(path)
    if isinstance(data, Diagnostic):
        return Checked(path, b"", None, None, None, (data,))
    return _checked(path, data, syntax_of(path), context)


def check_value(value: JsonValue, path: Path, context: CheckContext) -> Checked:
    """The same of a value, as though the file held it."""
    return _checked(path, json.dumps(value).encode(), "json", context)


def _checked(path: Path, data: bytes, syntax: Syntax, context: CheckContext) -> Checked:
    as_written = (read_yaml if syntax == "yaml" else read_json)(data)[0]
    resolve = resolver(context.catalog)
    workflow, found = read_workflow(data, resolve=resolve, syntax=syntax)
    value = as_written
    if workflow:
        value = normalise(as_written, resolve)[0]
        from_ = sources_beside(path, cited_documents(workflow))
        others = context.callable_from(workflow, path)
        found += differing_outputs(workflow, context.catalog, declared_outputs(found))
        if from_.procedures or from_.documents:
            given = ConformanceInput(
                workflow, context.catalog, others, from_.procedures, from_.documents, from_.decisions
            )
            found += validate_with_sources(given)
        else:
            found += validate(CheckInput(workflow, context.catalog, others))
    return Checked(path, data, as_written, value, workflow, tuple(_sorted(found, str(path))))


def _sorted(found: tuple[Diagnostic, ...], file: str) -> list[Diagnostic]:
    """The findings with the file, errors first."""
    placed = [one.model_copy(update={"location": one.location.model_copy(update={"file": file})}) for one in found]
    return sorted(placed, key=lambda one: _ORDER.index(one.severity))


def _data(path: Path) -> bytes | Diagnostic:
    """The bytes of a file, or why there are none."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return _fault("unreadable-file", "is a link that leads nowhere; correct it, or take it away", path)
    except OSError as error:
        return _fault("unreadable-file", f"cannot be read: {error.strerror}; check its permissions", path)
    if len(data) > LARGEST:
        return _fault("bad-input-file", f"is larger than {LARGEST >> 20} MiB, which no workflow is", path)
    return data


def _fault(code: str, message: str, path: Path) -> Diagnostic:
    return Diagnostic(error_code=code, severity=Severity.ERROR, message=message, location=Location(file=str(path)))
