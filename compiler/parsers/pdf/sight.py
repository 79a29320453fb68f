"""Which pieces of a PDF page's text can be seen, and which are struck out."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

import pymupdf

from ir.document import Box

_TINY = 2.0
_WHITE = 0xF8
_BLACK = 0x19

State = Literal["seen", "hidden", "deleted"]


@lru_cache(maxsize=2)
def drawings(page: pymupdf.Page) -> Sequence[dict[str, Any]]:
    """The shapes of a page; several steps of reading ask for them in turn."""
    return tuple(page.get_cdrawings())


def _within(x: float, y: float, box: Box) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


class Sight:
    """Tells which spans can be seen, and which are struck out."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self.rect = page.rect
        self._fills: list[pymupdf.Rect] | None = None
        self._covers = [(drawing["seqno"], drawing["rect"]) for drawing in drawings(page) if _is_cover(drawing)]
        self._blacks = [
            drawing["rect"] for drawing in drawings(page) if _is_cover(drawing) and max(drawing["fill"]) < 0.1
        ]
        drawn = enumerate(page.get_bboxlog()) if self._covers else ()
        self._texts = [(at, entry[1]) for at, entry in drawn if "text" in entry[0]]

    def split(self, spans: Iterable[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], State]]:
        """Runs of a line's spans that are alike in this."""
        run: list[dict[str, Any]] = []
        state: State = "seen"
        for span in spans:
            now = state if not span["text"].strip() and run else self.state(span)
            if run and now != state:
                yield run, state
                run = []
            run.append(span)
            state = now
        if run:
            yield run, state

    def state(self, span: dict[str, Any]) -> State:
        """Whether the span is hidden, else whether it is marked as struck."""
        if not self.visible(span):
            return "hidden"
        return "deleted" if span.get("struck") else "seen"

    def visible(self, span: dict[str, Any]) -> bool:
        """Drawn, large enough, on the page, not covered, and not white on white."""
        x0, y0, x1, y1 = span["bbox"]
        on_page = x1 > 0 and y1 > 0 and x0 < self.rect.width and y0 < self.rect.height
        if span.get("alpha", 255) == 0 or not on_page or span["size"] < _TINY:
            return False
        if self._covers and self._is_covered((x0, y0, x1, y1)):
            return False
        color = span["color"]
        brightest = max(color >> 16 & 255, color >> 8 & 255, color & 255)
        if brightest <= _BLACK and self._is_on_black((x0, y0, x1, y1)):
            return False
        if min(color >> 16 & 255, color >> 8 & 255, color & 255) < _WHITE:
            return True
        return any(fill.intersects(pymupdf.Rect(x0, y0, x1, y1)) for fill in self.fills())

    def _is_covered(self, box: Box) -> bool:
        """Whether a black or white shape that is drawn after all text in this place hides it."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        over = [
            at
            for at, cover in self._covers
            if _within(x, y, cover) and box[0] >= cover[0] - 1 and box[2] <= cover[2] + 1
        ]
        if not over:
            return False
        texts = [at for at, place in self._texts if _within(x, y, place)]
        return bool(texts) and max(texts) < max(over)

    def _is_on_black(self, box: Box) -> bool:
        """Whether what lies right below all text in this place is a black shape."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if not any(_within(x, y, black) for black in self._blacks):
            return False
        first = min((at for at, place in self._texts if _within(x, y, place)), default=-1)
        below = [
            drawing
            for drawing in drawings(self.page)
            if drawing.get("fill") and drawing["seqno"] < first and _within(x, y, drawing["rect"])
        ]
        if not below or any(_within(x, y, image["bbox"]) for image in self.page.get_image_info()):
            return False
        x0, y0, x1, y1 = below[-1]["rect"]
        whole = x0 - 1 <= box[0] and box[2] <= x1 + 1 and y1 - y0 > 0.6 * (box[3] - box[1])
        return whole and _is_cover(below[-1]) and max(below[-1]["fill"]) < 0.1

    def fills(self) -> list[pymupdf.Rect]:
        """Places that are not white: filled shapes and images; looked up only where white text asks for it."""
        if self._fills is None:
            shapes = (
                pymupdf.Rect(drawing["rect"])
                for drawing in drawings(self.page)
                if drawing.get("fill") and min(drawing["fill"]) < 0.95
            )
            images = (pymupdf.Rect(image["bbox"]) for image in self.page.get_image_info())
            shadings = (pymupdf.Rect(entry[1]) for entry in self.page.get_bboxlog() if "shade" in entry[0])
            self._fills = [*shapes, *images, *shadings]
        return self._fills


def _is_cover(drawing: dict[str, Any]) -> bool:
    """Whether a shape hides what is drawn before it: one filled rectangle, opaque, black or white.

    A colour may be blended with what is below, as a highlighter's is.
    """
    fill = drawing.get("fill")
    plain = len(drawing["items"]) == 1 and drawing["items"][0][0] == "re"
    return bool(fill and plain and drawing.get("fill_opacity", 1) == 1 and (min(fill) > 0.95 or max(fill) < 0.1))
