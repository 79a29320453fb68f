"""The Model Context Protocol in its old and its new form, on standard input and output; it takes calls to the desk.

A value that only a person has is asked for within the call where the client can show a form: by a request of ours in
the old protocol, by an answer that the client comes back with in the new one. Else the answer has the task's address.
"""

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agents.asking import Question
from agents.desk import Desk, Reply
from agents.listing import listed
from ir.errors import CompilerError
from registry.versions import states
from runtime.host import Host

NAME, TITLE = "flowc", "Published workflows"
INSTRUCTIONS = (
    "Each workflow_… tool runs a published workflow whole and answers with its result and reason. find_workflow says "
    "which one a task is for. Do not carry out the steps of a policy yourself; tell the user the text of the answer. "
    "Where a run waits for a person, say who and where, and call see_run later."
)
WATCH, FORM = 1.0, 300.0
"""Seconds between two looks for what was published, and that a person at an old client has for a form."""
AT_ONCE, SESSIONS = 32, 1000
"""Calls that are carried out at the same time, each in a thread; clients of the old protocol that are kept in mind."""
VALUES = "values"
LOG = logging.getLogger("flowc.agents")


class ToolServer:
    """Serves tools to clients.

    Args:
        desk_of: by the context of a message the desk that takes it.
        version: of flowc.
    """

    def __init__(self, host: Host, desk_of: Callable[[Any], Desk], version: str) -> None:
        self._host, self._desk_of = host, desk_of
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._sessions: dict[str, Any] = {}  # of old clients, who are told of changes without having asked
        self._places = anyio.CapacityLimiter(AT_ONCE)
        self.server = Server(
            NAME,
            version=version,
            title=TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=self._listen,
            get_tool_input_schema=lambda _: None,  # no argument is told in a header, so none is looked for
        )
        announced = NotificationOptions(tools_changed=True)  # to old clients by whatever way they come
        self.server.create_initialization_options = partial(self.server.create_initialization_options, announced)
        self.server.middleware.append(self._told)
        self.server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))

    @classmethod
    def of(cls, desk: Desk, version: str) -> "ToolServer":
        """One that serves one agent."""
        return cls(desk.host, lambda _: desk, version)

    async def run(self) -> None:
        """Answer on standard input and output until the input ends."""
        async with stdio_server() as (read, write), anyio.create_task_group() as group:
            group.start_soon(self.watch)
            await self.server.run(read, write, self.server.create_initialization_options())
            group.cancel_scope.cancel()

    def close(self) -> None:
        """End the streams of clients that listen for changes."""
        self._listen.close()

    async def _told(self, context: Any, call_next: Callable[[Any], Any]) -> Any:
        """Have the audit tell of requests that the protocol itself refuses, before they come to the desk as calls."""
        try:
            return await call_next(context)
        except (MCPError, ValidationError) as error:
            await anyio.to_thread.run_sync(self._desk_of(context).note, _code(error))
            raise

    async def _list(self, context: Any, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        self._remember(context)
        try:
            tools = await anyio.to_thread.run_sync(listed, self._desk_of(context), limiter=self._places)
        except CompilerError as error:
            raise MCPError(types.INVALID_REQUEST, f"{error.args[0]} [{error.code}]", {"code": error.code}) from None
        return types.ListToolsResult(tools=tools)

    async def _call(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        self._remember(context)
        desk, arguments = self._desk_of(context), params.arguments or {}
        if params.request_state is not None:
            return await self._answered(desk, json.loads(params.request_state)["run"], params.input_responses or {})
        reply = await self._taken(desk, params.name, arguments, _key(params))
        if reply.question is None or not _shows_forms(context):
            return _result(reply)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return _asking(reply.question)
        return await self._asked(desk, context, reply, reply.question)

    async def _asked(self, desk: Desk, context: Any, reply: Reply, question: Question) -> types.CallToolResult:
        """Show the form to the person at an old client, and give what it says; without that, tell the address."""
        said = None
        with anyio.move_on_after(FORM), suppress(MCPError):
            said = await context.session.elicit_form(question.message, question.schema, context.request_id)
        return _result(reply) if said is None else await self._answered(desk, question.run, {VALUES: said})

    async def _answered(self, desk: Desk, run: str, said: Mapping[str, Any]) -> types.CallToolResult:
        """Give a run what a person said; where they said nothing, tell how the run stands."""
        answer = said.get(VALUES)
        if not isinstance(answer, types.ElicitResult) or answer.action != "accept" or not answer.content:
            return _result(await self._taken(desk, "see_run", {"run": run}))
        given = {"run": run, "values": dict(answer.content)}
        return _result(await self._taken(desk, "give_value", given, asked=True))

    async def _taken(
        self, desk: Desk, tool: str, arguments: Mapping[str, Any], key: str | None = None, *, asked: bool = False
    ) -> Reply:
        """A call in a thread of its own, since a run is waited for; a client that calls off no longer waits for it."""
        work = partial(desk.call, tool, arguments, key, asked=asked)
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._places)

    def _remember(self, context: Any) -> None:
        """Keep the session of an old client; whichever said nothing for longest is let go where there are too many."""
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return
        name = context.request.headers.get(MCP_SESSION_ID_HEADER, "") if context.request is not None else ""
        self._sessions.pop(name, None)
        self._sessions[name] = context.session
        if len(self._sessions) > SESSIONS:
            del self._sessions[next(iter(self._sessions))]

    async def watch(self) -> None:
        """Tell clients when versions were published, deprecated or submitted since the last look."""
        known = await anyio.to_thread.run_sync(self._states)
        while True:
            await anyio.sleep(WATCH)
            try:
                found = await anyio.to_thread.run_sync(self._states)
            except Exception:
                LOG.exception("the registry cannot be looked through; it is tried again")
                continue
            if found != known:
                known = found
                await self._bus.publish(ToolsListChanged())
                async with anyio.create_task_group() as group:
                    for session in [*self._sessions.values()]:
                        group.start_soon(_announce, session)

    def _states(self) -> tuple[tuple[str, int, str], ...]:
        with self._host.workspace.database.transaction() as connection:
            return tuple(one for one in states(connection) if one[2] in ("published", "deprecated"))


async def _announce(session: Any) -> None:
    """Tell an old client of a change; one that does not read is not waited for."""
    with anyio.move_on_after(WATCH):
        await session.send_tool_list_changed()


def _code(error: MCPError | ValidationError) -> str:
    """Of what the protocol refuses: ours where it has one."""
    told = error.error if isinstance(error, MCPError) else None
    if told is not None and isinstance(told.data, dict) and "code" in told.data:
        return str(told.data["code"])
    return "unknown-method" if told is not None and told.code == types.METHOD_NOT_FOUND else "bad-request"


def _key(params: types.CallToolRequestParams) -> str | None:
    """The client's own key of the call, with which it may be sent again."""
    given = dict(params.meta or {}).get("idempotencyKey")
    return given if isinstance(given, str) and given else None


def _shows_forms(context: Any) -> bool:
    capabilities = context.session.client_capabilities
    found = capabilities.elicitation if capabilities is not None else None
    return found is not None and (found.form is not None or found.url is None)


def _asking(question: Question) -> types.InputRequiredResult:
    form = types.ElicitRequestFormParams(message=question.message, requested_schema=question.schema)
    return types.InputRequiredResult(
        input_requests={VALUES: types.ElicitRequest(params=form)}, request_state=json.dumps({"run": question.run})
    )


def _result(reply: Reply) -> types.CallToolResult:
    """As structured content, and as text for clients that read no other."""
    text = json.dumps(reply.content, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=reply.content, is_error=reply.refused
    )


def serve(desk: Desk, version: str) -> None:
    """Serve until the input ends.

    Raises:
        NotAnAgent, UnknownUser: see `Desk.agent`.
    """
    desk.agent()
    anyio.run(ToolServer.of(desk, version).run)
