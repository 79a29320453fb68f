"""PDF: lines to paragraphs in reading order, tables, running headers and footers, hidden text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pymupdf

from compiler.parsers import faults
from compiler.parsers.draft import Draft, Reading, Refused, box_around
from compiler.parsers.join import ends_sentence, glue
from compiler.parsers.limits import Limits
from compiler.parsers.page_counts import tell_pages
from compiler.parsers.pdf import ocr
from compiler.parsers.pdf.asides import Aside, part_asides
from compiler.parsers.pdf.bullets import with_bullets
from compiler.parsers.pdf.furniture import Furniture, furniture
from compiler.parsers.pdf.layout import Column, columns, widened
from compiler.parsers.pdf.lines import Line, Page, has_usable_text, read_page
from compiler.parsers.pdf.paragraphs import Joiner, Paragraph, body_right, to_draft
from compiler.parsers.pdf.sight import drawings
from compiler.parsers.pdf.tables import PageTable, continues, find_tables, joined
from compiler.text.labels import CIRCLED
from ir.diagnostics import Diagnostic
from ir.document import BlockTag, Box

_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+|[A-Za-z]{3,}")
_NOTE = re.compile(r"(?!\d+[.．]\d)[\d*∗†‡§¹²³⁰-⁹]{1,3}(?!\d)\s?[^\s)]")
_CITED = re.compile(rf"[{CIRCLED}]|[\[［〔【][\da-z*]{{1,3}}[\]］〕】]")
"""Marks of notes that lists bear as well; the text has to cite them."""
_LARGE = 1.2
_WATERMARK = 1.8
BARE = 0.05  # share of a page that its pictures cover, from which on a page without text may be one
# MuPDF raises these, and its bindings turn some of its own into plain RuntimeErrors.
_BROKEN = (RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError, pymupdf.mupdf.FzErrorBase)
_OUTPUT_NAMES = re.compile(
    r"(?:microsoft\s+(?:word|powerpoint|excel)\s*-|untitled|document\d*$|.*\.(?:docx?|pdf|indd|wps|xlsx?)$)", re.I
)

Piece = Paragraph | PageTable


@dataclass(frozen=True, slots=True)
class _Laid:
    """A page laid out: its columns with tables in their places, and what stands outside.

    Large type that lies aslant is a watermark.
    """

    page: Page
    furniture: Furniture
    tables: tuple[PageTable, ...]
    columns: tuple[Column, ...]
    asides: tuple[Aside, ...]
    notes: tuple[Line, ...]
    askew: tuple[Line, ...]
    watermarks: tuple[Line, ...]


def read(data: bytes, path: str, limits: Limits) -> Reading:
    """Read a PDF.

    Raises:
        Refused: it is encrypted, damaged, cut off, too long, or has no text.
    """
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if hasattr(pymupdf, "no_recommend_layout"):  # else it advertises a package on stdout
        pymupdf.no_recommend_layout()
    with _opened(data, path) as pdf:
        count = _page_count(pdf, data, path, limits)
        tell_pages(count)
        pages, tables = _read_pages(pdf, path, count)
        title = _metadata_title(pdf)
        repaired = bool(pdf.is_repaired)
    without = [page.number for page in pages if not has_usable_text(page)]
    if repaired and len(without) == count:
        raise Refused(_broken(data, path, f"{count} pages were found, and no text on them"))
    diagnostics = list(_page_faults(pages, path))
    if repaired:
        diagnostics.append(faults.repaired(path, count, without, cut=_is_cut(data)))
    return Reading(tuple(_drafts(pages, tables)), title, count, tuple(diagnostics))


def _opened(data: bytes, path: str) -> pymupdf.Document:
    try:
        pdf = pymupdf.open(stream=data, filetype="pdf")
    except _BROKEN as error:
        raise Refused(_broken(data, path, str(error))) from None
    if pdf.needs_pass:
        pdf.close()
        raise Refused(faults.encrypted(path, "PDF"))
    return pdf


def _page_count(pdf: pymupdf.Document, data: bytes, path: str, limits: Limits) -> int:
    try:
        count = int(pdf.page_count)
    except _BROKEN as error:
        raise Refused(_broken(data, path, str(error))) from None
    if count < 1:
        raise Refused(_broken(data, path, "no page is left of it"))
    if count > limits.pages:
        raise Refused(faults.oversize(path, "pages", count, limits.pages))
    return count


def _broken(data: bytes, path: str, found: str) -> Diagnostic:
    told = found.strip().split("\n")[0][:120] or "no page can be read"
    if _is_cut(data):
        return faults.truncated(path, "PDF", f"its {len(data)} bytes end without the end-of-file mark; {told}")
    return faults.unreadable(path, "PDF", told)


def _is_cut(data: bytes) -> bool:
    return b"%%EOF" not in data[-2048:]


def _read_pages(pdf: pymupdf.Document, path: str, count: int) -> tuple[list[Page], list[list[PageTable]]]:
    pages: list[Page] = []
    tables: list[list[PageTable]] = []
    failures = 0
    for number in range(1, count + 1):
        try:
            page = pdf[number - 1]
            plain = read_page(page, number)
            pages.append(_with_picture(page, replace(plain, lines=with_bullets(plain.lines, drawings(page)))))
            tables.append(find_tables(page, pages[-1], tables[-1][-1] if tables and tables[-1] else None))
        except _BROKEN as error:
            failures += 1
            if failures == count:
                raise Refused(faults.unreadable(path, "PDF", str(error).split("\n")[0][:120])) from None
            del pages[number - 1 :], tables[number - 1 :]
            pages.append(Page(number, 1.0, 1.0, (), image_share=1.0))
            tables.append([])
    return pages, tables


def _with_picture(page: pymupdf.Page, read: Page) -> Page:
    """The page with what its picture says, where it has no usable text and the `ocr` extra is there to read it."""
    if not _is_bare(read) or not ocr.available():
        return read
    lines = ocr.read_picture(page, read.number)
    return replace(read, lines=lines, ocr=True) if lines else read


def _page_faults(pages: Sequence[Page], path: str) -> Iterator[Diagnostic]:
    bare = [page.number for page in pages if _is_bare(page)]
    if bare and not any(has_usable_text(page) for page in pages):
        raise Refused(faults.image_only(path, bare, garbled=any(page.garbled for page in pages)))
    for number in bare:
        page = pages[number - 1]
        if page.image_share > 0.3 or page.drawn or page.garbled:
            yield faults.image_only_page(path, number, garbled=page.garbled)


def _is_bare(page: Page) -> bool:
    """Whether only a picture of the page can tell what it says."""
    return not has_usable_text(page) and (page.image_share > BARE or page.drawn or page.garbled)


def _metadata_title(pdf: pymupdf.Document) -> str | None:
    title = ((pdf.metadata or {}).get("title") or "").strip()
    return title if title and "\ufffd" not in title and not _OUTPUT_NAMES.match(title) else None


def _drafts(pages: Sequence[Page], tables: Sequence[Sequence[PageTable]]) -> Iterator[Draft]:
    body_size = _body_size(pages)
    laid = [
        _lay_out(page, found, place, body_size)
        for page, found, place in zip(pages, tables, furniture(pages, body_size), strict=True)
    ]
    right = body_right([column for page in laid for column in page.columns])
    joiner = Joiner(_vocabulary(pages), _LARGE * body_size)
    placed = [_pieces(page, joiner, right) for page in laid]
    turned = {page.number: page.turned for page in pages if page.turned}
    for page, pieces in zip(laid, _joined(placed, joiner), strict=True):
        yield from (_as_shown(draft, turned) for draft in _page_drafts(page, pieces))


def _as_shown(draft: Draft, turned: Mapping[int, pymupdf.Matrix]) -> Draft:
    """The piece with its places on the page as it is shown."""
    cells = tuple(replace(cell, box=_shown_box(cell.box, cell.page, turned)) for cell in draft.cells)
    return replace(draft, box=_shown_box(draft.box, draft.page, turned), cells=cells)


def _shown_box(box: Box | None, page: int | None, turned: Mapping[int, pymupdf.Matrix]) -> Box | None:
    if box is None or page is None or page not in turned:
        return box
    x0, y0, x1, y1 = pymupdf.Rect(box) * turned[page]
    return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)


def _vocabulary(pages: Sequence[Page]) -> frozenset[str]:
    """The document's words and compounds, without the halves of words that a line's end has broken."""
    words: set[str] = set()
    broken = False
    for page in pages:
        for line in page.lines:
            text = line.text.partition(" ")[2] if broken else line.text
            broken = text.endswith("-")
            text = text.rpartition(" ")[0] if broken else text
            words.update(word.lower() for word in _WORD.findall(text))
    return frozenset(words)


def _body_size(pages: Sequence[Page]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _lay_out(page: Page, tables: Sequence[PageTable], place: Furniture, body_size: float) -> _Laid:
    """Put the page in reading order, each table as one line in its place."""
    level = [line for line in place.body if line.level]
    askew = [
        line
        for line in place.body
        if not line.level and (line.turns is None or not any(_inside(line, table) for table in tables))
    ]
    watermarks = [line for line in askew if line.turns is None and line.size > _WATERMARK * body_size]
    askew = [line for line in askew if line not in watermarks]
    free = [line for line in level if not any(_inside(line, table) for table in tables)]
    notes = _foot_notes(free, page, body_size)
    free, asides = part_asides([line for line in free if line not in notes])
    marks = [
        Line("", page.number, table.box, table.box[0], body_size, order=-1, table=index)
        for index, table in enumerate(tables)
    ]
    return _Laid(
        page,
        place,
        tuple(tables),
        tuple(columns([*free, *marks])),
        tuple(asides),
        tuple(notes),
        tuple(askew),
        tuple(watermarks),
    )


def _inside(line: Line, table: PageTable) -> bool:
    x, y = (line.box[0] + line.right) / 2, (line.top + line.bottom) / 2
    return table.box[0] <= x <= table.box[2] and table.box[1] <= y <= table.box[3]


def _foot_notes(lines: Sequence[Line], page: Page, body_size: float) -> list[Line]:
    """Small type at the foot of the page that begins with a note's mark, with what stands below it."""
    out: list[Line] = []
    text = "".join(line.text[1:] for line in lines)
    for line in sorted(lines, key=lambda line: line.top):
        small = line.size < 0.9 * body_size and line.top > 0.55 * page.height
        above = any(note.left < line.right and line.left < note.right and note.top <= line.top for note in out)
        if small and (above or _begins_note(line, text)) and not _text_below(line, lines, body_size):
            out.append(line)
    return out


