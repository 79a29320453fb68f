"""Whether two versions of a node can choose different ways, and for which values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from compiler.analysis import Analysis
from compiler.demands import Constraint, TooManyValuesError, fulfil
from compiler.enumerate import Assignment, SpecOf, space_of
from compiler.ways import Split, conditions, truth_for
from ir.fields import FieldSpec
from ir.predicate import Lookup, Ref, Tree, evaluate, references
from ir.walk import Open, choose
from ir.workflow import CONTROL_END, Edge, Guard

Side = Literal["success", "error"]
Taken = tuple[str, ...]
STOPS, ENDS, FAILS = ("[stops]",), ("[ends]",), ("[fails]",)


@dataclass(frozen=True)
class Fork:
    """One version of a place where the way is chosen.

    Args:
        edges: those for one outcome of the node; none where a run ends there.
        ends: what becomes of the run where there are none.
    """

    edges: tuple[Edge, ...]
    split: Split
    ends: Taken

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions that decide."""
        return tuple(conditions(dict(enumerate(self.edges))).values())

    def takes(self, lookup: Lookup) -> Taken:
        """The nodes that follow with these values."""
        if not self.edges:
            return self.ends
        chosen = choose(dict(enumerate(self.edges)), self.split, truth_for(lookup))
        return STOPS if isinstance(chosen, Open) else tuple(sorted({self.edges[index].target for index in chosen}))


@dataclass(frozen=True)
class Start:
    """One version of the start: guards one after the other, then the nodes that no edge enters."""

    guards: tuple[Guard, ...]
    entries: Taken

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions that decide."""
        return tuple(guard.condition for guard in self.guards)

    def takes(self, lookup: Lookup) -> Taken:
        """The nodes that a run with these values starts with."""
        for guard in self.guards:
            truth = evaluate(guard.condition, lookup)
            if truth is not True:
                return STOPS if truth is None else (f"[rejected {guard.error_code}]",)
        return self.entries


Place = Fork | Start


def fork_of(analysis: Analysis, node: str, on: Side) -> Fork:
    """How a node of a workflow chooses after success or after failure."""
    own = analysis.workflow.nodes[node]
    ends = own.type == CONTROL_END
    edges = tuple(edge for edge in analysis.workflow.edges_from(node) if edge.on == on and not ends)
    return Fork(edges, own.split or "exclusive", ENDS if on == "success" else FAILS)


@dataclass(frozen=True)
class Question:
    """The two versions of one place, and what is known of the values that they read.

    Args:
        spec_of: the type of a reference.
        may_be_null: which references can be null there.
        fixed: references with a known value, as what a node that failed gave.
    """

    old: Place
    new: Place
    spec_of: SpecOf
    may_be_null: Callable[[Ref], bool]
    fixed: Mapping[Ref, JsonValue]

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions of both."""
        return (*self.old.trees, *self.new.trees)

    def otherwise(self, told: Iterable[tuple[Taken, Taken]] = ()) -> Constraint:
        """That the two choose differently, and not in one of the ways told already."""
        known = frozenset(told)
        refs = tuple(dict.fromkeys(ref for tree in self.trees for ref in references(tree)))

        def holds(values: Assignment) -> bool:
            pair = self.old.takes(values), self.new.takes(values)
            return pair[0] != pair[1] and pair not in known

        return Constraint(refs, holds)


@dataclass(frozen=True)
class Undecided:
    """It was not found out whether there are such values, and why."""

    why: str


def changed_choice(question: Question, told: Sequence[tuple[Taken, Taken]] = ()) -> Assignment | Undecided | None:
    """Values for which the two versions choose differently; None where there are none.

    Args:
        told: what the two choose in cases that are known already.
    """
    space = space_of(question.trees, question.spec_of, question.fixed, question.may_be_null)
    try:
        found = fulfil(space.domains, (question.otherwise(told),))
    except TooManyValuesError:
        return Undecided(f"{space.size} combinations of values are too many to be tried")
    if found is None and not space.exact:
        return Undecided("the values that can be tried do not stand for all")
    return found


def specs_of_both(old: Analysis, new: Analysis) -> SpecOf:
    """The type of a reference in both versions; where its choices differ, all of either."""

    def spec(ref: Ref) -> FieldSpec | None:
        first, second = old.scope.spec(ref), new.scope.spec(ref)
        if first is None or second is None:
            return first or second
        if first.type != second.type:
            return None
        enum = None if first.enum is None or second.enum is None else (*second.enum, *first.enum)
        return second.model_copy(update={"enum": enum})

    return spec


def nullable_in_either(old: Analysis, new: Analysis, node: str | None) -> Callable[[Ref], bool]:
    """Whether a reference can be null at a node, or at the start, in one of the versions."""

    def nullable(ref: Ref) -> bool:
        knowing = [one for one in (old, new) if ref.node is None or ref.node in one.workflow.nodes]
        if node is None:
            return any(one.scope.null_sources(ref) for one in knowing)
        return not knowing or any(one.may_be_null(ref, node) for one in knowing)

    return nullable
