"""One question to an endpoint in one mode; instructor holds the answer to its form."""

import logging
import re
from contextlib import suppress
from typing import Any

import instructor
from instructor.core import InstructorError
from pydantic import BaseModel

from llm.answered import NotOfMode, Unusable, answer_text, check_read_whole, is_whitespace_loop
from llm.asking import answer_faults, with_schema
from llm.budget import Budget
from llm.endpoint import Endpoint
from llm.faults import ModelFault
from llm.modes import MODES
from llm.protocol import Messages, Request
from llm.usage import Usage

_NOT_TAKEN = (400, 422)  # what an endpoint says of a mode, or of a form, that it cannot hold to
_OF_THE_QUESTION = re.compile("context|length|content|inspection")  # and of questions that no mode makes better
logging.getLogger("instructor").setLevel(logging.CRITICAL)  # it logs whole answers as errors


class WrongMode(ModelFault):
    """The endpoint does not answer requests of this form in this mode; another may do."""


class Call:
    """A question to an endpoint, with what came back."""

    def __init__(self, endpoint: Endpoint, account: Budget, request: Request, mode: str) -> None:
        self._endpoint, self._account, self._request, self._mode = endpoint, account, request, mode
        self.model, self.text, self.usage = endpoint.model, "", Usage()
        self._fault: ModelFault | None = None  # instructor wraps what its function raises
        self._wrong: Unusable | None = None

    def make(self, messages: Messages) -> tuple[BaseModel | None, str]:
        """The answer, or what is wrong with it.

        Raises:
            ModelFault: none came, or it was cut; `WrongMode` where another mode may do.
        """
        create = instructor.patch(create=self._create, mode=MODES[self._mode])
        try:
            value = create(**_wanted(self._request, messages, self.model))
        except InstructorError as error:
            if self._fault is not None:
                raise self._fault from None
            faults = f"- {self._wrong}" if self._wrong else "\n".join(answer_faults(error))
            if isinstance(self._wrong, NotOfMode) or is_whitespace_loop(self.text):
                raise WrongMode("malformed", faults) from None
            return None, faults
        return self._request.form.model_validate(value.model_dump()), ""

    def _create(self, **wanted: Any) -> Any:
        most = self._endpoint.most(self._request)
        try:
            completion, self.usage = self._endpoint.send(wanted, most, self._account)
            self.model = completion.model or self.model
            check_read_whole("".join(str(message["content"]) for message in wanted["messages"]), self.usage.sent)
            self.text = answer_text(completion, self._mode, most)
        except ModelFault as fault:
            self._fault = _of_mode(fault)
            raise
        except Unusable as wrong:
            self._wrong = wrong
            said: object = completion.choices[0].message.content
            self.text = said if isinstance(said, str) else ""
            raise
        return completion


def weigh(endpoint: Endpoint, request: Request, mode: str) -> tuple[int, int]:
    """The most tokens that a request can weigh as it is sent, and the most that may be received."""
    seen: list[int] = []
    most = endpoint.most(request)

    def create(**wanted: Any) -> Any:
        seen.append(endpoint.weight(wanted, most))
        raise ModelFault("unasked", "requests are only weighed")

    with suppress(InstructorError, ModelFault):
        instructor.patch(create=create, mode=MODES[mode])(
            **_wanted(request, with_schema(request, mode), endpoint.model)
        )  # fmt: skip
    return seen[0], most


def _wanted(request: Request, messages: Messages, model: str) -> dict[str, Any]:
    return {
        "response_model": request.form, "messages": [{"role": role, "content": text} for role, text in messages],
        "model": model, "max_retries": 0,
    }  # fmt: skip


def _of_mode(fault: ModelFault) -> ModelFault:
    """The fault, told apart where it may lie in the mode or in the form."""
    if fault.status in _NOT_TAKEN and not _OF_THE_QUESTION.search(fault.detail):
        return WrongMode(fault.kind, fault.detail, fault.status)
    return fault
