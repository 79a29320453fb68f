"""Which Node Type carries out each step: the result of alignment."""

from collections.abc import Mapping
from typing import Literal

from catalog.node_type import NodeType
from catalog.verdicts import VERDICT
from ir.base import Model
from ir.predicate import Compare, Literally, Ref, leaves, parse_tree
from ir.procedure import Procedure

MAKING = frozenset({"generation", "summary", "calculation", "numbering"})  # tags of Types that make something new


class AlignedStep(Model):
    """One step and the Node Type that fits it.

    Args:
        disposition: `mapped` to a Type of the catalog; `human` by right, a person's act; `unmapped`, no Type fits, so
            that a person stands in and the catalog lacks something.
        type: the Node Type; a human Type unless mapped.
        score: similarity of the best admitted candidate, 0 to 1.
        concepts: ids of the concepts that both the step's words and the Type speak of.
        reason: why, for the review.
        nearest: the best candidates by name, best first, admitted or not.
    """

    step_id: str
    disposition: Literal["mapped", "human", "unmapped"]
    type: str
    score: float
    concepts: tuple[str, ...] = ()
    reason: str
    nearest: tuple[str, ...] = ()


Alignment = dict[str, AlignedStep]


class Sources(Model):
    """Where a model holds that values come from; each counts only where the catalog bears it out.

    Args:
        facts: by fact: `STEP.FIELD`, the output that holds it.
        outcomes: by step and outcome: a condition over the outputs of its Type that says so.
    """

    facts: dict[str, str] = {}
    outcomes: dict[str, dict[str, str]] = {}


NO_SOURCES = Sources()


def makes(node_type: NodeType) -> bool:
    """Whether a Type changes something in the world or makes something new."""
    return node_type.capabilities.side_effect or bool(MAKING & set(node_type.tags))


def type_concepts(node_type: NodeType) -> set[str]:
    """Every concept that a Type takes, gives or establishes."""
    found = set(node_type.concepts)
    waiting = [*node_type.inputs_schema.values(), *node_type.outputs_schema.values()]
    while waiting:
        spec = waiting.pop()
        found |= {spec.concept} if spec.concept else set()
        waiting += (spec.properties or {}).values()
    return found - {"evidence", VERDICT, "reason_code"}


def outcomes_read(procedure: Procedure) -> Mapping[str, frozenset[str]]:
    """By step the outcomes that conditions compare; a step of which none is compared is left out."""
    found: dict[str, set[str]] = {}
    for condition in procedure.conditions:
        for leaf in leaves(parse_tree(condition.predicate)) if condition.predicate else ():
            if (
                isinstance(leaf, Compare)
                and isinstance(leaf.left, Ref)
                and isinstance(leaf.right, Literally)
                and leaf.left.root == "steps"
            ):
                value = leaf.right.value
                told = map(str, value) if isinstance(value, list) else (str(value),)
                found.setdefault(leaf.left.path[0], set()).update(told)
    return {step: frozenset(values) for step, values in found.items()}
