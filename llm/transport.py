"""Sends requests to one endpoint: a single retry layer, a circuit breaker, and limits that it learns or is told.

Waiting times grow exponentially with full jitter, as M. Brooker's "Exponential Backoff and Jitter" (AWS, 2015) advises;
the limit of requests at a time grows by addition and shrinks by a tenth, as TCP's congestion window does by a half.
A 429 with `Retry-After: 0` asks to come back at once, and shrinks nothing.
"""

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TypeVar

import openai

from llm.bounded import TooMuch
from llm.faults import ModelFault
from llm.limits import Limits

Out = TypeVar("Out")
_PASSING = frozenset({408, 409, 425, 429})
PARAMETERS = ("max_tokens", "temperature")
"""Parameters of a request that some models do not take; the others are what a request is."""
_NOT_KNOWN = re.compile(r"unsupported|not support|unknown|unrecognized|not permitted|deprecated", re.IGNORECASE)
_LONGEST_WAIT = 60.0


class Transport:
    """The way to one endpoint, shared by all threads that use it.

    Args:
        clock, sleep: for tests.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.limits, self._clock, self._sleep = limits, clock, sleep
        self._lock = threading.Condition()
        self._allowed, self._running = float(limits.concurrency), 0
        self._lost, self._closed_until = 0, 0.0
        self._answered = False
        self._nobody: ModelFault | None = None
        self._requests = _Bucket(limits.requests_per_minute)
        self._tokens = _Bucket(limits.tokens_per_minute)

    def send(self, call: Callable[[], Out], tokens: int = 0) -> Out:
        """Call until an answer has come; an answer that has come is never asked for again.

        Args:
            tokens: an estimate of what the request and its answer weigh.

        Raises:
            ModelFault: `refused`, `unreachable` or `open`. Where nobody was there before the first answer came, every
                further call is told so at once.
        """
        status = None
        for attempt in range(1, self.limits.attempts + 1):
            self._check_open()
            self._wait_for(tokens)
            try:
                with self._place():
                    answer = call()
            except openai.APIStatusError as error:
                passing = error.status_code in _PASSING or error.status_code >= 500
                if not passing or error.code == "insufficient_quota":  # which is paid for, not waited for
                    raise ModelFault("refused", _error_summary(error), error.status_code, _not_known(error)) from None
                reason, wait, status = _error_summary(error), _retry_after(error), error.status_code
                if error.status_code == 429 and wait != 0:
                    self._slow_down()
                if wait is not None and wait > _LONGEST_WAIT:
                    reason += f", to be asked again in {wait:.0f} s, and a build waits {_LONGEST_WAIT:.0f} s at most"
                    break
            except (openai.APIConnectionError, openai.APIResponseValidationError, ValueError) as error:
                if isinstance(error.__cause__, TooMuch):
                    raise ModelFault("refused", str(error.__cause__)) from None
                reason, wait, status = _error_summary(error), None, None
                if isinstance(error, openai.APITimeoutError) and attempt > 1:
                    break
            else:
                self._speed_up()
                return answer
            if attempt < self.limits.attempts:
                self._sleep(self._backoff(attempt) if wait is None else wait)
        fault = ModelFault("unreachable", f"{reason} ({attempt} attempt{'s' * (attempt > 1)})", status)
        self._count_lost(fault)
        raise fault

    @contextmanager
    def _place(self) -> Iterator[None]:
        """One of the places that may be taken at a time."""
        with self._lock:
            self._lock.wait_for(lambda: self._running < max(1, int(self._allowed)))
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                self._lock.notify()

    def _wait_for(self, tokens: int) -> None:
        with self._lock:
            now = self._clock()
            wait = max(self._requests.take(1, now), self._tokens.take(tokens, now))
        if wait > 0:
            self._sleep(wait)

    def _backoff(self, attempt: int) -> float:
        longest = min(_LONGEST_WAIT, self.limits.first_wait * 2 ** (attempt - 1))
        return random.uniform(0, longest)  # noqa: S311 - no secret hangs on it

    def _slow_down(self) -> None:
        with self._lock:
            self._allowed = max(1.0, self._allowed * 0.9)

    def _speed_up(self) -> None:
        with self._lock:
            self._lost, self._answered = 0, True
            self._allowed = min(float(self.limits.concurrency), self._allowed + 1 / max(1.0, self._allowed))
            self._lock.notify()

    def _count_lost(self, fault: ModelFault) -> None:
        with self._lock:
            self._lost += 1
            if not self._answered and fault.status is None:
                self._nobody = fault
            if self._lost >= self.limits.failures:
                self._lost, self._closed_until = 0, self._clock() + self.limits.pause

    def _check_open(self) -> None:
        with self._lock:
            if self._nobody is not None and not self._answered:
                raise self._nobody
            left = self._closed_until - self._clock()
        if left > 0:
            raise ModelFault("open", f"{self.limits.failures} requests in a row were lost; tried again in {left:.0f} s")


class _Bucket:
    """Tokens that flow in evenly over a minute."""

    def __init__(self, per_minute: int | None) -> None:
        self.rate = per_minute / 60 if per_minute else None
        self.level, self.at = float(per_minute or 0), 0.0

    def take(self, amount: float, now: float) -> float:
        """Take an amount and give the seconds to wait until it is there."""
        if self.rate is None:
            return 0.0
        if self.at:
            self.level = min(self.rate * 60, self.level + (now - self.at) * self.rate)
        self.at = now
        self.level -= amount
        return max(0.0, -self.level / self.rate)


def _retry_after(error: openai.APIStatusError) -> float | None:
    """The seconds that the endpoint asks to wait, or those until the date that it names; None where it says neither."""
    said = error.response.headers.get("retry-after", "")
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def _error_summary(error: Exception) -> str:
    """The error in a line: status and the endpoint's word for it, without what else it may have sent along."""
    status = getattr(error, "status_code", None)
    if not status:
        why = "" if isinstance(error, openai.APITimeoutError) else str(error.__cause__ or "")[:100]
        return f"{type(error).__name__}: {why}" if why else type(error).__name__
    words = (getattr(error, "code", None), getattr(error, "type", None))
    word = next((word for word in words if isinstance(word, str) and re.fullmatch(r"[a-z]+(_[a-z]+)*", word)), None)
    return f"HTTP {status} {word}" if word else f"HTTP {status}"


def _not_known(error: openai.APIStatusError) -> str | None:
    """The parameter of ours that the endpoint says it does not take."""
    text = str(error.body or error.message)
    if error.status_code not in (400, 422) or not _NOT_KNOWN.search(text):
        return None
    named = error.param if error.param in PARAMETERS else None
    return named or next((name for name in PARAMETERS if re.search(rf"\b{name}\b", text)), None)
