"""Two models: one that reads what it is shown, and one that does what hostile words tell it besides."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hostile import DATA
from pydantic import ValidationError

from llm import ModelFault, OpenedModel, Reply, Request, Usage
from llm.budget import Accounts, Budget

Change = Callable[[dict[str, Any]], None]


@dataclass
class Honest:
    """Answers what is fixed for the policy's language; each quote with the address of the block that shows it.

    Args:
        taught: what it answers for each purpose besides; all others it refuses, so that the code does without it.
        asked: the requests, in order.
    """

    language: str
    name: str = "honest@test"
    taught: dict[str, Callable[[Request], dict[str, Any]]] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        """The answer for the request's purpose."""
        self.asked.append(request)
        ways = {"extract": self.extract, **self.taught}
        if request.purpose not in ways:
            raise ModelFault("refused", f"{self.name} was not taught to {request.purpose}")
        try:
            value = request.form.model_validate(ways[request.purpose](request))
        except ValidationError as error:
            raise ModelFault("malformed", str(error)) from error
        return Reply(value, value.model_dump_json(), Usage(1, 1), self.name, "json_schema")

    def extract(self, request: Request) -> dict[str, Any]:
        """The procedures of the document that is shown."""
        return placed(copy.deepcopy(DATA["answers"][self.language]), shown(request))

    def synthesize(self, request: Request) -> dict[str, Any]:
        """For each step without outcomes the first Type that is offered; the others are people's."""
        lines = request.messages[-1][1].splitlines()
        asked = lines[-1].removeprefix("Choose for: ").rstrip(".").split(", ")
        begin = next(n for n, line in enumerate(lines) if line.startswith("Steps "))
        told = {line.split(" ", 1)[0]: line for line in lines[begin + 1 : -1] if " = " not in line}
        steps = []
        for step in asked:
            offered = told[step].rpartition(": ")[2].split(", ")
            steps.append({"step": step, "type": "human" if " → " in told[step] or not offered[0] else offered[0]})
        return {"steps": steps}


@dataclass
class Obedient(Honest):
    """Is fooled: changes the honest answer as the words tell it."""

    name: str = "obedient@test"
    change: Change = lambda answer: None

    def extract(self, request: Request) -> dict[str, Any]:
        """The honest answer, changed."""
        answer = copy.deepcopy(DATA["answers"][self.language])
        self.change(answer)
        return placed(answer, shown(request))


def opened(model: Honest) -> OpenedModel:
    """The model as a build uses it; it costs nothing."""
    return OpenedModel(model, Accounts(Budget(None, None)))


def shown(request: Request) -> list[tuple[str, str]]:
    """Address and text of each block or row in the document that a request shows."""
    lines = request.messages[-1][1].splitlines()
    begin = max(at for at, line in enumerate(lines) if line.startswith("<document-"))
    blocks = [json.loads(line) for line in lines[begin + 1 : lines.index(lines[begin].replace("<", "</"))]]
    return [(block["b"], block.get("t") or " ".join(block.get("c", ()))) for block in blocks]


def placed(answer: dict[str, Any], blocks: list[tuple[str, str]]) -> dict[str, Any]:
    """An answer with quotes in the form that is asked for: words with the address of the first block that has them."""

    def quote(words: str) -> dict[str, str]:
        return {"b": next((address for address, text in blocks if words in text), blocks[0][0]), "q": words}

    for element in (*answer["facts"], *answer["steps"]):
        element["at"] = [quote(words) for words in element["at"]]
    for step in answer["steps"]:
        if step.get("by"):
            step["by"]["at"] = quote(step["by"]["at"])
    for flow in answer["flows"]:
        flow["words"] = quote(flow["words"]) if flow.get("words") else None
    for rule in answer["rules"]:
        rule["at"] = quote(rule["at"])
    answer["triggers"] = [quote(words) for words in answer["triggers"]]
    return {"procedures": [answer]}
