"""Clauses that bear the styles of headings, and titles that bear none but stand in capitals or underlined."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from compiler.parsers.docx.looks import heading_of
from compiler.parsers.docx.package import Element, Styles, value, w
from compiler.parsers.draft import Draft
from compiler.parsers.join import ends_sentence, has_ideographs, is_title
from compiler.text.labels import parse_label
from ir.document import Label

_GOES_ON = re.compile(r"(?:[;；,，]|[;；,，]\s*(?:and|or|and/or|以及|或者|[及和或]))\s*$", re.I)
_WORDS, _CHARACTERS = 7, 14  # fewer are a title, though it ends with a full stop


def is_clause(text: str, label: Label | None, styled: bool) -> bool:
    """Whether a paragraph in a heading's style is a clause and no heading.

    Args:
        styled: its style is one that the document sets clauses with.

    >>> number = Label(text="2.1", generated=True)
    >>> is_clause("The tenant shall pay the rent on the first day of each month.", number, False)
    True
    >>> is_clause("Rent and deposits", number, False), is_clause("Definitions.", number, False)
    (False, False)
    """
    if not (label and label.ordered) and parse_label(text) is None:
        return False
    return _is_sentence(text) or (styled and not _is_capital(text))


def clause_styles(body: Element, styles: Styles) -> frozenset[str | None]:
    """The styles of headings with which the document sets more sentences than titles."""
    sentences, titles = Counter[str | None](), Counter[str | None]()
    for paragraph in body.iter(w("p")):
        style_id = value(paragraph.find(f"{w('pPr')}/{w('pStyle')}"))
        text = "".join(part.text or "" for part in paragraph.iter(w("t")))
        if text.strip() and heading_of(styles.get(style_id)):
            (sentences if _is_sentence(text) else titles)[style_id] += 1
    return frozenset(style_id for style_id, count in sentences.items() if count > titles[style_id])


def titled(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """The pieces, with titles that are set off as prominent as bold ones where they lead text or another such title."""
    leads = False
    out: list[Draft] = []
    for draft in reversed(drafts):
        if draft.tag is None:
            own = draft.set_off and not draft.heading and draft.kind is None and draft.label is None
            if own and leads:
                draft = replace(draft, bold=True)
            leads = leads if own else draft.kind == "table" or bool(draft.label) or not is_title(draft.text)
        out.append(draft)
    yield from reversed(out)


def _is_sentence(text: str) -> bool:
    text = text.strip()
    if _GOES_ON.search(text):
        return True
    long = len(text) >= _CHARACTERS if has_ideographs(text) else len(text.split()) >= _WORDS
    return long and (ends_sentence(text) or not is_title(text)) and not text.endswith(("?", "？", "…"))


def _is_capital(text: str) -> bool:
    """Whether the text is all in capitals, as only titles are."""
    return text.isupper() and not has_ideographs(text)
