"""Groups of conditions drawn from a seed: what a node may ask of all kinds of fields, sound and unsound alike."""

from random import Random
from typing import Any

from ir.workflow import Workflow

ORDERED, EQUAL = ["lt", "lte", "gt", "gte", "eq", "ne"], ["eq", "ne"]
FIELDS: dict[str, dict[str, Any]] = {
    "flag": {"type": "boolean"},
    "maybe": {"type": "boolean", "required": True, "nullable": True},
    "kind": {"type": "string", "enum": ["a", "b", "c"]},
    "class": {"type": "integer", "enum": [1, 2, 3], "nullable": True},
    "days": {"type": "integer"},
    "weight": {"type": "number", "unit": "kg"},
    "limit": {"type": "number", "unit": "kg", "required": False},
    "name": {"type": "string"},
    "owner": {"type": "string", "nullable": True},
    "since": {"type": "date"},
    "until": {"type": "date"},
    "at": {"type": "datetime"},
    "wait": {"type": "duration"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "marks": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}, "nullable": True},
    "doses": {"type": "array", "items": {"type": "number"}},
    "part": {
        "type": "object",
        "nullable": True,
        "properties": {
            "amount": {"type": "number", "required": True, "unit": "kg"},
            "code": {"type": "string", "nullable": True},
        },
    },
}
CONSTANTS: dict[str, list[Any]] = {
    "flag": [True, False],
    "maybe": [True, False],
    "kind": ["a", "b", "d"],
    "class": [1, 2, 4],
    "days": [0, 3, 4, 2.5],
    "weight": [0, 5, 5.5, 1000],
    "limit": [5, 1000],
    "name": ["a", "P1D"],
    "owner": ["a", "PT24H"],
    "since": ["2026-02-28", "2026-03-01"],
    "until": ["2026-03-01", "soon"],
    "at": ["2026-03-01T08:00:00+08:00", "2026-03-01T00:00:00+00:00"],
    "wait": ["P1D", "PT24H", "PT0S"],
    "part.amount": [5, 7],
    "part.code": ["a", "b"],
}
ALIKE = [("weight", "limit"), ("weight", "part.amount"), ("days", "weight"), ("since", "until"), ("name", "owner")]
MEMBERS: dict[str, list[Any]] = {"tags": ["x", "a"], "marks": ["x", "y", "z"], "doses": [1, 2.5]}


def group(seed: int) -> Workflow:
    """A node that leaves by two to four edges, whose conditions read up to three fields."""
    random = Random(seed)
    names = random.sample([*CONSTANTS, *MEMBERS], random.choice([1, 1, 2, 2, 3]))
    pairs = [pair for pair in ALIKE if names[0] in pair]
    count = random.choice([2, 2, 3, 4])
    targets = [f"t{number}" for number in range(count)]
    edges: list[dict[str, Any]] = []
    for target in targets:
        edge: dict[str, Any] = {"from": "start", "to": target, "condition": condition(random, names, pairs, 2)}
        if random.random() < 0.4:
            edge["priority"] = random.choice([1, 2, 3])
        edges.append(edge)
    if random.random() < 0.4:
        edges[-1] = {"from": "start", "to": targets[-1], "condition": "otherwise"}
    nodes: dict[str, Any] = {"start": {"type": "record.log"}}
    nodes |= {target: {"type": "control.end", "status": "completed"} for target in targets}
    if random.random() < 0.2:
        nodes["start"]["split"] = "inclusive"
    return Workflow.model_validate(
        {
            "dsl_version": "1.0", "workflow_id": f"group_{seed}", "version": "v1", "inputs": FIELDS, "nodes": nodes,
            "edges": edges, "execution_policy": {"risk_level": "low"},
        }
    )  # fmt: skip


def condition(random: Random, names: list[str], pairs: list[tuple[str, str]], depth: int) -> Any:
    """A condition over these fields."""
    shape = random.choice(["leaf", "leaf", "leaf", "and", "or", "not"]) if depth else "leaf"
    if shape in ("and", "or"):
        return {shape: [condition(random, names, pairs, depth - 1) for _ in range(2)]}
    if shape == "not":
        return {"not": condition(random, names, pairs, depth - 1)}
    return leaf(random, random.choice(names), pairs)


def leaf(random: Random, name: str, pairs: list[tuple[str, str]]) -> Any:
    """A comparison or a question for null."""
    ref = f"$.inputs.{name}"
    if random.random() < 0.1:
        return {random.choice(["is_null", "exists"]): ref}
    if name in MEMBERS:
        if random.random() < 0.3:
            item = {"tags": "name", "marks": "kind", "doses": "weight"}[name]
            return {"in": [f"$.inputs.{item}", ref]}
        if random.random() < 0.3:
            listed = [random.sample(MEMBERS[name], k=random.choice([0, 1, 2])) for _ in range(2)]
            if random.random() < 0.3:
                return {"in": [ref, listed]}
            return {random.choice(EQUAL): [ref, listed[0]]}
        return {"contains": [ref, random.choice(MEMBERS[name])]}
    own = [pair for pair in pairs if name in pair]
    if own and random.random() < 0.4:
        left, right = random.choice(own)
        ops = EQUAL if left == "name" else ORDERED
        return {random.choice(ops): [f"$.inputs.{left}", f"$.inputs.{right}"]}
    if random.random() < 0.2:
        return {"in": [ref, random.sample(CONSTANTS[name], 2)]}
    plain = name in ("flag", "maybe", "kind", "name", "owner", "part.code")
    operands = [ref, random.choice(CONSTANTS[name])]
    if random.random() < 0.15:
        operands.reverse()
    return {random.choice(EQUAL if plain else ORDERED): operands}
