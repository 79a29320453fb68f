"""Do two rules of the document demand what cannot both be done?"""

from collections.abc import Iterator, Mapping
from functools import partial

from pydantic import JsonValue

from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.contradicting_conditions import conflicting_limits, forbidden_flows
from compiler.conformance.contradictions import Contradiction, contradicting_acts
from compiler.conformance.duty_coverage import evidence_of_step, overlap
from ir.diagnostics import Diagnostic, Location, Related
from ir.predicate import Ref
from ir.procedure import Gap
from ir.source import Evidence
from validator.analysis.fit import quoted
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.tables import differing
from validator.analysis.wording import cut
from validator.check_input import error, warning
from validator.runs.table_proofs import proved_tables


def conflicting_rules(given: ConformanceInput) -> Iterator[Diagnostic]:
    """Two rules that apply in the same case demand different things.

    What: rows of a rule pack that hold for the same values give one field different values: an error. Clauses in two
        places demand one act of the same people by two times, demand and forbid it, lead to it in cases in which it is
        forbidden, or set one quantity two limits: a warning, unless a gap of kind `conflict` asks about both. What may
        be an exception, a stage of its own or a second signature is not reported.
    Why: the document contradicts itself there, or was misread; which of the two is meant would be chance.
    Bad: `amount > 1000` gives `allowed: true` and `amount > 5000` gives `allowed: false`.
    Good: `amount > 1000 and amount <= 5000` for the first.
    """
    yield from _conflicting_rows(given)
    yield from _conflicting_clauses(given)


def _conflicting_rows(given: ConformanceInput) -> Iterator[Diagnostic]:
    said = set[tuple[str, int, int]]()
    for table, found in proved_tables(given.analysis):
        for (first, second), witness in found.conflicts.items():
            if (table.pack, first, second) in said:
                continue
            said.add((table.pack, first, second))
            one, other = table.rules[first], table.rules[second]
            calendars = given.workflow.calendars
            values_by_name = differing(table, (first, second), partial(_read, witness), calendars)
            field, held = next(iter(values_by_name.items()))
            values = ", ".join(f"{name} = {quoted(value)}" for name, value in witness.items()) or "any values"
            yield error(
                "conflicting-rules",
                f'rows {one.rule_id} and {other.rule_id} of "{table.pack}" both hold for {values}, and give {field} '
                f"{quoted(held[0])} and {quoted(held[1])}"
                f"{_against(one.evidence, other.evidence)}",
                at_workflow(given.workflow, "rule_packs", table.pack, "rules", second),
                witness=witness,
                evidence=(*one.evidence, *other.evidence),
                related=(
                    Related(
                        message=f"row {one.rule_id}",
                        location=at_workflow(given.workflow, "rule_packs", table.pack, "rules", first),
                    ),
                ),
            )


def _read(values: Mapping[str, JsonValue], ref: Ref) -> JsonValue:
    return values.get(ref.text)


def _conflicting_clauses(given: ConformanceInput) -> Iterator[Diagnostic]:
    for found in _contradictions(given):
        (said, one), (against, other) = found.sides
        if any(_asks(given, gap, one, other) for gap in _gaps(given) if gap.kind == "conflict"):
            continue
        carried = [name for name, node in given.workflow.nodes.items() if set(node.step_ids) & set(found.steps)]
        place = at_node(given.workflow, carried[0]) if carried else at_workflow(given.workflow, "nodes")
        yield warning(
            "conflicting-rules",
            f"two clauses contradict each other: “{cut(said)}” against “{cut(against)}”; {found.what}",
            place,
            witness=found.witness,
            evidence=(*one, *other),
            related=tuple(
                Related(message=f"“{cut(item.quote)}”", location=Location(file=item.doc_id, block=item.block))
                for item in (*one, *other)
            ),
            expected="one of the two, or a gap of kind conflict that asks which",
        )


def _contradictions(given: ConformanceInput) -> Iterator[Contradiction]:
    for document in given.documents:
        yield from contradicting_acts(given.procedures, document)
    for procedure in given.procedures:
        yield from forbidden_flows(procedure, given.catalog)
        yield from conflicting_limits(procedure)


def _gaps(given: ConformanceInput) -> Iterator[Gap]:
    yield from given.workflow.gaps
    for procedure in given.procedures:
        yield from procedure.gaps


def _asks(given: ConformanceInput, gap: Gap, one: tuple[Evidence, ...], other: tuple[Evidence, ...]) -> bool:
    """Whether a gap is about two clauses: it quotes both, or one, and names a step or node that quotes the other."""
    quoted = [overlap(gap.evidence, side) for side in (one, other)]
    named = tuple(_named(given, set(gap.about)))
    return any(quoted) and all(here or overlap(named, side) for here, side in zip(quoted, (one, other), strict=True))


def _named(given: ConformanceInput, ids: set[str]) -> Iterator[Evidence]:
    for name, node in given.workflow.nodes.items():
        yield from node.evidence if name in ids else ()
    for procedure in given.procedures:
        for step in procedure.steps:
            yield from evidence_of_step(step) if step.id in ids else ()


def _against(one: tuple[Evidence, ...], other: tuple[Evidence, ...]) -> str:
    """Both quotes, to be read beside each other."""
    if not one or not other:
        return ""
    return f": “{cut(one[0].quote)}” against “{cut(other[0].quote)}”"


CHECKS = (conflicting_rules,)
