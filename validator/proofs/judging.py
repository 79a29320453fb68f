"""What rule packs say of the outputs of the nodes that apply them, as formulas.

A node that succeeds gives what the rows that hold say, put together (`validator.analysis.tables`): values as they
stand, and what they compute. Where rows contradict each other, or none holds, nothing is known of the field.
"""

from collections.abc import Iterable, Iterator, Mapping

import z3

from ir.predicate import Compare, Literally, Null, Ref
from validator.analysis.tables import Table
from validator.proofs.encode import Encoder
from validator.proofs.expressions import Encoded, encode_formula
from validator.proofs.formulas import Formula, both, either, negation
from validator.proofs.kinds import NUMERIC, Opaque

Computed = Mapping[tuple[int, str], Encoded]
"""What rows compute, by the row's index and the output's name."""


def table_formulas(encoder: Encoder, table: Table, fields: Iterable[Ref], succeeds: Formula) -> list[Formula]:
    """What a table says of the outputs of a node; nothing where the solver cannot be asked about a row.

    Args:
        succeeds: that the node does.
    """
    try:
        rows = rows_of(encoder, table)
    except Opaque:
        encoder.loose = encoder.loose or bool(table.formulas)
        return []
    computed = computed_by(encoder, table)
    encoder.loose |= len(computed) < len(table.formulas) or any(one.loose for one in computed.values())
    found = [limit for one in computed.values() for limit in one.limits]
    for (row, _), one in computed.items():
        fails = encoder.any(hazard.when for hazard in one.hazards)
        found.append(negation(encoder.all([succeeds, rows[row], fails])))
    for ref in fields:
        try:
            found += _field(encoder, table, ref, rows, succeeds, computed)
        except Opaque:
            encoder.loose = encoder.loose or bool(table.rows_computing(ref.path[-1]))
    return found


def computed_by(encoder: Encoder, table: Table) -> Computed:
    """What the rows of a table compute, but for that which the solver cannot be asked about."""
    found: dict[tuple[int, str], Encoded] = {}
    for key, tree in table.formulas.items():
        try:
            found[key] = encode_formula(encoder, tree)
        except Opaque:
            continue
    return found


def rows_of(encoder: Encoder, table: Table) -> dict[int, Formula]:
    """When each row holds.

    Raises:
        Opaque: the solver cannot be asked about a row.
    """
    truths = {row: encoder.truths(tree) for row, tree in table.trees.items()}
    rows = {row: own.true for row, own in truths.items()} | dict.fromkeys(table.always, encoder.yes)
    none = encoder.all(own.false for own in truths.values())
    return rows | dict.fromkeys(table.otherwise, encoder.no if table.always else none)


def _field(
    encoder: Encoder, table: Table, ref: Ref, rows: Mapping[int, Formula], succeeds: Formula, computed: Computed
) -> Iterator[Formula]:
    name = ref.path[-1]
    given, listed = table.rows_by_value(name), encoder.listed(ref)
    held = [encoder.any(rows[row] for row in own) for _, own in given]
    every = [*held, *(rows[row] for row in table.rows_computing(name))]
    doubtful = z3.AtLeast(*every, 2) if len(every) > 1 else encoder.no
    for (value, _), holds in zip(given, held, strict=True):
        says = encoder.truths(Null(ref) if value is None else Compare("eq", ref, Literally(value))).true
        if says is not encoder.no and (not listed or value in listed):  # else the outcome is at fault
            yield either(negation(both(succeeds, holds)), doubtful, says)
    for row in table.rows_computing(name):
        one = computed.get((row, name))
        if one is None or not _checked(encoder, table, ref):
            encoder.loose = True
            continue
        for says in _equals(encoder, ref, one):
            yield either(negation(both(succeeds, rows[row])), doubtful, says)


def _checked(encoder: Encoder, table: Table, ref: Ref) -> bool:
    """Whether the walk sees to it that a computed field is what its type says."""
    spec = encoder.scope.spec(ref)
    if ref.path[-1] in encoder.scope.workflow.rule_packs[table.pack].outputs:
        return True
    plain = spec is not None and spec.enum is None and spec.minimum is None and spec.maximum is None
    return plain and spec is not None and spec.type != "integer"


def _equals(encoder: Encoder, ref: Ref, one: Encoded) -> Iterator[Formula]:
    """That a field is what a formula comes to."""
    field, null, value = encoder.field(ref), encoder.is_null(ref), one.value
    known = value.known
    if value.kind is not None:
        numbers = value.kind == "number" and field.kind in NUMERIC
        if not numbers and value.kind != field.kind:
            raise Opaque("what is computed is of another type")
        term = z3.ToReal(field.term) if field.kind == "integer" else field.term
        yield either(negation(known), both(negation(null), term == value.term))
    if encoder.scope.null_sources(ref):
        yield either(known, null)
    else:
        encoder.loose = True
