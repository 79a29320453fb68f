"""Proofs about decision tables: rows that contradict each other, values that no row judges, rows that never hold.

Each finding comes with values that were tried on the rows themselves; what is not found is proved not to be, or open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import z3
from pydantic import JsonValue

from ir.base import canonical_json
from ir.formula import Constant
from ir.predicate import evaluate
from validator.analysis.tables import Table, differing, disagree, tables
from validator.proofs.encode import Truths
from validator.proofs.expressions import Scalar, differing_values, encode_formula
from validator.proofs.formulas import Formula, both, negation
from validator.proofs.judging import computed_by, rows_of
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover
from validator.proofs.runs import Runs
from validator.runs.formula_proofs import FormulaFinding, FormulaProof
from validator.runs.workflow_analysis import Analysis

MOST_SHOWN = 20  # contradictions of one table; the others show once these are mended
Witness = dict[str, JsonValue]


@dataclass
class Verdicts:
    """What was found out about a table.

    Args:
        conflicts: pairs of rows that can hold together and give one field different values, with values for which.
        gap: values for which no row holds.
        unreached: rows that hold for no values.
        formulas: what was found out about what rows compute.
        open: what could not be decided, in words.
    """

    conflicts: dict[tuple[int, int], Witness] = field(default_factory=dict)
    gap: Witness | None = None
    unreached: tuple[int, ...] = ()
    formulas: tuple[FormulaFinding, ...] = ()
    open: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def proved_tables(analysis: Analysis) -> tuple[tuple[Table, Verdicts], ...]:
    """Each rule pack with each node that applies it, and what is proved about it."""
    return tuple((table, _proved(analysis, table)) for table in tables(analysis.scope))


def _proved(analysis: Analysis, table: Table) -> Verdicts:
    runs = analysis.proofs.runs
    if table.formulas:  # runs in which the node fails, as it computes nothing, are asked about, too
        runs = Runs(runs.workflow, runs.graph, runs.scope, unjudged=table.node)
    try:
        with runs.coming_to(table.node) as prover:
            return _Proof(analysis, table, prover).verdicts()
    except Opaque as fault:
        return Verdicts(open=(fault.why,))


class _Proof:
    """One table as formulas, over the values of runs that come to its node."""

    def __init__(self, analysis: Analysis, table: Table, prover: Prover) -> None:
        self.table, self.prover, self.encoder = table, prover, prover.encoder
        self.truths: dict[int, Truths] = {row: self.encoder.truths(tree) for row, tree in table.trees.items()}
        given = [self.encoder.truths(tree).true for tree in table.admitted]
        refs = dict.fromkeys((*table.reads, *analysis.workflow.nodes[table.node].references.values()))
        self.computed = computed_by(self.encoder, table)
        self.prover.add(*(limit for one in self.computed.values() for limit in one.limits))
        self.prover.add(*given, *self.encoder.facts(refs))
        self.calendars = analysis.workflow.calendars
        self.open: list[str] = []

    def verdicts(self) -> Verdicts:
        conflicts, gap, unreached = self._conflicts(), self._gap(), self._unreached()
        formulas = FormulaProof(self.prover, self.table, self.computed, self.calendars)
        found = tuple(formulas.findings(rows_of(self.encoder, self.table))) if self.table.formulas else ()
        return Verdicts(conflicts, gap, unreached, found, tuple(self.open))

    def _conflicts(self) -> dict[tuple[int, int], Witness]:
        """For each row that can hold together with one that contradicts it, such a pair."""
        rows = rows_of(self.encoder, self.table)
        clashes = {row: both(rows[row], other) for row, other in self._against(rows).items()}
        clashing, unknown = self.prover.possible(clashes)
        self.open += [f"whether a row contradicts {self._id(row)}" for row in sorted(unknown)]
        found: dict[tuple[int, int], Witness] = {}
        for row in sorted(clashing):
            if len(found) < MOST_SHOWN and not any(row in pair for pair in found):
                pair = self._pair(row, rows, clashes[row])
                witness = self._witness([rows[one] for one in pair], set(pair))
                if witness is not None:
                    found[pair] = witness
                else:
                    self.open.append(f"whether {self._id(pair[0])} and {self._id(pair[1])} contradict each other")
        return found

    def _against(self, rows: dict[int, Formula]) -> dict[int, Formula]:
        """For each row, when one holds that gives any of its fields another value."""
        groups: dict[str, dict[str, list[Formula]]] = {}
        for row, rule in enumerate(self.table.rules):
            for name, value in rule.outcome.items():
                groups.setdefault(name, {}).setdefault(canonical_json(value), []).append(rows[row])
        given = {name: {value: self.encoder.any(held) for value, held in own.items()} for name, own in groups.items()}
        found: dict[int, list[Formula]] = {
            row: [
                held
                for name, mine in rule.outcome.items()
                for value, held in given[name].items()
                if value != canonical_json(mine)
            ]
            for row, rule in enumerate(self.table.rules)
        }
        for one, other, differs in self._computed_otherwise():
            found[one].append(both(rows[other], differs))
            found[other].append(both(rows[one], differs))
        return {row: self.encoder.any(held) for row, held in found.items()}

    def _computed_otherwise(self) -> Iterator[tuple[int, int, Formula]]:
        """Pairs of rows of which one computes what the other gives, with when the values differ."""
        for row, name in self.table.formulas:
            for other, rule in enumerate(self.table.rules):
                if name in rule.names and (other < row or (other > row and name in rule.outcome)):
                    try:
                        sides = [self._value(row, name), self._value(other, name)]
                        yield row, other, differing_values(self.encoder, *sides)
                    except Opaque:
                        self.open.append(f"whether {self._id(other)} and {self._id(row)} contradict each other")

    def _value(self, row: int, name: str) -> Scalar:
        """What a row gives a field, as a term; Opaque where it is none."""
        if (row, name) in self.table.formulas:
            if (row, name) not in self.computed:
                raise Opaque("what is computed is not told")
            return self.computed[row, name].value
        value = self.table.rules[row].outcome[name]
        if isinstance(value, list | dict):
            raise Opaque("a whole list")
        return encode_formula(self.encoder, Constant(value)).value

    def _pair(self, row: int, rows: dict[int, Formula], clash: Formula) -> tuple[int, int]:
        """A row with another that contradicts it and can hold with it."""
        assert self.prover.can_hold(clash)
        model, rules = self.prover.model(), self.table.rules

        def holds(formula: Formula) -> bool:
            return bool(z3.is_true(model.eval(formula, model_completion=True)))

        computed = [(one, other) for one, other, differs in self._computed_otherwise() if holds(differs)]
        other = next(
            at
            for at, held in sorted(rows.items())
            if (disagree(rules[row], rules[at]) or {(row, at), (at, row)} & set(computed)) and holds(held)
        )
        return min(row, other), max(row, other)

    def _gap(self) -> Witness | None:
        if self.table.always:
            return None
        unknown = self.encoder.any(own.unknown for own in self.truths.values())
        nothing = [negation(own.true) for own in self.truths.values()]
        nothing += [unknown] if self.table.otherwise else []
        found = self.prover.can_hold(*nothing)
        witness = self._witness(nothing, set()) if found else None
        if found is None or (found and witness is None):
            self.open.append("whether a row holds for all values")
        return witness

    def _unreached(self) -> tuple[int, ...]:
        can = {row: self.prover.can_hold(held) for row, held in sorted(rows_of(self.encoder, self.table).items())}
        self.open += [f"whether {self._id(row)} can hold" for row, answer in can.items() if answer is None]
        return tuple(row for row, answer in can.items() if answer is False)

    def _witness(self, formulas: Sequence[Formula], rows: set[int]) -> Witness | None:
        """Values for which just that holds, tried on the rows; None where none are found or they do not confirm it.

        Args:
            rows: rows that must hold; none: no row may hold.
        """
        values = self.prover.values(formulas, self.table.reads)
        if not isinstance(values, dict):
            return None
        held = set(self.table.rows_holding(lambda tree: evaluate(tree, lambda ref: values[ref])))
        confirmed = rows <= held if rows else not held
        if len(rows) > 1 and confirmed:
            first, second = sorted(rows)
            confirmed = bool(differing(self.table, (first, second), lambda ref: values[ref], self.calendars))
        return {ref.text: value for ref, value in values.items() if value != {}} if confirmed else None

    def _id(self, row: int) -> str:
        return self.table.rules[row].rule_id
