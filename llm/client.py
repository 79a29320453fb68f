"""A model at an endpoint that speaks the OpenAI chat API: in which mode it is asked, and what is sent back to it."""

import threading
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from llm.asking import retry_messages, with_schema
from llm.budget import Budget
from llm.call import Call, WrongMode, weigh
from llm.endpoint import Endpoint
from llm.faults import ModelFault
from llm.modes import MODES, KnownModes
from llm.protocol import Reply, Request
from llm.transport import Transport
from llm.usage import Usage

SCHEMA_RETRIES = 2
_NO_KEY = (401, 402, 403)


class _Trial(BaseModel):
    """The answer to the trial of a mode."""

    answer: int = Field(description="The sum of two and three.")


TRIAL = Request("trial", "", (("user", "What is two plus three?"),), _Trial, max_tokens=2000)


class OpenAIModel:
    """A model at an endpoint.

    Args:
        model, base_url, api_key, transport, options: see `Endpoint`.
        modes: where the mode that works is kept.
        budget: pays for requests without an account of their own; None for no limit.
        mode: use this one without a trial.
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
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._endpoint = Endpoint(model, base_url, api_key, transport, options or {})
        self._modes, self._mode = modes, mode
        self._budget = budget or Budget(None, None)
        self._trying = threading.Lock()
        self._unusable: ModelFault | None = None

    @property
    def name(self) -> str:
        """Model, options and host, see `Endpoint.name`."""
        return self._endpoint.name

    @property
    def address(self) -> str:
        """Where the model is asked, without what is secret in it."""
        return self._endpoint.url

    def answer(self, request: Request) -> Reply:
        """See `Model.answer`; a malformed answer is sent back with its faults at most twice.

        Where the mode turns out not to do for this form, the next one is taken, and kept where it does.
        """
        names = list(MODES)
        mode = self.mode()
        while True:
            try:
                reply = self._answer(request, mode, SCHEMA_RETRIES)
            except WrongMode:
                if mode == names[-1]:
                    raise
                mode = names[names.index(mode) + 1]
            else:
                self._keep(mode)
                return reply

    def weigh(self, request: Request) -> tuple[int, int]:
        """The most tokens that sending a request once can take, and its answer; nothing is sent."""
        return weigh(self._endpoint, request, self.known_mode() or next(iter(MODES)))

    def known_mode(self) -> str | None:
        """The mode that is known to work, None where none was tried."""
        return self._mode or self._modes.get(self._endpoint.url, self._endpoint.asked)

    def mode(self) -> str:
        """The first mode in which the endpoint gives a well-formed answer; tried out once where none is known.

        Raises:
            ModelFault: `unsupported` where none works; else what kept the trial from being made.
        """
        with self._trying:
            if self._unusable is not None:
                raise self._unusable
            mode = self.known_mode()
            if mode is None:
                try:
                    mode = self._tried()
                except ModelFault as fault:
                    self._unusable = fault if fault.kind not in ("spent", "open") else None
                    raise
                self._modes.put(self._endpoint.url, self._endpoint.asked, mode)
            self._mode = mode
            return mode

    def _keep(self, mode: str) -> None:
        with self._trying:
            if self._mode != mode:
                self._mode = mode
                self._modes.put(self._endpoint.url, self._endpoint.asked, mode)

    def _tried(self) -> str:
        faults: dict[str, ModelFault] = {}
        for mode in MODES:
            try:
                self._answer(TRIAL, mode, retries=0)
            except ModelFault as fault:
                if not _may_lie_in_the_mode(fault):
                    raise
                faults[mode] = fault
            else:
                return mode
        if len({str(fault) for fault in faults.values()}) == 1:  # a model that is not there is not there in any mode
            raise faults.popitem()[1]
        said = {mode: fault.detail.removeprefix("- ") for mode, fault in faults.items()}
        raise ModelFault("unsupported", "; ".join(f"{mode}: {detail}" for mode, detail in said.items()))

    def _answer(self, request: Request, mode: str, retries: int) -> Reply:
        usage, asked = Usage(0, 0), with_schema(request, mode)
        messages = asked
        for attempt in range(1, retries + 2):
            call = Call(self._endpoint, request.account or self._budget, request, mode)
            try:
                value, faults = call.make(messages)
            except WrongMode as wrong:
                if attempt == 1 or wrong.status is not None:
                    raise
                value, faults = None, wrong.detail  # what the mode has done once it can do
            usage += call.usage
            if value is not None:
                return Reply(value, call.text, usage, call.model, mode, attempt)
            messages = retry_messages(asked, call.text, faults)
        raise ModelFault("malformed", faults)


def _may_lie_in_the_mode(fault: ModelFault) -> bool:
    """Whether another mode may do; not where the key is refused, the money spent or nobody there."""
    if fault.kind == "unreachable":
        return (fault.status or 0) >= 500
    if fault.kind == "refused":
        return fault.status is not None and fault.status not in _NO_KEY
    return fault.kind in ("cut", "malformed")
