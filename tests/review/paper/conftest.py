"""Reports on drafts, and what stands in them."""

from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from ir.decisions.decision import FILE, read_decisions
from review.draft import ReviewDraft, drafts_of, open_draft
from review.paper.parts import Paper, Part, Signatures, Table, Text

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"
Draft = Callable[[str], ReviewDraft]


@pytest.fixture(scope="session")
def case_draft(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    """The first draft of a case's documents, compiled offline."""

    @cache
    def draft(name: str) -> ReviewDraft:
        out = tmp_path_factory.mktemp("built") / name
        settings = Settings(embedder="lexical", syntax=False)
        write_build(compile_documents(CASES / name / "documents", settings), out)
        return open_draft(out, drafts_of(out)[0])

    return draft


def compiled(folder: Path) -> ReviewDraft:
    """The first draft of a folder of documents, with what was decided about them."""
    beside = folder / FILE
    decisions = read_decisions(beside.read_text("utf-8"), FILE) if beside.is_file() else ()
    out = folder.parent / "out"
    write_build(compile_documents(folder, Settings(embedder="lexical", syntax=False, decisions=decisions)), out)
    return open_draft(out, drafts_of(out)[0])


def words_of(paper: Paper) -> Iterator[str]:
    """Everything that a report says, in its order."""
    yield from (paper.kind, paper.title)
    yield from (one for fact in paper.facts for one in fact)
    for section in paper.sections:
        yield section.title
        for part in section.parts:
            yield from _of_part(part)


def _of_part(part: Part) -> Iterator[str]:
    match part:
        case Text():
            yield part.text
        case Table():
            yield from part.head
            yield from (cell for row in part.rows for cell in row.cells)
            yield from [part.more] if part.left_out else []
        case Signatures():
            yield from (*part.head, *part.roles, *part.signed, part.note)


def rows_under(paper: Paper, title: str) -> list[tuple[str, ...]]:
    """The rows of the tables of a section."""
    (section,) = [one for one in paper.sections if one.title == title]
    return [row.cells for part in section.parts if isinstance(part, Table) for row in part.rows]


def word_text(content: bytes) -> list[str]:
    """Everything that a Word document says in its body, a paragraph or cell each; empty ones left out."""
    body = docx.Document(BytesIO(content)).element.body
    told = ["".join(text.text or "" for text in one.iter(qn("w:t"))) for one in body.iter(qn("w:p"))]
    return [one for one in told if one]
