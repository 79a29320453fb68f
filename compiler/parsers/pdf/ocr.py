"""Text of pages that are pictures, read with RapidOCR where the `ocr` extra is installed; nothing is fetched."""

import importlib.util
import logging
from functools import cache
from typing import Any

import pymupdf

from compiler.parsers.page_counts import tell_pages
from compiler.parsers.pdf.lines import Line

DOTS = 170  # to the inch: below 150 small print is lost, above 200 only time
SURE = 0.5  # of 1, below which what was read is no text
WORTH = 40  # pages of text that reading one picture takes the time of
LETTER = 0.78  # of a line's height, the size of its type


def available() -> bool:
    """Whether the `ocr` extra is installed."""
    return importlib.util.find_spec("rapidocr") is not None and importlib.util.find_spec("onnxruntime") is not None


def read_picture(page: pymupdf.Page, number: int) -> tuple[Line, ...]:
    """The lines of a page, from the top down as they were found; none where nothing was read for sure.

    Args:
        number: of the page, from 1.
    """
    tell_pages(WORTH)
    picture = page.get_pixmap(dpi=DOTS, colorspace=pymupdf.csRGB).tobytes("png")
    found = _engine()(picture)
    if found.txts is None or found.boxes is None:
        return ()
    scale = 72 / DOTS
    lines = []
    for order, (text, corners, score) in enumerate(zip(found.txts, found.boxes, found.scores, strict=True)):
        across, down = [float(x) * scale for x, _ in corners], [float(y) * scale for _, y in corners]
        box = (min(across), min(down), max(across), max(down))
        if score >= SURE and text.strip():
            size = (box[3] - box[1]) * LETTER
            lines.append(Line(text.strip(), number, box, box[0], size, order=order, block=order))
    return tuple(lines)


@cache
def _engine() -> Any:  # RapidOCR has no types
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    from rapidocr import RapidOCR

    return RapidOCR(params={"Global.log_level": "error"})
