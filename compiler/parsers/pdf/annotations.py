"""What readers have put on a PDF page: notes, and strokes through its text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pymupdf

from compiler.parsers.draft import box_around
from compiler.parsers.pdf.sight import State
from ir.document import Box

_HIDDEN = pymupdf.PDF_ANNOT_IS_HIDDEN
_CLOSERS = tuple(".,;:!?)]。，；：！？、）】》")
_NO_NOTES = frozenset({pymupdf.PDF_ANNOT_LINK, pymupdf.PDF_ANNOT_POPUP, pymupdf.PDF_ANNOT_WIDGET})

Spans = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Note:
    """Words of a reader; `drawn`, in the page's own place and not in a window."""

    text: str
    box: Box
    drawn: bool


@dataclass(frozen=True, slots=True)
class Annotations:
    """A page's notes, and the boxes of struck text."""

    notes: tuple[Note, ...] = ()
    struck: tuple[Box, ...] = ()

    def draws(self, text: str, box: Box) -> bool:
        """Whether a line of the page is one of a note's."""
        words = _packed(text)
        return any(note.drawn and _holds(note.box, box) and words in _packed(note.text) for note in self.notes)


def annotations(page: pymupdf.Page) -> Annotations:
    """The notes and strokes that a page shows."""
    if page.first_annot is None:
        return Annotations()
    notes: list[Note] = []
    struck: list[Box] = []
    for annotation in page.annots():
        kind = annotation.type[0]
        if annotation.flags & _HIDDEN or kind in _NO_NOTES:
            continue
        text = (annotation.info.get("content") or "").replace("\r\n", "\n").replace("\r", "\n").strip()
        if text:
            x0, y0, x1, y1 = annotation.rect
            box = (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
            notes.append(Note(text, box, kind == pymupdf.PDF_ANNOT_FREE_TEXT))
        if kind == pymupdf.PDF_ANNOT_STRIKE_OUT:
            corners = [tuple(point) for point in annotation.vertices or ()]
            struck += [
                box_around([(x, y, x, y) for x, y in corners[at : at + 4]]) for at in range(0, len(corners) - 3, 4)
            ]
    return Annotations(tuple(notes), tuple(struck))


def cut_struck(spans: Sequence[dict[str, Any]], struck: Sequence[Box]) -> Iterator[dict[str, Any]]:
    """The spans of a line, given by their characters, cut where the struck ones begin and end."""
    for span in spans:
        for is_struck, group in groupby(
            span["chars"], key=lambda char: any(_meets(char["bbox"], box) for box in struck)
        ):
            chars = list(group)
            box = box_around([tuple(char["bbox"]) for char in chars])
            yield {**span, "text": "".join(char["c"] for char in chars), "bbox": box, "struck": is_struck}


def parted(runs: Iterable[tuple[Spans, State]]) -> Iterator[tuple[Spans, State]]:
    """A line's runs by state, the blank closed where words were struck out between others."""
    parts: dict[State, Spans] = {}
    for run, state in runs:
        before = parts.setdefault(state, [])
        if before and (run[0]["text"][:1] in _CLOSERS or run[0]["text"][:1].isspace()):
            before[-1] = {**before[-1], "text": before[-1]["text"].rstrip()}
        before.extend(run)
    yield from ((run, state) for state, run in parts.items())


def _meets(char: Box, box: Box) -> bool:
    x, y = (char[0] + char[2]) / 2, (char[1] + char[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _holds(outer: Box, inner: Box) -> bool:
    return _meets(inner, outer)


def _packed(text: str) -> str:
    return "".join(text.split())
