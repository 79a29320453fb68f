"""How passes ask: on the account of a document, several requests beside each other, the lost ones once more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llm.budget import Budget
from llm.faults import FaultKind, ModelFault
from llm.protocol import Model, Reply, Request
from llm.threads import Threads, waiting

MOST_BESIDE = 16
AGAIN: frozenset[FaultKind] = frozenset({"unreachable", "cut", "malformed"})
"""Faults that another try may mend."""


@dataclass(frozen=True)
class ChargedModel:
    """A model whose requests go on an account; the thread that asks gives up its turn until the answer is there."""

    model: Model
    account: Budget

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    def answer(self, request: Request) -> Reply:
        """See `Model.answer`."""
        self.account.count_request()
        try:
            with waiting():
                reply = self.model.answer(replace(request, account=self.account))
        except ModelFault as fault:
            self.account.count_failed(fault)
            raise
        if reply.kept:
            self.account.count_recorded(reply.usage)
        return reply


def answer_all(model: Model, requests: Sequence[Request]) -> list[Reply | ModelFault]:
    """The answer to each request, or why there is none.

    They are asked beside each other. One that is lost in a way that may pass is asked again once, alone, after the
    others.
    """
    found = _answer_concurrently(model, requests)
    for number, one in enumerate(found):
        if isinstance(one, ModelFault) and one.kind in AGAIN:
            found[number] = _answer(model, requests[number])
    return found


def _answer_concurrently(model: Model, requests: Sequence[Request]) -> list[Reply | ModelFault]:
    if len(requests) == 1:
        return [_answer(model, requests[0])]
    threads = Threads(min(len(requests), MOST_BESIDE))
    try:
        begun = [threads.begin(lambda request=request: _answer(model, request)) for request in requests]  # type: ignore[misc]
        with waiting():
            return [future.result() for future in begun]
    finally:
        threads.end(drop=True)


def _answer(model: Model, request: Request) -> Reply | ModelFault:
    try:
        return model.answer(request)
    except ModelFault as fault:
        return fault
