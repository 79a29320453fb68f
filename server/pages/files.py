"""Styles and scripts: the server's own, and those of the pages that builds have."""

from fastapi import APIRouter
from fastapi.responses import Response

from compiler.report.templates import read_template
from server.errors import UnknownPlace
from server.site import STATIC

router = APIRouter()
OWN = frozenset(
    {
        *("htmx-2.0.11.min.js", "htmx-LICENSE.txt", "pages.css", "server.css", "icon.svg"),
        *("cases.css", "cases.js", "review-desk.css", "review-desk.js", "runs.css", "runs.js"),
    }
)
OF_REPORTS = frozenset({"base.css", "review.css", "review.js", "document.css", "document.js"})
_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """One of the files that are listed above; nothing else can be named."""
    if name in OWN:
        text = (STATIC / name).read_text("utf-8")
    elif name in OF_REPORTS:
        text = read_template(name)
    else:
        raise UnknownPlace(f"there is no file {name} here")
    kind = f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8"
    return Response(text, media_type=kind, headers={"Cache-Control": "private, max-age=300"})
