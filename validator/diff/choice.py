"""Whether two versions of a node can choose different ways, and for which values."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ir.base import canonical_json
from ir.fields import FieldSpec
from ir.predicate import Lookup, Ref, Tree, evaluate, references
from ir.walk import OpenChoice, choose
from ir.workflow import CONTROL_END, Edge, Guard, Rule
from validator.analysis.branch_outcomes import Split, conditions, truth_for
from validator.analysis.enumeration import Assignment, Nulls
from validator.analysis.path_conditions import PathCondition
from validator.analysis.solve import Problem
from validator.analysis.tables import Table
from validator.analysis.types import Scope, whole_output
from validator.analysis.workflow_analysis import Analysis

if TYPE_CHECKING:
    from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula

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
        return (
            STOPS if isinstance(chosen, OpenChoice) else tuple(sorted({self.edges[index].target for index in chosen}))
        )


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
                return STOPS if truth is None else rejected(guard)
        return self.entries


@dataclass(frozen=True)
class Rows:
    """One version of a rule pack as a node applies it; what follows are the values that the rows which hold give."""

    table: Table

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions that decide."""
        return tuple(self.table.trees.values())

    def takes(self, lookup: Lookup) -> Taken:
        """What the rows give for these values; nothing where none holds."""
        held = self.table.rows_holding(truth_for(lookup))
        return tuple(sorted({given for row in held for given in row_gives(self.table.rules[row])}))


Place = Fork | Start | Rows


def row_gives(rule: Rule) -> Taken:
    """What a row gives, value by value.

    >>> row_gives(Rule(rule_id="a", outcome={"passed": True}))
    ('passed = true',)
    """
    return tuple(f"{name} = {canonical_json(value)}" for name, value in rule.outcome.items())


def rejected(guard: Guard) -> Taken:
    """What becomes of a run for which a guard does not hold."""
    return (f"[rejected {guard.error_code}]",)


def fork_of(analysis: Analysis, node: str, on: Side) -> Fork:
    """How a node of a workflow chooses after success or after failure."""
    own = analysis.workflow.nodes[node]
    ends = own.type == CONTROL_END
    edges = tuple(edge for edge in analysis.workflow.edges_from(node) if edge.on == on and not ends)
    return Fork(edges, own.split or "exclusive", ENDS if on == "success" else FAILS)


@dataclass(frozen=True)
class ChoiceDifference:
    """That two versions of a place choose differently, and not in one of the cases excluded.

    Args:
        excluded: what the two choose in cases that are known.
    """

    old: Place
    new: Place
    excluded: frozenset[tuple[Taken, Taken]] = frozenset()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions of both."""
        return (*self.old.trees, *self.new.trees)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """What decides, each once."""
        return tuple(dict.fromkeys(ref for tree in self.trees for ref in references(tree)))

    def takes(self, values: Lookup) -> tuple[Taken, Taken]:
        """What the two choose with these values."""
        return self.old.takes(values), self.new.takes(values)

    def holds(self, values: Lookup) -> bool:
        """Whether they choose differently with these values."""
        pair = self.takes(values)
        return pair[0] != pair[1] and pair not in self.excluded

    def formula(self, encoder: "Encoder") -> "Formula":
        """When they choose differently; Opaque where the solver cannot be asked."""
        from validator.diff.formulas import difference_formula

        return difference_formula(encoder, self.old, self.new, self.excluded)


@dataclass(frozen=True, eq=False)
class BothScopes(Scope):
    """What references refer to in two versions: a field of both may hold what either allows.

    Args:
        other: of the old version; the rest is the new one's.
    """

    other: Scope = field(kw_only=True)

    def spec(self, ref: Ref) -> FieldSpec | None:
        """The field that a reference reads; None where neither knows it or they do not agree on its type."""
        mine, before = super().spec(ref), self.other.spec(ref)
        if mine is None or before is None:
            return mine or before
        if mine.type != before.type:
            return None
        enum = None if mine.enum is None or before.enum is None else (*mine.enum, *before.enum)
        return mine.model_copy(update={"enum": enum})


def nulls_in_either(old: Analysis, new: Analysis, node: str | None) -> Nulls:
    """From where a reference can be null at a node, or at the start, in one of the versions."""

    def nulls(ref: Ref) -> Iterable[Ref]:
        knowing = [one for one in (old, new) if ref.node is None or ref.node in one.workflow.nodes]
        if node is None:
            return dict.fromkeys(source for one in knowing for source in one.scope.null_sources(ref))
        if not knowing:
            return (whole_output(ref),)
        return dict.fromkeys(source for one in knowing for source in one.null_sources(ref, node))

    return nulls


def changed_choice(
    old: Analysis,
    new: Analysis,
    node: str | None,
    on: Side,
    difference: ChoiceDifference,
    given: tuple[PathCondition, ...] = (),
) -> Assignment | None:
    """Values for which two versions of a place choose differently; None where it is certain that there are none.

    Args:
        node: the place; None for the start.
        given: what is known of the values.

    Raises:
        UnsolvedError: neither was found out.
    """
    fixed = frozenset((Ref(f"$.outputs.{node}"),)) if on == "error" else frozenset[Ref]()
    scope = BothScopes(new.workflow, new.catalog, new.scope.call_graph, other=old.scope)
    return Problem(scope, given, difference, fixed, nulls_in_either(old, new, node)).solve()
