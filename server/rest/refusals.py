"""What is refused: a code, what is wrong, and what to do next, under the status of HTTP that says the same."""

from collections.abc import Mapping

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from agents.errors import BadArguments, NothingMissing, TooLarge
from agents.forms import Refusal
from ir.errors import CompilerError
from registry.errors import UnknownVersion
from runtime import errors as runtime
from server import errors as server
from store.errors import BadToken, DatabaseUnavailable, NotAllowed, UnknownUser

STATUSES: Mapping[type[CompilerError], int] = {
    BadToken: 401, NotAllowed: 403, runtime.NotAutomatic: 403, server.UnknownPlace: 404, UnknownVersion: 404,
    runtime.UnknownExecution: 404, runtime.UnknownTask: 404, runtime.NotPublished: 409, runtime.KeyReused: 409,
    runtime.AlreadyEnded: 409, runtime.NotEnded: 409, runtime.TaskClosed: 409, NothingMissing: 409,
    runtime.ValuesDeleted: 410, TooLarge: 413, server.WrongMethod: 405, server.WrongMediaType: 415,
    BadArguments: 422, runtime.BadInputs: 422, runtime.BadAnswer: 422, UnknownUser: 422, runtime.TooManyCalls: 429,
    DatabaseUnavailable: 503,
}  # fmt: skip
"""What a fault is in HTTP; any other is the installation's, 500."""
ELSE = "do something else, or tell who keeps the installation what stood in the way"
NEXT: Mapping[str, str] = {
    "bad-token": "send a token that is good; whoever it is for can have another",
    "not-allowed": "ask for what this user may, or have the rights changed",
    "out-of-scope": "come with a token that has the scope and reaches the workflow",
    "not-automatic": "have a person begin it",
    "unknown-place": "take an address of /api/v1/openapi.json",
    "wrong-method": "take a method that the header Allow names",
    "unknown-version": "GET /workflows, and take an id from there",
    "unknown-execution": "GET /runs, and take an id from there",
    "unknown-task": "GET /tasks, and take an id from there",
    "unknown-user": "name a user of the workspace",
    "not-published": "GET /workflows, and begin what is published",
    "key-reused": "take a new Idempotency-Key for each request; send the same one only to send the same request again",
    "already-ended": "GET /runs/{run} for what it came to, or POST /runs for another",
    "not-ended": "GET /runs/{run} later; it goes on by itself, or says who has to do something",
    "task-closed": "GET /tasks for what is open",
    "nothing-missing": "GET /runs/{run} for whose turn it is",
    "values-deleted": "do without; what was deleted does not come back",
    "too-large": "send less",
    "wrong-media-type": "send JSON as UTF-8 with the header Content-Type: application/json",
    "bad-arguments": "correct the request after /api/v1/openapi.json, and send it again",
    "bad-inputs": "correct the inputs; with `ask` a person is asked for what is not known",
    "bad-answer": "correct the answer; GET /tasks/{task} has its fields and its digest",
    "too-many-calls": "wait for as many seconds as the header Retry-After says",
    "database-unavailable": "try again later",
    "internal-error": "tell who keeps the installation; the log of the server has it",
}
"""By code what a program does next; paths are those of the description, below its server."""
MOST = 20
"""Faults of one request that are told."""


def refusal(error: CompilerError) -> JSONResponse:
    """The answer to what is refused."""
    status = next((number for form, number in STATUSES.items() if isinstance(error, form)), 500)
    headers = {}
    if isinstance(error, BadToken):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, runtime.TooManyCalls):
        headers["Retry-After"] = str(error.wait)
    return told(status, error.code, str(error.args[0] if error.args else error), headers)


def told(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal as it is sent; what of its words cannot be written as UTF-8 is replaced."""
    content = Refusal(code=code, message=message.encode("utf-8", "replace").decode(), next=NEXT.get(code, ELSE))
    return JSONResponse(content.model_dump(), status, dict(headers or {}))


def crashed() -> JSONResponse:
    """The answer where flowc has a bug."""
    return told(500, "internal-error", "flowc stumbled; nothing is known to be wrong with the request")


def misfit(error: RequestValidationError) -> BadArguments:
    """A request that is not as it has to be, all of it named; what was given is not repeated."""
    found = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    return BadArguments("the request is not as it has to be:\n" + "\n".join([*found[:MOST], *more]))


def of_http(error: HTTPException, path: str, method: str) -> JSONResponse:
    """The answer to an address or a method that there is not."""
    if error.status_code == 404:
        return refusal(server.UnknownPlace(f"there is nothing at {path}"))
    if error.status_code == 405:
        answer = refusal(server.WrongMethod(f"{path} does not take {method}"))
        answer.headers.update(error.headers or {})
        return answer
    return told(error.status_code, BadArguments.code, str(error.detail))
