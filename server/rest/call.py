"""A call: who makes it by which token, what it brings, what it is told, and what the audit tells of an agent's."""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.types import Message

from agents.acts import Acts
from agents.errors import BadArguments
from agents.forms import Refusal
from agents.recording import tell_call
from agents.tools import RUN, WORKFLOW
from ir.errors import CompilerError
from server.access import Shown, site_of
from server.bearer import caller
from server.rest.body import body_of
from server.rest.refusals import crashed, misfit, refusal
from server.site import Site
from store.errors import NotAllowed
from store.users import AGENT, OPERATOR, READ, READER, User

LOG = logging.getLogger("flowc.rest")
WorkflowName = Annotated[
    str, Path(pattern=WORKFLOW["pattern"], max_length=200, description=WORKFLOW["description"])
]  # fmt: skip
RunId = Annotated[str, Path(pattern=RUN["pattern"], description=RUN["description"])]
TaskId = Annotated[str, Path(pattern="^t-[A-Za-z0-9-]{1,38}$", description="the task's id")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern="^[!-~]{1,200}$",
        description="chosen anew for each request, so that one that is sent again begins no second run",
    ),
]


class Call(APIRoute):
    """An operation: nothing of a request is looked at before its token, and nothing is refused without a code."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        inner = super().get_route_handler()

        async def answer(request: Request) -> Response:
            user: User | None = None
            try:
                user = request.state.user = await run_in_threadpool(caller, request)
                self._must_know(request)
                body = await body_of(request, site_of(request).host.agency.most_bytes)
                if body and self.body_field is None:
                    raise BadArguments(f"{request.method} {request.url.path} takes no body")
                response = await inner(Request(request.scope, _replay(body)))
                code = None
            except CompilerError as error:
                response, code = refusal(error), error.code
            except RequestValidationError as error:
                response, code = refusal(misfit(error)), BadArguments.code
            except Exception:
                LOG.exception("flowc stumbled over %s %s", request.method, self.path)
                response, code = crashed(), "internal-error"
            if user is not None and AGENT in user.roles:
                await run_in_threadpool(_tell, site_of(request), user, self.name, code, _run_of(request))
            return response

        return answer

    def _must_know(self, request: Request) -> None:
        known = [one.alias for one in self.dependant.query_params]
        wrong = [name for name in request.query_params if name not in known]
        if wrong:
            there_is = f"there is {', '.join(known)}" if known else "there are none here"
            raise BadArguments(f"there is no parameter {', '.join(wrong)}; {there_is}")


def operations(about: str, refused: Sequence[int] = ()) -> APIRouter:
    """A router of operations, each called as its function.

    Args:
        about: what they are about.
        refused: states in which they refuse beside those in which all do.
    """
    return APIRouter(
        route_class=Call, tags=[about], generate_unique_id_function=lambda route: route.name,
        responses={status: {"model": Refusal} for status in refused},
    )  # fmt: skip


def _replay(body: bytes) -> Callable[[], Coroutine[Any, Any, Message]]:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _run_of(request: Request) -> str | None:
    """The run that a call is about, whether there is one or not."""
    named: Mapping[str, Any] = request.path_params
    return getattr(request.state, "run", None) or named.get("run")


def _tell(site: Site, agent: User, operation: str, code: str | None, run: str | None) -> None:
    """Write a call of an agent into the audit, as calls of tools are."""
    tell_call(site.host, agent.name, agent.grant, {"tool": operation, "code": code, "over": "rest"}, run or "")


def _user(request: Request) -> User:
    user: User = request.state.user
    return user


def _acts(site: Shown, user: Annotated[User, Depends(_user)]) -> Acts:
    return Acts(site.host, user, site.find)


def _looking(user: Annotated[User, Depends(_user)]) -> User:
    """Somebody who may look at what is published.

    Raises:
        NotAllowed: the user has none of the roles, or came with a token for less.
    """
    user.must("look at workflows", READER, OPERATOR, AGENT)
    user.must_hold(READ)
    return user


def _reading(user: Annotated[User, Depends(_looking)]) -> User:
    """A person who may look at how workflows are made, which agents never see.

    Raises:
        NotAllowed: the user is an agent.
    """
    if AGENT in user.roles:
        raise NotAllowed(f"{user.name} is an agent, and how workflows are made is not shown to agents")
    return user


Calling = Annotated[User, Depends(_user)]
Looking = Annotated[User, Depends(_looking)]
Reading = Annotated[User, Depends(_reading)]
Doing = Annotated[Acts, Depends(_acts)]
