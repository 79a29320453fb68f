"""A model that answers as a test says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from llm import ModelFault, Reply, Request, Usage


@dataclass
class Scripted:
    """Answers by a function of the request; what is not of the form is a fault, as with a real client.

    Args:
        say: the answer to a request, as the form reads it; may raise a `ModelFault`.
        asked: the requests, in order.
    """

    say: Callable[[Request], Mapping[str, Any]]
    name: str = "m@host"
    asked: list[Request] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        """What the script says."""
        self.asked.append(request)
        try:
            value = request.form.model_validate(self.say(request))
        except ValidationError as error:
            raise ModelFault("malformed", str(error)) from None
        return Reply(value, value.model_dump_json(), Usage(1, 1), "m", "json_schema")
