"""Where the results of a procedure come about: computed by rows in nodes of their own, or given by the node of a step.

A result that follows from others is computed as soon as the last step has run that it reads; one that is only told in
the end, before each end, from what has come to light by then. The flows lead through these places, so that order,
conditions and proofs treat them like any other node.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ir.formula import Call, Constant, Expression, expression_references
from ir.predicate import Compare, Junction, Literally, Not, Null, Operand, Ref, Tree, parse_tree, references
from ir.procedure import END, START, EndStatus, Flow, Procedure, Result, Step


@dataclass(frozen=True)
class Place:
    """A place between steps where results are computed.

    Args:
        step: id of the step that stands for it in the flows.
        ends: before which end it is; None elsewhere.
    """

    step: str
    results: tuple[Result, ...]
    ends: EndStatus | None = None


@dataclass(frozen=True)
class Computations:
    """A procedure whose flows lead through the places where results are computed.

    Args:
        places: by the id of the step that stands for each.
        found: results that nobody computes: a step finds them out, or they are given at the start.
        taken: results that a step is given by name.
    """

    procedure: Procedure
    places: Mapping[str, Place]
    found: Mapping[str, Result]
    taken: frozenset[str] = frozenset()

    def reads(self, result: str) -> bool:
        """Whether anything decides on a result, is computed of it, is given it, or tells it in the end."""
        if result in self.taken:
            return True
        trees = [parse_tree(one.predicate) for one in self.procedure.conditions if one.predicate is not None]
        read = {ref.path[0] for tree in trees for ref in references(tree) if ref.root == "results"}
        for one in self.procedure.results:
            read |= {ref.path[0] for ref in references_of(one) if ref.root == "results"}
        return result in read or any(one.id == result and one.final for one in self.procedure.results)


def is_computed(result: Result) -> bool:
    """Whether rows say how a result comes about, every one of them readable."""
    return bool(result.rows) and all(row.formula is not None for row in result.rows)


def plan_computations(
    procedure: Procedure, by_hand: Collection[str] = (), takers: Mapping[str, Sequence[str]] | None = None
) -> Computations:
    """The places where the results of a procedure are computed, put into its flows.

    Args:
        by_hand: steps that nothing but a person carries out; one that only computes is the place itself.
        takers: by result the steps that are given it; it is computed right before each, from what has come to light.
    """
    computed = {one.id: one for one in procedure.results if is_computed(one)}
    found = {one.id: one for one in procedure.results if one.id not in computed}
    taken = takers or {}
    if not computed:
        return Computations(procedure, {}, found, frozenset(taken))
    order = list(_in_order(computed))
    read = _read(procedure, computed.values())
    told = {one.id for one in order if one.final and one.step is None} - read
    telling = {one.step for one in found.values()}
    hands = {s.id for s in procedure.steps if s.id in by_hand and not s.outcomes and s.id not in telling}
    plan = _Plan(procedure, found, hands)
    needed = read.union(*(_needs(one, computed) for one in order))
    for result in order:
        if result.id not in told and (result.id in needed or result.id not in taken):
            plan.put(result)
        if result.id in taken:
            plan.put_before(taken[result.id], result)
    plan.put_at_ends([one for one in order if one.id in told])
    return Computations(plan.procedure(), plan.places, found, frozenset(taken))


def _read(procedure: Procedure, computed: Iterable[Result]) -> set[str]:
    """The results that flows decide on, or that results are computed of which are not told in the end alone."""
    trees = [parse_tree(one.predicate) for one in procedure.conditions if one.predicate is not None]
    read = {ref.path[0] for tree in trees for ref in references(tree) if ref.root == "results"}
    for one in computed:
        if not one.final or one.step is not None:
            read |= {ref.path[0] for ref in references_of(one) if ref.root == "results"}
    return read


def references_of(result: Result) -> tuple[Ref, ...]:
    """All that the rows of a result read."""
    found: dict[Ref, None] = {}
    for row in result.rows:
        found |= dict.fromkeys(expression_references(row.formula) if row.formula is not None else ())
        found |= dict.fromkeys(references(parse_tree(row.condition)) if row.condition is not None else ())
    return tuple(found)


def _in_order(computed: Mapping[str, Result]) -> Iterator[Result]:
    """The results, each after those that it reads; of a circle one is first all the same, and reads nothing yet."""
    done: set[str] = set()
    waiting = list(computed.values())
    while waiting:
        ready = [one for one in waiting if not _needs(one, computed) - done] or waiting[:1]
        yield from ready
        done |= {one.id for one in ready}
        waiting = [one for one in waiting if one.id not in done]


def _needs(result: Result, computed: Mapping[str, Result]) -> set[str]:
    read = {ref.path[0] for ref in references_of(result) if ref.root == "results"}
    return (read & computed.keys()) - {result.id}


class _Plan:
    """The flows while places are put into them."""

    def __init__(self, procedure: Procedure, found: Mapping[str, Result], hands: Collection[str]) -> None:
        self._given, self._hands = procedure, hands
        self._steps = list(procedure.steps)
        self._flows = list(procedure.flows) if procedure.steps else [Flow(source=START, target=END, ends="completed")]
        self._after = {name: one.step for name, one in found.items()}  # the step, or place, that gives a result
        self.places: dict[str, Place] = {}

    def procedure(self) -> Procedure:
        """The procedure with the places among its steps."""
        return self._given.model_copy(update={"steps": tuple(self._steps), "flows": tuple(self._flows)})

    def put(self, result: Result) -> None:
        """Compute a result after the last step that it reads, or that the document has give it."""
        at = max((self._number(name) for name in self._sources(result)), default=0)
        source = self._steps[at - 1].id if at else START
        own = self.places.get(source)
        if source == result.step and source in self._hands and (own is None or not _reads(result, own)):
            self.places[source] = Place(source, (*(own.results if own else ()), result))
            self._after[result.id] = source
            return
        name = self._name()
        self._steps.insert(at, _step(name, [result]))
        self._flows = [
            flow.model_copy(update={"source": name}) if flow.source == source else flow for flow in self._flows
        ]
        self._flows.append(Flow(source=source, target=name))
        self.places[name] = Place(name, (result,))
        self._after[result.id] = name

    def put_before(self, steps: Sequence[str], result: Result) -> None:
        """Compute a result before each of some steps; not anew where nothing that it reads has run since."""
        sources, before = set(self._sources(result)), ""
        for step in steps:
            into = {flow.source for flow in self._flows if flow.target == step}
            if into == {before} and before not in sources:
                before = step
                continue
            before = step
            own = next((n for n in into if n in self.places and len(into) == 1), None)
            if own is not None and result in self.places[own].results:
                continue
            if own is not None and not _reads(result, self.places[own]):
                place = self.places[own]
                self.places[own] = Place(own, (*place.results, result))
                continue
            name = self._name()
            self._steps.insert(self._number(step) - 1, _step(name, [result]))
            self._flows = [f.model_copy(update={"target": name}) if f.target == step else f for f in self._flows]
            self._flows.append(Flow(source=name, target=step))
            self.places[name] = Place(name, (result,))

    def put_at_ends(self, results: Sequence[Result]) -> None:
        """Compute results before each end, those first that others read."""
        levels = list(_levels(results))
        for ends in dict.fromkeys(flow.ends for flow in self._flows if flow.target == END) if levels else ():
            into = [n for n, flow in enumerate(self._flows) if flow.target == END and flow.ends == ends]
            names = []
            for level in levels:
                names.append(self._name())
                self._steps.append(_step(names[-1], level))
                self.places[names[-1]] = Place(names[-1], tuple(level), ends or "completed")
            for at in into:
                self._flows[at] = self._flows[at].model_copy(update={"target": names[0], "ends": None})
            self._flows += [Flow(source=a, target=z) for a, z in pairwise(names)]
            self._flows.append(Flow(source=names[-1], target=END, ends=ends))

    def _sources(self, result: Result) -> Iterator[str]:
        """The steps that have to run first."""
        if result.step is not None:
            yield result.step
        for ref in references_of(result):
            if ref.root == "steps":
                yield ref.path[0]
            elif ref.root == "results" and (step := self._after.get(ref.path[0])) is not None:
                yield step

    def _number(self, step: str) -> int:
        return next((n for n, one in enumerate(self._steps, 1) if one.id == step), 0)

    def _name(self) -> str:
        taken = {step.id for step in self._steps}
        return next(f"computed{n}" for n in range(1, len(taken) + 2) if f"computed{n}" not in taken)


def _reads(result: Result, place: Place) -> bool:
    return bool(_needs(result, {one.id: one for one in place.results}))


def _levels(results: Sequence[Result]) -> Iterator[list[Result]]:
    """Results that read each other one level after the other."""
    own = {one.id: one for one in results}
    done: set[str] = set()
    waiting = list(results)
    while waiting:
        level = [one for one in waiting if not _needs(one, own) - done] or waiting[:1]
        yield level
        done |= {one.id for one in level}
        waiting = [one for one in waiting if one.id not in done]


def _step(name: str, results: Sequence[Result]) -> Step:
    evidence = tuple(dict.fromkeys(e for one in results for e in one.evidence))
    return Step(id=name, text=", ".join(one.name for one in results), kind="check", evidence=evidence)


# --- conditions and formulas ----------------------------------------------------------------------------------------


def as_expression(tree: Tree) -> Expression:
    """A condition as a formula of true, false and unknown."""
    match tree:
        case Junction(op, items):
            return Call(op, tuple(map(as_expression, items)))
        case Not(item):
            return Call("not", (as_expression(item),))
        case Null(ref, negated):
            null = Call("is_null", (ref,))
            return Call("not", (null,)) if negated else null
        case Compare(op, left, right):
            return Call(op, (_operand(left), _operand(right)))


def _operand(side: Operand) -> Expression:
    match side:
        case Ref():
            return side
        case Literally(list() as values):
            return Call("list", tuple(Constant(value) for value in values))
        case Literally(value, quote, status, source):
            return Constant(value, None, quote, status, source)


def known_first(tree: Tree, maybe: Sequence[Ref]) -> Tree:
    """A condition that is false, and not unknown, where one of these was never given."""
    tests: list[Tree] = [Null(ref, negated=True) for ref in dict.fromkeys(references(tree)) if ref in maybe]
    return Junction("and", (*tests, tree)) if tests else tree
