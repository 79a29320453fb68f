"""How often and how fast an endpoint is asked."""

import threading
import time

import httpx2 as httpx
import openai
import pytest

from llm import ModelFault
from llm.limits import Limits
from llm.transport import Transport

PATIENCE = 60.0  # seconds; only what hangs takes so long


def overloaded(retry_after: str | None = None) -> openai.APIStatusError:
    """An answer with HTTP 429."""
    headers = {"retry-after": retry_after} if retry_after is not None else {}
    response = httpx.Response(429, headers=headers, request=httpx.Request("POST", "http://x"))
    return openai.RateLimitError("slow down", response=response, body=None)


def test_waiting_grows_with_jitter_unless_the_endpoint_says_how_long() -> None:
    """Within twice the time before, never more."""
    waits: list[float] = []
    answers: list[openai.APIStatusError] = [overloaded(), overloaded(), overloaded("7"), overloaded("soon")]

    def call() -> str:
        if answers:
            raise answers.pop(0)
        return "there"

    assert Transport(Limits(first_wait=2), sleep=waits.append).send(call) == "there"
    assert waits[2] == 7
    assert all(0 <= wait <= longest for wait, longest in zip(waits, (2, 4, 7, 16), strict=True))


def test_no_more_at_a_time_than_allowed() -> None:
    """Of twelve threads three are let through."""
    assert most_at_a_time(Transport(Limits(concurrency=3)), 3) == 3


def test_overload_takes_places_and_answers_give_them_back() -> None:
    """Seven 429s that do not say when to come back halve four places; such that say "at once" take none."""
    for after, places in (("", 2), ("0", 4)):
        transport = Transport(Limits(concurrency=4, attempts=1, failures=99), sleep=lambda _: None)
        for _ in range(7):
            with pytest.raises(ModelFault, match="unreachable"):
                transport.send(lambda after=after: raising(overloaded(after)))
        transport.send(lambda: None)  # after the first answer there are two places again
        assert most_at_a_time(transport, places, places + 1) == places
        for _ in range(16):
            transport.send(lambda: None)
        assert most_at_a_time(transport, 4) == 4


def raising(error: Exception) -> None:
    """A call that fails."""
    raise error


def most_at_a_time(transport: Transport, places: int, threads_to_start: int = 12) -> int:
    """How many of the threads were let through at once.

    Args:
        places: how many are expected; the first ones wait for one another, however slow the machine is.
    """
    running, most, more = 0, 0, threading.Condition()

    def call() -> None:
        nonlocal running, most
        with more:
            running += 1
            most = max(most, running)
            more.notify_all()
            more.wait_for(lambda: most >= places, PATIENCE)
        time.sleep(0.02)  # for one too many, if there is one
        with more:
            running -= 1

    threads = [threading.Thread(target=transport.send, args=(call,)) for _ in range(threads_to_start)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return most


def test_requests_and_tokens_per_minute() -> None:
    """What is over the minute's share waits until it has flowed in."""
    waits: list[float] = []
    transport = Transport(Limits(requests_per_minute=60, tokens_per_minute=600), clock=lambda: 1.0, sleep=waits.append)
    for _ in range(3):
        transport.send(lambda: None, tokens=300)
    assert waits == [pytest.approx(30)]


def test_processes_share_the_limits() -> None:
    """No more together than one alone would; each may ask, and what is not limited stays so."""
    limits = Limits(concurrency=8, requests_per_minute=61, timeout=9)
    assert limits.shared(3) == Limits(concurrency=2, requests_per_minute=20, timeout=9)
    assert limits.shared(20).concurrency == 1


def test_the_pause_ends() -> None:
    """After it the endpoint is asked again."""
    now = 100.0
    transport = Transport(Limits(attempts=1, failures=1, pause=10), clock=lambda: now, sleep=lambda _: None)

    def lost() -> None:
        raise openai.APIConnectionError(request=httpx.Request("POST", "http://x"))

    assert transport.send(lambda: "there") == "there"  # else nobody is there, and it is not asked again
    for kind in ("unreachable", "open"):
        with pytest.raises(ModelFault, match=kind):
            transport.send(lost)
    now = 111.0
    assert transport.send(lambda: "back") == "back"
