"""A model at an endpoint that speaks the OpenAI chat API; instructor holds its answers to a form."""

import json
import logging
import re
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import instructor
import openai
from instructor.core import IncompleteOutputException, InstructorError
from pydantic import BaseModel, Field, ValidationError

from compiler.models.budget import Budget
from compiler.models.faults import ModelFault
from compiler.models.modes import MODES, KnownModes
from compiler.models.protocol import Messages, Reply, Request, Usage
from compiler.models.transport import Transport

SCHEMA_RETRIES = 2
_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(r"^.*?</(?:think|thinking|reasoning)>\s*", re.DOTALL | re.IGNORECASE)
_LOOP = re.compile(r"\s{200}")
_BYTES_PER_TOKEN = 3.5
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})  # causes of a lost connection
_TEMPLATE = 200  # tokens that an endpoint puts around the messages
logging.getLogger("instructor").setLevel(logging.CRITICAL)  # it logs whole answers as errors


class _Trial(BaseModel):
    """The answer to the trial of a mode."""

    answer: int = Field(description="The sum of two and three.")


class OpenAIModel:
    """A model at an endpoint.

    Args:
        model: the endpoint's name of it.
        base_url: None for OpenAI's own.
        api_key: None for what `OPENAI_API_KEY` says.
        transport: how requests are sent.
        modes: where the mode that works is kept.
        budget: pays for requests without an account of their own; None for no limit.
        mode: use this one without a trial.
        timeout: seconds for one request.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        transport: Transport,
        modes: KnownModes,
        budget: Budget | None = None,
        mode: str | None = None,
        timeout: float = 300.0,
    ) -> None:
        self.model = model
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0, timeout=timeout)
        self._endpoint = str(self._client.base_url)
        self._transport, self._modes, self._mode = transport, modes, mode
        self._budget = budget or Budget(None, None)
        self._trying = threading.Lock()

    @property
    def name(self) -> str:
        """Model and host, such as `qwen-plus@localhost`."""
        return f"{self.model}@{urlsplit(self._endpoint).hostname}"

    def answer(self, request: Request) -> Reply:
        """See `Model.answer`; a malformed answer is sent back with its faults at most twice."""
        return self._answer(request, self.mode(), SCHEMA_RETRIES)

    def mode(self) -> str:
        """The first mode in which the endpoint gives a well-formed answer; tried out where none is known.

        Raises:
            ModelFault: `unsupported` where none works; else what kept the trial from being made.
        """
        with self._trying:
            if self._mode is None:
                self._mode = self._modes.get(self._endpoint, self.model)
            if self._mode is None:
                self._mode = self._tried()
                self._modes.put(self._endpoint, self.model, self._mode)
            return self._mode

    def _tried(self) -> str:
        question = Request("trial", "", (("user", "What is two plus three?"),), _Trial, max_tokens=2000)
        faults = []
        for mode in MODES:
            try:
                self._answer(question, mode, retries=0)
            except ModelFault as fault:
                if fault.kind in ("unreachable", "open") and "HTTP 5" not in fault.detail:
                    raise
                faults.append(f"{mode}: {fault.detail}")
            else:
                return mode
        raise ModelFault("unsupported", "; ".join(faults))

    def _answer(self, request: Request, mode: str, retries: int) -> Reply:
        usage, messages = Usage(0, 0), _with_schema(request)
        for attempt in range(1, retries + 2):
            call = _Call(self._client, self._transport, request.account or self._budget, self.model, request)
            value, faults = call.make(messages, mode)
            usage += call.usage
            if value is not None:
                return Reply(value, call.text, usage, call.model, mode, attempt)
            messages = (*_with_schema(request), ("assistant", call.text), ("user", _again(faults)))
        raise ModelFault("malformed", faults)


class _Call:
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
            value = create(
                response_model=self._request.form,
                messages=[{"role": role, "content": text} for role, text in messages],
                model=self.model,
                max_tokens=self._request.max_tokens,
                temperature=0,
                max_retries=0,
            )
        except IncompleteOutputException:
            if _LOOP.search(self.text):
                return None, "it goes on with white space"
            raise ModelFault("cut", f"the answer ended at {self._request.max_tokens} tokens") from None
        except InstructorError as error:
            if self._fault is not None:
                raise self._fault from None
            return None, "\n".join(_faults(error)) or "no answer of the form"
        return self._request.form.model_validate(value.model_dump()), ""

    def _create(self, **wanted: Any) -> Any:
        try:
            return self._sent(wanted)
        except ModelFault as fault:
            self._fault = fault
            raise

    def _sent(self, wanted: dict[str, Any]) -> Any:
        weight = len(json.dumps(wanted, ensure_ascii=False, default=str).encode())  # no token is less than a byte
        tokens = int(weight / _BYTES_PER_TOKEN) + self._request.max_tokens
        completion = self._transport.send(lambda: self._charged(wanted, weight), tokens)
        self.model = completion.model or self.model
        if not completion.choices:
            raise ModelFault("malformed", "the answer has no choices")
        message = completion.choices[0].message
        message.content = _without_reasoning(message.content)
        called = message.tool_calls[0] if message.tool_calls else None
        self.text = getattr(getattr(called, "function", None), "arguments", None) or message.content or ""
        return completion

    def _charged(self, wanted: dict[str, Any], weight: int) -> Any:
        """One sending; the next one, should it be lost, is set aside for anew."""
        with self._budget.reserved(weight + _TEMPLATE, self._request.max_tokens) as spending:
            try:
                completion = self._client.chat.completions.create(**wanted)
            except (openai.APIConnectionError, openai.APIResponseValidationError) as error:
                spending.broken = type(error.__cause__).__name__ not in _NEVER_SENT
                raise
            counted = completion.usage
            spending.usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else Usage()
            self.usage = spending.usage
        return completion


def _without_reasoning(text: str | None) -> str | None:
    """The answer without what a model thought aloud before it.

    >>> _without_reasoning('<think>two and three</think>{"answer": 5}'), _without_reasoning('so 5</think> {}')
    ('{"answer": 5}', '{}')
    """
    return None if text is None else _UNOPENED.sub("", _REASONING.sub("", text))


def _with_schema(request: Request) -> Messages:
    """The messages with the schema's text: a grammar alone would hide the descriptions of the fields."""
    schema = json.dumps(request.form.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    rule = f"Answer with one JSON object of this JSON Schema, and nothing else:\n{schema}"
    return (*request.messages[:-1], (request.messages[-1][0], f"{request.messages[-1][1]}\n\n{rule}"))


def _again(faults: str) -> str:
    return f"That answer is not of the form:\n{faults}\nGive the whole answer again, mended."


def _faults(error: BaseException) -> Iterator[str]:
    """What is wrong with an answer, in lines that a model can use; never the answer itself."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ValidationError):
            for item in seen.errors(include_input=False, include_url=False)[:12]:
                yield f"- {'/'.join(map(str, item['loc'])) or 'the answer'}: {item['msg']}"
            return
        seen = seen.__cause__ or seen.__context__
    yield f"- {str(error).splitlines()[0][:200]}"
