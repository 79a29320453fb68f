"""Facts of one run and data of reference documents: kept beside a workflow, never inside it."""

from typing import Literal

from pydantic import JsonValue

from ir.base import Model
from ir.fields import FieldSpec
from ir.source import Evidence


class Quantity(Model):
    """A number with its unit, as it stood before conversion."""

    value: float
    unit: str


class Binding(Model):
    """The value that a form gives to an input of a workflow.

    Args:
        unit: unit of `value`, the field's own.
        converted_from: the quantity as written, where the unit was another.
    """

    input: str
    value: JsonValue
    unit: str | None = None
    converted_from: Quantity | None = None
    evidence: tuple[Evidence, ...] = ()


class Entry(Model):
    """One row of a reference table."""

    values: dict[str, JsonValue]
    evidence: tuple[Evidence, ...] = ()


class Reference(Model):
    """A reference document's table as typed data.

    Args:
        columns: by name; the concept says what a column holds, where the catalog knows it.
        key: the column that identifies a row.
        rows: those of which no value could be typed are left out and reported.
    """

    id: str
    doc_id: str
    title: str
    columns: dict[str, FieldSpec]
    key: str | None = None
    rows: tuple[Entry, ...]


class Found(Model):
    """What a reference says of a bound value: the row that the value names."""

    input: str
    value: JsonValue
    reference: str
    row: dict[str, JsonValue]
    evidence: tuple[Evidence, ...] = ()


class Bindings(Model):
    """All that the other documents of the folder say of one workflow's inputs.

    Args:
        form: id of the document that gives the values; None where no form gives any.
        unbound: required inputs that no form gives.
        found: rows of reference tables named by bound values, for a preview of the run.
    """

    workflow_id: str
    form: str | None = None
    bindings: tuple[Binding, ...] = ()
    unbound: tuple[str, ...] = ()
    found: tuple[Found, ...] = ()


Role = Literal["policy", "reference", "form", "none"]


class DocumentRole(Model):
    """What a document is for: rules, data, facts of one run, or none of them; and why it is thought so."""

    doc_id: str
    role: Role
    reason: str
    evidence: tuple[Evidence, ...] = ()
