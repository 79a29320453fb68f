"""What an endpoint is asked for at most."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Limits:
    """What an endpoint is asked for at most.

    Args:
        concurrency: requests at a time to begin with, and at most.
        attempts: sendings of one request, the first included; of one that times out, at most two.
        first_wait: seconds before the second one, at most; each further wait is twice as long.
        requests_per_minute, tokens_per_minute: None for no limit of ours.
        failures: requests lost in a row after which the endpoint is left alone.
        pause: seconds for which it is.
        timeout: seconds for one sending.
    """

    concurrency: int = 8
    attempts: int = 7
    first_wait: float = 0.25
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    failures: int = 5
    pause: float = 30.0
    timeout: float = 300.0

    def shared(self, among: int) -> "Limits":
        """The part of one of so many processes that ask the same endpoint; each may send one request at a time.

        >>> Limits(concurrency=8, requests_per_minute=60).shared(3).concurrency
        2
        """
        requests, tokens = (
            most and max(1, most // among) for most in (self.requests_per_minute, self.tokens_per_minute)
        )
        concurrency = max(1, self.concurrency // among)
        return replace(self, concurrency=concurrency, requests_per_minute=requests, tokens_per_minute=tokens)
