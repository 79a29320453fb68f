"""A model at an endpoint that speaks the OpenAI chat API; instructor holds its answers to a form."""

import json
import logging
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import instructor
import openai
from instructor.core import InstructorError
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, Field

from compiler.models.answered import Unusable, answered, check_read_whole
from compiler.models.asking import asked_again, faults_in, with_schema
from compiler.models.budget import Budget
from compiler.models.faults import ModelFault
from compiler.models.modes import MODES, KnownModes
from compiler.models.protocol import Messages, Reply, Request, Usage
from compiler.models.transport import Transport

SCHEMA_RETRIES = 2
_BYTES_PER_TOKEN = 3.5
_TEMPLATE = 200  # tokens that an endpoint puts around the messages
_INSTEAD = {"max_tokens": "max_completion_tokens", "temperature": None}  # for a parameter that a model does not take
_NO_KEY = (401, 402, 403)
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
        budget: what the answers may cost; None for no account.
        mode: use this one without a trial.
        timeout: seconds for one request.
        options: further fields of each request, as `options.read_options` gives them; `max_tokens` among them is the
            most for any answer.
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
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model, self._options = model, dict(options or {})
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0, timeout=timeout)
        self._endpoint = str(self._client.base_url)
        self._transport, self._modes, self._mode = transport, modes, mode
        self._budget = budget or Budget(None, None)
        self._trying = threading.Lock()
        self._not_taken: set[str] = set()  # parameters that the endpoint refused

    @property
    def name(self) -> str:
        """Model and host, such as `qwen-plus@localhost`, with the options that shape its answers."""
        return f"{self._asked}@{urlsplit(self._endpoint).hostname}"

    @property
    def _asked(self) -> str:
        return f"{self.model} {json.dumps(self._options, sort_keys=True)}" if self._options else self.model

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
                self._mode = self._modes.get(self._endpoint, self._asked)
            if self._mode is None:
                self._mode = self._tried()
                self._modes.put(self._endpoint, self._asked, self._mode)
            return self._mode

    def _tried(self) -> str:
        question = Request("trial", "", (("user", "What is two plus three?"),), _Trial, max_tokens=2000)
        faults: dict[str, ModelFault] = {}
        for mode in MODES:
            try:
                self._answer(question, mode, retries=0)
            except ModelFault as fault:
                if not _may_lie_in_the_mode(fault):
                    raise
                faults[mode] = fault
            else:
                return mode
        if len({str(fault) for fault in faults.values()}) == 1:  # a model that is not there is not there in any mode
            raise faults.popitem()[1]
        raise ModelFault("unsupported", "; ".join(f"{mode}: {fault.detail}" for mode, fault in faults.items()))

    def _answer(self, request: Request, mode: str, retries: int) -> Reply:
        usage, messages = Usage(0, 0), with_schema(request, mode)
        for attempt in range(1, retries + 2):
            call = _Call(self, request, mode)
            value, faults = call.make(messages)
            usage += call.usage
            if value is not None:
                return Reply(value, call.text, usage, call.model, mode, attempt)
            messages = asked_again(with_schema(request, mode), call.text, faults)
        raise ModelFault("malformed", faults)

    def send(self, wanted: dict[str, Any], most: int) -> tuple[Any, Usage]:
        """Send a request, without the parameters that the endpoint does not take, and count what it cost.

        Args:
            wanted: parameters of `chat.completions.create`, without a limit of the answer's length.
            most: tokens that may be received.

        Raises:
            ModelFault: nothing came, or no chat completion.
        """
        while True:
            fitted = self._fitted({**wanted, "max_tokens": most, "temperature": 0})
            try:
                return self._sent(fitted, most)
            except ModelFault as fault:
                if fault.parameter not in fitted:
                    raise
                self._not_taken.add(fault.parameter)

    def most(self, request: Request) -> int:
        """Tokens that may be received in answer to a request."""
        return min(request.max_tokens, int(self._options.get("max_tokens", request.max_tokens)))

    def _fitted(self, wanted: dict[str, Any]) -> dict[str, Any]:
        fitted = {name: value for name, value in wanted.items() if name not in self._not_taken}
        for name, instead in _INSTEAD.items():
            if name in self._not_taken and instead is not None:
                fitted[instead] = wanted[name]
        further = {name: value for name, value in self._options.items() if name != "max_tokens"}
        return fitted | {"extra_body": further or None}

    def _sent(self, wanted: dict[str, Any], most: int) -> tuple[Any, Usage]:
        weight = len(json.dumps(wanted, ensure_ascii=False, default=str).encode())  # no token is less than a byte
        tokens = int(weight / _BYTES_PER_TOKEN) + most
        with self._budget.reserved(weight + _TEMPLATE, most) as spending:
            completion = self._transport.send(lambda: self._client.chat.completions.create(**wanted), tokens)
            if isinstance(completion, ChatCompletion):
                spending.usage = _usage(completion)
                return completion, spending.usage
        raise ModelFault("refused", "what came back is no chat completion; most addresses end in /v1")


class _Call:
    """One sending of a request, with what came back."""

    def __init__(self, to: OpenAIModel, request: Request, mode: str) -> None:
        self._to, self._request, self._mode = to, request, mode
        self.model, self.text, self.usage = to.model, "", Usage()
        self._fault: ModelFault | None = None  # instructor wraps what its function raises
        self._wrong = ""

    def make(self, messages: Messages) -> tuple[BaseModel | None, str]:
        """The answer, or what is wrong with it.

        Raises:
            ModelFault: none came, or it was cut.
        """
        create = instructor.patch(create=self._create, mode=MODES[self._mode])
        try:
            value = create(
                response_model=self._request.form,
                messages=[{"role": role, "content": text} for role, text in messages],
                model=self.model,
                max_retries=0,
            )
        except InstructorError as error:
            if self._fault is not None:
                raise self._fault from None
            return None, self._wrong or "\n".join(faults_in(error))
        return self._request.form.model_validate(value.model_dump()), ""

    def _create(self, **wanted: Any) -> Any:
        most = self._to.most(self._request)
        try:
            completion, self.usage = self._to.send(wanted, most)
            self.model = completion.model or self.model
            check_read_whole("".join(str(message["content"]) for message in wanted["messages"]), self.usage.sent)
            self.text = answered(completion, self._mode, most)
        except ModelFault as fault:
            self._fault = fault
            raise
        except Unusable as wrong:
            self._wrong = f"- {wrong}"
            said: object = completion.choices[0].message.content
            self.text = said if isinstance(said, str) else ""
            raise
        return completion


def _may_lie_in_the_mode(fault: ModelFault) -> bool:
    """Whether another mode may do; not where the key is refused, the money spent or nobody there."""
    if fault.kind == "unreachable":
        return (fault.status or 0) >= 500
    if fault.kind == "refused":
        return fault.status is not None and fault.status not in _NO_KEY
    return fault.kind in ("cut", "malformed")


def _usage(completion: ChatCompletion) -> Usage:
    counts = [getattr(completion.usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    return Usage(*(count if isinstance(count, int) else None for count in counts))
