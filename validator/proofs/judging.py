"""What rule packs say of the outputs of the nodes that apply them, as formulas.

A node that succeeds gives what the rows that hold say, put together (`validator.analysis.tables`). Where rows
contradict each other, or none holds, nothing is known of the field.
"""

from collections.abc import Iterable, Iterator, Mapping

import z3

from ir.predicate import Compare, Literally, Null, Ref
from validator.analysis.tables import Table
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, both, either, negation
from validator.proofs.kinds import Opaque


def table_formulas(encoder: Encoder, table: Table, fields: Iterable[Ref], succeeds: Formula) -> list[Formula]:
    """What a table says of the outputs of a node; nothing where the solver cannot be asked about a row.

    Args:
        succeeds: that the node does.
    """
    try:
        rows = rows_of(encoder, table)
        return [formula for ref in fields for formula in _field(encoder, table, ref, rows, succeeds)]
    except Opaque:
        return []


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
    encoder: Encoder, table: Table, ref: Ref, rows: Mapping[int, Formula], succeeds: Formula
) -> Iterator[Formula]:
    given, listed = table.rows_by_value(ref.path[-1]), encoder.listed(ref)
    held = [encoder.any(rows[row] for row in own) for _, own in given]
    doubtful = z3.AtLeast(*held, 2) if len(held) > 1 else encoder.no
    for (value, _), holds in zip(given, held, strict=True):
        says = encoder.truths(Null(ref) if value is None else Compare("eq", ref, Literally(value))).true
        if says is not encoder.no and (not listed or value in listed):  # else the outcome is at fault
            yield either(negation(both(succeeds, holds)), doubtful, says)
