"""Who does the work of a build: this process, threads of it that ask a model, or several processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from catalog.embedders import load_embedder
from catalog.index import NodeIndex, Scope
from catalog.load import Catalog, load_catalog
from compiler.budget import Budget
from compiler.context import Context
from compiler.draft.primer_check import check_primers
from compiler.parsers.limits import Revisions
from compiler.processes import end_with_build
from compiler.trace import Observer, PassRecord
from ir.decisions.decision import Decision
from ir.diagnostics import Severity
from ir.errors import BadInputFile, WorkerDied
from ir.facts import Role
from llm import ModelChoice, OpenedModel, open_model
from llm.threads import Threads, Turn, waiting
from primers.load import Primers, load_primers

P = ParamSpec("P")
Out = TypeVar("Out")
KEPT = ("synthesize_draft",)  # passes whose output a build shows


@dataclass(frozen=True)
class Settings:
    """What shapes a build.

    Args:
        catalogs: folders of the catalogs to use as one, `builtin` for the one that comes with flowc, which none means.
        domain, permissions: what the search for Node Types keeps to, see `catalog.index.Scope`.
        primers: folder of other primers.
        embedder: name of the embedder, see `catalog.embedders.load_embedder`.
        syntax: use the `syntax` extra for English where it is installed; without it, cue words alone.
        revisions: how tracked changes of Word are read.
        base_url, api_key: endpoint of an `openai:MODEL` embedder and its key; None for what `OPENAI_*` says.
        model: the language model that reads the documents, chosen or opened already; None for the deterministic
            reading alone.
        decisions: what people decided about earlier drafts of these documents.
        author: who corrected the procedures from which the build goes on.
        role: what the documents are for, whatever their words look like; None where flowc is to find out.
        fallback: documents that the model does not read are read without it; else they have no draft.
        careful: the model reads each document twice, and the readings are held against each other.
        budget: what each document may take of the processor and of memory.
    """

    catalogs: tuple[Path | str, ...] = ()
    domain: str | None = None
    permissions: tuple[str, ...] | None = None
    primers: Path | None = None
    embedder: str = "default"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    syntax: bool = True
    revisions: Revisions = "accepted"
    model: ModelChoice | OpenedModel | None = None
    decisions: tuple[Decision, ...] = ()
    author: str | None = None
    role: Role | None = None
    fallback: bool = False
    careful: bool = False
    budget: Budget = field(default_factory=Budget)


class Scheduler:
    """Runs functions of a context: in this process, in several beside each other, or in threads where a model is asked.

    Threads share the model with its limits, its budget and its answers, and take turns at everything else.

    Args:
        jobs: how many processes; 1 for this one alone. With a model its limits say how many threads there are.
        observer: told every pass, as soon as its item is done.

    Raises:
        CompilerError: the catalog or a primer is malformed, the embedder cannot be loaded.
    """

    def __init__(self, settings: Settings, jobs: int, observer: Observer) -> None:
        self._settings, self._observer = settings, observer
        self.opened = open_model(settings.model) if isinstance(settings.model, ModelChoice) else settings.model
        self._root, self.notices = _context(settings, self.opened)
        self._turn = Turn()
        self._threads = Threads(self.opened.max_tasks) if self.opened and self.opened.max_tasks > 1 else None
        self._pool: ProcessPoolExecutor | None = None
        if jobs > 1 and self.opened is None:
            method = "spawn" if sys.platform == "win32" else "forkserver"
            start = multiprocessing.get_context(method)
            if method == "forkserver":
                start.set_forkserver_preload(["compiler.build.builder"])
            self._pool = ProcessPoolExecutor(jobs, mp_context=start, initializer=_begin, initargs=(settings,))

    def __enter__(self) -> Scheduler:
        self._turn.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            if error is not None:  # what they are at is of no use any more, and may take long
                for process in list(self._pool._processes.values()):
                    process.kill()
            self._pool.shutdown(wait=error is None, cancel_futures=True)
        if self._threads is not None:
            self._threads.end(drop=True)
        self._turn.end()
        self._turn.__exit__(kind, error, trace)

    @property
    def catalog(self) -> Catalog:
        """The catalog of the build."""
        return self._root.catalog

    def context(self, subject: str) -> Context:
        """A context in this process."""
        context = self._root.on(subject)
        context.observers = (self._observer,)
        return context

    def begin(
        self, function: Callable[Concatenate[Context, P], Out], subject: str, *args: P.args, **kwargs: P.kwargs
    ) -> Callable[[], Out]:
        """Begin a piece of work, at once where there are processes for it, else when its result is asked for.

        Args:
            subject: what its context is about.

        Returns:
            A function that waits for the result. It raises what the work raised, and `WorkerDied` where its process
            was ended.
        """
        if self._threads is not None:
            return self._finished(self._threads.begin(lambda: self._in_turn(function, subject, args, kwargs)))
        if self._pool is not None:
            return self._finished(self._pool.submit(_work, function, subject, args, kwargs))
        return lambda: function(self.context(subject), *args, **kwargs)

    def _finished(self, begun: Future[tuple[Any, tuple[PassRecord, ...]]]) -> Callable[[], Any]:
        def wait() -> Any:
            try:
                with waiting():
                    output, records = begun.result()
            except BrokenProcessPool as error:
                raise WorkerDied(
                    "a process of the build was ended from outside, perhaps for want of memory; compile with --jobs 1"
                ) from error
            for record in records:
                self._observer(record)
            return output

        return wait

    def _in_turn(
        self, function: Callable[..., Any], subject: str, args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[PassRecord, ...]]:
        with self._turn:
            return _recorded(self._root.on(subject), function, args, kwargs)


def _context(settings: Settings, opened: OpenedModel | None = None) -> tuple[Context, tuple[str, ...]]:
    catalog, primers = load_catalog(*settings.catalogs), load_primers(settings.primers)
    if settings.primers is not None:  # those that come with flowc are held by its tests
        _sound(primers, catalog)
    loaded = load_embedder(settings.embedder, base_url=settings.base_url, api_key=settings.api_key)
    scope = Scope(settings.domain, settings.permissions)
    context = Context(
        catalog, primers, lambda: NodeIndex(catalog, loaded.embedder, scope=scope),
        model=opened.model if opened else None, accounts=opened.accounts if opened else None,
        counting=opened is not None and opened.counting, fallback=settings.fallback,
        careful=settings.careful, decisions=settings.decisions, role=settings.role, author=settings.author,
        budget=settings.budget,
    )  # fmt: skip
    return context, loaded.notices


def _sound(primers: Primers, catalog: Catalog) -> None:
    """Refuse primers whose worked examples the validator rejects: a build would obey what it may not produce."""
    faults = [d for d in check_primers(primers, catalog) if d.severity is Severity.ERROR]
    if faults:
        raise BadInputFile("; ".join(str(fault) for fault in faults) + "; correct them, see `flowc primers check`")


def _recorded(
    context: Context, function: Callable[..., Any], args: tuple[object, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[PassRecord, ...]]:
    """What a function gives, with the passes that it ran."""
    records: list[PassRecord] = []
    context.observers = (records.append,)
    return function(context, *args, **kwargs), tuple(records)


# --- in a process of the pool ---------------------------------------------------------------------------------------

_contexts: list[Context] = []  # the one that this process works with


def _begin(settings: Settings) -> None:
    end_with_build()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # read when numpy is first imported; else the processes' threads fight
    _contexts[:] = [_context(settings)[0]]


def _work(
    function: Callable[..., Any], subject: str, args: tuple[object, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[PassRecord, ...]]:
    output, records = _recorded(_contexts[0].on(subject), function, args, kwargs)
    light = (replace(r, inputs=(), output=r.output if r.name in KEPT else None) for r in records)
    return output, tuple(light)
