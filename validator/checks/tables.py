"""Does a rule pack give one judgement, whatever the values?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Location, Related
from validator.analysis.fit import quoted
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.tables import Table
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, warning
from validator.runs.table_proofs import proved_tables


def incomplete_table(given: CheckInput) -> Iterator[Diagnostic]:
    """For some values no row of a decision's rule pack holds.

    What: a decision node applies a rule pack, and a run can come there with values for which no row is true;
        `otherwise` holds only where all other rows are false. Nodes that look a key up find nothing there, and say so.
    Why: for these values the document gives no judgement, and the node would give one that nobody wrote.
    Bad: rows for `amount <= 1000` and `amount > 5000`.
    Good: a row for the amounts between, or one with `otherwise`.
    """
    for table, found in proved_tables(given.analysis):
        if found.gap is not None and _decides(given, table):
            values = ", ".join(f"{name} = {quoted(value)}" for name, value in found.gap.items())
            where = f"for {values}" if values else "whatever the values"
            yield warning(
                "incomplete-table",
                f'no row of "{table.pack}" holds {where}; expected a row for that case, or one with otherwise',
                at_workflow(given.workflow, "rule_packs", table.pack, "rules"),
                witness=found.gap,
                related=(_user(given, table),),
            )


def unreachable_row(given: CheckInput) -> Iterator[Diagnostic]:
    """A row of a rule pack holds for no values.

    What: its condition contradicts itself or what each node that applies it is given in the runs that come there, or it
        says `otherwise` where the other rows leave nothing over.
    Why: a rule that can never be applied was misread, or a border between rows is wrong.
    Bad: a row for `amount > 5000 and amount < 1000`.
    Good: `amount > 1000 and amount < 5000`.
    """
    every = proved_tables(given.analysis)
    for table, found in every:
        others = [other.unreached for one, other in every if one.pack == table.pack and one is not table]
        for row in (row for row in found.unreached if all(row in other for other in others)):
            rule = table.rules[row]
            yield warning(
                "unreachable-row",
                f'row {rule.rule_id} of "{table.pack}" ({condition_words(rule.condition)}) holds for no values that '
                f'"{table.node}" can be given',
                _at_row(given, table, row),
                evidence=rule.evidence,
                related=(_user(given, table),),
            )


def undecided_table(given: CheckInput) -> Iterator[Diagnostic]:
    """Whether a rule pack is complete and free of contradictions could not be decided.

    What: a row compares two lists or objects, or spans of time of different calendars, or the solver did not find
        out within its limits.
    Why: what was not proved may be wrong.
    Bad: rows that compare one duration with `P1M` and with `P30D`.
    Good: one calendar for all of them; several smaller packs, each applied by a node of its own.
    """
    for table, found in proved_tables(given.analysis):
        if found.open:
            more = f", and {len(found.open) - 3} more" if len(found.open) > 3 else ""
            yield warning(
                "undecided-table",
                f'it was not decided whether "{table.pack}" always gives one judgement: '
                f"{', '.join(found.open[:3])}{more}",
                at_workflow(given.workflow, "rule_packs", table.pack, "rules"),
                related=(_user(given, table),),
            )


def _decides(given: CheckInput, table: Table) -> bool:
    """Whether the node judges by the rows, rather than look something up in them."""
    node_type = given.analysis.scope.type_of(table.node)
    return node_type is not None and node_type.category == "decision"


def _at_row(given: CheckInput, table: Table, row: int) -> Location:
    return at_workflow(given.workflow, "rule_packs", table.pack, "rules", row, "condition")


def _user(given: CheckInput, table: Table) -> Related:
    return Related(message="the node that applies it", location=at_node(given.workflow, table.node, "rule_pack"))


CHECKS = (incomplete_table, unreachable_row, undecided_table)
