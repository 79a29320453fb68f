"""A report on a procedure, section by section."""

from collections.abc import Iterator

from ir.codec import digest
from review.paper.cases import cases
from review.paper.changes import changes
from review.paper.duties import decided, prohibitions, questions
from review.paper.failures import failures
from review.paper.fitting import fit
from review.paper.kept_cases import kept_cases
from review.paper.limits import limits
from review.paper.parts import Paper, Section, Signatures, Text
from review.paper.picture import picture
from review.paper.procedure import approvals, purpose, steps
from review.paper.source import PaperSource

PAGES = 5
"""The most pages of a report."""
_SECTIONS = (purpose, steps, limits, prohibitions, approvals, failures, questions)


def make_paper(source: PaperSource, pages: int = PAGES) -> Paper:
    """The report; lists are cut by weight where it would have more pages, and what is left out is counted."""
    workflow, words = source.workflow, source.words
    documents = source.joined(one.title for one in source.page.documents)
    status = words("paper.draft") if workflow.status == "draft" else words(f"status.{workflow.status}")
    facts = [
        (words("status"), status),
        (words("paper.version"), workflow.version),
        (words("paper.document"), documents),
        (words("provenance.owner"), workflow.metadata.owner or ""),
    ]
    paper = Paper(
        title=workflow.metadata.title or documents or words("paper"),
        kind=words("paper"),
        language=source.reader.words.language,
        facts=tuple((name, value) for name, value in facts if value),
        sections=(
            *(section(source) for section in _SECTIONS),
            *_gathered(source, [decided(source), _tests(source), changes(source)]),
            picture(source),
            _signing(source),
        ),
        page_of=words("paper.page_of", "{0}", "{1}"),
    )
    return fit(paper, pages, lambda count: words("paper.more", count))


def _tests(source: PaperSource) -> Section:
    """Cases that people judged; else scenarios."""
    return kept_cases(source) if source.kept is not None else cases(source)


def _signing(source: PaperSource) -> Section:
    """Who prepared, reviewed and approved, and what exactly."""
    words = source.words
    head = tuple(words(f"paper.sign.{name}") for name in ("role", "name", "signature", "date"))
    roles = tuple(words(f"paper.sign.{name}") for name in ("prepared", "reviewed", "approved"))
    titles = {one.doc_id: one.title for one in source.review.documents}
    made = source.workflow.provenance
    signed = [(words("paper.sign.digest"), digest(source.workflow).removeprefix("sha256:"))]
    if made is not None:
        signed += [
            (words("paper.sign.document", titles.get(one.doc_id, one.doc_id)), one.sha256) for one in made.documents
        ]
        signed.append((words("provenance.compiler"), made.compiler))
    told = tuple(words("paper.gives", name, value) for name, value in signed)
    return Section(words("paper.sign"), (Signatures(head, roles, told, words("paper.sign.note")),))


def _gathered(source: PaperSource, sections: list[Section]) -> Iterator[Section]:
    """The sections, but those that only say that there is nothing as one."""
    empty = [one for one in sections if all(isinstance(part, Text) for part in one.parts)]
    yield from (one for one in sections if one not in empty)
    if empty:
        said = [part.text for one in empty for part in one.parts if isinstance(part, Text)]
        between = "" if source.reader.words.language == "zh" else " "
        yield Section(source.joined(one.title for one in empty), (Text(between.join(said)),))
