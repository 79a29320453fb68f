"""Proofs about what rows of rule packs compute: divisions by zero, results that are null or out of their field's range.

Each finding comes with values that were tried on the formula itself; what is not found is proved not to be, or open.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import z3
from pydantic import JsonValue

from ir.duration import Calendar
from ir.fields import FieldSpec
from ir.formula import is_number
from ir.formulas.evaluate import FormulaFault, compute
from ir.predicate import evaluate
from validator.analysis.fit import in_range, same_value
from validator.analysis.tables import Table
from validator.proofs.expressions import Encoded
from validator.proofs.formulas import Formula, negation
from validator.proofs.judging import Computed
from validator.proofs.kinds import amount_of, constant
from validator.proofs.prover import Prover

What = Literal["division", "null", "range"]
Outcome = JsonValue | FormulaFault


@dataclass(frozen=True)
class FormulaFinding:
    """What a formula can come to that it must not.

    Args:
        row, name: which formula.
        at: JSON pointer to the part concerned, inside the formula.
        values: for which values; None where it was not found out whether there are such.
        result: what it comes to for them.
    """

    what: What
    row: int
    name: str
    at: str = ""
    values: Mapping[str, JsonValue] | None = None
    result: JsonValue = None


class FormulaProof:
    """The formulas of one table.

    Args:
        prover: over the values of runs that come to its node.
        computed: its formulas as the solver sees them.
    """

    def __init__(self, prover: Prover, table: Table, computed: Computed, calendars: Mapping[str, Calendar]) -> None:
        self.prover, self.table, self.computed, self.calendars = prover, table, computed, calendars
        self.scope = prover.encoder.scope

    def findings(self, rows: Mapping[int, Formula]) -> Iterator[FormulaFinding]:
        """What was found, formula by formula.

        Args:
            rows: when each row holds.
        """
        fields = self.scope.outputs(self.table.node) or {}
        for row, name in self.table.formulas:
            spec, one = fields.get(name), self.computed.get((row, name))
            if one is None:
                if spec is not None and spec.type != "array":
                    yield FormulaFinding("null", row, name)
                continue
            sound = [rows[row], *(negation(hazard.when) for hazard in one.hazards)]
            for hazard in one.hazards:
                if hazard.code == "DIVISION_BY_ZERO":
                    yield from self._found("division", row, name, hazard.at, [rows[row], hazard.when], _divides_by_zero)
            if spec is not None and not spec.nullable:
                null = [*sound, negation(one.value.known)]
                yield from self._found("null", row, name, "", null, _is_null)
            outside = None if spec is None else self._outside(one, spec)
            if spec is not None and outside is not None:
                found = [*sound, one.value.known, outside]
                yield from self._found("range", row, name, "", found, partial(_is_outside, spec))

    def _found(
        self, what: What, row: int, name: str, at: str, formulas: list[Formula], confirmed: Callable[[Outcome], bool]
    ) -> Iterator[FormulaFinding]:
        values = self.prover.values(formulas, self.table.reads)
        if values is False:
            return
        finding = FormulaFinding(what, row, name, at)
        if isinstance(values, dict):
            result = compute(self.table.formulas[row, name], values.get, self.calendars)
            held = self.table.rows_holding(lambda tree: evaluate(tree, values.__getitem__))
            if row in held and confirmed(result):
                shown = {ref.text: value for ref, value in values.items() if value != {}}
                code = None if isinstance(result, FormulaFault) else result
                finding = FormulaFinding(what, row, name, at, shown, code)
        yield finding

    def _outside(self, one: Encoded, spec: FieldSpec) -> Formula | None:
        """When a result is not among the values of its field; None where its field admits all."""
        value, encoder = one.value, self.prover.encoder
        if value.kind == "number":
            limits = [(spec.minimum, True), (spec.maximum, False)]
            amounts = [(amount_of(end, "number", encoder.texts), low) for end, low in limits if end is not None]
            found = [
                value.term < constant(end, encoder.ctx) if low else value.term > constant(end, encoder.ctx)
                for end, low in amounts
                if end is not None
            ]
            listed = [end for end in spec.enum or () if is_number(end)]
            if listed:
                same = [
                    value.term == constant(amount_of(end, "number", encoder.texts) or 0, encoder.ctx) for end in listed
                ]
                found.append(negation(encoder.any(same)))
            return encoder.any(found) if found else None
        texts = [text for text in spec.enum or () if isinstance(text, str)]
        if value.kind != "text" or not texts:
            return None
        return z3.And(*(value.term != constant(encoder.texts.code(text), encoder.ctx) for text in texts))


def _divides_by_zero(result: Outcome) -> bool:
    return isinstance(result, FormulaFault) and result.code == "DIVISION_BY_ZERO"


def _is_null(result: Outcome) -> bool:
    return result is None


def _is_outside(spec: FieldSpec, result: Outcome) -> bool:
    if isinstance(result, FormulaFault) or result is None:
        return False
    listed = spec.enum is None or any(same_value(result, one) for one in spec.enum)
    return not listed or not in_range(result, spec)
