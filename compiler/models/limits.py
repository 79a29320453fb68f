"""What an endpoint is asked for at most."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What an endpoint is asked for at most.

    Args:
        concurrency: requests at a time to begin with, and at most.
        attempts: sendings of one request, the first included.
        first_wait: seconds before the second one, at most; each further wait is twice as long.
        requests_per_minute, tokens_per_minute: None for no limit of ours.
        failures: requests lost in a row after which the endpoint is left alone.
        pause: seconds for which it is.
        timeout: seconds for one sending.
    """

    concurrency: int = 8
    attempts: int = 6
    first_wait: float = 0.5
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    failures: int = 5
    pause: float = 30.0
    timeout: float = 300.0
