"""A document as a list of its blocks."""

from flowc.terminal import clean, one_line, print_line, table
from ir.document import Block, Document

SHOWN = 80


def listing(document: Document) -> None:
    """Print a document: a line on the whole, then its blocks."""
    pages = f", {document.pages} pages" if document.pages else ""
    kind = f"{document.source.kind}, {document.language}{pages}, {len(document.blocks)} blocks"
    print_line(f"{one_line(clean(document.title))} ({kind})")
    print_line()
    rows = [_row(block) for block in document.blocks]
    table(["address", "kind", "label", "page", "text"], rows, numbers=["page"], wrapped=["text"])


def _row(block: Block) -> tuple[str, str, str, str, str]:
    kind = block.kind + (f" {block.level}" if block.level else "") + (f" ({block.tag})" if block.tag else "")
    kind += " by OCR" if block.read_by == "ocr" else ""
    label = block.label.text if block.label else ""
    return block.address, kind, label, str(block.page or ""), one_line(_text(block), SHOWN)


def _text(block: Block) -> str:
    if block.kind != "table":
        return block.text
    rows = max((cell.row + cell.row_span - 1 for cell in block.cells), default=0)
    columns = max((cell.column + cell.column_span - 1 for cell in block.cells), default=0)
    words = " | ".join(one_line(cell.text) for cell in block.cells if cell.text.strip())
    return f"[{rows} × {columns}] {words}"
