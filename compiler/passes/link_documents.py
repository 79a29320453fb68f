"""Joins the documents of a folder: facts of forms, data of reference tables, both by concept."""

from collections.abc import Iterable

from catalog.concept import Concept
from compiler.context import Context
from compiler.linked import FormFact, Linked
from compiler.offline.forms import Table, concept_named, form_pairs, reference_tables, typed
from compiler.offline.mentions import Mentions
from ir.diagnostics import Location
from ir.document import Cell, Document
from ir.facts import DocumentRole, Entry, Quantity, Reference
from ir.fields import FieldSpec
from ir.source import Evidence, Span


def link_documents(ctx: Context, documents: tuple[Document, ...], roles: tuple[DocumentRole, ...]) -> Linked:
    """Read forms into facts and reference tables into typed data.

    Reports `unread-value` for a form's value that is not of its concept's type, and `untyped-cell` likewise for data.
    """
    mentions = ctx.mentions
    role_of = {role.doc_id: role.role for role in roles}
    facts = [f for d in documents if role_of.get(d.doc_id) == "form" for f in _facts(ctx, d, mentions)]
    references = [
        _reference(ctx, document, table, number, mentions)
        for document in documents
        if role_of.get(document.doc_id) == "reference"
        for number, table in enumerate(reference_tables(document, mentions), 1)
    ]
    return Linked(tuple(facts), tuple(references))


def _facts(ctx: Context, document: Document, mentions: Mentions) -> list[FormFact]:
    found = []
    for pair in form_pairs(document):
        concept = concept_named(pair.key, mentions)
        value, unit, before = typed(pair.value, concept, mentions)
        if value is None:
            ctx.warn(
                "unread-value",
                f"“{pair.value}” is no value of {concept}; correct the form or bind {concept} by hand",
                Location(file=document.doc_id, block=pair.value_evidence.block),
            )
            continue
        quantity = Quantity(value=before[0], unit=before[1]) if before else None
        found.append(FormFact(document.doc_id, pair.key, concept, value, unit, quantity, (pair.value_evidence,)))
    return found


def _reference(ctx: Context, document: Document, table: Table, number: int, mentions: Mentions) -> Reference:
    names = [column.concept or column.name for column in table.columns]
    columns: dict[str, FieldSpec] = {}
    for index, (column, name) in enumerate(zip(table.columns, names, strict=True)):
        concept = mentions.concepts.get(column.concept or "")
        columns[name] = FieldSpec(
            type=concept.type if concept else "string", description=column.name,
            unit=_unit(concept, [row[index] for row in table.rows], mentions) if concept else None,
            concept=column.concept, nullable=True,
        )  # fmt: skip
    rows = []
    for row in table.rows:
        values, evidence = {}, []
        for column, name, cell in zip(table.columns, names, row, strict=True):
            text = cell.text.strip() if cell else ""
            value, unit, _ = typed(text, column.concept, mentions) if text else (None, None, None)
            value = None if unit and unit != columns[name].unit else value
            if text and value is None and cell is not None:
                place = Location(file=document.doc_id, block=cell.address)
                ctx.warn("untyped-cell", f"“{text}” is no value of {name}; the cell is left out of the data", place)
            values[name] = value
            if cell is not None and text:
                start = cell.text.find(text)
                span = Span(doc_id=document.doc_id, block=cell.address, start=start, end=start + len(text), quote=text)
                evidence.append(Evidence.of(span))
        rows.append(Entry(values=values, evidence=tuple(evidence)))
    key = _key(columns, rows)
    suffix = f"-{number}" if number > 1 else ""
    return Reference(
        id=document.doc_id + suffix, doc_id=document.doc_id, title=document.title, columns=columns,
        key=key, rows=tuple(rows),
    )  # fmt: skip


def _unit(concept: Concept, cells: Iterable[Cell | None], mentions: Mentions) -> str | None:
    """The unit of a column: its concept's, or the currency of the first sum in it."""
    if concept.measure != "money":
        return concept.unit
    found = (typed(cell.text, concept.id, mentions)[1] for cell in cells if cell)
    return next((unit for unit in found if unit), None)


def _key(columns: dict[str, FieldSpec], rows: list[Entry]) -> str | None:
    """The first column of a known concept whose values are all there and all different."""
    for name, spec in columns.items():
        values = [row.values.get(name) for row in rows]
        if spec.concept and None not in values and len({str(v) for v in values}) == len(values):
            return name
    return None
