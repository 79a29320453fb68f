"""The facts of a workflow that steer it: its inputs, and the outputs that its conditions read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from catalog.load import Catalog
from evals.matching.places import Places
from ir.base import canonical_json
from ir.fields import FieldType
from ir.predicate import Always, Compare, Literally, Otherwise, Ref, leaves, references
from ir.source import Evidence
from ir.workflow import Edge, Workflow
from validator.analysis.types import Scope

BY_CONCEPT, BY_NODE, BY_WORDS, BY_CONDITION = 1.0, 1.0, 0.8, 0.9
LEAST = 0.4
_NUMBERS, _TIMES = ("integer", "number"), ("date", "datetime", "duration")


@dataclass(frozen=True)
class Fact:
    """One fact.

    Args:
        type: None where it is not known.
        values: the values that the workflow tells apart, where they can be listed.
        words: by value (canonical JSON) what the edges rest on that are taken for it.
        evidence: what the fact itself rests on.
        conditions: what the edges rest on whose conditions read it.
        steers: whether any condition reads it.
    """

    ref: Ref
    type: FieldType | None
    concept: str | None
    values: tuple[JsonValue, ...]
    words: Mapping[str, tuple[Evidence, ...]]
    evidence: tuple[Evidence, ...]
    conditions: tuple[Evidence, ...]
    steers: bool

    @property
    def listed(self) -> bool:
        """Whether its values are labels, not amounts or times."""
        return self.type not in (*_NUMBERS, *_TIMES)


@dataclass
class _Found:
    values: list[JsonValue] = field(default_factory=list)
    words: dict[str, list[Evidence]] = field(default_factory=dict)
    conditions: list[Evidence] = field(default_factory=list)


def facts_of(workflow: Workflow, catalog: Catalog) -> tuple[Fact, ...]:
    """The inputs of a workflow, and the outputs that its conditions read, in this order."""
    scope = Scope(workflow, catalog)
    found: dict[Ref, _Found] = {Ref(f"$.inputs.{name}"): _Found() for name in workflow.inputs}
    for edge in workflow.edges:
        for ref in references(edge.condition):
            if ref.root == "inputs" or ref.node in workflow.nodes:
                found.setdefault(ref, _Found()).conditions += edge.evidence
        _values(edge, found)
    facts = []
    for ref, one in found.items():
        spec = scope.spec(ref)
        listed: list[JsonValue] = list(spec.enum or ()) if spec else []
        if spec is not None and spec.type == "boolean":
            listed = [True, False]
        values = _unique([*listed, *one.values])
        owner = workflow.inputs.get(ref.path[0]) if ref.root == "inputs" else workflow.nodes.get(ref.node or "")
        facts.append(
            Fact(
                ref=ref,
                type=spec.type if spec else None,
                concept=spec.concept if spec else None,
                values=values,
                words={value: tuple(words) for value, words in one.words.items()},
                evidence=owner.evidence if owner else (),
                conditions=tuple(one.conditions),
                steers=bool(one.conditions) or any(ref in references(e.condition) for e in workflow.edges),
            )
        )
    return tuple(facts)


def _values(edge: Edge, found: dict[Ref, _Found]) -> None:
    """Note the values that a condition asks for, and the words of the edge beside them."""
    if isinstance(edge.condition, Always | Otherwise):
        return
    for leaf in leaves(edge.condition):
        if not isinstance(leaf, Compare) or leaf.op not in ("eq", "in"):
            continue
        if not isinstance(leaf.left, Ref) or not isinstance(leaf.right, Literally) or leaf.left not in found:
            continue
        given = leaf.right.value
        for value in given if leaf.op == "in" and isinstance(given, list) else [given]:
            one = found[leaf.left]
            one.values.append(value)
            one.words.setdefault(canonical_json(value), []).extend(edge.evidence)


def _unique(values: list[JsonValue]) -> tuple[JsonValue, ...]:
    return tuple({canonical_json(value): value for value in values}.values())


def likeness(gold: Fact, draft: Fact, nodes: Mapping[str, str], places: Places) -> float:
    """How much speaks for one fact standing for another, 0 where too little does.

    Args:
        nodes: draft node by gold node.
    """
    if not _fit(gold, draft):
        return 0.0
    score = 0.0
    if gold.concept is not None and gold.concept == draft.concept:
        score += BY_CONCEPT
    if gold.ref.node is not None and nodes.get(gold.ref.node) == draft.ref.node:
        score += BY_NODE * (1.0 if gold.ref.path[1:] == draft.ref.path[1:] else 0.9)
    if gold.ref.root == draft.ref.root == "inputs":
        score += BY_WORDS * places.overlap(gold.evidence, draft.evidence)
    score += BY_CONDITION * places.overlap(gold.conditions, draft.conditions)
    return score if score >= LEAST else 0.0


def _fit(gold: Fact, draft: Fact) -> bool:
    """Whether values of one can be said in the other: amounts as amounts, times as times, labels as labels."""
    if gold.type is None or draft.type is None:
        return True
    kinds = [("number" if t in _NUMBERS else "time" if t in _TIMES else t) for t in (gold.type, draft.type)]
    labels = {"boolean", "string"}
    return kinds[0] == kinds[1] or set(kinds) <= labels
