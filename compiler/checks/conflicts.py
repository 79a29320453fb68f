"""Do two rules of the document demand what cannot both be done?"""

from collections.abc import Iterator

from compiler.check_input import CheckInput, error
from compiler.fitting import quoted
from compiler.place import at_workflow
from compiler.table_proofs import proved_tables
from compiler.tables import disagree
from compiler.wording import cut
from ir.diagnostics import Diagnostic, Related
from ir.source import Evidence


def conflicting_rules(given: CheckInput) -> Iterator[Diagnostic]:
    """Two rows of a rule pack can hold at once and say different things.

    What: for some values more than one row is true, and they give one field different values.
    Why: the document contradicts itself there, or was misread; which of the two is meant would be chance.
    Bad: `amount > 1000` gives `allowed: true` and `amount > 5000` gives `allowed: false`.
    Good: `amount > 1000 and amount <= 5000` for the first.
    """
    said = set[tuple[str, int, int]]()
    for table, found in proved_tables(given.analysis):
        for (first, second), witness in found.conflicts.items():
            if (table.pack, first, second) in said:
                continue
            said.add((table.pack, first, second))
            one, other = table.rules[first], table.rules[second]
            field = disagree(one, other)[0]
            values = ", ".join(f"{name} = {quoted(value)}" for name, value in witness.items()) or "any values"
            yield error(
                "conflicting-rules",
                f'rows {one.rule_id} and {other.rule_id} of "{table.pack}" both hold for {values}, and give {field} '
                f"{quoted(one.outcome[field])} and {quoted(other.outcome[field])}"
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


def _against(one: tuple[Evidence, ...], other: tuple[Evidence, ...]) -> str:
    """Both quotes, to be read beside each other."""
    if not one or not other:
        return ""
    return f": “{cut(one[0].quote)}” against “{cut(other[0].quote)}”"


CHECKS = (conflicting_rules,)
