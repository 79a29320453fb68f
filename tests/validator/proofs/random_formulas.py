"""Formulas drawn from a seed, of every operation that the solver may be told, and values for what they read."""

from random import Random
from typing import Any

from ir.workflow import ExecutionPolicy, InputSpec, Workflow

FIELDS: dict[str, dict[str, Any]] = {
    "a": {"type": "number"},
    "b": {"type": "number", "minimum": 0, "maximum": 100},
    "n": {"type": "integer"},
    "k": {"type": "integer", "enum": [0, 1, 2, 4]},
    "r": {"type": "integer", "minimum": -3, "maximum": 3},
    "z": {"type": "number", "nullable": True},
    "y": {"type": "integer", "nullable": True},
    "t": {"type": "boolean"},
    "u": {"type": "boolean", "nullable": True},
    "s": {"type": "string", "enum": ["road", "rail"]},
    "v": {"type": "string", "nullable": True},
    "d": {"type": "date"},
    "e": {"type": "date", "nullable": True},
}
WORKFLOW = Workflow(
    workflow_id="demo",
    version="v1",
    inputs={name: InputSpec.model_validate(spec) for name, spec in FIELDS.items()},
    nodes={},
    edges=(),
    execution_policy=ExecutionPolicy(risk_level="low"),
)
NUMERIC = [
    "add", "sub", "mul", "div", "neg", "percent", "to_percent", "convert", "if", "abs", "floor", "ceiling", "round_up",
    "round_down", "round_half_up", "round_half_down", "round_half_even", "min", "max", "sum", "mean", "count",
    "days_between", "months_between", "working_days_between",
]  # fmt: skip
LOGICAL = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "and", "or", "not", "is_null", "text", "date"]
_DATES = ["2024-01-31", "2024-02-29", "2026-01-01", "2026-03-02", "0001-01-02", "9999-12-30"]
_NUMBERS = [0, 1, -1, 2, 3, 5, 10, 100, 0.1, 0.25, -2.5, 1.005, 33.333, 1e-7, 12345.678]


def values(rng: Random) -> dict[str, Any]:
    """A value for every field, null where that may be."""
    found: dict[str, Any] = {}
    for name, spec in FIELDS.items():
        kind = spec["type"]
        if spec.get("nullable") and rng.random() < 0.4:
            found[name] = None
        elif "enum" in spec:
            found[name] = rng.choice(spec["enum"])
        elif kind == "integer":
            low, high = spec.get("minimum", -20), spec.get("maximum", 20)
            found[name] = rng.randint(low, high)
        elif kind == "number":
            found[name] = rng.choice([one for one in _NUMBERS if spec.get("minimum", one) <= one <= 100])
        else:
            found[name] = rng.choice({"boolean": [True, False], "date": _DATES}.get(kind, ["road", "x"]))
    return found


class Formulas:
    """Random formulas as JSON; what is asked for is of the right type."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.in_list = False

    def any(self, depth: int) -> Any:
        """A formula of some type that a field can have."""
        return self.rng.choice([self.number, self.number, self.number, self.boolean, self.date])(depth)

    def ref(self, *kinds: str) -> str:
        """A field of one of some types."""
        return "$.inputs." + self.rng.choice([name for name, spec in FIELDS.items() if spec["type"] in kinds])

    def number(self, depth: int) -> Any:
        """A number."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            leaves = [self.ref("number", "integer"), self.ref("number", "integer"), rng.choice(_NUMBERS)]
            return rng.choice([*leaves, None] if rng.random() < 0.1 else [*leaves, "$item"] if self.in_list else leaves)
        less = depth - 1
        op = rng.choice(NUMERIC)
        if op in ("add", "sub", "mul", "div"):
            return {op: [self.number(less), self.number(less)]}
        if op == "convert":
            return {op: [self.number(less), *rng.choice([("kg", "t"), ("h", "min")])]}
        if op == "if":
            return {op: [self.boolean(less), self.number(less), self.number(less)]}
        if op.startswith("round"):
            return {op: [self.number(less), *([rng.randint(-2, 3)] if rng.random() < 0.7 else [])]}
        if op in ("min", "max", "sum", "mean", "count"):
            return {
                op: [self.numbers(less)]
                if rng.random() < 0.5
                else [self.number(less) for _ in range(rng.randint(2, 3))]
            }
        if op in ("days_between", "months_between"):
            return {op: [self.date(less), self.date(less)]}
        if op == "working_days_between":
            return {op: [self.ref("date"), self.ref("date"), "weekdays@1"]}
        return {op: [self.number(less)]}

    def numbers(self, depth: int) -> Any:
        """A list of numbers."""
        rng, less = self.rng, depth - 1
        if depth <= 0 or rng.random() < 0.3:
            return [self.number(less) for _ in range(rng.randint(0, 3))]
        op = rng.choice(["known", "append", "concatenate", "filter", "for", "if"])
        if op in ("filter", "for"):
            group, before = self.numbers(less), self.in_list
            self.in_list = True
            body = self.boolean(less) if op == "filter" else self.number(less)
            self.in_list = before
            return {op: [group, body]}
        if op == "if":
            return {op: [self.boolean(less), self.numbers(less), self.numbers(less)]}
        if op == "append":
            return {op: [self.numbers(less), *(self.number(less) for _ in range(rng.randint(1, 2)))]}
        if op == "known" and rng.random() < 0.5:
            return {op: [self.number(less), self.number(less)]}
        return {op: [self.numbers(less)] * (1 if op == "known" else 2)}

    def boolean(self, depth: int) -> Any:
        """A truth."""
        rng, less = self.rng, depth - 1
        if depth <= 0 or rng.random() < 0.15:
            return rng.choice([self.ref("boolean"), True, False])
        op = rng.choice(LOGICAL)
        if op in ("and", "or"):
            return {op: [self.boolean(less) for _ in range(rng.randint(2, 3))]}
        if op == "not":
            return {op: [self.boolean(less)]}
        if op == "is_null":
            return {op: [rng.choice([self.number, self.date, self.boolean])(less)]}
        if op == "in":
            return {op: [self.number(less), self.numbers(less)]}
        if op == "text":
            return {rng.choice(["eq", "ne"]): [self.ref("string"), rng.choice([self.ref("string"), "road", "P1D"])]}
        if op == "date":
            return {rng.choice(["eq", "lt", "gte"]): [self.date(less), self.date(less)]}
        return {op: [self.number(less), self.number(less)]}

    def date(self, depth: int) -> Any:
        """A date."""
        rng, less = self.rng, depth - 1
        if depth <= 0 or rng.random() < 0.3:
            return self.ref("date")
        op = rng.choice(["add", "sub", "if", "min", "max", "add_working_days", "duration"])
        if op in ("add", "sub"):
            return {op: [self.date(less), rng.choice(["P1D", "P30D", "P1M", "P13M", "PT48H", "PT12H"])]}
        if op == "duration":
            return {"add": [self.date(less), {"duration": [self.number(less), rng.choice(["d", "h"])]}]}
        if op == "add_working_days":
            return {op: [self.date(less), rng.choice([0, 1, 5, -3, self.number(less)]), "weekdays@1"]}
        if op == "if":
            return {op: [self.boolean(less), self.date(less), self.date(less)]}
        return {op: [self.date(less), self.date(less)]}
