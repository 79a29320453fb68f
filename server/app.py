"""The application: pages, what is said where one cannot be shown, and what holds for every request."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from threading import Thread
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ir.errors import BadInputFile, CompilerError
from registry.errors import NotPublishable, UnknownVersion, WrongState
from runtime import errors as of_runs
from server import errors
from server.bearer import tell_astray
from server.builds.trials import load_drafting
from server.builds.uploads import MOST_BYTES
from server.pages import agreement, audit, builds, cases, documents, figures, files, health, registry, review, signing
from server.pages.runs import inbox, live, run, start, walked
from server.readiness import Readiness
from server.rendering import page
from server.request_log import HEADER, RequestLog
from server.rest import refusals
from server.rest.app import is_rest, make_rest
from server.rest.described import PREFIX
from server.security import FORM_BYTES, PART_SECONDS, SafeHeaders, Sized, safe_headers, within
from server.sessions import session_of
from server.site import Site
from server.streams import Streams
from server.tools import PATH, ToolGate
from store.errors import BadPassword, BadToken, DatabaseUnavailable, NotAllowed, StaleWorkspace, UnknownUser

STATUSES: dict[type[CompilerError], int] = {
    errors.SignInNeeded: 401, errors.SignInRefused: 401, errors.TooManyAttempts: 429, errors.ForeignForm: 403,
    errors.UnknownPlace: 404, errors.BadForm: 400, errors.TooLarge: 413, errors.Busy: 503, errors.TakesTooLong: 503,
    NotAllowed: 403, BadToken: 401, of_runs.TooManyCalls: 429, UnknownVersion: 404, UnknownUser: 404, WrongState: 409,
    NotPublishable: 409, BadPassword: 400, BadInputFile: 409, DatabaseUnavailable: 503,
    StaleWorkspace: 503, of_runs.UnknownExecution: 404, of_runs.UnknownTask: 404, of_runs.BadInputs: 400,
    of_runs.BadAnswer: 400, of_runs.TaskClosed: 409, of_runs.AlreadyEnded: 409, of_runs.NotPublished: 409,
    of_runs.ValuesDeleted: 409, of_runs.NotAutomatic: 409,
}  # fmt: skip
"""What a fault is in HTTP; any other is 500."""
OF_RUNS = (inbox, start, live, run, walked)
FAMILIES = (health, files, signing, builds, documents, review, agreement, cases, registry, figures, audit, *OF_RUNS)


def make_app(site: Site) -> FastAPI:
    """The application of a site."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for begun in (site.trials.begin, load_drafting):
            Thread(target=begun, name="drafting", daemon=True).start()
        async with AsyncExitStack() as served:
            if site.tools is not None:
                await served.enter_async_context(site.tools.serving())
            yield
        site.compiling.close()
        site.trials.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.site, app.state.readiness = site, Readiness(site)
    for family in FAMILIES:
        app.include_router(family.router)
    if site.tools is not None:
        app.router.routes.append(Route(PATH, ToolGate(site.tools, STATUSES)))
    app.mount(PREFIX, make_rest(site))
    app.add_exception_handler(CompilerError, _fault)
    app.add_exception_handler(HTTPException, _http_fault)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(Exception, _crash)
    uploads = MOST_BYTES + FORM_BYTES
    app.add_middleware(Sized, uploads=uploads, admitted=_is_upload, refused=_too_large, late=_late)
    app.add_middleware(Streams, stopping=site.stopping)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(site.names), www_redirect=False)
    app.add_middleware(SafeHeaders)
    app.add_middleware(RequestLog)
    return app


def _fault(request: Request, error: Exception) -> Response:
    """The page of a fault: what is wrong and what to do, with its code."""
    assert isinstance(error, CompilerError)
    if isinstance(error, errors.SignInNeeded):
        tell_astray(request)
    if isinstance(error, errors.SignInNeeded) and request.method == "GET":
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        target = f"/sign-in?next={quote(here, safe='')}"
        if "hx-request" in request.headers:
            return Response(status_code=401, headers={"HX-Redirect": target})
        return RedirectResponse(target, 303)
    status = next((number for form, number in STATUSES.items() if isinstance(error, form)), 500)
    message = str(error.args[0] if error.args else error)
    return _shown(request, status, error.code, message)


def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _shown(request, 404, errors.UnknownPlace.code, f"there is no page {request.url.path} here")
    if error.status_code == 405:
        return _shown(request, 405, errors.BadForm.code, f"{request.url.path} does not take {request.method}")
    return _shown(request, error.status_code, errors.BadForm.code, str(error.detail))


def _bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    told: list[dict[str, Any]] = list(error.errors())
    words = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in told)
    return _shown(request, 400, errors.BadForm.code, f"the request is not as it has to be: {words}")


def _crash(request: Request, error: Exception) -> Response:
    """A fault of ours; the trace is in the terminal, not on the page."""
    told = f"{type(error).__name__}: this is a bug of flowc; the log of the server has the trace, please report it"
    answer = _shown(request, 500, "internal-error", told)
    safe_headers(answer.headers)  # it is answered outside of all that puts headers on
    answer.headers[HEADER] = request.state.request_id
    return answer


def _shown(request: Request, status: int, code: str, message: str) -> Response:
    if is_rest(request):
        return refusals.told(status, code, message)
    site: Site = request.app.state.site
    try:
        session = session_of(site.workspace, request.cookies.get(site.cookie))
    except DatabaseUnavailable:
        session = None
    head, *rest = message.splitlines() or [""]
    return page(
        request, "error.html", session, status, code=code, message=head, more=rest, status_code=status,
        back=_came_from(request), request_id=request.state.request_id,
    )  # fmt: skip


def _came_from(request: Request) -> str | None:
    """The page of this server that sent a form; None where none says so."""
    sent = urlsplit(request.headers.get("referer", ""))
    same = request.method == "POST" and sent.netloc == request.headers.get("host")
    return within(sent.path) if same else None


def _is_upload(scope: Scope) -> bool:
    """Whether a request brings documents, from somebody who is signed in."""
    if scope["method"] != "POST" or scope["path"] != builds.UPLOADS:
        return False
    request = Request(scope)
    site: Site = request.app.state.site
    return session_of(site.workspace, request.cookies.get(site.cookie)) is not None


async def _late(scope: Scope, receive: Receive, send: Send) -> None:
    told = f"nothing more of the request came for {PART_SECONDS:.0f} seconds; send it again over a quicker way"
    await _shown(Request(scope), 408, errors.TooSlow.code, told)(scope, receive, send)


async def _too_large(scope: Scope, receive: Receive, send: Send) -> None:
    site: Site = Request(scope).app.state.site
    if site.tools is not None and scope["path"] == PATH:
        await ToolGate(site.tools, STATUSES).refuse_large(scope, receive, send)
        return
    told = f"this takes {FORM_BYTES >> 20} MiB at most, and documents {MOST_BYTES >> 20} MiB; send less at a time"
    await _shown(Request(scope), 413, errors.TooLarge.code, told)(scope, receive, send)
