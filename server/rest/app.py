"""The application for programs, which the server mounts: routers, what is refused, the description."""

from functools import cache
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ir.errors import CompilerError
from server.rest import records, refusals, registry, runs, tasks, workflows
from server.rest.described import PREFIX, described
from server.site import Site

FAMILIES = (workflows, runs, records, tasks, registry)


def make_rest(site: Site) -> FastAPI:
    """The application of a site, to be mounted at `PREFIX`."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.site = site
    for family in FAMILIES:
        app.include_router(family.router)
    app.add_api_route("/openapi.json", _description, include_in_schema=False)
    app.add_exception_handler(CompilerError, _fault)
    app.add_exception_handler(HTTPException, _http_fault)
    return app


@cache
def description() -> dict[str, Any]:
    """The description of the operations; see `described`."""
    return described([route for family in FAMILIES for route in family.router.routes])


def is_rest(request: Request) -> bool:
    """Whether a request is one of a program, and is told faults as programs are."""
    return request.url.path.startswith(f"{PREFIX}/")


def _description() -> JSONResponse:
    """The description of the operations; it holds nothing of the installation, and takes no token."""
    return JSONResponse(description())


def _fault(_: Request, error: Exception) -> Response:
    assert isinstance(error, CompilerError)
    return refusals.refusal(error)


def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusals.of_http(error, request.scope["path"], request.method)
