"""A document that takes too much time of the processor, or memory, ends with a code; the others go on."""

import threading
import time
from pathlib import Path

import pytest

from compiler.budget import MEBIBYTE, Allowance, Budget, OverBudget
from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.context import Context
from compiler.extract.rules.rule_reader import RuleReader
from ir.document import Document
from ir.facts import DocumentRole

TEXT = "# {title} Applications\n\n1. The clerk checks the application.\n2. The clerk shall record the application.\n"
classify = RuleReader.classify_document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents that compile."""
    for title in ("Bad", "Good"):
        (tmp_path / f"{title.lower()}.md").write_text(TEXT.format(title=title))
    return tmp_path


def spinning() -> None:
    """Never end, and take every fault for one of its own."""
    while True:
        try:
            sum(range(1000))
        except Exception:  # noqa: BLE001 - as careless code does
            continue


def classifying(bad: object) -> object:
    """A pass that does something to the bad document."""

    def run(self: RuleReader, ctx: Context, document: Document) -> DocumentRole:
        if document.doc_id == "bad.md":
            bad()  # type: ignore[operator]
        return classify(self, ctx, document)

    return run


def test_a_pass_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended after its seconds, and named; the other document has its draft."""
    monkeypatch.setattr(RuleReader, "classify_document", classifying(spinning))
    begun = time.process_time()
    build = compile_documents([folder], Settings(budget=Budget(seconds=8, seconds_a_character=0), embedder="lexical"))
    assert time.process_time() - begun < 60
    bad, good = build.documents
    assert [(d.error_code, d.location.file) for d in bad.diagnostics] == [("over-budget", "bad.md")]
    assert "run took more than 8 seconds of the processor" in bad.diagnostics[0].message
    assert good.refused is None
    assert [one.procedure.doc_id for one in build.procedures] == ["good.md"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded where the system says how much")
def test_a_pass_that_takes_all_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused what is beyond its share."""
    monkeypatch.setattr(RuleReader, "classify_document", classifying(lambda: bytearray(3000 * MEBIBYTE)))
    build = compile_documents([folder], Settings(embedder="lexical"))
    assert [d.error_code for d in build.documents[0].diagnostics] == ["over-budget"]
    assert "2,048 MiB of memory" in build.documents[0].diagnostics[0].message
    assert [one.procedure.doc_id for one in build.procedures] == ["good.md"]


def test_a_thread_is_bounded_by_its_own_time() -> None:
    """Beside others that take all they get, and without a word afterwards."""
    came: list[str] = []

    def allowed() -> None:
        allowance = Allowance.of(Budget(seconds=0.3, seconds_a_character=0), 0)
        try:
            with allowance.spend("endless"):
                spinning()
        except OverBudget as error:
            came.append(str(error))
        with Allowance.of(Budget(seconds=30, seconds_a_character=0), 0).spend("short"):
            came.append("short")
        until = time.thread_time() + 1.5  # the word would come again after one second
        while time.thread_time() < until:
            sum(range(1000))
        came.append("done")

    threads = [threading.Thread(target=allowed) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(came) == ["done"] * 2 + ["endless took more than 0.3 seconds of the processor"] * 2 + ["short"] * 2


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded where the system says how much")
def test_the_bound_of_memory_goes_with_the_last_pass() -> None:
    """In whatever order passes beside each other end."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    one, other = (Allowance.of(Budget(), 0).spend(name) for name in ("one", "other"))
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_DATA) != before
    other.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_passes_share_what_a_document_may_take() -> None:
    """Each has at most its own share, and together they have no more than the document's."""
    allowance = Allowance.of(Budget(seconds=0.2, seconds_a_character=0.01, passes=1.5), 10)
    assert (allowance.a_pass, allowance.left) == (pytest.approx(0.3), pytest.approx(0.45))
    for _ in range(2):
        with pytest.raises(OverBudget), allowance.spend("each"):
            spinning()
    assert allowance.left == pytest.approx(0.01)


def test_a_longer_document_may_take_longer() -> None:
    """The budget grows with the text, not faster."""
    short, long = (Allowance.of(Budget(), characters) for characters in (1000, 100_000))
    assert (short.a_pass, long.a_pass) == (61, 160)