def _begins_note(line: Line, text: str) -> bool:
    """Whether the line begins with a note's mark."""
    cited = _CITED.match(line.text)
    return cited[0] in text if cited else _NOTE.match(line.text) is not None


def _text_below(line: Line, lines: Sequence[Line], body_size: float) -> bool:
    return any(
        other.top > line.bottom
        and other.size >= 0.9 * body_size
        and other.box[0] < line.right
        and other.right > line.left
        for other in lines
    )


def _pieces(laid: _Laid, joiner: Joiner, right: float) -> list[Piece]:
    out: list[Piece] = []
    for column in laid.columns:
        paragraphs = joiner.paragraphs(widened(column, right))
        if out and paragraphs and isinstance(out[-1], Paragraph) and joiner.continues(out[-1], paragraphs[0]):
            out[-1].lines.extend(paragraphs.pop(0).lines)
        out.extend(laid.tables[each.table] if each.table is not None else each for each in paragraphs)
    for aside in laid.asides:
        at = max((at for at, piece in enumerate(out) if _goes_past(piece, aside)), default=len(out) - 1)
        boxed = [paragraph for column in columns(aside.lines) for paragraph in joiner.paragraphs(column)]
        place = at if at == len(out) - 1 and _is_open(out[at]) else at + 1  # it may go on on the next page
        out[place:place] = [replace(paragraph, aside=True) for paragraph in boxed]
    return out


