"""Reading in a process of its own: what hangs, dies or eats memory costs one document, and is said."""

import os
import queue
import random
import signal
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from document_makers import column, make_docx, make_pdf, para
from effort import drawn

import compiler.parsers.worker
from compiler.parsers import Limits, parse
from compiler.parsers.limits import MEBIBYTE
from compiler.parsers.worker import Worker
from ir.diagnostics import has_errors

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"
SOURCES = sorted(f for f in CASES.glob("*/documents/*") if f.suffix in (".pdf", ".docx", ".html"))
GROUPS, MUTATED = 10, drawn(100, 500)


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker that is ended after the test."""
    made = Worker()
    yield made
    made.end()


def test_worker_reads_as_the_reader_does(worker: Worker) -> None:
    """One process for several documents, with the same result as in this one."""
    for data, name in ((make_docx(para("Check the form.")), "a.docx"), (b"# Rules\n\n1. Check the form.", "a.md")):
        assert worker.parse(data, name) == parse(data, name)
    first = worker.start().pid
    assert worker.parse(b"", "empty.md").diagnostics[0].error_code == "empty-document"
    assert worker.start().pid == first


def test_what_takes_too_long_is_ended_and_the_next_one_read(worker: Worker) -> None:
    """The limit is said, the process is gone, and another one takes its place."""
    worker.parse(b"text", "warm.md")
    slow = make_pdf(*(column([f"Rule {n} of page {page}." for n in range(40)]) for page in range(150)))
    before = worker.start().pid
    limits = Limits(seconds=0.02, seconds_a_mebibyte=0, seconds_a_page=0, patience=3000)  # a minute by the clock
    found = worker.parse(slow, "slow.pdf", limits).diagnostics
    assert [(d.error_code, "seconds of the processor" in d.message) for d in found] == [("oversize-document", True)]
    assert worker.parse(b"Still here.", "next.txt").document is not None
    assert worker.start().pid != before


def test_a_reader_that_waits_is_ended_by_the_clock(worker: Worker) -> None:
    """A process that is stopped takes no time of the processor; it is waited for so long, and the next one reads."""
    worker.parse(b"text", "warm.md")
    os.kill(worker.start().pid, signal.SIGSTOP)
    found = worker.parse(b"text", "stopped.md", Limits(seconds=0.2, patience=2)).diagnostics
    assert [(d.error_code, "by the clock" in d.message) for d in found] == [("oversize-document", True)]
    assert worker.parse(b"Still here.", "next.txt").document is not None


def test_a_long_document_has_longer(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page brings time of its own, once it is known how many there are."""
    waits: list[float | None] = []

    class Patient(queue.Queue[object]):
        def get(self, block: bool = True, timeout: float | None = None) -> object:
            waits.append(timeout)
            return super().get(block, 120)  # whatever the limit says: only a hang takes so long

    monkeypatch.setattr(compiler.parsers.worker, "queue", SimpleNamespace(Queue=Patient, Empty=queue.Empty))
    long = make_pdf(*(column([f"Rule of page {page}."]) for page in range(30)))
    limits = Limits(seconds=50, seconds_a_mebibyte=0, seconds_a_page=10_000, patience=1)
    assert worker.parse(long, "long.pdf", limits).document is not None
    first, second = waits
    assert first == 50
    assert second is not None and 100_000 < second <= 300_050


def test_a_reader_that_dies_costs_its_document_alone(worker: Worker) -> None:
    """Killed from outside while it waits: the document is refused or read by the next process, never an exception."""
    process = worker.start()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert worker.parse(b"Still here.", "next.txt").document is not None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded where the system says how much")
def test_what_takes_too_much_memory_is_refused(worker: Worker) -> None:
    """A text far beyond the bound ends in a coded error."""
    paragraphs = para("x" * 1000) * 200_000
    found = worker.parse(make_docx(paragraphs), "big.docx", Limits(memory=64 * MEBIBYTE, zip_ratio=10_000, seconds=60))
    assert has_errors(found.diagnostics)
    assert {d.error_code for d in found.diagnostics} <= {"oversize-document", "unreadable-document"}


def mutated(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Files with bytes flipped, cut, spliced, and members of packages exchanged."""
    rng = random.Random(seed)
    for number in range(count):
        source, other = rng.choice(SOURCES), rng.choice(SOURCES)
        data = bytearray(source.read_bytes())
        at = rng.randrange(len(data))
        way = number % 5
        if way == 0:
            del data[at:]
        elif way == 1:
            for _ in range(rng.choice((1, 10, 200))):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif way == 2:
            part = other.read_bytes()
            begin = rng.randrange(len(part))
            data[at:at] = part[begin : begin + rng.randrange(4000)]
        elif way == 3:
            del data[at : at + rng.randrange(1, 2000)]
        elif source.suffix == ".docx":
            data = bytearray(exchanged(bytes(data), rng))
        else:
            data = bytearray(other.read_bytes()[:200]) + data[200:]
        yield source.name, bytes(data)


def exchanged(package: bytes, rng: random.Random) -> bytes:
    """A package in which two members bear each other's content."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(package)) as read, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        names = read.namelist()
        one, two = rng.sample(names, 2)
        for name in names:
            written.writestr(name, read.read({one: two, two: one}.get(name, name)))
    return out.getvalue()


@pytest.mark.parametrize("group", range(GROUPS))
def test_mutated_files_end_in_a_document_or_a_code(group: int, worker: Worker) -> None:
    """No exception in our code, and none outlasts the worker's limit; a library that dies is said to."""
    for name, data in mutated(group, MUTATED // GROUPS):
        found = worker.parse(data, name)
        assert (found.document is None) == has_errors(found.diagnostics)
        assert not any("reader failed" in d.message for d in found.diagnostics), (name, found.diagnostics)
