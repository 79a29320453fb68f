"""A build that asks a model for many documents at a time is the build that asks one after the other."""

import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.extract.model.chunks import chunks
from evals.stub_reader import answered, write_policies
from ir.codec import write_json
from llm import ModelFault, OpenedModel, Reply, Request, Usage
from llm.budget import Accounts, Budget
from llm.charged import answer_all
from llm.prices import Price

PATIENCE = 60.0  # seconds for what never comes late; only a build that asks one after the other waits so long


@dataclass
class Clerk:
    """A model that reads each numbered clause as a step, in a time that nobody can foresee.

    Args:
        luck: how long it takes.
        meeting: how many requests must have been under way at once before the first of them is answered.
        met: whether so many were; False where the first waited in vain.
    """

    luck: random.Random
    slowest: float = 0.0
    meeting: int = 1
    name: str = "clerk@host"
    met: bool = False
    _running: int = 0
    _more: threading.Condition = field(default_factory=threading.Condition)

    def answer(self, request: Request) -> Reply:
        """The clauses as steps, each a person's."""
        assert request.account is not None
        with self._more:
            self._running += 1
            self.met = self.met or self._running >= self.meeting
            self._more.notify_all()
            self._more.wait_for(lambda: self.met, PATIENCE)
            pause = self.luck.uniform(0, self.slowest)
        with request.account.reserved(10, 10) as spending:
            time.sleep(pause)
            spending.usage = Usage(7, 5)
        with self._more:
            self._running -= 1
        value = request.form.model_validate(answered(request.messages[-1][1]))
        return Reply(value, value.model_dump_json(), Usage(7, 5), "clerk", "json_schema")


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """Twelve policies."""
    write_policies(tmp_path, 12)
    return tmp_path


def build(policies: Path, clerk: Clerk, beside: int) -> Build:
    """The policies as the clerk reads them."""
    opened = OpenedModel(clerk, Accounts(Budget(None, None)), beside)
    return compile_documents([policies], Settings(embedder="lexical", model=opened))


def test_the_order_of_answers_changes_nothing(policies: Path) -> None:
    """Drafts, findings, passes and accounts are the same as one after the other; many were asked at a time."""
    alone = build(policies, Clerk(random.Random(0)), 1)
    for seed in (1, 2):
        clerk = Clerk(random.Random(seed), slowest=0.05, meeting=3)
        beside = build(policies, clerk, 6)
        assert clerk.met
        assert [write_json(one.workflow) for one in beside.procedures] == [
            write_json(one.workflow) for one in alone.procedures
        ]
        assert len(beside.procedures) == 12
        assert beside.diagnostics == alone.diagnostics
        rows = [[(r.name, r.subject, r.spent) for r in one.records] for one in (alone, beside)]
        assert rows[0] == rows[1]
        assert sum(r.spent.calls for r in beside.records) == 24  # to read each, and to choose its Node Types


def test_the_parts_of_a_document_are_asked_beside_each_other(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the build has one thread, and two; what comes of it is the same."""
    monkeypatch.setattr("compiler.extract.model.extract_with_model.chunks", lambda given: chunks(given, longest=40))
    made = []
    for beside in (1, 2):
        clerk = Clerk(random.Random(3), slowest=0.05, meeting=2)
        one = build(policies / "form-001.md", clerk, beside)
        assert clerk.met
        assert sum(r.spent.calls for r in one.records) > 2
        made.append([write_json(procedure.workflow) for procedure in one.procedures])
    assert made[0] == made[1] != []


def test_a_document_whose_money_does_not_reach_is_read_without(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its parts one can be paid; the document says so and is read whole from its words, within its limit."""
    monkeypatch.setattr("compiler.extract.model.extract_with_model.chunks", lambda given: chunks(given, longest=40))
    price = Price(sent=50_000, received=50_000)  # a request costs 1 dollar at most, and comes to 0.60
    accounts = Accounts(Budget(None, price), most_per_document=1.3)
    opened = OpenedModel(Clerk(random.Random(0), 0.01), accounts, 3)
    settings = Settings(embedder="lexical", model=opened, fallback=True)
    found = compile_documents([policies / "form-001.md"], settings)
    assert {d.found for d in found.diagnostics if d.error_code == "model-failed"} == {"spent"}
    assert [one.workflow.provenance and one.workflow.provenance.mode for one in found.procedures] == ["offline"]
    assert found.spent is not None and found.spent.cost == pytest.approx(0.6)


def test_a_fault_of_setup_in_a_thread_ends_the_build(policies: Path) -> None:
    """It is raised where the build was begun, and what was not begun yet is dropped."""

    class Broken(Clerk):
        def answer(self, request: Request) -> Reply:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(policies, Broken(random.Random(0)), 4)


@dataclass
class Forgetful:
    """A model that fails to answer some requests the first time."""

    faults: dict[str, ModelFault]
    name: str = "m@host"
    asked: list[str] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        """The answer, or the fault that is left for the request."""
        self.asked.append(request.subject)
        if request.subject in self.faults:
            raise self.faults.pop(request.subject)
        value = request.form.model_validate({"procedures": []})
        return Reply(value, "", Usage(1, 1), "m", "json_schema")


@pytest.mark.parametrize(
    ("kind", "again"),
    [("unreachable", True), ("cut", True), ("malformed", True), ("refused", False), ("spent", False), ("open", False)],
)
def test_a_lost_part_is_asked_for_once_more(kind: str, again: bool) -> None:
    """After the others and alone, where another try can mend it."""
    from compiler.extract.model.form import Extraction

    requests = [Request("extract", f"d#{number}", (("user", "?"),), Extraction) for number in range(4)]
    model = Forgetful({"d#1": ModelFault(kind, "lost")})  # type: ignore[arg-type]
    found = answer_all(model, requests)
    assert [isinstance(one, Reply) for one in found] == [True, again, True, True]
    assert model.asked[4:] == (["d#1"] if again else [])
