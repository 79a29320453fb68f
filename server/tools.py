"""Where agents' clients come in, `/mcp`: by a token alone, from no other site's page, as often as they may.

No cookie is read here and no page is shown: what is refused is told as the protocol tells errors.
"""

from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from ir.errors import CompilerError
from runtime.errors import TooManyCalls
from server.access import site_of
from server.bearer import caller, tell_refused
from server.errors import ForeignForm, TooLarge
from server.security import FORM_BYTES, check_origin
from server.site import Tools
from store.errors import BadToken
from store.users import User

PATH = "/mcp"
INVALID_REQUEST = -32600
"""As JSON-RPC numbers a request that is not taken."""
NOT_TAKEN = 403


class ToolGate:
    """Lets requests of agents in.

    Args:
        tools: answer them.
        statuses: what a fault is in HTTP; any other is that the caller may not.
    """

    def __init__(self, tools: Tools, statuses: Mapping[type[CompilerError], int]) -> None:
        self._tools, self._statuses = tools, statuses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        request, user = Request(scope), None
        request.state.route = PATH
        try:
            user = await run_in_threadpool(caller, request)
            if "origin" in request.headers or "sec-fetch-site" in request.headers:
                check_origin(request.headers, request.headers.get("host", ""))
            await self._tools.answer(user, scope, receive, send)
        except OverflowError:
            return  # more was sent than is taken, which `Sized` says
        except CompilerError as error:
            await (await self._refusal(request, user, error))(scope, receive, send)

    async def refuse_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is larger than anything that is taken."""
        request, user = Request(scope), None
        error: CompilerError = TooLarge(f"a request has {FORM_BYTES >> 20} MiB at most; send less")
        try:
            user = await run_in_threadpool(caller, request)
        except (BadToken, TooManyCalls) as refused:
            error = refused
        await (await self._refusal(request, user, error))(scope, receive, send)

    async def _refusal(self, request: Request, user: User | None, error: CompilerError) -> Response:
        """What is told of a refusal, once the audit tells it; of who is not let in at all, that has been told."""
        if user is not None:
            await run_in_threadpool(tell_refused, site_of(request), user, error.code)
        message = str(error.args[0] if error.args else error)
        if isinstance(error, ForeignForm):
            message = "this was sent by a page of another site; agents' clients are programs, and send no Origin"
        status = next((number for form, number in self._statuses.items() if isinstance(error, form)), NOT_TAKEN)
        told = {"code": INVALID_REQUEST, "message": f"{message} [{error.code}]", "data": {"code": error.code}}
        body = {"jsonrpc": "2.0", "id": None, "error": told}
        return JSONResponse(body, status, headers=_headers(error))


def _headers(error: CompilerError) -> dict[str, str]:
    """What a program goes by that reads no text."""
    if isinstance(error, BadToken):
        return {"WWW-Authenticate": 'Bearer realm="flowc"' + ("" if error.why == "none" else ', error="invalid_token"')}
    return {"Retry-After": str(error.wait)} if isinstance(error, TooManyCalls) else {}
