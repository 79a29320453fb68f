"""Joins the documents of a folder: facts of forms, data of reference tables, both by concept."""

import re
from collections.abc import Callable, Iterator, Sequence

from pydantic import JsonValue

from catalog.concept import Concept
from compiler.context import Context
from compiler.extract.forms.column_types import column_type, is_blank
from compiler.extract.forms.folder_facts import FolderFacts, FormFact
from compiler.extract.forms.tables import Table, concept_named, form_pairs, reference_tables, typed
from compiler.grounding.coverage import carrying_elements, spans_of
from compiler.text.lexicon import lexicon
from compiler.text.mentions import Mentions, mentions_of
from ir.diagnostics import Location
from ir.document import Cell, Document
from ir.facts import DocumentRole, Entry, Quantity, Reference
from ir.fields import FieldSpec
from ir.procedure import Procedure
from ir.source import Evidence, Span

_LIMIT = re.compile(
    r"[<>≤≥＜＞~～]|\d\s*[-–—至]\s*\d|以上|以下|以内|不超过|\b(?:up to|over|under|at (?:most|least))\b", re.I
)

_LEAST_ROWS, _LONGEST_CELL = 3, 40  # of a policy's table of data; characters on average


def link_documents(
    ctx: Context,
    documents: tuple[Document, ...],
    roles: tuple[DocumentRole, ...],
    procedures: tuple[Procedure, ...] = (),
) -> FolderFacts:
    """Read forms into facts, and tables of data into typed data: of reference documents, and of policies as well.

    Reports `unread-value` for a form's value that is not of its concept's type, and `untyped-cell` likewise for data.

    Args:
        procedures: what the policies prescribe; a table of which they carry a cell is one of rules.
    """
    mentions = mentions_of(ctx.catalog)
    role_of = {role.doc_id: role.role for role in roles}
    facts = [f for d in documents if role_of.get(d.doc_id) == "form" for f in _facts(ctx, d, mentions)]
    references = [
        _reference(ctx, document, table, number, mentions)
        for document in documents
        for number, table in enumerate(_data_of(document, role_of.get(document.doc_id), procedures, mentions), 1)
    ]
    return FolderFacts(tuple(facts), tuple(references))


def _data_of(
    document: Document, role: str | None, procedures: tuple[Procedure, ...], mentions: Mentions
) -> Iterator[Table]:
    """The tables of data: all of a reference document; of a policy those that prescribe nothing and list things."""
    tables = reference_tables(document, mentions)
    if role == "reference":
        yield from tables
    if role != "policy":
        return
    carried = spans_of(e for p in procedures if p.doc_id == document.doc_id for e in carrying_elements(p))
    records = lexicon(document.language).pattern("tables", "not_rules")
    for table in tables:
        cells = [cell for row in table.rows for cell in row if cell]
        rules = any(cell.address in carried for cell in cells)
        record = sum(records.search(column.name) is not None for column in table.columns) >= 2
        prose = sum(len(cell.text) for cell in cells) > _LONGEST_CELL * len(cells)
        if len(table.rows) >= _LEAST_ROWS and not (rules or record or prose):
            yield table


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
    cues = lexicon(document.language)
    columns: dict[str, FieldSpec] = {}
    reads: list[tuple[str, Callable[[str], JsonValue]]] = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        texts = [cell.text for cell in cells if cell]
        concept = _concept_for(column.concept, texts, mentions)
        if concept is not None:
            name, unit = concept.id, _unit(concept, cells, mentions)
            columns[name] = FieldSpec(
                type=concept.type, description=column.name, unit=unit, concept=concept.id, nullable=True
            )
            reads.append((name, _reader(concept.id, unit, mentions)))
        else:
            kind = column_type(column.name, texts, cues)
            columns[column.name] = kind.spec
            reads.append((column.name, kind.read))
    rows = []
    for row in table.rows:
        values, evidence = {}, []
        for (name, read), cell in zip(reads, row, strict=True):
            text = "" if cell is None or is_blank(cell.text) else cell.text.strip()
            value = read(text) if text else None
            if text and value is None and cell is not None:
                place = Location(file=document.doc_id, block=cell.address)
                ctx.warn("untyped-cell", f"“{text}” is no value of {name}; the cell is left out of the data", place)
            values[name] = value
            if cell is not None and text:
                start = cell.text.find(text)
                span = Span(doc_id=document.doc_id, block=cell.address, start=start, end=start + len(text), quote=text)
                evidence.append(Evidence.from_span(span))
        rows.append(Entry(values=values, evidence=tuple(evidence)))
    key = _key(columns, rows)
    suffix = f"-{number}" if number > 1 else ""
    return Reference(
        id=document.doc_id + suffix, doc_id=document.doc_id, title=document.title, columns=columns,
        key=key, rows=tuple(rows),
    )  # fmt: skip


def _concept_for(named: str | None, cells: Sequence[str], mentions: Mentions) -> Concept | None:
    """The concept that a column's heading names; not for numbers where cells give limits or ranges, which are more."""
    concept = mentions.concepts.get(named or "")
    if concept is None or concept.type not in ("number", "integer"):
        return concept
    return None if any(_LIMIT.search(cell) for cell in cells) else concept


def _reader(concept: str, unit: str | None, mentions: Mentions) -> Callable[[str], JsonValue]:
    """Reads a cell as a value of a concept, None where it is none or in another unit."""

    def read(text: str) -> JsonValue:
        value, given, _ = typed(text, concept, mentions)
        return None if given and given != unit else value

    return read


def _unit(concept: Concept, cells: Sequence[Cell | None], mentions: Mentions) -> str | None:
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
