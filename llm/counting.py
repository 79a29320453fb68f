"""A model that asks nobody: it counts what would be asked, so that the cost is known before anything is sent."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from llm.faults import ModelFault
from llm.protocol import Reply, Request
from llm.recording import Recording

BYTES_PER_TOKEN = 3.5  # of English, and of Chinese in UTF-8, about


@dataclass(frozen=True)
class CountedRequest:
    """A request that a build would make.

    Args:
        kept: its answer is kept from an earlier build; then it costs nothing.
        sent: tokens, about.
        most_sent, most_received: tokens that one sending cannot exceed.
    """

    document: str
    purpose: str
    kept: bool
    sent: int = 0
    most_sent: int = 0
    most_received: int = 0


@dataclass
class CountingModel:
    """Counts requests; those that were answered before are answered, the others are not.

    Args:
        name: of the model that would be asked.
        weigh: the most tokens that a request weighs as it would be sent, and the most that may be received.
        kept: where answers are kept, each with the model that must have given them, None for any.
    """

    name: str
    weigh: Callable[[Request], tuple[int, int]]
    kept: tuple[tuple[Recording, str | None], ...]
    counted: list[CountedRequest] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> Reply:
        """The answer that is kept.

        Raises:
            ModelFault: `unasked` where there is none.
        """
        document = request.account.document if request.account is not None else ""
        reply = next((reply for folder, by in self.kept if (reply := folder.get(request, by)) is not None), None)
        if reply is not None:
            self._count(CountedRequest(document, request.purpose, kept=True))
            return reply
        size, most = self.weigh(request)
        self._count(CountedRequest(document, request.purpose, False, int(size / BYTES_PER_TOKEN), size, most))
        raise ModelFault("unasked", "requests are only counted")

    def _count(self, one: CountedRequest) -> None:
        with self._lock:
            self.counted.append(one)
