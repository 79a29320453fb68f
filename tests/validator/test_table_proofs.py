"""Proofs about decision tables, held against trying every value that the conditions can tell apart."""

import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from catalog.load import load_catalog
from ir.predicate import evaluate
from ir.workflow import Workflow
from validator.analysis.enumeration import space_of
from validator.analysis.tables import Table, disagree
from validator.runs.table_proofs import Verdicts, proved_tables
from validator.runs.workflow_analysis import Analysis

pytestmark = pytest.mark.slow

CATALOG = load_catalog(Path(__file__).resolve().parents[2] / "fixtures" / "checks" / "catalog")
INPUTS: dict[str, Any] = {
    "amount": {"type": "number", "unit": "CNY"},
    "weight": {"type": "integer", "nullable": True},
    "mode": {"type": "string", "enum": ["road", "rail", "air"]},
    "place": {"type": "string"},
    "urgent": {"type": "boolean"},
}


def leaf(chance: random.Random) -> dict[str, Any]:
    """A random comparison over the inputs of the node or the workflow."""
    name = chance.choice(list(INPUTS))
    ref = f"$.inputs.{name}"
    if name == "weight" and chance.random() < 0.3:
        return {chance.choice(["is_null", "exists"]): ref}
    if name in ("amount", "weight"):
        return {chance.choice(["lt", "lte", "gt", "gte", "eq", "ne"]): [ref, chance.choice([10, 20, 20.5])]}
    if name == "urgent":
        return {"eq": [ref, chance.random() < 0.5]}
    words = ["road", "rail", "air"] if name == "mode" else ["north", "south"]
    return chance.choice([{"eq": [ref, chance.choice(words)]}, {"in": [ref, chance.sample(words, 2)]}])


def tree(chance: random.Random, depth: int = 2) -> dict[str, Any]:
    """A random condition."""
    if not depth or chance.random() < 0.4:
        return leaf(chance)
    op = chance.choice(["and", "or", "not"])
    if op == "not":
        return {"not": tree(chance, depth - 1)}
    return {op: [tree(chance, depth - 1) for _ in range(2)]}


def random_table(seed: int) -> Analysis:
    """A workflow with one node that applies a pack of random rows."""
    chance = random.Random(seed)
    rows = [
        {"rule_id": f"R{at}", "condition": tree(chance), "outcome": {"level": chance.choice(["low", "high"])}}
        for at in range(chance.randint(1, 4))
    ]
    if chance.random() < 0.4:
        rows.append({"rule_id": "rest", "condition": "otherwise", "outcome": {"level": "medium"}})
    given: dict[str, Any] = {"amount": "$.inputs.amount", "weight": "$.inputs.weight"}
    if chance.random() < 0.5:
        given["mode"] = chance.choice(["road", "$.inputs.place"])
    raw = {
        "workflow_id": "random", "version": "v1", "inputs": INPUTS, "execution_policy": {"risk_level": "low"},
        "nodes": {
            "risk": {"type": "decision.assess_risk", "inputs": given, "rule_pack": "limits"},
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [{"from": "risk", "to": "done"}],
        "rule_packs": {"limits": {"version": "1.0.0", "rules": rows}},
    }  # fmt: skip
    return Analysis(Workflow.model_validate(raw), CATALOG)


def tried(analysis: Analysis, table: Table) -> tuple[set[tuple[int, int]], bool, set[int]]:
    """By trying all values: which rows contradict each other, whether there is a gap, which rows hold at all."""
    trees = (*table.trees.values(), *table.admitted)
    space = space_of(trees, analysis.scope.spec, nulls=analysis.scope.null_sources)
    pairs, gap, reached = set[tuple[int, int]](), False, set[int]()
    for values in space:
        if not all(evaluate(one, values) for one in table.admitted):
            continue
        held = table.rows_holding(lambda one, values=values: evaluate(one, values))  # type: ignore[misc]
        reached |= set(held)
        gap = gap or not held
        pairs |= {pair for pair in combinations(held, 2) if disagree(table.rules[pair[0]], table.rules[pair[1]])}
    return pairs, gap, reached


@pytest.mark.parametrize("begin", range(0, 200, 50))
def test_proofs_agree_with_trying_all_values(begin: int) -> None:
    """Contradictions, gaps and rows that never hold are the same, for random tables."""
    for seed in range(begin, begin + 50):
        analysis = random_table(seed)
        ((table, found),) = proved_tables(analysis)
        pairs, gap, reached = tried(analysis, table)
        assert found.open == ()
        assert set(found.conflicts) <= pairs, seed
        assert bool(found.conflicts) == bool(pairs), seed
        assert (found.gap is not None) == gap, seed
        assert set(found.unreached) == set(range(len(table.rules))) - reached, seed


def keyed(rows: int, doubled: int) -> Verdicts:
    """What is proved about a table of keys, of which some stand twice with two outcomes."""
    keys = [*range(rows), *range(doubled)]
    raw = {
        "workflow_id": "keys", "version": "v1", "execution_policy": {"risk_level": "low"},
        "inputs": {"cas": {"type": "string"}},
        "nodes": {
            "level": {
                "type": "ontology.lookup_hazard_level", "inputs": {"cas_number": "$.inputs.cas"}, "rule_pack": "list",
            },
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [{"from": "level", "to": "done"}],
        "rule_packs": {"list": {"version": "1.0.0", "rules": [
            {"rule_id": f"R{at}", "condition": {"eq": ["$.inputs.cas_number", f"{key}"]}, "outcome": {"level": at % 7}}
            for at, key in enumerate(keys)
        ]}},
    }  # fmt: skip
    ((_, found),) = proved_tables(Analysis(Workflow.model_validate(raw), CATALOG))
    return found


def test_long_tables_are_proved() -> None:
    """A table of as many rows as a workflow carries; two of its keys stand twice."""
    found = keyed(500, 2)
    assert set(found.conflicts) == {(0, 500), (1, 501)}
    assert found.conflicts[0, 500] == {"$.inputs.cas": "0"}
    assert found.unreached == ()
    assert found.open == ()
