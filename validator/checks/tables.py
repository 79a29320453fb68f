"""Does a rule pack give one judgement, whatever the values?"""

from collections.abc import Iterable, Iterator

from ir.diagnostics import Diagnostic, Location, Related
from ir.predicate import AnyCondition, Compare, Literally, Ref, leaves, references
from ir.source import Evidence
from validator.analysis.fit import quoted
from validator.analysis.locations import at_edge, at_node, at_workflow, edge_name
from validator.analysis.tables import Table, tables
from validator.analysis.wording import condition_words, cut
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


def incomplete_row(given: CheckInput) -> Iterator[Diagnostic]:
    """A row of a rule pack leaves out an output that the workflow reads.

    What: a node applies the pack; a condition, an input or an output of the workflow reads an output of the node that
        its Type always gives and that may not be null; some row of the pack gives it, and this row does not.
    Why: where this row alone holds, the node gives nothing there, and the run cannot go on.
    Bad: rows that give `allowed`, and one that gives only `reason_code`, with an edge on `allowed`.
    Good: `allowed` in every row.
    """
    read = _read(given)
    said: set[tuple[str, int, str]] = set()
    for table in tables(given.analysis.scope):
        outputs = given.analysis.scope.type_of(table.node)
        for name, spec in outputs.outputs_schema.items() if outputs is not None else ():
            needed = spec.required is not False and not spec.nullable and Ref(f"$.outputs.{table.node}.{name}") in read
            if not needed or not any(name in rule.names for rule in table.rules):
                continue
            for row in (row for row, rule in enumerate(table.rules) if name not in rule.names):
                if (table.pack, row, name) not in said:
                    said.add((table.pack, row, name))
                    yield warning(
                        "incomplete-row",
                        f'row {table.rules[row].rule_id} of "{table.pack}" gives no "{name}", which is read from '
                        f'"{table.node}"',
                        _at_row(given, table, row),
                        expected=name,
                        evidence=table.rules[row].evidence,
                        related=(_user(given, table),),
                    )


def _read(given: CheckInput) -> set[Ref]:
    """All that conditions, inputs of nodes and outputs of the workflow read."""
    workflow = given.workflow
    found = {ref for edge in workflow.edges for ref in references(edge.condition)}
    found |= {ref for node in workflow.nodes.values() for ref in node.references.values()}
    return found | {value for value in workflow.outputs.values() if isinstance(value, Ref)}


def edge_against_row(given: CheckInput) -> Iterator[Diagnostic]:
    """An edge and a row of a rule pack rest on the same words and compare with other numbers.

    What: a quote of an edge and one of a row stand in the same place of the document, both compare the same field with
        numbers, and they have no number in common.
    Why: one sentence has one limit; one of the two was misread or changed alone.
    Bad: a row for `amount > 50000` and an edge on `amount > 5000`, both on “above 50,000”.
    Good: the same number in both.
    """
    for table in tables(given.analysis.scope):
        for row, tree in table.trees.items():
            rule = table.rules[row]
            for index, edge in enumerate(given.workflow.edges):
                shared = _same_words(edge.evidence, rule.evidence)
                ours, theirs = _numbers(edge.condition), _numbers(tree)
                fields = [ref for ref in ours if ref in theirs and ours[ref].isdisjoint(theirs[ref])]
                if shared and fields:
                    numbers = [", ".join(f"{n:g}" for n in sorted(known[fields[0]])) for known in (ours, theirs)]
                    yield warning(
                        "edge-against-row",
                        f"edge {edge_name(edge)} compares {fields[0].text} with {numbers[0]}, and row "
                        f'{rule.rule_id} of "{table.pack}" with {numbers[1]}, on the same words: '
                        f"“{cut(rule.evidence[0].quote)}”",
                        at_edge(given.workflow, index, "condition"),
                        evidence=rule.evidence,
                        related=(Related(message="the row", location=_at_row(given, table, row)),),
                    )


def _same_words(one: Iterable[Evidence], other: Iterable[Evidence]) -> bool:
    spans = [span for each in other if (span := each.span) is not None]
    return any(
        span.doc_id == known.doc_id and span.block == known.block and span.start < known.end and known.start < span.end
        for each in one
        if (span := each.span) is not None
        for known in spans
    )


def _numbers(condition: AnyCondition) -> dict[Ref, set[float]]:
    """The numbers that a condition compares each field with."""
    found: dict[Ref, set[float]] = {}
    for leaf in leaves(condition):
        if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally):
            value = leaf.right.value
            if isinstance(value, int | float) and not isinstance(value, bool):
                found.setdefault(leaf.left, set()).add(float(value))
    return found


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


CHECKS = (incomplete_table, unreachable_row, undecided_table, incomplete_row, edge_against_row)
