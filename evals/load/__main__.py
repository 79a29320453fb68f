"""Clients at once against `flowc serve`, which is killed in the middle: nothing lost, nothing twice, and how quick.

Programs begin runs by REST under keys of their own and look at them, people answer tasks by REST as well, a counting
server stands for the systems that are called. The server is ended with SIGKILL and started again, at equal distances.
Medians are printed beside those of an application that does nothing, asked by as many clients in the same run. Exit
status 1 where anything does not hold.
"""

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import sqlalchemy as sa

from evals.crashes.oracle import SHOWN, Verdict, judged, table
from evals.crashes.record import record
from evals.crashes.trial import serving
from evals.load.clients import Client, Measured, Person, approver, operator
from evals.load.company import Company, company
from evals.load.served import Served, free_port
from runtime.executions import active, executions, tasks, untaken
from store.tables import EXECUTIONS, TASKS

EMPTY = 10.0
"""Seconds for which the empty application is asked."""
STILL = 120.0
"""Seconds after which what has not come to rest does not."""


def main() -> int:
    """Try, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m evals.load", description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, serving(args.seed) as desk:
        folder = Path(made)
        empty = emptied(folder, args.clients)
        found = company(folder / "plant", desk, args.clients)
        port = free_port()
        words = ("-m", "flowc", "serve", "--port", str(port), "--workspace", str(found.folder))
        server = Served(words, folder, port, "/readyz", folder / "server.log")
        measured = Measured()
        rested = loaded(server, found, measured, args)
        left = record(found.host, desk, measured.begun)
        verdicts = [*judged(left), *(_once(found, measured))]
        found.host.workspace.database.close()
    for line in report(measured, empty, verdicts):
        print(line)  # noqa: T201
    if not rested:
        print("not all came to rest")  # noqa: T201
    return 0 if rested and not measured.faults and not any(one.faults for one in verdicts) else 1


def loaded(server: Served, found: Company, measured: Measured, args: argparse.Namespace) -> bool:
    """Let clients and people work while the server is killed; whether all came to rest."""
    stop, done = threading.Event(), threading.Event()
    _tell(f"the server answers after {server.start():.1f} s")
    threads = [
        threading.Thread(target=Client(server.address, token, measured, stop).work, args=(args.seed * 1000 + at,))
        for at, token in enumerate(found.agents)
    ]
    for token, answer_of in ((found.cashier, approver(measured)), (found.operator, operator(found.desk))):
        person = Person(server.address, token, measured, stop)
        threads.append(threading.Thread(target=person.work, args=(answer_of, done)))
    for thread in threads:
        thread.start()
    for number in range(args.kills):
        time.sleep(args.seconds / (args.kills + 1))
        server.kill()
        _tell(f"killed after {len(measured.begun)} runs; it answers again {server.start():.1f} s later ({number + 1})")
    time.sleep(args.seconds / (args.kills + 1))
    stop.set()
    for thread in threads[: len(found.agents)]:
        thread.join()
    rested = _rests(found, measured)
    done.set()
    for thread in threads:
        thread.join()
    status = server.end()
    if status != 0:
        measured.faults.append(f"the server ended with {status}")
    return rested


def _rests(found: Company, measured: Measured) -> bool:
    """Wait until nothing goes on; whether it came to that."""
    end = time.monotonic() + STILL
    while time.monotonic() < end:
        with found.host.workspace.database.transaction() as connection:
            going = sum(len(executions(connection, status=status)) for status in ("pending", "running"))
            busy = going or untaken(connection) or active(connection)
            waiting = tasks(connection)
        left = [one for one in waiting if one.kind == "settle" or measured.begun[one.execution].approves is not None]
        if not busy and not left:
            return True
        time.sleep(0.5)
    return False


def _once(found: Company, measured: Measured) -> Iterator[Verdict]:
    """That each start began one run and no other, and each task was answered once."""
    answers = [str(one.body["task"]) for one in found.events() if one.kind == "answered"]
    with found.host.workspace.database.transaction() as connection:
        known = {row.id for row in connection.execute(sa.select(EXECUTIONS.c.id))}
        closed = [row.id for row in connection.execute(TASKS.select().where(TASKS.c.status == "done"))]
    begun = set(measured.begun)
    lost = [f"{run} was told of, and is not there" for run in begun - known]
    more = [f"{run} is there, and was told to nobody" for run in known - begun]
    twice = [f"{key} began {', '.join(runs)}" for key, runs in measured.keys.items() if len(runs) > 1]
    yield Verdict("a run that was told of is there, and no other", len(known | begun), (*lost, *more))
    yield Verdict("a key began one run", len(measured.keys), tuple(twice))
    often = [f"{task} was answered {answers.count(task)} times" for task in closed if answers.count(task) != 1]
    yield Verdict("a task was answered once", len(closed), tuple(often))


def emptied(folder: Path, clients: int) -> dict[str, float]:
    """The median of what an application takes that does nothing, by method, in seconds."""
    port = free_port()
    words = ("-m", "uvicorn", "evals.load.empty:app", "--port", str(port), "--log-level", "warning")
    server = Served(words, folder, port, "/", folder / "empty.log")
    server.start()
    taken: dict[str, list[float]] = {"GET": [], "POST": []}
    end = time.monotonic() + EMPTY

    def ask() -> None:
        with httpx.Client(base_url=server.address, timeout=60) as client:
            while time.monotonic() < end:
                for method in taken:
                    begun = time.monotonic()
                    client.request(method, "/", json={"amount": 1} if method == "POST" else None)
                    taken[method].append(time.monotonic() - begun)
                time.sleep(0.05)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.end()
    return {method: statistics.median(seconds) for method, seconds in taken.items()}


def report(measured: Measured, empty: dict[str, float], verdicts: list[Verdict]) -> Iterator[str]:
    """The tables."""
    yield f"{len(measured.begun)} runs begun; {measured.again} requests sent again"
    yield f"an empty application: GET {_ms(empty['GET'])}, POST {_ms(empty['POST'])}"
    for what, seconds in sorted(measured.seconds.items()):
        most = statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
        median = statistics.median(seconds)
        yield f"{what:14} {len(seconds):7} answers, median {_ms(median)}, 19 of 20 within {_ms(most)}"
    yield from (f"  {fault}" for fault in measured.faults[:SHOWN])
    yield from table(verdicts)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
