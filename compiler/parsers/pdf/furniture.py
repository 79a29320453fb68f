"""Headers and footers that run through a PDF."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiler.parsers.pdf.layout import beside
from compiler.parsers.pdf.lines import Line, Page
from compiler.text.labels import parse_label

_ZONE = 0.13
_LARGER = 1.1
_SMALLER = 0.92
_MONTH = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?",
    re.I,
)
_DIGITS = re.compile(r"[0-9０-９]+")
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|第|共)?\s*[-–—·]{0,2}\s*(?:[0-9０-９]{1,4}|[ivxl]{1,6})\s*[-–—·]{0,2}\s*页?"
    r"(?:\s*(?:of|/|[,，]?\s*共|\|)\s*[0-9０-９]{1,4}\s*页?)?",
    re.I,
)
_BARE_NUMBER = re.compile(r"(?!1$)[0-9０-９]+|[ivxl]+", re.I)


@dataclass(frozen=True, slots=True)
class Furniture:
    """A page's lines with the running headers and footers apart."""

    body: tuple[Line, ...]
    headers: tuple[Line, ...]
    footers: tuple[Line, ...]


def furniture(pages: Sequence[Page], body_size: float) -> list[Furniture]:
    """Tell running headers and footers by repeated place and text with its dates masked; page numbers by their form.

    A line counts only if no text of the page's own stands further out.
    """
    running = _Running(pages, body_size)
    return [_split(page, running) for page in pages]


class _Running:
    """Tells lines that run through the document."""

    def __init__(self, pages: Sequence[Page], body_size: float) -> None:
        self.body_size = body_size
        self.single = len(pages) < 2
        self._places: dict[tuple[str, str, int], set[int]] = defaultdict(set)
        self._small: dict[tuple[str, int], set[int]] = defaultdict(set)
        self._texts = Counter(_masked(line.text) for page in pages for line in page.lines)
        self._literal = Counter(line.text for page in pages for line in page.lines)
        alike: dict[tuple[str, ...], int] = {}
        for page in pages:
            first = alike.setdefault(tuple(_masked(line.text) for line in page.lines), page.number)
            for line, zone in _outer(page):
                for place in (-1, 0, 1):
                    self._places[zone, _masked(line.text), round(line.top / 6) + place].add(first)
                    self._small[zone, round(line.top / 6) + place] |= {first} if self._is_small(line) else set()
        distinct = len(alike)
        self._needed = max(2, round(0.5 * distinct)) if distinct <= 4 else max(3, round(0.25 * distinct))

    def __call__(self, line: Line, zone: str) -> bool:
        """Whether the line recurs in this place, names the part that it stands in, or is a page's number.

        On a single page, a bare figure other than 1 may be something else.
        """
        if self.single:
            return _PAGE_NUMBER.fullmatch(line.text) is not None and not _BARE_NUMBER.fullmatch(line.text)
        if _PAGE_NUMBER.fullmatch(line.text):
            return True
        place = round(line.top / 6)
        if len(self._places[zone, _masked(line.text), place]) >= self._needed:
            return not self._is_title(line)
        recurs = self._texts[_masked(line.text)] > 1
        return zone == "top" and self._is_small(line) and recurs and len(self._small[zone, place]) >= self._needed

    def _is_small(self, line: Line) -> bool:
        return line.size <= _SMALLER * self.body_size

    def _is_title(self, line: Line) -> bool:
        """Whether the line counts on from page to page as titles and clauses do: in larger type, or with a label.

        A mere number does so only in bold type, since pages' numbers count on too.
        """
        if self._literal[line.text] > 1 or not _DIGITS.search(line.text) or self._is_small(line):
            return False
        label = parse_label(line.text, heading=True)
        labelled = label is not None and (line.bold or not label.kind.startswith("number"))
        return labelled or line.size > _LARGER * self.body_size


def _masked(text: str) -> str:
    return re.sub(r"\s+", "", _DIGITS.sub("0", _MONTH.sub("M", text)))


def _outer(page: Page) -> list[tuple[Line, str]]:
    out = [(line, "top") for line in page.lines if line.bottom < _ZONE * page.height]
    return out + [(line, "bottom") for line in page.lines if line.top > (1 - _ZONE) * page.height]


def _split(page: Page, runs: Callable[[Line, str], bool]) -> Furniture:
    outer = _outer(page)
    top = sorted((line for line, zone in outer if zone == "top"), key=lambda line: line.top)
    bottom = sorted((line for line, zone in outer if zone == "bottom"), key=lambda line: -line.bottom)
    headers = _while_running(top, "top", runs)
    footers = _while_running(bottom, "bottom", runs)
    apart = {line.order for line in (*headers, *footers)}
    body = tuple(line for line in page.lines if line.order not in apart)
    return Furniture(body, _by_row(headers), _by_row(footers))


def _by_row(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: (round((line.top + line.bottom) / 6), line.left)))


def _while_running(lines: Sequence[Line], zone: str, runs: Callable[[Line, str], bool]) -> list[Line]:
    """The lines from the edge inwards until one that is the page's own; others on its row still count."""
    out: list[Line] = []
    edge: float | None = None
    for line in lines:
        if runs(line, zone) and not _leads(line, lines, zone, runs):
            if edge is None or beside(line, edge):
                out.append(line)
        elif edge is None:
            edge = (line.top + line.bottom) / 2
    return out


def _leads(line: Line, lines: Sequence[Line], zone: str, runs: Callable[[Line, str], bool]) -> bool:
    """Whether a lone figure stands right before text on its row, as a section's number does."""
    middle = (line.top + line.bottom) / 2
    near = (other for other in lines if 0 <= other.left - line.right < 4 * line.size and beside(other, middle))
    return bool(_PAGE_NUMBER.fullmatch(line.text)) and any(not runs(other, zone) for other in near)
