"""Rules as data for the nodes that apply them: prohibitions of policies, and rows of reference tables."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from catalog.verdicts import verdict_field
from ir.facts import Reference
from ir.predicate import Compare, Literally, Ref, Tree, references, substitute
from ir.procedure import Constraint, Fact
from ir.workflow import Rule

MOST_ROWS = 500  # of a table that a workflow carries; larger ones stay beside it


def prohibitions(
    constraints: Iterable[Constraint], facts: Iterable[Fact], node_type: NodeType, catalog: Catalog
) -> Iterator[Rule]:
    """What must not be, as rules over the inputs of a decision node that end in a negative verdict.

    A prohibition that reads anything else than the node's inputs is none of its rules.
    """
    verdict = verdict_field(node_type, catalog)
    known = tuple(facts)
    for constraint in constraints:
        if verdict is None or constraint.predicate is None or constraint.modality != "must_not":
            continue
        mapped = _over_inputs(known, constraint.predicate, node_type)
        if mapped is not None:
            yield Rule(rule_id="", condition=mapped, outcome={verdict: False}, evidence=constraint.evidence)


def rows(reference: Reference, node_type: NodeType) -> Iterator[Rule]:
    """The rows of a table as rules of a node that asks for its key and gives what its other columns hold.

    Nothing where the node asks for something else, gives nothing that the table holds, or the table is too long.
    """
    key = reference.key and reference.columns[reference.key].concept
    asked = next((name for name, spec in node_type.inputs_schema.items() if key and spec.concept == key), None)
    given = {
        name: column
        for name, spec in node_type.outputs_schema.items()
        for column, held in reference.columns.items()
        if held.concept and held.concept == spec.concept != key and held.type == spec.type
    }
    others = [name for name, spec in node_type.inputs_schema.items() if spec.required and name != asked]
    if asked is None or not given or others or len(reference.rows) > MOST_ROWS:
        return
    for entry in reference.rows:
        value = entry.values.get(reference.key or "")
        outcome = {name: entry.values[column] for name, column in given.items() if entry.values.get(column) is not None}
        if isinstance(value, str | int) and outcome:
            key_cells = [e for e in entry.evidence if e.quote == str(value)]
            held_cells = [e for e in entry.evidence if e.quote in {str(v) for v in outcome.values()}]
            quote = key_cells[0].quote if key_cells else None
            literal = Literally(value, quote, "quoted" if quote else "converted")
            evidence = tuple(dict.fromkeys((*key_cells, *held_cells))) or entry.evidence
            condition = Compare("eq", Ref(f"$.inputs.{asked}"), literal)
            outcome |= _record(node_type, reference.id, value)
            yield Rule(rule_id="", condition=condition, outcome=outcome, evidence=evidence)


def _record(node_type: NodeType, table: str, key: str | int) -> dict[str, JsonValue]:
    """Where a row stands, as the `evidence` of a Type that has a place for a list of data and its record."""
    spec = node_type.outputs_schema.get("evidence")
    parts = (spec.properties or {}) if spec is not None else {}
    if not {"source_id", "record_id"} <= parts.keys():
        return {}
    kinds = parts["source_type"].enum if "source_type" in parts else None
    source: dict[str, JsonValue] = {"source_type": kinds[0]} if kinds else {}
    return {"evidence": {**source, "source_id": table, "record_id": str(key)}}


def numbered(rules: Iterable[Rule], begin: int = 1) -> tuple[Rule, ...]:
    """The rules with ids `R1`, `R2`, … in their order."""
    return tuple(rule.model_copy(update={"rule_id": f"R{at}"}) for at, rule in enumerate(rules, begin))


def _over_inputs(facts: tuple[Fact, ...], tree: Tree, node_type: NodeType) -> Tree | None:
    """A condition over facts as one over the node's own inputs; None where it reads something the node is not given."""
    by_id = {fact.id: fact for fact in facts}
    by_concept = {spec.concept: name for name, spec in node_type.inputs_schema.items() if spec.concept}
    found = {
        ref.text: by_concept.get(by_id[ref.path[0]].concept or "") for ref in references(tree) if ref.path[0] in by_id
    }
    if len(found) < len({ref.text for ref in references(tree)}) or None in found.values():
        return None
    return substitute(tree, lambda ref: Ref(f"$.inputs.{found[ref.text]}"))
