"""What watches the server may ask without signing in: whether it answers, and whether it can work."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from server.readiness import Readiness

router = APIRouter()
ALIVE, READY = "/healthz", "/readyz"


@router.get(ALIVE)
async def alive() -> Response:
    """That the process answers; nothing else is looked at, so that it is not started anew for a database's sake."""
    return JSONResponse({"status": "alive"})


@router.get(READY)
async def ready(request: Request) -> Response:
    """Whether requests may be sent here; 503 with the names of what fails, and nothing else, since strangers ask."""
    readiness: Readiness = request.app.state.readiness
    found = await readiness.found()
    checks = {name: "ok" if holds else "failed" for name, holds in found.items()}
    whole = all(found.values())
    return JSONResponse({"status": "ready" if whole else "not-ready", "checks": checks}, 200 if whole else 503)
