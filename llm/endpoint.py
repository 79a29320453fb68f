"""Where a model is asked: the address, the fields of each request, and those that the model turns out not to take."""

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletion

from llm.address import OPENAI, check_address, check_key, shown_address
from llm.bounded import bounded_client
from llm.budget import Budget
from llm.counting import BYTES_PER_TOKEN
from llm.faults import ModelFault
from llm.protocol import Request
from llm.transport import Transport
from llm.usage import Usage

_TEMPLATE = 200  # tokens that an endpoint puts around the messages
_INSTEAD = {"max_tokens": "max_completion_tokens", "temperature": None}  # for a parameter that a model does not take
_MOST_TOKENS = 10_000_000  # that any model takes or gives at a time
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})  # causes of a lost connection


class Endpoint:
    """The way to one model, shared by all threads that ask it.

    Args:
        model: the endpoint's name of it.
        base_url: None for OpenAI's own.
        api_key: None for what `OPENAI_API_KEY` says.
        transport: how requests are sent, and how long an answer may take.
        options: further fields of each request, as `options.read_options` gives them; `max_tokens` among them is the
            most for any answer.
    """

    def __init__(
        self, model: str, base_url: str | None, api_key: str | None, transport: Transport, options: Mapping[str, Any]
    ) -> None:
        self.model, self._transport, self._options = model, transport, dict(options)
        address, seconds = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI, transport.limits.timeout
        check_address(address)
        client = bounded_client(address, seconds)
        self._client = openai.OpenAI(
            base_url=address, api_key=api_key, max_retries=0, timeout=seconds, http_client=client
        )  # fmt: skip
        check_key(self._client.api_key)
        self._not_taken: set[str] = set()  # parameters that the endpoint refused

    @property
    def url(self) -> str:
        """The address, as it may be kept and shown."""
        return shown_address(str(self._client.base_url))

    @property
    def asked(self) -> str:
        """The model with the options that shape its answers."""
        return f"{self.model} {json.dumps(self._options, sort_keys=True)}" if self._options else self.model

    @property
    def name(self) -> str:
        """Model, options and host, such as `qwen-plus@localhost:8000`; two servers of one host are two models."""
        return f"{self.asked}@{urlsplit(self.url).netloc}"

    def most(self, request: Request) -> int:
        """Tokens that may be received in answer to a request."""
        return min(request.max_tokens, int(self._options.get("max_tokens", request.max_tokens)))

    def weight(self, wanted: Mapping[str, Any], most: int) -> int:
        """The most tokens that a request can weigh as it is sent; the arguments are those of `send`."""
        return _weight(self._fitted(wanted, most))

    def send(self, wanted: Mapping[str, Any], most: int, account: Budget) -> tuple[ChatCompletion, Usage]:
        """Send a request, without the parameters that the endpoint does not take.

        Args:
            wanted: parameters of `chat.completions.create`, without a limit of the answer's length.
            most: tokens that may be received.
            account: pays for each sending.

        Raises:
            ModelFault: nothing came, or no chat completion.
        """
        while True:
            fitted = self._fitted(wanted, most)
            try:
                return self._sent(fitted, most, account)
            except ModelFault as fault:
                if fault.parameter not in fitted:
                    raise
                self._not_taken.add(fault.parameter)

    def _fitted(self, wanted: Mapping[str, Any], most: int) -> dict[str, Any]:
        whole: dict[str, Any] = {**wanted, "max_tokens": most, "temperature": 0}
        fitted = {name: value for name, value in whole.items() if name not in self._not_taken}
        for name, instead in _INSTEAD.items():
            if name in self._not_taken and instead is not None:
                fitted[instead] = whole[name]
        further = {name: value for name, value in self._options.items() if name != "max_tokens"}
        return fitted | {"extra_body": further or None}

    def _sent(self, fitted: dict[str, Any], most: int, account: Budget) -> tuple[ChatCompletion, Usage]:
        weight = _weight(fitted)
        tokens = int(weight / BYTES_PER_TOKEN) + most
        completion = self._transport.send(lambda: self._charged(fitted, weight, most, account), tokens)
        if not isinstance(completion, ChatCompletion):
            raise ModelFault("refused", "what came back is no chat completion; most addresses end in /v1")
        return completion, _usage(completion)

    def _charged(self, fitted: dict[str, Any], weight: int, most: int, account: Budget) -> object:
        """One sending; the next one, should it be lost, is set aside for anew."""
        with account.reserved(weight, most) as spending:
            try:
                completion: object = self._client.chat.completions.create(**fitted)
            except RecursionError as error:
                spending.broken = True
                raise ModelFault("refused", "what came back is nested too deeply") from error
            except (openai.APIConnectionError, openai.APIResponseValidationError, ValueError) as error:
                spending.broken = type(error.__cause__).__name__ not in _NEVER_SENT
                raise
            if isinstance(completion, ChatCompletion):
                spending.usage = _usage(completion)
        return completion


def _weight(fitted: Mapping[str, Any]) -> int:
    return len(json.dumps(fitted, ensure_ascii=False, default=str).encode()) + _TEMPLATE  # no token is less than a byte


def _usage(completion: ChatCompletion) -> Usage:
    """What was used, as far as it can be: nothing is asked and answered for nothing, or without end."""
    counts = [getattr(completion.usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    return Usage(*(count if type(count) is int and 0 < count <= _MOST_TOKENS else None for count in counts))
