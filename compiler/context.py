"""What every pass may use: the catalog, the primers, the index, and a place for diagnostics."""

import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Concatenate, ParamSpec, TypeVar

from catalog.index import NodeIndex
from catalog.load import Catalog
from compiler.budget import Allowance, Budget
from compiler.trace import Observer, PassRecord
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.facts import Role
from ir.procedure import DETERMINISTIC, Procedure
from llm.budget import Accounts, Spent
from llm.budget import Budget as Account
from llm.charged import ChargedModel
from llm.faults import ModelFault
from llm.protocol import Model
from primers.load import Primers

P = ParamSpec("P")
Out = TypeVar("Out")


@dataclass
class Context:
    """The surroundings of one document's or procedure's compilation.

    Args:
        subject: what is being compiled, for the ledger and for diagnostics without a place.
        make_index: gives the search index; called once, when a pass first searches.
        observers: each gets a record of every pass.
        model: reads the documents; None for the deterministic reading alone.
        accounts: what the model costs, by document.
        decisions: what people decided about earlier drafts.
        author: who corrected the procedures that were put in.
        role: what a person says that the documents are for.
        counting: the model only counts what it is asked, see `OpenedModel`.
        fallback: what a model does not read is read without it.
        careful: a model reads each document twice.
        budget: what the passes over one document may take.
    """

    catalog: Catalog
    primers: Primers
    make_index: Callable[[], NodeIndex]
    subject: str = ""
    observers: tuple[Observer, ...] = ()
    diagnostics: list[Diagnostic] = field(default_factory=list)
    model: Model | None = None
    accounts: Accounts | None = None
    counting: bool = False
    fallback: bool = False
    careful: bool = False
    decisions: tuple[Decision, ...] = ()
    author: str | None = None
    role: Role | None = None
    budget: Budget = field(default_factory=Budget)
    _allowance: Allowance | None = field(default=None, init=False)
    _account: Account | None = field(default=None, init=False)
    _elsewhere: float = field(default=0.0, init=False)

    @cached_property
    def index(self) -> NodeIndex:
        """The catalog's search index."""
        return self.make_index()

    def run(self, pass_: Callable[Concatenate["Context", P], Out], *args: P.args, **kwargs: P.kwargs) -> Out:
        """Run a pass, time it and tell the observers; nothing else does.

        Raises:
            OverBudget: it took more than the document may take.
        """
        name = getattr(pass_, "__name__", type(pass_).__name__)
        before, started, spent = len(self.diagnostics), time.perf_counter(), self._spent
        used = time.process_time() + self._elsewhere
        with self._allowance.spend(name) if self._allowance is not None else nullcontext():
            output = pass_(self, *args, **kwargs)
        seconds, used = time.perf_counter() - started, time.process_time() + self._elsewhere - used
        record = PassRecord(name, self.subject, args, output, tuple(self.diagnostics[before:]), seconds,
                            self._spent.since(spent), used)  # fmt: skip
        for observer in self.observers:
            observer(record)
        return output

    @property
    def _spent(self) -> Spent:
        return self._account.spent if self._account is not None else Spent()

    def allow(self, documents: Iterable[Document]) -> None:
        """Bound what passes take from now on, by the length of the documents that they are about."""
        characters = sum(len(passage.text) for document in documents for passage in document.passages())
        self._allowance = Allowance.of(self.budget, characters)

    def add_processor(self, seconds: float) -> None:
        """Count processor time that a pass had of another process."""
        self._elsewhere += seconds

    def charge(self, doc_id: str) -> None:
        """Let a document pay for what the model is asked from now on."""
        if self.model is not None and self.accounts is not None:
            self._account = self.accounts.part(doc_id)
            self.model = ChargedModel(self.model, self._account)

    @property
    def unanswered(self) -> bool:
        """Whether the model was asked about the document and answered nothing."""
        return self._spent.unanswered

    @property
    def fault(self) -> ModelFault | None:
        """Of the first request about the document that was not answered."""
        return self._account.fault if self._account is not None else None

    def model_for(self, procedure: Procedure) -> Model | None:
        """The model, where it read the procedure and so goes on with it."""
        return self.model if self.counting or procedure.method not in DETERMINISTIC else None

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic."""
        self.diagnostics.append(diagnostic)

    def warn(self, code: str, message: str, location: Location | None = None) -> None:
        """Keep a warning."""
        self.report(
            Diagnostic(
                error_code=code,
                severity=Severity.WARNING,
                message=message,
                location=location or Location(file=self.subject),
            )
        )

    def on(self, subject: str) -> "Context":
        """The same surroundings for another subject, with diagnostics of its own and the index shared."""
        return Context(
            self.catalog, self.primers, lambda: self.index, subject, self.observers,
            model=self.model, accounts=self.accounts, counting=self.counting, fallback=self.fallback,
            careful=self.careful, decisions=self.decisions, role=self.role, author=self.author, budget=self.budget,
        )  # fmt: skip
