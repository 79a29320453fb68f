"""An agent asks the question of the first case: a language model with the tools of `flowc mcp`, live or recorded.

`python -m demo.agent` plays the demo's company and lets the model that OPENAI_BASE_URL and OPENAI_API_KEY name ask it;
without one it plays a recorded conversation, and ends where a tool tells something else than it did then. In each turn
the model says which tool it calls with which arguments, or what it answers; between its answers people do what waits
for them. With `--record FILE` the conversation is kept.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import anyio

from demo.__main__ import HERE, Demo, check, say, show
from demo.filings import serve

QUESTION = (
    "我们要用公路运输5吨硫酸（货运单号 SHIP-2026-00019），这次运输是否符合公司和国家的规定？"
    "如果不符合，缺少哪些条件，应该怎么办？"
)
LATER = "需要人办理的事项刚刚已经办完。现在结果如何？"
CONVERSATION = HERE / "conversation.json"
MOST_TURNS = 20
RULES = """You are the assistant of a company. People ask you; you answer from what the company's tools tell, and from
nothing else. Choose and call tools; never work a policy out yourself. Where a result says that a run waits for a
person, tell the user who has to do what, and end your turn with an answer. Answer in the user's language.

Each of your messages is one JSON object: {"tool": NAME, "arguments": {...}} to call a tool, or {"answer": TEXT} to say
something to the user. The result of a call comes back as the next message.

The tools:
"""
TURN: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": ["string", "null"]},
        "arguments": {"type": ["object", "null"]},
        "answer": {"type": ["string", "null"]},
    },
}
_CHANGES = re.compile(r"\b([et])-[0-9a-z]{12,38}\b")
"""What is another one each time: ids of runs and tasks."""


class Model(Protocol):
    """Says what comes next in a conversation: messages of the chat API in, a turn out."""

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The turn, as `TURN` has it."""
        ...


@dataclass(frozen=True)
class Live:
    """A model that is asked over the OpenAI chat API.

    Args:
        name: of the model.
    """

    name: str

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """Ask it."""
        from openai import OpenAI

        form: Any = {"type": "json_schema", "json_schema": {"name": "turn", "schema": TURN}}
        told: Any = [*messages]
        said = OpenAI().chat.completions.create(model=self.name, messages=told, response_format=form, temperature=0)
        turn = json.loads(said.choices[0].message.content or "{}")
        return {name: turn[name] for name in ("tool", "arguments", "answer") if turn.get(name) is not None}


@dataclass(frozen=True)
class Recorded:
    """The turns of a conversation that was kept, in their order, whatever is said meanwhile."""

    turns: Sequence[Mapping[str, Any]]

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The next of them."""
        said = sum(one["role"] == "assistant" for one in messages)
        return dict(self.turns[said]["turn"])


async def converse(
    client: Any, model: Model, people: Callable[[Mapping[str, Any]], Awaitable[bool]], tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Let a model answer the question; gives its turns, each with what the tool told.

    Args:
        client: of the Model Context Protocol, connected.
        people: do what the last result of a tool says that waits for them; whether anything did.
        tell: is given each turn as a line.

    Raises:
        SystemExit: it comes to no end.
    """
    tools = [
        {"name": one.name, "description": one.description, "arguments": one.input_schema}
        for one in (await client.list_tools()).tools
    ]
    messages = [{"role": "system", "content": RULES + json.dumps(tools, ensure_ascii=False, indent=1)}]
    messages.append({"role": "user", "content": QUESTION})
    turns: list[dict[str, Any]] = []
    names = Names()
    told: Mapping[str, Any] = {}
    while len(turns) < MOST_TURNS:
        turn = await anyio.to_thread.run_sync(model, messages)
        messages.append({"role": "assistant", "content": json.dumps(turn, ensure_ascii=False)})
        if "answer" in turn:
            turns.append({"turn": turn})
            tell(f"agent: {turn['answer']}")
            if not await people(told):
                return turns
            told = {}
            messages.append({"role": "user", "content": LATER})
            continue
        tool, given = str(turn.get("tool") or ""), names.real(turn.get("arguments") or {})
        tell(f"agent calls {tool} {json.dumps(turn.get('arguments') or {}, ensure_ascii=False)}")
        found = await client.call_tool(tool, given)
        told = dict(found.structured_content or {})
        shown = names.told(told)
        turns.append({"turn": turn, "told": shown})
        messages.append({"role": "user", "content": json.dumps(shown, ensure_ascii=False)})
    raise SystemExit(f"the model came to no end within {MOST_TURNS} turns")


