"""The form that begins a run of a published version."""

import re
import secrets
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from compiler.report.readers_words import Reader
from ir.fields import Fields
from registry.forms import Version
from registry.versions import version_of
from runtime.commands import begin
from runtime.errors import BadInputs, NotPublished
from runtime.values import missing_inputs, wrong_inputs
from server.access import Acting, Reading, Shown
from server.errors import BadForm
from server.pages.runs.controls import NOTHING, Form, Typed, clashing, faulty, values_of
from server.pages.runs.inbox import Sent
from server.rendering import language_of, page
from server.sessions import Session
from server.site import Site
from server.words import Words
from store.users import OPERATOR

router = APIRouter()
PLACE = "/registry/{workflow_id}/v{number:int}/start"
_KEY = re.compile(r"[0-9a-f]{16}")


@router.get(PLACE)
def start_page(request: Request, site: Shown, session: Reading, workflow_id: str, number: int) -> Response:
    """What a run has to be given."""
    session.user.must("begin an execution", OPERATOR)
    return _shown(request, site, session, _version(site, workflow_id, number), secrets.token_hex(8))


@router.post(PLACE)
def start(request: Request, site: Shown, session: Acting, workflow_id: str, number: int, typed: Sent) -> Response:
    """Begin a run; a form that is sent twice begins one. Where inputs do not fit, the form stands again."""
    version = _version(site, workflow_id, number)
    key = typed.text("key")
    if not _KEY.fullmatch(key):
        raise BadForm("the form does not name the run that it begins; open it again")
    if clashing(typed):
        told = BadForm("not known, and filled in as well")
        return _shown(request, site, session, version, key, typed, told)
    inputs = values_of(cast("Fields", version.definition.inputs), typed)
    try:
        found = begin(site.host, session.user, workflow_id, number, inputs, ask=typed.ticked("ask"), key=key)
    except BadInputs as error:
        return _shown(request, site, session, version, key, typed, error)
    return RedirectResponse(f"/runs/{found.id}", 303)


def _version(site: Site, workflow_id: str, number: int) -> Version:
    """A version of which runs may begin.

    Raises:
        UnknownVersion: there is none such.
        NotPublished: none may.
    """
    with site.workspace.database.transaction() as connection:
        found = version_of(connection, workflow_id, number)
    if found.state != "published":
        raise NotPublished(f"{found.name} is {found.state}; runs begin of what is published, see its page")
    return found


def _shown(
    request: Request, site: Site, session: Session, version: Version, key: str, typed: Typed = NOTHING,
    refused: BadInputs | BadForm | None = None,
) -> Response:  # fmt: skip
    workflow, words = version.definition, Words(language_of(request))
    fields = {
        name: spec.model_copy(update={"required": spec.is_required}) for name, spec in workflow.inputs.items()
    }  # fmt: skip
    told: list[str] = []
    if refused is not None:
        inputs = values_of(cast("Fields", workflow.inputs), typed)
        asked = () if typed.ticked("ask") else missing_inputs(workflow, inputs)
        told = [*wrong_inputs(workflow, inputs), *(f"{name}: missing" for name in asked)]
    controls = Form(
        Reader(workflow, site.host.catalog, words.language), words, typed, tuple(told)
    ).controls(cast("Fields", fields))  # fmt: skip
    return page(
        request, "run-start.html", session, 400 if refused else 200, version=version, controls=controls, key=key,
        faulty=faulty(controls), ask=typed.ticked("ask"), refused=refused,
    )  # fmt: skip
