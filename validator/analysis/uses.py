"""Every place where a workflow reads a value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ir.diagnostics import Location
from ir.formula import Formula
from ir.predicate import AnyCondition, Ref, references
from ir.workflow import Rule, Workflow
from validator.analysis.locations import at_edge, at_node, at_workflow


@dataclass(frozen=True)
class Use:
    """One reference where it stands.

    Args:
        by: what reads it.
        at: the node that reads it, for a result the end that gives it, or the node at whose end an edge is chosen; None
            before the start and after the end.
        field: for an input of a node, a result or an output of the workflow, its name.
        edge: for an edge, its index.
    """

    ref: Ref
    by: Literal["input", "edge", "output", "result", "guard", "trigger", "rule", "formula"]
    location: Location
    at: str | None = None
    field: str | None = None
    edge: int | None = None
    pack: str | None = None


def uses(workflow: Workflow) -> Iterator[Use]:
    """All references of a workflow, in the order of the file."""
    for index, trigger in enumerate(workflow.triggers):
        if trigger.condition is not None:
            place = at_workflow(workflow, "triggers", index, "condition")
            yield from (Use(ref, "trigger", place) for ref in references(trigger.condition))
    for index, guard in enumerate(workflow.guards):
        place = at_workflow(workflow, "guards", index, "condition")
        yield from (Use(ref, "guard", place) for ref in references(guard.condition))
    for name, node in workflow.nodes.items():
        for field, ref in node.references.items():
            yield Use(ref, "input", at_node(workflow, name, "inputs", field), at=name, field=field)
        for field, value in (node.results or {}).items():
            if isinstance(value, Ref):
                yield Use(value, "result", at_node(workflow, name, "results", field), at=name, field=field)
    for index, edge in enumerate(workflow.edges):
        place = at_edge(workflow, index, "condition")
        for ref in dict.fromkeys(references(edge.condition)):
            yield Use(ref, "edge", place, at=edge.source, edge=index)
    for pack, condition, place in rule_conditions(workflow):
        yield from (Use(ref, "rule", place, pack=pack) for ref in references(condition))
    for pack, _, formula, place in rule_formulas(workflow):
        yield from (Use(ref, "formula", place, pack=pack) for ref in formula.references)
    for name, value in workflow.outputs.items():
        if isinstance(value, Ref):
            yield Use(value, "output", at_workflow(workflow, "outputs", name), field=name)


def rule_conditions(workflow: Workflow) -> Iterator[tuple[str, AnyCondition, Location]]:
    """The conditions of all rule packs, each with the id of its pack and its place."""
    for pack, rules in workflow.rule_packs.items():
        for index, rule in enumerate(rules.rules):
            yield pack, rule.condition, at_workflow(workflow, "rule_packs", pack, "rules", index, "condition")


def rule_formulas(workflow: Workflow) -> Iterator[tuple[str, Rule, Formula, Location]]:
    """The formulas of all rule packs, each with the id of its pack, its row and its place."""
    for pack, rules in workflow.rule_packs.items():
        for index, rule in enumerate(rules.rules):
            for name, formula in rule.formulas.items():
                yield pack, rule, formula, at_workflow(workflow, "rule_packs", pack, "rules", index, "formulas", name)


def conditions(workflow: Workflow) -> Iterator[tuple[AnyCondition, Location]]:
    """All conditions of a workflow with their places; not those of rule packs, which are over a node's inputs."""
    for index, trigger in enumerate(workflow.triggers):
        if trigger.condition is not None:
            yield trigger.condition, at_workflow(workflow, "triggers", index, "condition")
    for index, guard in enumerate(workflow.guards):
        yield guard.condition, at_workflow(workflow, "guards", index, "condition")
    for index, edge in enumerate(workflow.edges):
        yield edge.condition, at_edge(workflow, index, "condition")
