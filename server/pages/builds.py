"""Builds: the list, the form for new ones, how far one is, and what it came to."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from server.access import Acting, Reading, Shown
from server.builds.compiling import stage
from server.builds.folders import About
from server.builds.uploads import KINDS, MOST_BYTES, MOST_FILES, keep_documents
from server.errors import BadForm
from server.rendering import page
from store import audit
from store.clock import now
from store.users import AUTHOR

router = APIRouter()
UPLOADS = "/builds"


@router.get("/builds")
def build_list(request: Request, site: Shown, session: Reading) -> Response:
    """All builds, and the form for a new one."""
    rows = [(one, one.about, site.compiling.state(one)) for one in site.builds.all()]
    limits = {"kinds": ",".join(KINDS), "files": MOST_FILES, "size": MOST_BYTES >> 20}
    return page(
        request, "builds.html", session, rows=rows, limits=limits, model=site.model, may_add=session.user.may(AUTHOR)
    )


@router.post(UPLOADS)
def add_build(
    site: Shown,
    session: Acting,
    documents: list[UploadFile],
    title: Annotated[str, Form(max_length=200)] = "",
    reader: Annotated[str, Form()] = "rules",
) -> Response:
    """Keep documents and have them compiled."""
    session.user.must("add documents", AUTHOR)
    if reader not in ("rules", "model") or (reader == "model" and site.model is None):
        raise BadForm("no model is configured that could read the documents; choose to have them read by rules")
    files = [(one.filename or "", one.file, one.size or 0) for one in documents if one.filename]
    about = About(title=title.strip() or _title(files), by=session.user.name, at=now(), model=reader == "model")
    build = site.builds.new(about)
    try:
        assert build.documents is not None
        names = keep_documents(files, build.documents)
        site.compiling.begin(build, *([] if about.model else ["--offline"]))
    except Exception:
        site.builds.discard(build)
        raise
    with site.workspace.transaction() as connection:
        audit.append(connection, "build-began", session.user.name, {"build": build.id, "documents": [*names]})
    return RedirectResponse(f"/builds/{build.id}", 303)


@router.get("/builds/{build_id}")
def build_page(request: Request, site: Shown, session: Reading, build_id: str) -> Response:
    """A build: how far it is, or its documents and drafts."""
    build = site.builds.build(build_id)
    state = site.compiling.state(build)
    made = build.read() if build.is_made else None
    drafts = [*made.workflows()] if made else []
    return page(
        request, "build.html", session, build=build, about=build.about, state=state, stage=stage(build), made=made,
        drafts=drafts, ended=build.ended,
    )  # fmt: skip


@router.get("/builds/{build_id}/progress")
def build_progress(request: Request, site: Shown, session: Reading, build_id: str) -> Response:
    """How far a build is, to put in its page; once it is made, the page is loaded again."""
    build = site.builds.build(build_id)
    state = site.compiling.state(build)
    if state not in ("waiting", "running"):
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "progress.html", session, build=build, state=state, stage=stage(build))


def _title(files: Sequence[tuple[str, object, int]]) -> str:
    """The name of the first document."""
    return files[0][0].replace("\\", "/").rpartition("/")[2][:200] if files else ""
