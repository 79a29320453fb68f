"""What the pages of a PDF look like, to lay over them what was read."""

from collections.abc import Iterator

DOTS = 100  # to the inch: readable, and some 60 kB a page


def page_pictures(data: bytes, most: int, first: int = 1) -> Iterator[tuple[int, float, float, bytes]]:
    """Number, width and height in points, and PNG of each page from the first on, at most so many."""
    import pymupdf

    with pymupdf.open(stream=data, filetype="pdf") as pdf:
        for index in range(first - 1, min(len(pdf), first - 1 + most)):
            page = pdf[index]
            yield index + 1, page.rect.width, page.rect.height, page.get_pixmap(dpi=DOTS).tobytes("png")
