"""From acts in the order of a text to flows: branches meet at the next act without a condition."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from compiler.extract.narrative import words
from compiler.extract.narrative.acts import Act, Guard, SentenceContent
from ir.procedure import END, START, ConditionText, EndStatus, Flow
from ir.source import Evidence, Span


@dataclass(frozen=True)
class _Exit:
    """An end that the next act is joined to: a step, and what must hold for the way out of it."""

    step: str
    cue: tuple[Span, ...] = ()
    condition: str | None = None
    parallel: bool = False


@dataclass
class _Fork:
    """A choice whose branches are not joined yet.

    Args:
        sources: where the choice is made.
        ends: the last acts of the branches.
        closed: one of the branches is for every other case.
    """

    sources: list[_Exit]
    cue: Span
    branches: int = 0
    ends: list[_Exit] = field(default_factory=list)
    closed: bool = False


class FlowBuilder:
    """Puts acts in order, sentence by sentence; `flows` and `conditions` hold what came of it."""

    def __init__(self) -> None:
        self.flows: list[Flow] = []
        self.conditions: list[ConditionText] = []
        self.open: list[_Exit] = [_Exit(START)]
        self.fork: _Fork | None = None
        self.sentence: Span | None = None
        self._pending: Guard | None = None
        self._starts: list[str] = []  # the first steps of the sentences so far
        self._known: dict[tuple[int, int], str] = {}

    def take(self, telling: SentenceContent, steps: Sequence[tuple[str, Act]]) -> None:
        """Join the acts of the next sentence, each with its step's id."""
        self.sentence = telling.sentence
        pending, self._pending = self._pending, telling.pending
        if pending is not None and all(act.guard is None for _, act in steps):
            steps = [(name, replace(act, guard=pending)) for name, act in steps]
        aside = self._run_in_parallel(telling.meanwhile) if telling.meanwhile and steps else None
        for run in _runs(steps):
            guard = run[0][1].guard
            if guard is None:
                self._join()
                self._chain(run)
            else:
                self._branch(guard, run)
        if telling.stops is not None and steps and steps[-1][1].guard == telling.stops and self.fork:
            self._lead(END)
            self.fork.ends = [one for one in self.fork.ends if one not in self.open]
        elif telling.stops is not None:
            self._branch(telling.stops, [])
        if aside:
            self._join()
            self.open += aside
        self._starts += [name for name, _ in steps[:1]]

    def finish(self) -> None:
        """Lead what is open to the end."""
        self._join()
        self._lead(END)

    # --- choices ----------------------------------------------------------------------------------------------------

    def _branch(self, guard: Guard, run: Sequence[tuple[str, Act]]) -> None:
        """A run of acts on one condition: a way out of where the choice is made; without acts, the process ends."""
        fork = self.fork
        if fork is None:
            fork = self.fork = _Fork(list(self.open), guard.cue)
        fork.branches += 1
        fork.closed |= guard.condition is None or guard.condition.quote.lower() in words.DENIALS
        condition = self._condition(guard)
        self.open = [replace(one, cue=(*one.cue, guard.cue), condition=condition) for one in fork.sources]
        if run:
            self._chain(run)
            fork.ends += self.open
        else:
            self._lead(END)

    def _join(self) -> None:
        """The branches meet; where only one was told, the way around it is open too."""
        fork, self.fork = self.fork, None
        if fork is None:
            return
        around = fork.branches == 1 and not fork.closed
        rest = [replace(one, cue=(*one.cue, fork.cue), condition="otherwise") for one in fork.sources] if around else []
        self.open = [*fork.ends, *rest] or [replace(one, cue=(), condition=None) for one in fork.sources]

    def _condition(self, guard: Guard) -> str:
        span = guard.condition
        if span is None:
            return "otherwise"
        if (span.start, span.end) not in self._known:
            name = f"c{len(self.conditions) + 1}"
            self._known[span.start, span.end] = name
            self.conditions.append(ConditionText(id=name, text=span.quote, evidence=(Evidence.from_span(span),)))
        return self._known[span.start, span.end]

    # --- sequences --------------------------------------------------------------------------------------------------

    def _chain(self, run: Sequence[tuple[str, Act]]) -> None:
        """Acts one after another; those joined by `or` or `while` beside each other."""
        for group in _groups(run):
            choice = next((act.choice for _, act in group if act.choice), None)
            beside = next((act.beside for _, act in group if act.beside), None)
            cue = choice or beside
            if cue is not None:
                parallel = choice is None
                self.open = [replace(one, cue=(*one.cue, cue), parallel=one.parallel or parallel) for one in self.open]
            sources = self.open
            for name, _ in group:
                self.open = sources
                self._lead(name)
            self.open = [_Exit(name) for name, _ in group]
        self._refuse(group, {name for name, act in group if choice is not None or act.guard is not None})

    def _refuse(self, last: Sequence[tuple[str, Act]], chosen: set[str]) -> None:
        """What was chosen and ends in a refusal leads to the end; what is told next is for the other case."""
        refused = {name for name, act in last if name in chosen and act.lemma in words.REFUSALS}
        kept = [one for one in self.open if one.step not in refused]
        if kept or self.fork is not None:
            self.open = [one for one in self.open if one.step in refused]
            self._lead(END, "rejected")
            self.open = kept

    def _lead(self, target: str, ends: EndStatus | None = None) -> None:
        for one in self.open:
            flow = Flow(
                source=one.step,
                target=target,
                kind="parallel" if one.parallel else "branch" if one.cue else "sequence",
                condition=one.condition,
                cue=one.cue,
                ends=ends or ("completed" if target == END else None),
                evidence=(Evidence.from_span(self.sentence),) if self.sentence else (),
            )
            if flow not in self.flows:
                self.flows.append(flow)

    def _run_in_parallel(self, cue: Span) -> list[_Exit] | None:
        """Set the sentence beside the one before: both begin where that one began. Gives the ends of that one."""
        into = next((found for first in reversed(self._starts) if (found := self._plainly_into(first))), [])
        if not into:
            return None
        changed = {id(flow): flow.model_copy(update={"kind": "parallel", "cue": (cue,)}) for flow in into}
        self.flows = [changed.get(id(flow), flow) for flow in self.flows]
        self._join()
        ends = self.open
        self.open = [_Exit(flow.source, (cue,), None, True) for flow in into]
        return ends

    def _plainly_into(self, step: str) -> list[Flow]:
        """The flows into a step, where none of them has a condition."""
        into = [flow for flow in self.flows if flow.target == step]
        return [] if any(flow.cue for flow in into) else into


def _runs(steps: Sequence[tuple[str, Act]]) -> Iterator[list[tuple[str, Act]]]:
    """Neighbours with one and the same condition."""
    run: list[tuple[str, Act]] = []
    for step in steps:
        if run and run[-1][1].guard != step[1].guard:
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _groups(run: Sequence[tuple[str, Act]]) -> Iterator[list[tuple[str, Act]]]:
    """Neighbours that are alternatives, or done beside each other; every other act alone."""
    group: list[tuple[str, Act]] = []
    for step in run:
        if group and step[1].choice is None and group[-1][1].beside is None:
            yield group
            group = []
        group.append(step)
    if group:
        yield group
