"""Places where a version of a workflow chooses: the edges of a node, the start, the rows of a rule pack."""

from dataclasses import dataclass
from typing import Literal

from ir.base import canonical_json
from ir.formula import without_sources
from ir.formulas.infix import to_formula
from ir.predicate import Lookup, Tree, evaluate
from ir.walk import OpenChoice, choose
from ir.workflow import CONTROL_END, Edge, Guard, Rule
from validator.analysis.branch_outcomes import Split, conditions, truth_for
from validator.analysis.tables import Table
from validator.runs.workflow_analysis import Analysis

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
    """What a row gives, value by value; what it computes, as it is written.

    >>> row_gives(Rule(rule_id="a", outcome={"passed": True}))
    ('passed = true',)
    """
    computed = (f"{name} = {to_formula(without_sources(one.formula))}" for name, one in rule.formulas.items())
    return (*(f"{name} = {canonical_json(value)}" for name, value in rule.outcome.items()), *computed)


def rejected(guard: Guard) -> Taken:
    """What becomes of a run for which a guard does not hold."""
    return (f"[rejected {guard.error_code}]",)


def fork_of(analysis: Analysis, node: str, on: Side) -> Fork:
    """How a node of a workflow chooses after success or after failure."""
    own = analysis.workflow.nodes[node]
    ends = own.type == CONTROL_END
    edges = tuple(edge for edge in analysis.workflow.edges_from(node) if edge.on == on and not ends)
    return Fork(edges, own.split or "exclusive", ENDS if on == "success" else FAILS)