def _is_open(piece: Piece) -> bool:
    return isinstance(piece, Paragraph) and not ends_sentence(piece.text)


def _goes_past(piece: Piece, aside: Aside) -> bool:
    return isinstance(piece, Paragraph) and any(line.order in aside.beside for line in piece.lines)


def _joined(pages: list[list[Piece]], joiner: Joiner) -> list[list[Piece]]:
    """Join what goes on over a page break: the last piece of a page with the first of the next."""
    tail: list[Piece] = []
    for pieces in pages:
        if tail and pieces:
            last, first = tail[-1], pieces[0]
            if isinstance(last, Paragraph) and isinstance(first, Paragraph) and joiner.continues(last, first):
                last.lines.extend(first.lines)
                del pieces[0]
            elif isinstance(last, PageTable) and isinstance(first, PageTable) and continues(last, first):
                tail[-1] = joined(last, first)
                del pieces[0]
        if pieces:
            tail = pieces
    return pages


def _page_drafts(laid: _Laid, pieces: Sequence[Piece]) -> Iterator[Draft]:
    yield from (_tagged(line, "header") for line in laid.furniture.headers)
    yield from _with_remarks([_draft(piece, laid.page) for piece in pieces], laid.page)
    yield from (_tagged(line, None) for line in laid.askew)
    yield from (_tagged(line, "header") for line in laid.watermarks)
    yield from _note_drafts(laid.notes)
    yield from (_tagged(line, "footer") for line in laid.furniture.footers)
    yield from (_tagged(line, "hidden") for line in laid.page.hidden)


