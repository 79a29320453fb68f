"""Grounding: where did the quotes stand, and would changed ones have been let through?

`exact` is the share of quotes that stand in the document as they were quoted; `supported` the share that were found at
all; `refused` the share of changed quotes that grounding refuses: of the case's own gold quotes, each with one number,
negation or modal word changed so that it says something else. It must be 1.
"""

import re
from collections.abc import Iterator, Mapping

from compiler.grounding.locate import QuoteFinder
from evals.matching.view import View
from evals.tally import Tally, share
from ir.procedure import Element, Procedure
from ir.source import Evidence, Grounding

_DIGIT = re.compile(r"\d")
_SWAPS = (
    ("不得", "可以"), ("不予", "应当"), ("应当", "可以"), ("必须", "可以"), ("以上", "以下"), ("以下", "以上"),
    ("之前", "之后"), (" must not ", " must "), (" shall not ", " shall "), (" may not ", " may "),
    (" is not ", " is "), (" must ", " may "), (" shall ", " may "), (" less than ", " more than "),
    (" more than ", " less than "), (" before ", " after "),
)  # fmt: skip


def grounding(view: View) -> Mapping[str, Tally]:
    """Tallies of a case: exact, supported, refused."""
    evidence = [e for draft in view.outcome.drafts for e in quotes_of(draft.procedure)]
    libraries = {name: QuoteFinder(document) for name, document in view.outcome.documents.items()}
    changed = [
        (e.doc_id, words)
        for procedure in view.case.procedures
        for e in quotes_of(procedure)
        if e.doc_id in libraries
        for words in altered(e.quote)
        if not _says(libraries[e.doc_id], words)
    ]
    refused = sum(not libraries[doc].search(words).evidence.supports for doc, words in changed)
    return {
        "grounding.exact": share(sum(e.status is Grounding.EXACT for e in evidence), len(evidence)),
        "grounding.supported": share(sum(e.supports for e in evidence), len(evidence)),
        "grounding.refused": share(refused, len(changed)),
    }


def quotes_of(procedure: Procedure) -> Iterator[Evidence]:
    """The evidence of all that a procedure holds."""
    parts: tuple[tuple[Element, ...], ...] = (
        procedure.triggers,
        procedure.facts,
        procedure.steps,
        procedure.conditions,
        procedure.flows,
        procedure.constraints,
        procedure.gaps,
    )
    for element in (element for part in parts for element in part):
        yield from element.evidence
    for step in procedure.steps:
        yield from step.deadline.evidence if step.deadline else ()


def altered(quote: str) -> Iterator[str]:
    """The quote with one word changed so that it means something else: the first number, the first of each swap.

    >>> list(altered("within 3 days the clerk must not pay"))
    ['within 4 days the clerk must not pay', 'within 3 days the clerk must pay']
    """
    found = _DIGIT.search(quote)
    if found is not None:
        digit = str((int(found[0]) + 1) % 10)
        yield quote[: found.start()] + digit + quote[found.end() :]
    for word, other in _SWAPS:
        if word in quote:
            yield quote.replace(word, other, 1)
            return


def _says(finder: QuoteFinder, words: str) -> bool:
    """Whether the document has the changed words too, by chance."""
    squeezed = "".join(words.split()).casefold()
    return squeezed in "".join("".join(p.text.split()) for p in finder.document.passages()).casefold()