class Names:
    """Names of runs and tasks that are the same in each conversation: `e-1` for the first run that is told of."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def told(self, value: Any) -> Any:
        """What was told, with names in place of ids."""
        return json.loads(_CHANGES.sub(self._name, json.dumps(value, ensure_ascii=False)))

    def real(self, value: Any) -> Any:
        """What the model gives, with ids in place of names."""
        text = json.dumps(value, ensure_ascii=False)
        return json.loads(re.sub(r"\b[et]-[0-9]+\b", lambda one: self._real.get(one[0], one[0]), text))

    def _name(self, found: re.Match[str]) -> str:
        known = next((name for name, real in self._real.items() if real == found[0]), None)
        if known is None:
            known = f"{found[1]}-{sum(one.startswith(found[1]) for one in self._real) + 1}"
            self._real[known] = found[0]
        return known


def play(folder: Path, model: Model, kept: Path | None) -> list[dict[str, Any]]:
    """Play the company in a folder and let the model ask it; gives its turns."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    with serve(0, folder / "filings.jsonl") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        demo = Demo(folder, server.server_address[1])
        demo.prepare()
        with (demo.plant / "flowc.toml").open("a", encoding="utf-8") as settings:
            settings.write('\n[agents]\nwait = 20\n[agents.allow]\nassistant = ["*"]\n')
        demo.flowc("users", "add", "assistant", "--role", "agent", "--as", "wen")

        async def people(told: Mapping[str, Any]) -> bool:
            return await anyio.to_thread.run_sync(lambda: _done(demo, told))

        words = ["-m", "flowc", "mcp", "--as", "assistant"]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
        parameters = StdioServerParameters(command=sys.executable, args=words, cwd=str(demo.plant), env=environment)

        async def talk() -> list[dict[str, Any]]:
            async with Client(parameters) as client:
                return await converse(client, model, people, show)

        say(f"An agent is asked: {QUESTION}")
        turns = anyio.run(talk)
        server.shutdown()
    if kept is not None:
        kept.write_text(json.dumps(turns, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return turns


def _done(demo: Demo, told: Mapping[str, Any]) -> bool:
    """Whether there was something to do for people, which they did: who has the role approves what is shown."""
    waits = told.get("waits") or []
    for one in demo.told("task", "list") if waits else ():
        who = "li" if one["roles"] == ["operator"] else "zhao"
        demo.flowc("task", "do", one["id"], "--set", "approved=true", "--shown", one["digest"], "--as", who, quiet=True)
        show(f"  {who}: {one['title']}: approved")
    return bool(waits)


def same(turns: Sequence[Mapping[str, Any]], recorded: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a conversation went as another one: all that was said and told, but for measures of likeness."""
    return bool(_steady(list(turns)) == _steady(list(recorded)))


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _steady(one) for name, one in value.items() if not isinstance(one, float)}
    return [_steady(one) for one in value] if isinstance(value, list) else value


def main() -> None:
    """Play it, and hold a recorded conversation against what the tools tell now."""
    parser = argparse.ArgumentParser(prog="python -m demo.agent", description=__doc__)
    parser.add_argument("--model", default="gpt-5", help="of the server that OPENAI_BASE_URL names")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the conversation")
    args = parser.parse_args()
    live = bool(os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"))
    recorded = json.loads(CONVERSATION.read_text("utf-8")) if not live else []
    with tempfile.TemporaryDirectory() as made:
        turns = play(Path(made), Live(args.model) if live else Recorded(recorded), args.record)
    if not live:
        check(same(turns, recorded), "the tools tell what they told when the conversation was recorded")


if __name__ == "__main__":
    main()