def _draft(piece: Piece, page: Page) -> Draft:
    if isinstance(piece, PageTable):
        return Draft(kind="table", page=page.number, box=piece.box, cells=piece.cells, ocr=page.ocr)
    return to_draft(piece, page.width / 2, ocr=page.ocr)


def _with_remarks(drafts: Sequence[Draft], page: Page) -> list[Draft]:
    """The pieces of a page, each followed by what is struck out of it and by the notes beside it."""
    remarks = [replace(_tagged(line, "deleted"), beside=True) for line in page.deleted]
    remarks += [
        Draft(note.text, kind="paragraph", tag="comment", page=page.number, box=note.box, beside=True)
        for note in page.notes
    ]
    out = list(drafts)
    for remark in remarks:
        place = max((at for at, draft in enumerate(out) if _is_at(remark, draft)), default=len(out) - 1)
        out.insert(place + 1, remark)
    return out


def _is_at(remark: Draft, draft: Draft) -> bool:
    """Whether the remark stands beside the piece, or beside a remark on it, or further down."""
    return bool(remark.box and draft.box and draft.page == remark.page and draft.box[1] <= remark.box[3])


def _note_drafts(lines: Sequence[Line]) -> Iterator[Draft]:
    notes: list[list[Line]] = []
    for line in lines:
        if notes and not (_NOTE.match(line.text) or _CITED.match(line.text)):
            notes[-1].append(line)
        else:
            notes.append([line])
    for note in notes:
        text = ""
        for line in note:
            text = glue(text, line.text)
        yield Draft(text, tag="footnote", page=note[0].page, box=box_around([line.box for line in note]))


def _tagged(line: Line, tag: BlockTag | None) -> Draft:
    return Draft(line.text, kind="paragraph", tag=tag, page=line.page, box=line.box)
