"""One sending of a request to an endpoint; instructor holds the answer to its form."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import instructor
import openai
from instructor.core import IncompleteOutputException, InstructorError
from pydantic import BaseModel, ValidationError

from compiler.models.budget import Budget
from compiler.models.counting import BYTES_PER_TOKEN
from compiler.models.faults import ModelFault
from compiler.models.modes import MODES
from compiler.models.protocol import Messages, Request, Usage, schema_of
from compiler.models.transport import Transport

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(r"^.*?</(?:think|thinking|reasoning)>\s*", re.DOTALL | re.IGNORECASE)
_LOOP = re.compile(r"\s{200}")
_NOT_TAKEN = ("HTTP 400", "HTTP 422")  # what an endpoint says of a mode, or of a form, that it cannot hold to
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})  # causes of a lost connection
_TEMPLATE = 200  # tokens that an endpoint puts around the messages
logging.getLogger("instructor").setLevel(logging.CRITICAL)  # it logs whole answers as errors


class WrongMode(ModelFault):
    """The endpoint does not answer requests of this form in this mode; another may do."""


class Call:
    """One sending of a request, with what came back."""

    def __init__(
        self, client: openai.OpenAI, transport: Transport, budget: Budget, model: str, request: Request
    ) -> None:
        self._client, self._transport, self._budget, self._request = client, transport, budget, request
        self.model, self.text, self.usage = model, "", Usage()
        self._fault: ModelFault | None = None  # instructor wraps what its function raises

    def make(self, messages: Messages, mode: str) -> tuple[BaseModel | None, str]:
        """The answer, or what is wrong with it.

        Raises:
            ModelFault: none came, or it was cut.
        """
        create = instructor.patch(create=self._create, mode=MODES[mode])
        try:
            value = create(**_wanted(self._request, messages, self.model))
        except InstructorError as error:
            if self._fault is not None:
                raise self._fault from None
            if _LOOP.search(self.text):
                raise WrongMode("malformed", "a white-space loop: the answer goes on with nothing else") from None
            if isinstance(error, IncompleteOutputException):
                raise ModelFault("cut", f"the answer ended at {self._request.max_tokens} tokens") from None
            return None, "\n".join(_faults(error))
        return self._request.form.model_validate(value.model_dump()), ""

    def _create(self, **wanted: Any) -> Any:
        try:
            return self._sent(wanted)
        except ModelFault as fault:
            self._fault = fault
            raise

    def _sent(self, wanted: dict[str, Any]) -> Any:
        weight = _weight(wanted)
        tokens = int(weight / BYTES_PER_TOKEN) + self._request.max_tokens
        try:
            completion = self._transport.send(lambda: self._charged(wanted, weight), tokens)
        except ModelFault as fault:
            raise WrongMode(fault.kind, fault.detail) if fault.detail in _NOT_TAKEN else fault from None
        self.model = completion.model or self.model
        if not completion.choices:
            raise ModelFault("malformed", "the answer has no choices")
        message = completion.choices[0].message
        message.content = _without_reasoning(message.content)
        called = message.tool_calls[0] if message.tool_calls else None
        self.text = getattr(getattr(called, "function", None), "arguments", None) or message.content or ""
        if wanted.get("tools") and called is None and not _LOOP.search(self.text):
            raise WrongMode("malformed", "the answer calls no tool")
        return completion

    def _charged(self, wanted: dict[str, Any], weight: int) -> Any:
        """One sending; the next one, should it be lost, is set aside for anew."""
        with self._budget.reserved(weight, self._request.max_tokens) as spending:
            try:
                completion = self._client.chat.completions.create(**wanted)
            except (openai.APIConnectionError, openai.APIResponseValidationError) as error:
                spending.broken = type(error.__cause__).__name__ not in _NEVER_SENT
                raise
            counted = completion.usage
            spending.usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else Usage()
            self.usage = spending.usage
        return completion


def weigh(request: Request, model: str, mode: str) -> int:
    """The most tokens that a request can weigh as it is sent."""
    seen: list[int] = []

    def create(**wanted: Any) -> Any:
        seen.append(_weight(wanted))
        raise ModelFault("unasked", "requests are only weighed")

    with suppress(InstructorError, ModelFault):
        instructor.patch(create=create, mode=MODES[mode])(**_wanted(request, with_schema(request), model))
    return seen[0]


def _weight(wanted: dict[str, Any]) -> int:
    return len(json.dumps(wanted, ensure_ascii=False, default=str).encode()) + _TEMPLATE  # no token is less than a byte


def _wanted(request: Request, messages: Messages, model: str) -> dict[str, Any]:
    return {
        "response_model": request.form, "messages": [{"role": role, "content": text} for role, text in messages],
        "model": model, "max_tokens": request.max_tokens, "temperature": 0, "max_retries": 0,
    }  # fmt: skip


def _without_reasoning(text: str | None) -> str | None:
    """The answer without what a model thought aloud before it.

    >>> _without_reasoning('<think>two and three</think>{"answer": 5}'), _without_reasoning('so 5</think> {}')
    ('{"answer": 5}', '{}')
    """
    return None if text is None else _UNOPENED.sub("", _REASONING.sub("", text))


def with_schema(request: Request) -> Messages:
    """The messages with the schema's text: a grammar alone would hide the descriptions of the fields."""
    schema = json.dumps(schema_of(request.form), ensure_ascii=False, separators=(",", ":"))
    rule = f"Answer with one JSON object of this JSON Schema, and nothing else:\n{schema}"
    return (*request.messages[:-1], (request.messages[-1][0], f"{request.messages[-1][1]}\n\n{rule}"))


def _faults(error: BaseException) -> Iterator[str]:
    """What is wrong with an answer, in lines that a model can use; never the answer itself."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ValidationError):
            for item in seen.errors(include_input=False, include_url=False)[:12]:
                yield f"- {'/'.join(map(str, item['loc'])) or 'the answer'}: {item['msg']}"
            return
        seen = seen.__cause__ or seen.__context__
    yield "- it holds no JSON object of the form"
