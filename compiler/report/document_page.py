"""How a document was read, on one HTML page: its pages with the boxes of its blocks, and every block with its address.

As the review page it needs nothing else: no network, styles and script inline, pictures as data.
"""

import base64
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from compiler.report.markup import Attribute, Child, Markup, element, join
from compiler.report.review.page import PageBody, html_page
from compiler.report.words import Words
from ir.document import Block, Box, Document, Reference

INDENT = 6  # deepest level that is shown by its own margin


@dataclass(frozen=True)
class PagePicture:
    """What a page looks like.

    Args:
        number: from 1.
        width, height: in points, as the boxes of blocks are.
        address: of the picture.
    """

    number: int
    width: float
    height: float
    address: str


def inline_picture(number: int, width: float, height: float, png: bytes) -> PagePicture:
    """A picture that stands in the page itself."""
    return PagePicture(number, width, height, "data:image/png;base64," + base64.b64encode(png).decode())


def render_document(
    document: Document, pictures: Sequence[PagePicture] = (), references: Sequence[Reference] = ()
) -> str:
    """The page as HTML, in Chinese for Chinese documents, else in English; see `document_body`."""
    made = document_body(document, pictures, references)
    return html_page(made.title, made.words, made.body, style="document.css", script="document.js", pictures=True)


def document_body(
    document: Document, pictures: Sequence[PagePicture] = (), references: Sequence[Reference] = ()
) -> PageBody:
    """The page without what is around it; it needs `document.css` and `document.js`.

    Args:
        pictures: of pages whose blocks have boxes; pages without one are shown by their blocks alone.
        references: words of the document that lead to another of its blocks; they become links.
    """
    words = Words(document.language)
    links: dict[str, list[Reference]] = defaultdict(list)
    for reference in references:
        links[reference.block].append(reference)
    blocks = [_row(block, links) for block in document.blocks]
    pages = [_page(picture, document, words) for picture in pictures]
    kinds = [element("span", {"class": f"key k-{kind}"}, words(f"kind_{kind}")) for kind in _KINDS]
    facts = join([document.source.kind.upper(), document.language, words("blocks", len(document.blocks))], " · ")
    head = element(
        "header",
        {"class": "top"},
        element("h1", {}, document.title),
        element("p", {"class": "muted"}, facts, " · ", document.doc_id),
        element("p", {"class": "keys"}, kinds, element("span", {"class": "key tagged"}, words("tagged"))),
    )
    shown = element("div", {"class": "pages"}, pages) if pages else None
    body = element(
        "main", {"class": "read" if pages else "read alone"}, shown, element("ol", {"class": "blocks"}, blocks)
    )
    return PageBody(f"{document.title} · {words('as_read')}", words, join([head, body]))


_KINDS = ("heading", "paragraph", "list_item", "table", "caption")


def _page(picture: PagePicture, document: Document, words: Words) -> Markup:
    boxes: list[Child] = []
    for block in document.blocks:
        for address, box in _boxes(block, picture.number):
            x0, y0, x1, y1 = box
            shape = {"x": x0, "y": y0, "width": max(x1 - x0, 1.0), "height": max(y1 - y0, 1.0)}
            sort = (
                f"box k-{block.kind}" + (" tagged" if block.tag else "") + (" cell" if address != block.address else "")
            )
            named = element("title", {}, f"{address} {block.tag or block.kind}")
            boxes.append(element("rect", {**shape, "class": sort, "data-for": block.address}, named))
    image = element("image", {"href": picture.address, "width": picture.width, "height": picture.height})
    caption = words("page", picture.number)
    size = f"0 0 {picture.width:g} {picture.height:g}"
    view = {"viewBox": size, "role": "img", "class": "sheet", "aria-label": caption}
    return element("figure", {}, element("figcaption", {}, caption), element("svg", view, image, boxes))


def _boxes(block: Block, page: int) -> list[tuple[str, Box]]:
    found = [(block.address, block.box)] if block.box is not None and block.page == page else []
    return found + [(cell.address, cell.box) for cell in block.cells if cell.box is not None and cell.page == page]


def _row(block: Block, links: Mapping[str, Sequence[Reference]]) -> Markup:
    level = min(block.level, INDENT)
    sort = f"block k-{block.kind} d{level}" + (" tagged" if block.tag else "")
    about = [
        element("code", {"class": "address"}, block.address),
        element("span", {"class": "chip"}, block.kind + (f" {block.level}" if block.level else "")),
        element("span", {"class": "chip warn"}, block.tag) if block.tag else None,
        element("span", {"class": "chip"}, f"p. {block.page}") if block.page else None,
        element("span", {"class": "chip"}, block.read_by) if block.read_by != "text" else None,
    ]
    label = element("b", {"class": "label"}, block.label.text) if block.label else None
    if block.kind == "table":
        words = _table(block, links)
    else:
        start = block.body_start if block.label and not block.label.generated else 0
        words = element("p", {"class": "words"}, label, " ", _linked(block.text, links.get(block.address, ()), start))
    return element("li", {"class": sort, "id": f"b-{block.address}"}, element("div", {"class": "about"}, about), words)


def _linked(text: str, references: Sequence[Reference], start: int = 0) -> list[Child]:
    """The text from `start` on, with a link at each reference, and a mark at one that leads nowhere."""
    out: list[Child] = []
    for reference in references:
        if reference.start < start:
            continue
        target = reference.target
        link: dict[str, Attribute] = {
            "class": "ref" if target else "ref lost",
            "href": f"#b-{target}" if target else None,
        }
        out += [text[start : reference.start], element("a", link, text[reference.start : reference.end])]
        start = reference.end
    return [*out, text[start:]]


def _table(block: Block, links: Mapping[str, Sequence[Reference]]) -> Markup:
    rows = []
    for _, cells in groupby(sorted(block.cells, key=lambda c: (c.row, c.column)), key=lambda cell: cell.row):
        row = []
        for cell in cells:
            spans: dict[str, Attribute] = {
                "rowspan": cell.row_span if cell.row_span > 1 else None,
                "colspan": cell.column_span if cell.column_span > 1 else None,
                "title": cell.address,
            }
            row.append(element("th" if cell.header else "td", spans, _linked(cell.text, links.get(cell.address, ()))))
        rows.append(element("tr", {}, row))
    return element("table", {}, element("tbody", {}, rows))
