"""The design's JSON examples (`fixtures/examples`) as workflows, with what is expected of them."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from catalog.load import Catalog, load_catalog
from ir.base import Model
from ir.codec import read_yaml

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "examples"
Part = Literal[
    "workflow", "top", "node", "node-inputs", "edges", "node-type", "value", "conditions", "transitions"
]  # fmt: skip
Json = dict[str, Any]


class Finding(Model):
    """What the static checks must find, or must not."""

    code: str
    found: bool
    why: str
    changes: Json = {}
    type_changes: dict[str, Json] = {}


class Transition(Model):
    """One line of EX-31: from a state, perhaps on a truth, through others."""

    source: str = Field(alias="from")
    when: str | None = None
    to: tuple[str, ...]


class Example(Model):
    """One entry of the index; see the folder's README."""

    id: str
    section: str
    what: str
    part: Part
    cleaned: str | None = None
    around: Json = {}
    strict_errors: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    completed_by: Json = {}
    required_keys: tuple[str, ...] = ()
    declared_outputs_of: str | None = None
    type: str | None = None
    side: Literal["inputs", "outputs"] | None = None
    trees: tuple[Json, ...] = ()
    transitions: tuple[Transition, ...] = ()
    needs_validator: tuple[Finding, ...] = ()

    @property
    def text(self) -> str:
        """The example's JSON text."""
        return (FOLDER / f"{self.id}.json").read_text(encoding="utf-8")

    def workflow(self) -> Any:
        """The example as a whole workflow, not yet completed: as it stands, or put into a bare one."""
        raw = json.loads(self.text)
        if self.part == "workflow":
            return raw
        match self.part:
            case "node":
                placed = {"nodes": {raw.get("id", "node"): raw}}
            case "node-inputs":
                placed = {"nodes": {"node": {"type": "human.task", **raw}}}
            case "edges":
                placed = {"edges": raw}
            case _:
                placed = raw
        bare = {"workflow_id": "example", "version": "v1", "inputs": {}, "nodes": {}, "edges": []}
        policy = {} if "execution_policy" in placed else {"execution_policy": {"risk_level": "low"}}
        return merge(merge({**bare, **policy}, placed), self.around)

    def completed(self) -> Any:
        """The workflow with what it lacked."""
        return merge(self.workflow(), self.completed_by)


def merge(value: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), item)
    return result


@cache
def examples() -> tuple[Example, ...]:
    """The index."""
    raw, faults = read_yaml((FOLDER / "index.yaml").read_text(encoding="utf-8"))
    assert not faults, faults
    assert isinstance(raw, list)
    return tuple(Example.model_validate(entry) for entry in raw)


@cache
def example_catalog() -> Catalog:
    """The shipped catalog with the Types that only the examples use."""
    shipped, own = load_catalog(), load_catalog(FOLDER / "catalog")
    return Catalog({**shipped.node_types, **own.node_types}, {**shipped.concepts, **own.concepts})


def resolve(name: str) -> str | None:
    """The Node Type that a name of the examples stands for."""
    known = example_catalog().resolve(name)
    return known.type if known else None
