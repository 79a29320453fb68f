"""Searches beside the requests: one for each key, few at a time, told why one fails; what was counted is kept."""

import threading
import time

import pytest

from ir.errors import BadInputFile
from server.errors import Busy
from server.searches import MOST_KEPT, MOST_WAITING, Searches


def until(searches: Searches, key: str) -> str | None:
    """Why a search came to nothing; None where it came to an end."""
    end = time.monotonic() + 20
    while (state := searches.state(key)) is not None and state.fault is None and time.monotonic() < end:
        time.sleep(0.01)
    return state.fault if state is not None else None


def test_one_goes_on_for_each_key_and_few_at_a_time() -> None:
    """A second of the same key is not begun; one too many is refused; when they have ended, others may begin."""
    searches, gate, ran = Searches(), threading.Event(), list[str]()

    def work() -> None:
        gate.wait(20)
        ran.append("x")

    for key in ("a", "a", "b", "c", "d"):
        searches.begin(key, work)
    assert MOST_WAITING == 4
    with pytest.raises(Busy):
        searches.begin("e", work)
    gate.set()
    assert [until(searches, key) for key in "abcd"] == [None] * 4
    assert len(ran) == 4
    searches.begin("e", work)
    assert until(searches, "e") is None and len(ran) == 5


def test_one_that_fails_says_why_and_may_begin_again() -> None:
    """The reason stays until the next one begins."""
    searches = Searches()

    def fail() -> None:
        raise BadInputFile("no cases here; mend the file")

    searches.begin("a", fail)
    assert until(searches, "a") == "no cases here; mend the file [bad-input-file]"
    searches.begin("a", lambda: None)
    assert until(searches, "a") is None


def test_counts_are_kept_by_what_they_count() -> None:
    """Nothing is counted twice, and what was not asked for longest goes first."""
    searches, counted = Searches(), list[str]()

    def count(key: str) -> str:
        counted.append(key)
        return key.upper()

    for key in ("a", *map(str, range(MOST_KEPT - 1)), "a", "new", "a", "0"):
        assert searches.counted(key, lambda key=key: count(key)) == key.upper()  # type: ignore[misc]
    assert counted.count("a") == 1 and counted.count("0") == 2
