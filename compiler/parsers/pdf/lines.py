"""Lines of a PDF page as they are drawn: text, place, type, and whether anybody can see them."""

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import pymupdf

from compiler.parsers.draft import box_around
from compiler.parsers.join import glue
from compiler.parsers.pdf.annotations import Note, annotations, cut_struck, parted
from compiler.parsers.pdf.legibility import is_legible
from compiler.parsers.pdf.sight import Sight, State, drawings
from compiler.parsers.scripts import write_script
from ir.document import Box

_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | pymupdf.TEXT_COLLECT_STYLES
_BOLD_FONT = re.compile(r"bold|black|heavy|semibold|demi|medi$|hei(?!ti)|黑体|simhei", re.I)
_BOLD_FLAG = 16
_RAISED_FLAG = 1
_OCR_COVER = 0.5
_MOST_IMAGES = 200  # what more there is of a page covers little of it
_SOFT_HYPHEN = re.compile("\u00ad(?=.*\\S)", re.S)
_TABULAR = 2.5
_ASLANT = 0.1
_HANGING = re.compile("[，。；：、）》」』】！？”’]+$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a table's place in the order.

    Attributes:
        box: left, top, right, bottom in points from the page's top left.
        left: where the words begin, after blanks.
        bold: all of it; `bold_start` and `bold_end`, its first and last piece.
        block: number of the run of lines that the PDF draws together.
        order: position in which it is drawn.
        table: number of the table on its page, for a table's place.
        turns: `quarter_turns` of its direction; 0 where it runs from left to right.
        gapped: drawn together from pieces that stand far apart, as a table's row does.
        limit: the right edge that what floats beside it leaves it.
    """

    text: str
    page: int
    box: Box
    left: float
    size: float
    bold: bool = False
    bold_start: bool = False
    bold_end: bool = False
    block: int = 0
    order: int = 0
    table: int | None = None
    turns: int | None = 0
    gapped: bool = False
    limit: float = float("inf")

    @property
    def level(self) -> bool:
        """Whether it runs from left to right."""
        return self.turns == 0

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.box[1]

    @property
    def right(self) -> float:
        """Right edge."""
        return self.box[2]

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.box[3]

    @property
    def edge(self) -> float:
        """Right edge without the marks at the end that Chinese type lets hang over the text's edge."""
        hanging = _HANGING.search(self.text)
        return self.right - self.size * len(hanging[0]) if hanging else self.right

    def alike(self, size: float) -> bool:
        """Whether its type is about of a size."""
        return abs(self.size - size) <= 0.12 * max(self.size, size)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's lines in the order they are drawn, with those that nobody can see apart.

    Attributes:
        image_share: share of the page that images cover.
        drawn: it bears drawings and hardly any text.
        ocr: its text was read off a picture.
        garbled: the letters of its text layer stand for no words; they count as hidden.
        turned: takes places on the page as it is read, upright, to those on the page as it is shown; None where they
            are the same.
        deleted: lines that a reader has struck out; `struck`, the boxes of their words.
        notes: a reader's words.
    """

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    hidden: tuple[Line, ...] = ()
    image_share: float = 0.0
    drawn: bool = False
    ocr: bool = False
    garbled: bool = False
    turned: pymupdf.Matrix | None = None
    deleted: tuple[Line, ...] = ()
    struck: tuple[Box, ...] = ()
    notes: tuple[Note, ...] = ()


def read_page(page: pymupdf.Page, number: int) -> Page:
    """The lines of a page; an invisible text layer over a scan is what was read off the image, and counts as text."""
    as_drawn = not page.rotation
    if page.rotation:
        page.remove_rotation()
    blocks = _blocks(page)
    turned = _turned(page, blocks)
    marked = annotations(page)
    struck = marked.struck if as_drawn and not turned else ()  # turning a page leaves the strokes where they were
    if turned or struck:
        blocks = _blocks(page, by_character=bool(struck))
    lines = _lines(page, number, blocks, struck)
    seen = [line for line, state in lines if state == "seen" and not marked.draws(line.text, line.box)]
    unseen = [line for line, state in lines if state == "hidden"]
    share = _image_share(page)
    ocr = share > _OCR_COVER and _letters(unseen) > 20 and _letters(seen) * 5 < _letters(unseen)
    if ocr:
        seen, unseen = sorted([*seen, *unseen], key=lambda line: line.order), []
    garbled = not is_legible(" ".join(line.text for line in seen))
    if garbled:
        seen, unseen = [], sorted([*seen, *unseen], key=lambda line: line.order)
    bare = _letters(seen) < 8
    return Page(
        number=number,
        width=page.rect.width,
        height=page.rect.height,
        lines=tuple(seen),
        hidden=tuple(unseen),
        image_share=share,
        drawn=bare and len(drawings(page)) > 40,
        ocr=ocr,
        garbled=garbled,
        turned=turned,
        deleted=tuple(line for line, state in lines if state == "deleted"),
        struck=struck,
        notes=marked.notes,
    )


def _blocks(page: pymupdf.Page, *, by_character: bool = False) -> list[dict[str, Any]]:
    form = "rawdict" if by_character else "dict"
    blocks: list[dict[str, Any]] = page.get_text(form, flags=_FLAGS, clip=pymupdf.INFINITE_RECT())["blocks"]
    return blocks


def _lines(
    page: pymupdf.Page, number: int, blocks: Sequence[dict[str, Any]], struck: Sequence[Box]
) -> list[tuple[Line, State]]:
    """The page's lines, cut where they begin or cease to be seen or struck out."""
    sight = Sight(page)
    out: list[tuple[Line, State]] = []
    order = 0
    for block_number, block in enumerate(blocks):
        for raw in block.get("lines", ()):
            for run, state in (
                parted(sight.split(cut_struck(raw["spans"], struck))) if struck else sight.split(raw["spans"])
            ):
                line = _line(run, number, block_number, order, raw["dir"])
                order += 1
                if line:
                    out.append((line, state))
    return out


def _turned(page: pymupdf.Page, blocks: Sequence[dict[str, Any]]) -> pymupdf.Matrix | None:
    """Turn a page most of whose text runs up, down or upside down, so that it can be read; the way back."""
    letters: Counter[int | None] = Counter()
    for block in blocks:
        for line in block.get("lines", ()):
            letters[quarter_turns(line["dir"])] += sum(len(span["text"].strip()) for span in line["spans"])
    turns, most = letters.most_common(1)[0] if letters else (0, 0)
    if not turns or most * 2 <= letters.total():
        return None
    page.set_rotation(90 * turns)
    back = pymupdf.Matrix(page.derotation_matrix)
    page.remove_rotation()
    return back


def quarter_turns(direction: tuple[float, float]) -> int | None:
    """How often text has to be turned by a right angle, clockwise, to be read; None where it runs aslant.

    >>> quarter_turns((1, 0)), quarter_turns((0, -1)), quarter_turns((-1, 0)), quarter_turns((0.7, -0.7))
    (0, 1, 2, None)
    """
    x, y = direction
    if min(abs(x), abs(y)) > _ASLANT:
        return None
    return (0 if x > 0 else 2) if abs(x) > abs(y) else (1 if y < 0 else 3)


def has_usable_text(page: Page) -> bool:
    """Whether the page bears letters or figures that stand for something."""
    text = "".join(line.text for line in page.lines)
    usable = sum(char.isalnum() for char in text)
    unknown = text.count("\ufffd") + sum("\ue000" <= char <= "\uf8ff" for char in text)
    return usable >= (8 if page.image_share > _OCR_COVER else 1) and unknown <= usable


def is_raised(span: dict[str, Any], line: Sequence[dict[str, Any]]) -> bool:
    """Whether a span is above the line's foot in smaller type; MuPDF's flag says only the first."""
    largest = max(each["size"] for each in line)
    return bool(span["flags"] & _RAISED_FLAG and span["size"] < 0.85 * largest)


def composed(pieces: Sequence[tuple[str, bool]]) -> str:
    """Pieces of a line as one text; raised figures, as marks of notes and exponents are, stay apart from others.

    The upper figure of a fraction stays on the line. Of soft hyphens only one at the end stays.

    >>> composed([("within 30", False), ("2 ", True), ("days", False)])
    'within 30² days'
    >>> composed([("1", False), ("3", True), ("⁄4 inch", False)])
    '1 3⁄4 inch'
    >>> composed([(f"the under{chr(0xAD)}writer", False)])
    'the underwriter'
    """
    text = ""
    for (piece, raised), (after, _) in itertools.pairwise([*pieces, ("", False)]):
        words = piece.strip()
        if not raised or not words:
            text += piece
        elif after[:1] in tuple("/⁄∕"):
            text += f" {words}" if text[-1:].isdecimal() else piece
        else:
            text += piece.replace(words, write_script(words, "super", text))
    return _SOFT_HYPHEN.sub("", text)


def merge_row(lines: Sequence[Line]) -> Line:
    """Pieces of text that stand on one row, from left to right, as one line."""
    if len(lines) == 1:
        return lines[0]
    lines = sorted(lines, key=lambda line: line.box[0])
    text = lines[0].text
    gapped = False
    for before, after in itertools.pairwise(lines):
        gap = after.left - before.right
        gapped = gapped or (
            gap > _TABULAR * after.size and before.text.strip(".") not in ("", "o") and len(before.text) > 3
        )
        text = glue(text, after.text) if gap < 0.15 * after.size else f"{text.rstrip()} {after.text.lstrip()}"
    longest = max(lines, key=lambda line: len(line.text))
    return replace(
        lines[0],
        text=text,
        box=box_around([line.box for line in lines]),
        size=longest.size,
        bold=all(line.bold for line in lines),
        bold_end=lines[-1].bold_end,
        gapped=gapped,
    )


def _line(
    spans: Sequence[dict[str, Any]], page: int, block: int, order: int, direction: tuple[float, float]
) -> Line | None:
    text = composed([(span["text"], is_raised(span, spans)) for span in spans])
    worded = [span for span in spans if span["text"].strip()]
    if not worded:
        return None
    first = worded[0]
    lead = len(first["text"]) - len(first["text"].lstrip())
    blank = sum(1.0 if char == "\u3000" else 0.5 if char == "\t" else 0.27 for char in first["text"][:lead])
    sizes: dict[float, int] = {}
    for span in worded:
        sizes[round(span["size"], 1)] = sizes.get(round(span["size"], 1), 0) + len(span["text"])
    bolds = [_is_bold(span) for span in worded]
    box: Box = box_around([tuple(span["bbox"]) for span in worded])
    return Line(
        text=text.strip(),
        page=page,
        box=(round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2)),
        left=first["bbox"][0] + blank * first["size"],
        size=max(sizes, key=lambda size: sizes[size]),
        bold=all(bolds),
        bold_start=bolds[0],
        bold_end=bolds[-1],
        block=block,
        order=order,
        turns=quarter_turns(direction),
    )


def _is_bold(span: dict[str, Any]) -> bool:
    both = 16 | 32  # filled and stroked: how a font without a bold face is emboldened
    return bool(
        span["flags"] & _BOLD_FLAG or _BOLD_FONT.search(span["font"]) or span.get("char_flags", 0) & both == both
    )


def _letters(lines: Sequence[Line]) -> int:
    return sum(char.isalnum() for line in lines for char in line.text)


def _image_share(page: pymupdf.Page) -> float:
    """Share of the page that images cover; scanners cut a page into strips."""
    boxes = {tuple(pymupdf.Rect(image["bbox"]) & page.rect) for image in page.get_image_info()}
    largest = heapq.nlargest(_MOST_IMAGES, boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
    covered = 0.0
    for top, bottom in itertools.pairwise(sorted({edge for box in largest for edge in (box[1], box[3])})):
        right = -inf
        for left, end in sorted((box[0], box[2]) for box in largest if box[1] <= top and box[3] >= bottom):
            covered += max(0.0, end - max(left, right)) * (bottom - top)
            right = max(right, end)
    return covered / (abs(page.rect.get_area()) or 1.0)
