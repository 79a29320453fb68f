"""How computations are written down, told to a model that reads a document whose words speak of arithmetic."""

from compiler.context import Context
from compiler.text.lexicon import lexicon
from ir.document import Document
from primers.primer import PrimerLanguage
from primers.render import rules_text


def computing_told(ctx: Context, document: Document) -> str:
    """What a question about a document says of computations; empty where the words speak of none."""
    speaks = lexicon(document.language).pattern("computes")
    texts = (text for block in document.blocks for text in (block.text, *(cell.text for cell in block.cells)))
    if not any(speaks.search(text) for text in texts):
        return ""
    language: PrimerLanguage = "zh" if document.language == "zh" else "en"
    return "\n".join(rules_text(primer, language) for primer in ctx.primers.for_pass("read_computations"))
