"""Threads of a build work one at a time, and wait together."""

import threading
import time

import pytest

from llm.threads import Threads, Turn, TurnOver, waiting

PATIENCE = 60.0  # seconds; only what hangs takes so long


def test_one_works_while_the_others_wait() -> None:
    """However many threads there are, one is between its waits; all of them wait at once."""
    turn, working, most, waits = Turn(), 0, 0, threading.Barrier(6)

    def work() -> None:
        nonlocal working, most
        with turn:
            working += 1
            most = max(most, working)
            time.sleep(0.005)
            working -= 1
            with waiting():
                waits.wait(PATIENCE)  # broken unless all six are here
            working += 1
            most = max(most, working)
            time.sleep(0.005)
            working -= 1

    threads = Threads(6)
    for future in [threads.begin(work) for _ in range(6)]:
        future.result(PATIENCE)
    threads.end()
    assert most == 1


def test_when_the_build_is_over_no_thread_goes_on() -> None:
    """One that waits is told when it comes back, and what was not begun is not."""
    turn, answer = Turn(), threading.Event()
    begun: list[str] = []

    def work(name: str) -> None:
        with turn:
            begun.append(name)
            with waiting():
                answer.wait(PATIENCE)
            begun.append(f"{name} went on")

    threads = Threads(1)
    first = threads.begin(lambda: work("first"))
    threads.begin(lambda: work("second"))
    while not begun:
        time.sleep(0.001)
    threads.end(drop=True)
    turn.end()
    answer.set()
    with pytest.raises(TurnOver):
        first.result(PATIENCE)
    assert begun == ["first"]
    with pytest.raises(TurnOver), turn:
        pass  # nobody has it, and nobody gets it


def test_a_thread_without_a_turn_waits_as_it_is() -> None:
    """Nothing is given up, nothing taken."""
    with waiting():
        pass
