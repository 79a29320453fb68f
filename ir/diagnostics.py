"""Diagnostics: what is wrong, where, what was found and expected, and how a machine or a person can mend it."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import Field, JsonValue

from ir.base import Model
from ir.source import Evidence


class Severity(StrEnum):
    """How grave: an error stops use, a warning asks for a look, info only tells."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Location(Model):
    """Where the fault is: in a workflow by node, edge or field and JSON pointer; in a document by block and page.

    Args:
        file: the file as the person named it.
        edge: `FROM->TO`.
        field: name of an input, output or requested field.
        pointer: JSON pointer into the workflow.
        block: address in the document.
    """

    file: str | None = None
    workflow: str | None = None
    node: str | None = None
    edge: str | None = None
    field: str | None = None
    pointer: str | None = None
    block: str | None = None
    page: int | None = None

    def __str__(self) -> str:
        """`claims.workflow.json: nodes.notify.type`, as far as it is known."""
        inside = (self.pointer or "").strip("/").replace("/", ".") or self.edge or self.node or self.field or ""
        if self.block:
            inside = self.block + (f" (page {self.page})" if self.page else "")
        head = self.file or self.workflow or ""
        return ": ".join(part for part in (head, inside) if part)


class Related(Model):
    """Another place that has a part in the fault."""

    message: str
    location: Location


class Fix(Model):
    """A change that mends the fault: a JSON Patch (RFC 6902) on the workflow."""

    title: str
    patch: tuple[dict[str, JsonValue], ...]


class Diagnostic(Model):
    """One finding.

    Args:
        error_code: kebab-case name of the fault, never reused; `docs/diagnostics.md` has a section for each.
        message: one sentence with the quoted value and what was expected.
        witness: concrete values for which the fault shows.
    """

    error_code: str = Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
    severity: Severity
    message: str
    location: Location = Location()
    related: tuple[Related, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    expected: JsonValue = None
    found: JsonValue = None
    witness: dict[str, Any] | None = None
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        """`PLACE: SEVERITY: MESSAGE [CODE]`."""
        place = str(self.location)
        return (
            f"{place}: {self.severity}: {self.message} [{self.error_code}]"
            if place
            else (f"{self.severity}: {self.message} [{self.error_code}]")
        )


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
