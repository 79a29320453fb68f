"""A draft in review: its graph, its source with the evidence marked, and its panels."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from compiler.report.review.page import review_body
from registry.versions import versions
from server.access import Reading, Shown
from server.errors import UnknownPlace
from server.proving import proving
from server.rendering import page
from store.users import AUTHOR

router = APIRouter()


@router.get("/drafts/{build_id}/{workflow_id}")
def draft_page(request: Request, site: Shown, session: Reading, build_id: str, workflow_id: str) -> Response:
    """A draft, as its build's review page shows it."""
    build = site.builds.build(build_id)
    made = build.read()
    draft = made.draft(workflow_id)
    if draft is None:
        raise UnknownPlace(f"the build {build.title} has no draft {workflow_id}; its page lists those that it has")
    with site.workspace.database.transaction() as connection:
        known = versions(connection, workflow_id)
    about = (known[-1].definition if known else made.workflow(draft)).metadata
    with proving():
        body = review_body(made.review(draft, site.host.catalog))
    return page(
        request, "draft.html", session, build=build, draft=draft, workflow_id=workflow_id, title=body.title,
        body=body.body, may_submit=session.user.may(AUTHOR), about=about,
    )  # fmt: skip
