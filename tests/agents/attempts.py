"""What an agent tries that it may not, as rows of a table: how it is sent, how it is refused, what the audit tells.

Whatever else lets programs in adds rows of its own, and holds them by `hold`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from agent_plant import HAZMAT, INPUTS, LIMIT, limit_check
from http_plant import Remote

from evals.executions.recorded import published, user
from registry.versions import deprecate, submit
from runtime.commands import begin
from store.clock import moment
from store.tables import TOKENS
from store.tokens import make_token, revoke_token
from store.users import AGENT, READ, START, add_user
from store.workspace import make_workspace

DRAFT, OLD = "draft-check", "old-check"
CHANGES = ("began", "inputs-given", "published", "submitted", "user-added", "user-roles", "token-made", "task-answered")
"""Events that nothing forbidden may bring about."""


@dataclass(frozen=True)
class World:
    """A server with something on it that is not the agent's.

    Args:
        own: a run of the agent `bot` that waits for an approval; `task` is that approval.
        ended: one that ended.
        others: by who began it, a run of somebody else.
        tokens: of `bot`, that only read, only start, or reach one workflow (`limited`); that are `expired`, `revoked`,
            or of another workspace (`foreign`); and of others by their names.
        session: of `bot`.
    """

    remote: Remote
    own: str
    task: str
    ended: str
    others: dict[str, str]
    tokens: Mapping[str, str]
    session: str

    def call(self, tool: Any, token: str | None = None, **given: Any) -> httpx.Response:
        """A call of a tool, by a token that is named."""
        text = None if token is None else self.tokens[token]
        return self.remote.message("tools/call", {"name": tool, "arguments": given}, text)

    def in_session(self, method: str, **params: Any) -> httpx.Response:
        """A request of the old protocol, in the session of `bot`."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.remote.send(body, mcp_session_id=self.session)


@dataclass(frozen=True)
class Attempt:
    """Something forbidden.

    Args:
        send: tries it.
        refused: the code that is answered: ours, or the number that the protocol has for it.
        kind, code: of the event that tells of it.
    """

    name: str
    send: Callable[[World], httpx.Response]
    refused: str
    kind: str = "agent-called"
    code: str = ""


def world_of(remote: Remote) -> World:
    """Runs and versions of all kinds on a server."""
    host = remote.plant.host
    by = user(host, "li")
    submit(host.workspace, by, limit_check(DRAFT), host.catalog, "0.1")
    published(host, limit_check(OLD))
    deprecate(host.workspace, user(host, "wen"), OLD, 1, "a new rule")
    own = remote.call("start_run", workflow=HAZMAT, inputs=INPUTS)
    theirs = remote.call("start_run", remote.token("other"), workflow=LIMIT, inputs={}, ask=True)
    return World(
        remote,
        own=own["run"],
        task=own["waits"][0]["task"],
        ended=remote.call(f"workflow_{LIMIT}", amount=5)["run"],
        others={"other": theirs["run"], "li": begin(host, by, HAZMAT, 1, INPUTS).id},
        tokens=tokens_of(remote),
        session=remote.session(),
    )


def tokens_of(remote: Remote) -> dict[str, str]:
    """Tokens of all kinds by what they are."""
    made = {
        "reads": remote.token("bot", READ), "starts": remote.token("bot", START),
        "limited": remote.token("bot", workflows=(LIMIT,)), "li": remote.token("li"), "other": remote.token("other"),
        "expired": remote.token("bot"), "revoked": remote.token("bot"),
    }  # fmt: skip
    made["mixed"] = made["limited"][:-43] + made["reads"][-43:]
    with remote.plant.host.workspace.transaction() as connection:
        revoke_token(connection, made["revoked"].split("_")[1], "wen")
        past = moment(datetime.now(UTC) - timedelta(days=1))
        of = TOKENS.c.id == made["expired"].split("_")[1]
        connection.execute(TOKENS.update().where(of).values(expires_at=past))
    other = make_workspace(remote.plant.host.workspace.folder.parent / "elsewhere")
    with other.transaction() as connection:
        add_user(connection, "bot", frozenset({AGENT}), "bot")
        made["foreign"], _ = make_token(connection, "bot", (READ, START), ("*",), 30, "bot")
    other.database.close()
    return made


def hold(world: World, attempt: Attempt) -> None:
    """Try it: it is refused with its code, the audit tells of it once, and nothing has come of it."""
    remote, systems = world.remote, world.remote.plant.systems
    before, asked = len(remote.plant.events()), len(systems.calls)
    answer = attempt.send(world)
    assert code_of(answer) == attempt.refused, answer.text
    new = remote.plant.events()[before:]
    told = [one for one in new if one.kind in ("agent-called", "call-refused", "token-refused")]
    assert [(one.kind, one.body.get("code", one.body.get("why"))) for one in told] == [
        (attempt.kind, attempt.code or attempt.refused)
    ]
    assert [one.kind for one in new if one.kind in CHANGES] == [] and len(systems.calls) == asked


def code_of(answer: httpx.Response) -> str:
    """The code with which something is refused; empty where it is not."""
    kind = answer.headers.get("content-type", "")
    if "json" in kind or "event-stream" in kind:
        told = json.loads(answer.text if "json" in kind else answer.text.rpartition("data: ")[2])
        error = told.get("error")
        if error is None:
            content = told["result"]["structuredContent"]
            return str(content["code"]) if told["result"]["isError"] else ""
        data = error.get("data")
        return str(data["code"] if isinstance(data, dict) and "code" in data else error["code"])
    if answer.has_redirect_location and "/sign-in" in answer.headers["location"]:
        return "sign-in-needed"
    found = re.search(r"<code>([a-z-]+)</code></p>", answer.text)
    return found[1] if found else ""
