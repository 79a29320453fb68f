"""The Model Context Protocol over standard input and output, in its old and its new form; it takes calls to the desk.

A value that only a person has is asked for within the call where the client can show a form: by a request of ours in
the old protocol, by an answer that the client comes back with in the new one. Else the answer has the task's address.
"""

import json
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agents.asking import Question
from agents.desk import Desk, Reply
from agents.listing import listed
from registry.versions import states

NAME, TITLE = "flowc", "Published workflows"
INSTRUCTIONS = (
    "Each workflow_… tool runs a published workflow whole and answers with its result and reason. find_workflow says "
    "which one a task is for. Do not carry out the steps of a policy yourself; tell the user the text of the answer. "
    "Where a run waits for a person, say who and where, and call see_run later."
)
WATCH, FORM = 1.0, 300.0
"""Seconds between two looks for what was published, and that a person at an old client has for a form."""
VALUES = "values"
LOG = logging.getLogger("flowc.agents")


class ToolServer:
    """Serves the tools of one agent to one client.

    Args:
        desk: which takes the calls.
        version: of flowc.
    """

    def __init__(self, desk: Desk, version: str) -> None:
        self._desk = desk
        self._bus = InMemorySubscriptionBus()
        self._session: Any = None  # of an old client, which is told of changes without having asked
        self.server = Server(
            NAME,
            version=version,
            title=TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.middleware.append(
            RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=f"{NAME}:{desk.name}")
        )

    async def run(self) -> None:
        """Answer until the input ends."""
        options = self.server.create_initialization_options(NotificationOptions(tools_changed=True))
        async with stdio_server() as (read, write), anyio.create_task_group() as group:
            group.start_soon(self.watch)
            await self.server.run(read, write, options)
            group.cancel_scope.cancel()

    async def _list(self, context: Any, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        self._remember(context)
        return types.ListToolsResult(tools=await anyio.to_thread.run_sync(listed, self._desk))

    async def _call(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        self._remember(context)
        arguments = params.arguments or {}
        if params.request_state is not None:
            return await self._answered(json.loads(params.request_state)["run"], params.input_responses or {})
        reply = await self._taken(params.name, arguments, _key(params))
        if reply.question is None or not _shows_forms(context):
            return _result(reply)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return _asking(reply.question)
        return await self._asked(context, reply, reply.question)

    async def _asked(self, context: Any, reply: Reply, question: Question) -> types.CallToolResult:
        """Show the form to the person at an old client, and give what it says; without that, tell the address."""
        with anyio.move_on_after(FORM):
            said = await context.session.elicit_form(question.message, question.schema, context.request_id)
            return await self._answered(question.run, {VALUES: said})
        return _result(reply)

    async def _answered(self, run: str, said: Mapping[str, Any]) -> types.CallToolResult:
        """Give a run what a person said; where they said nothing, tell how the run stands."""
        answer = said.get(VALUES)
        if not isinstance(answer, types.ElicitResult) or answer.action != "accept" or not answer.content:
            return _result(await self._taken("see_run", {"run": run}))
        return _result(await self._taken("give_value", {"run": run, "values": dict(answer.content)}, asked=True))

    async def _taken(
        self, tool: str, arguments: Mapping[str, Any], key: str | None = None, *, asked: bool = False
    ) -> Reply:
        """A call in a thread of its own, since a run is waited for; a client that calls off no longer waits for it."""
        work = partial(self._desk.call, tool, arguments, key, asked=asked)
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)

    def _remember(self, context: Any) -> None:
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._session = context.session

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
                if self._session is not None:
                    await self._session.send_tool_list_changed()

    def _states(self) -> tuple[tuple[str, int, str], ...]:
        with self._desk.host.workspace.database.transaction() as connection:
            return tuple(one for one in states(connection) if one[2] in ("published", "deprecated"))


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
    anyio.run(ToolServer(desk, version).run)
