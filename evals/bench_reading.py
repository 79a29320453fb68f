"""Time and memory of reading: beside PyMuPDF's own text and tables, as pages grow, and beside other readers.

Ratios of one run, since machines differ. `markitdown` and `pymupdf4llm` are compared where they are installed.
"""

import importlib.util
import io
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from compiler.parsers import parse

GROWTH = (50, 150, 300, 600)  # pages


def report(files: Sequence[Path]) -> Iterator[str]:
    """The lines of the table; `files` are PDFs, whose pages are put together into longer ones."""
    data = [file.read_bytes() for file in files if parse(file.read_bytes(), file.name).document is not None]
    if not data:
        return
    own, base = _timed(_parse, data), _timed(_text_and_tables, data)
    yield f"reading {len(data)} PDFs"
    yield f"  parse                          {own:8.3f} s"
    yield f"  PyMuPDF text and find_tables   {base:8.3f} s   parse takes {own / base:.2f} times that"
    for name, reader in _others().items():
        took = _timed(reader, data)
        yield f"  {name:30} {took:8.3f} s   {took / own:.2f} times parse"
    seconds: dict[int, float] = {}
    for pages in GROWTH:
        long = _put_together(data, pages)
        seconds[pages] = _timed(_parse, [long])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
        a_page = 1000 * seconds[pages] / pages
        speed = f"{a_page:6.1f} ms a page   peak {peak:.0f} MiB"
        yield f"  {pages:4} pages                     {seconds[pages]:8.3f} s   {speed}"
    few, many = GROWTH[0], GROWTH[-1]
    growth = (seconds[many] / many) / (seconds[few] / few)
    yield f"  a page of {many} takes {growth:.2f} times a page of {few} (1 is linear)"


def _timed(reader: Callable[[bytes], object], data: Sequence[bytes]) -> float:
    started = time.perf_counter()
    for each in data:
        reader(each)
    return time.perf_counter() - started


def _parse(data: bytes) -> None:
    parse(data, "file.pdf")


def _text_and_tables(data: bytes) -> None:
    import pymupdf

    with pymupdf.open(stream=data, filetype="pdf") as pdf:
        for page in pdf:
            page.get_text()
            page.find_tables()


def _put_together(data: Sequence[bytes], pages: int) -> bytes:
    """The PDFs one after another, page by page in turn, until there are so many pages."""
    import pymupdf

    sources = [pymupdf.open(stream=each, filetype="pdf") for each in data]
    with pymupdf.open() as out:
        at = 0
        while len(out) < pages:
            for source in sources:
                if len(out) < pages and len(source):
                    page = at % len(source)
                    out.insert_pdf(source, from_page=page, to_page=page)
            at += 1
        return bytes(out.tobytes(garbage=4, deflate=True))


def _others() -> dict[str, Callable[[bytes], object]]:
    found: dict[str, Callable[[bytes], object]] = {}
    if importlib.util.find_spec("markitdown"):
        from markitdown import MarkItDown, StreamInfo  # type: ignore[import-not-found,unused-ignore]

        reader = MarkItDown()
        found["markitdown"] = lambda data: reader.convert_stream(
            io.BytesIO(data), stream_info=StreamInfo(extension=".pdf")
        )
    if importlib.util.find_spec("pymupdf4llm"):
        import pymupdf
        import pymupdf4llm  # type: ignore[import-not-found,unused-ignore]

        found["pymupdf4llm"] = lambda data: pymupdf4llm.to_markdown(pymupdf.open(stream=data, filetype="pdf"))
    return found
