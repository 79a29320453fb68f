"""The description of the operations: OpenAPI 3.1, made of the routes, the same for every installation of this flowc."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from server.rest.examples import ANSWERS, BODIES
from server.rest.refusals import STATUSES

VERSION = "1"
PREFIX = "/api/v1"
ABOUT = """\
Published workflows, their runs, the tasks of people, and the registry, for programs.

Every operation takes a token (`flowc tokens add USER --scope read …`) in the header `Authorization`; cookies are not
looked at. A token does what its scopes say, of what its user's roles allow at that moment. This description alone needs
none. What is refused is told as `{"code", "message", "next"}`; a code stays, its message may change. Bodies are JSON in
UTF-8; unknown fields, unknown parameters and names that are given twice are refused.
"""
TAGS = [
    {"name": "workflows", "description": "What can be begun: listed, told by contract, found for a task, foreseen."},
    {"name": "runs", "description": "Begun, seen, steered, given what they lack, explained, replayed."},
    {"name": "tasks", "description": "What people have to do; by the scope `task`."},
    {"name": "registry", "description": "Versions and what changed between them; for people."},
]
MEANINGS: Mapping[int, str] = {
    401: "There is no token, or none that is good.", 403: "The user, or the token, may not.",
    404: "There is none such.", 409: "It is not in the state for this, or the key was used for another request.",
    410: "What it takes was deleted.", 413: "It is too large.", 415: "It is not JSON.",
    422: "It is not as it has to be; all of it is named.", 429: "There were too many calls; see `Retry-After`.",
    500: "It is the installation that is at fault.", 503: "Try again later.",
}  # fmt: skip
ALWAYS, WITH_BODY = (401, 403, 422, 429, 500, 503), (413, 415)
_REFUSAL: Mapping[str, Any] = {"$ref": "#/components/schemas/Refusal"}


def described(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The description of routes.

    Args:
        routes: whose operations are told; each says itself which states it refuses beside those that all do.
    """
    found = get_openapi(
        title="flowc", version=VERSION, summary="Workflows as acts of an API", description=ABOUT, routes=routes,
        tags=TAGS, servers=[{"url": PREFIX}],
    )  # fmt: skip
    for methods in found["paths"].values():
        for operation in methods.values():
            _complete(operation)
    parts = found["components"]
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "`flowc_…`, as `flowc tokens add` printed it"}
    }
    found["security"] = [{"token": []}]
    return found


def _complete(operation: dict[str, Any]) -> None:
    """Tell of an operation what is refused, with an example of what it takes and gives."""
    name, responses = operation["operationId"], operation["responses"]
    asked = {int(one) for one in responses if one.isdecimal() and int(one) >= 400} - {422}
    for status in sorted({*ALWAYS, *asked, *(WITH_BODY if "requestBody" in operation else ())}):
        responses[str(status)] = {
            "description": MEANINGS[status],
            "content": {"application/json": {"schema": dict(_REFUSAL)}},
        }
    done = "201" if "201" in responses else "200"
    if name in ANSWERS:
        responses[done]["content"]["application/json"]["example"] = ANSWERS[name]
    if done == "201":
        responses[done]["headers"] = {
            "Location": {"description": "where the run is seen", "schema": {"type": "string"}}
        }
    if name in BODIES:
        operation["requestBody"]["content"]["application/json"]["example"] = BODIES[name]
    operation["responses"] = dict(sorted(responses.items()))


assert set(STATUSES.values()) <= {*MEANINGS, 405}
