"""Accounts of requests: what they came to, and a sum of money that is never exceeded."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace

from ir.errors import BadSetting
from llm.faults import ModelFault
from llm.prices import Price
from llm.usage import Usage


@dataclass(frozen=True)
class Spent:
    """What requests came to.

    Args:
        asked: requests, those included that were answered from what was kept or not at all.
        failed: how many of these were not answered.
        calls: sendings that were answered, or broken off when they may have been charged already.
        uncounted: how many of these nobody knows the tokens of.
        sent, received: tokens of the others.
        cost: US dollars of the others; None where the price is unknown.
        kept: answers that came from a recording or a cache; nothing was sent for them and nothing is paid.
        kept_uncounted: how many of these nobody knows the tokens of.
        kept_sent, kept_received: tokens that the others took when they were given.
    """

    asked: int = 0
    failed: int = 0
    calls: int = 0
    uncounted: int = 0
    sent: int = 0
    received: int = 0
    cost: float | None = 0.0
    kept: int = 0
    kept_uncounted: int = 0
    kept_sent: int = 0
    kept_received: int = 0

    @property
    def unanswered(self) -> bool:
        """Whether something was asked and nothing answered."""
        return 0 < self.asked == self.failed

    @property
    def tokens(self) -> int | None:
        """Sent and received for all answers, kept ones included; None where those of some are unknown."""
        if self.uncounted or self.kept_uncounted:
            return None
        return self.sent + self.received + self.kept_sent + self.kept_received

    def add(self, more: "Spent", sign: int = 1) -> "Spent":
        """Both together."""
        counts = {name: getattr(self, name) + sign * getattr(more, name) for name in _COUNTS}
        unknown = self.cost is None or more.cost is None
        return Spent(**counts, cost=None if unknown else (self.cost or 0.0) + sign * (more.cost or 0.0))

    def since(self, before: "Spent") -> "Spent":
        """What came after an earlier state of the same account."""
        return self.add(before, -1)

    def to_json(self) -> dict[str, int | float | None]:
        """As a summary has it; `usd` is of the counted calls, None where the price of one is unknown."""
        return {
            "requests": self.asked, "failed": self.failed, "calls": self.calls, "uncounted_calls": self.uncounted,
            "tokens_sent": self.sent, "tokens_received": self.received,
            "usd": None if self.cost is None else round(self.cost, 6),
            "kept": self.kept, "uncounted_kept": self.kept_uncounted,
            "kept_tokens_sent": self.kept_sent, "kept_tokens_received": self.kept_received,
        }  # fmt: skip


_COUNTS = tuple(each.name for each in fields(Spent) if each.name != "cost")


@dataclass
class Spending:
    """What one sending came to.

    Args:
        usage: as the endpoint counted it; None until an answer has come.
        broken: it was broken off when it may have been charged already.
    """

    usage: Usage | None = None
    broken: bool = False


class Budget:
    """The account of a document, or of a build with its documents, and the most that it may come to.

    Before a request is sent, the most that it can cost is set aside. Where that would go over the sum it is not sent;
    where it may fit when others have come to less than was set aside for them, it waits for these.

    Args:
        most: US dollars; None for no limit.
        price: of the model; None where it is unknown.
        whole: the account of which this is a part, as a document's is of the build's.
        document: whose account it is; empty for the build's.

    Raises:
        BadSetting: there is a limit but no price to hold to.
    """

    def __init__(
        self, most: float | None, price: Price | None, whole: "Budget | None" = None, document: str = ""
    ) -> None:
        if most is not None and price is None:
            raise BadSetting("a limit of cost needs a price for the model, and none is known; give one with --prices")
        self.most, self.price, self.document, self._whole = most, price, document, whole
        self._changed, self._set_aside, self._taken = threading.Condition(), 0.0, 0.0
        self._spent = Spent()
        self.fault: ModelFault | None = None

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        with self._changed:
            return self._spent

    def count_request(self) -> None:
        """Count a request."""
        with self._changed:
            self._add(Spent(asked=1))
        if self._whole is not None:
            self._whole.count_request()

    def count_failed(self, fault: ModelFault) -> None:
        """Count a request that was not answered; the first one's fault is kept as `fault`."""
        with self._changed:
            self._add(Spent(failed=1))
            self.fault = self.fault or fault
        if self._whole is not None:
            self._whole.count_failed(fault)

    def count_recorded(self, usage: Usage) -> None:
        """Count an answer that was kept, with the tokens that it took when it was given."""
        with self._changed:
            if usage.sent is None or usage.received is None:
                self._add(Spent(kept=1, kept_uncounted=1))
            else:
                self._add(Spent(kept=1, kept_sent=usage.sent, kept_received=usage.received))
        if self._whole is not None:
            self._whole.count_recorded(usage)

    @contextmanager
    def reserved(self, sent: int, received: int) -> Iterator[Spending]:
        """Set aside what a sending can cost at most while it is under way.

        Args:
            sent, received: tokens that it cannot exceed.

        Raises:
            ModelFault: `spent` where that would go over the sum.
        """
        spending = Spending()
        most = self.price.cost(sent, received) if self.price else 0.0
        self._take(most)
        try:
            if self._whole is None:
                yield spending
            else:
                with self._whole.reserved(sent, received) as outer:
                    try:
                        yield spending
                    finally:
                        outer.usage, outer.broken = spending.usage, spending.broken
        finally:
            self._settle(most, spending)

    def _take(self, most: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._fits(most) or self._taken + most > (self.most or 0.0))
            if not self._fits(most):
                left = max(0.0, (self.most or 0.0) - self._taken)
                raise ModelFault("spent", f"the request may cost {most:.4f} USD, and {left:.4f} USD are left")
            self._set_aside += most

    def _fits(self, most: float) -> bool:
        return self.most is None or self._taken + self._set_aside + most <= self.most

    def _settle(self, most: float, spending: Spending) -> None:
        usage = spending.usage
        with self._changed:
            self._set_aside -= most
            if usage is not None and usage.sent is not None and usage.received is not None:
                cost = self.price.cost(usage.sent, usage.received) if self.price else None
                self._add(Spent(calls=1, sent=usage.sent, received=usage.received, cost=cost))
                self._taken += cost or 0.0
            elif usage is not None or spending.broken:
                self._add(Spent(calls=1, uncounted=1))
                self._taken += most  # it may have cost all that it could
            self._changed.notify_all()

    def _add(self, more: Spent) -> None:
        known = self.price is not None or not more.calls
        self._spent = self._spent.add(more if known else replace(more, cost=None))


@dataclass
class Accounts:
    """The account of a build with one for each document.

    Args:
        whole: of the build.
        most_per_document: US dollars; None for no limit.
    """

    whole: Budget
    most_per_document: float | None = None
    _documents: dict[str, Budget] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def document(self, doc_id: str) -> Budget:
        """The account of a document."""
        with self._lock:
            if doc_id not in self._documents:
                self._documents[doc_id] = Budget(self.most_per_document, self.whole.price, self.whole, doc_id)
            return self._documents[doc_id]

    def part(self, doc_id: str) -> Budget:
        """An account of its own for one piece of work on a document, so that each is told what it came to."""
        return Budget(None, self.whole.price, self.document(doc_id), doc_id)

    def spent(self) -> dict[str, Spent]:
        """What each document came to."""
        with self._lock:
            return {doc_id: budget.spent for doc_id, budget in self._documents.items()}
