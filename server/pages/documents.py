"""A document of a build: its text with the addresses of its blocks, and the pages of a PDF with their boxes."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from compiler.build.sources import collect
from compiler.parsers.references.cross_references import cross_references
from compiler.report.document_page import PagePicture, document_body
from server.access import Reading, Shown
from server.builds.folders import BuildFolder
from server.builds.pictures import AT_ONCE, drawn_pages, picture_file
from server.errors import UnknownPlace
from server.rendering import page

router = APIRouter()
PLACE = "/builds/{build_id}/documents/{number}"


@router.get(PLACE)
def document_page(
    request: Request, site: Shown, session: Reading, build_id: str, number: int, first: int = 1
) -> Response:  # fmt: skip
    """A document, by its place in the build; pages are drawn a few at a time."""
    build = site.builds.build(build_id)
    made = build.read()
    if not 1 <= number <= len(made.documents):
        raise UnknownPlace(f"the build has {len(made.documents)} documents; there is none of number {number}")
    entry = made.documents[number - 1]
    document = made.document(entry.document)
    if document is None:
        return page(request, "refused.html", session, build=build, entry=entry)
    first = max(1, min(first, document.pages or 1))
    pictures = _pictures(build, number, entry.document, first) if document.source.kind == "pdf" else []
    body = document_body(document, pictures, cross_references(document))
    more = {"first": first, "last": first + len(pictures) - 1, "step": AT_ONCE, "pages": document.pages or 0}
    return page(
        request, "document.html", session, build=build, title=body.title, body=body.body, entry=entry, more=more,
        pictured=bool(pictures),
    )  # fmt: skip


@router.get(PLACE + "/pages/{page_number}.png")
def page_picture(site: Shown, _: Reading, build_id: str, number: int, page_number: int) -> Response:
    """The picture of a page that the document's page had drawn."""
    build = site.builds.build(build_id)
    if build.folder is None or not picture_file(_drawn(build, number), page_number).is_file():
        raise UnknownPlace(f"page {page_number} of this document is not drawn; open the document first")
    return FileResponse(picture_file(_drawn(build, number), page_number), media_type="image/png")


def _pictures(build: BuildFolder, number: int, doc_id: str, first: int) -> list[PagePicture]:
    """The pictures from a page on; none where the document itself is not here any more."""
    if build.folder is None or build.documents is None:
        return []
    file = next((one.path for one in collect([build.documents]) if one.doc_id == doc_id), None)
    drawn = drawn_pages(file, first, _drawn(build, number)) if file else ()
    place = f"/builds/{build.id}/documents/{number}/pages"
    return [PagePicture(one.number, one.width, one.height, f"{place}/{one.number}.png") for one in drawn]


def _drawn(build: BuildFolder, number: int) -> Path:
    assert build.folder is not None
    return build.folder / "pages" / str(number)
