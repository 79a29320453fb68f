"""What a document is for: rules, data, the facts of one run, or none of them."""

from compiler.context import Context
from compiler.offline.forms import form_pairs, reference_tables
from compiler.offline.lexicon import lexicon
from compiler.offline.reading import DocumentReader
from ir.document import Document
from ir.facts import DocumentRole

MIN_DUTIES = 3
MIN_ACTS = 2
MIN_ROWS = 5
MIN_PAIRS = 3


def classify_document(ctx: Context, document: Document) -> DocumentRole:
    """Tell a document's role by what fills it: duties, rows of one kind, or keys with values.

    The reason names the counts, so that a person can see why.
    """
    cues = lexicon(document.language)
    text = [block for block in document.body() if block.kind != "table"]
    duties = sum(sum(1 for _ in cues.modals(block.text)) for block in text)
    steps = sum(1 for block in text if block.kind == "list_item" and block.label and block.label.ordered)
    words = sum(len(block.text) for block in text) or 1
    in_tables = sum(len(cell.text) for block in document.body() for cell in block.cells)
    found = list(form_pairs(document))
    pairs, in_pairs = len(found), sum(len(pair.key) + len(pair.value) for pair in found)
    rows = max((len(table.rows) for table in reference_tables(document, ctx.mentions)), default=0)
    counts = f"{duties} duty words, {pairs} keys with values, {rows} rows of data"
    dense = duties * 400 >= words
    told = sum(sum(1 for _ in cues.modals(cell.text)) for block in document.body() for cell in block.cells)
    if rows >= MIN_ROWS and in_tables > words and duties + told <= rows:
        return DocumentRole(doc_id=document.doc_id, role="reference", reason=f"mostly a table of data: {counts}")
    mostly_pairs = in_pairs * 2 >= words + in_tables or (pairs * 24 >= words and steps < MIN_DUTIES)
    if pairs >= MIN_PAIRS and mostly_pairs and duties < max(MIN_DUTIES, pairs):
        return DocumentRole(doc_id=document.doc_id, role="form", reason=f"mostly keys with values: {counts}")
    if duties >= MIN_DUTIES and (dense or duties >= 12):
        return DocumentRole(doc_id=document.doc_id, role="policy", reason=f"prescribes: {counts}")
    if duties or steps >= MIN_DUTIES or in_tables:
        return DocumentRole(
            doc_id=document.doc_id, role="policy", reason=f"may prescribe: {counts}, {steps} numbered items"
        )
    acts = sum(
        s.kind == "action" and s.actor is not None for t in DocumentReader(document).read() for s in t.statements
    )
    if acts >= MIN_ACTS:  # told as it is done, without duty words: `The clerk files the form.`
        return DocumentRole(doc_id=document.doc_id, role="policy", reason=f"tells of {acts} acts: {counts}")
    return DocumentRole(doc_id=document.doc_id, role="none", reason=f"prescribes nothing: {counts}")
