"""A model at an endpoint that speaks the OpenAI chat API; instructor holds its answers to a form."""

import threading
from urllib.parse import urlsplit

import openai
from pydantic import BaseModel, Field

from compiler.models.budget import Budget
from compiler.models.call import Call, WrongMode, with_schema
from compiler.models.faults import ModelFault
from compiler.models.modes import MODES, KnownModes
from compiler.models.protocol import Reply, Request, Usage
from compiler.models.transport import Transport

SCHEMA_RETRIES = 2


class _Trial(BaseModel):
    """The answer to the trial of a mode."""

    answer: int = Field(description="The sum of two and three.")


TRIAL = Request("trial", "", (("user", "What is two plus three?"),), _Trial, max_tokens=2000)


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
        self._unusable: ModelFault | None = None

    @property
    def name(self) -> str:
        """Model and host, such as `qwen-plus@localhost:8000`; two servers of one host are two models."""
        return f"{self.model}@{urlsplit(self._endpoint).netloc.rpartition('@')[2]}"

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

    def known_mode(self) -> str | None:
        """The mode that is known to work, None where none was tried."""
        return self._mode or self._modes.get(self._endpoint, self.model)

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
                    self._unusable = fault if fault.kind in ("unsupported", "refused") else None
                    raise
                self._modes.put(self._endpoint, self.model, mode)
            self._mode = mode
            return mode

    def _keep(self, mode: str) -> None:
        with self._trying:
            if self._mode != mode:
                self._mode = mode
                self._modes.put(self._endpoint, self.model, mode)

    def _tried(self) -> str:
        faults = []
        for mode in MODES:
            try:
                self._answer(TRIAL, mode, retries=0)
            except ModelFault as fault:
                if not _of_mode(fault):
                    raise
                faults.append(f"{mode}: {fault.detail.removeprefix('- ')}")
            else:
                return mode
        raise ModelFault("unsupported", "; ".join(faults))

    def _answer(self, request: Request, mode: str, retries: int) -> Reply:
        usage, messages = Usage(0, 0), with_schema(request)
        for attempt in range(1, retries + 2):
            call = Call(self._client, self._transport, request.account or self._budget, self.model, request)
            value, faults = call.make(messages, mode)
            usage += call.usage
            if value is not None:
                return Reply(value, call.text, usage, call.model, mode, attempt)
            messages = (*with_schema(request), ("assistant", call.text), ("user", _again(faults)))
        raise ModelFault("malformed", faults)


def _again(faults: str) -> str:
    return f"That answer is not of the form:\n{faults}\nGive the whole answer again, mended."


def _of_mode(fault: ModelFault) -> bool:
    """Whether a trial that ended so says something of the mode, and not of the way to the endpoint."""
    if fault.kind == "refused":
        return fault.detail not in ("HTTP 401", "HTTP 402", "HTTP 403")
    return fault.kind in ("malformed", "cut") or (fault.kind == "unreachable" and "HTTP 5" in fault.detail)
