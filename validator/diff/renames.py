"""Which node of one version is which of the other: by id, and where an id is gone, by what the node does."""

from collections.abc import Callable, Hashable, Mapping

from pydantic import JsonValue

from ir.base import canonical_json
from ir.formula import Formula, replace_parts
from ir.predicate import Always, Literally, Operand, Otherwise, Ref, substitute
from ir.workflow import Edge, Node, Rule, RulePack, Workflow

Key = Callable[[Node], Hashable | None]


def renamed_nodes(old: Workflow, new: Workflow) -> dict[str, str]:
    """The new id of each node that has another id now.

    Nodes under one id are one node. Of the others two are one node where they carry out the same steps of the procedure
    and share their Type, a quote or their label; or where Type, inputs and evidence are equal; and no other node is as
    near. Ends are known by how they end.
    """
    mapping: dict[str, str] = {}
    for key in (_steps_and_type, _steps_and_quote, _steps_and_label, _work):
        while True:
            gone = [name for name in old.nodes if name not in new.nodes and name not in mapping]
            come = [name for name in new.nodes if name not in old.nodes and name not in mapping.values()]
            before = with_ids(old, mapping)
            found = _paired(
                {name: key(before.nodes[name]) for name in gone}, {name: key(new.nodes[name]) for name in come}
            )
            if not found:
                break
            mapping |= found
    return mapping


def _paired(old: Mapping[str, Hashable | None], new: Mapping[str, Hashable | None]) -> dict[str, str]:
    """The names whose keys are equal and are no other's."""
    return {
        first: second
        for first, key in old.items()
        for second, other in new.items()
        if key is not None and key == other and [*old.values()].count(key) == [*new.values()].count(key) == 1
    }


def _steps_and_type(node: Node) -> Hashable | None:
    return (node.step_ids, node.type) if node.step_ids else None


def _steps_and_quote(node: Node) -> Hashable | None:
    quotes = [(one.doc_id, one.quote) for one in node.evidence]
    return (node.step_ids, quotes[0]) if node.step_ids and quotes else None


def _steps_and_label(node: Node) -> Hashable | None:
    return (node.step_ids, node.label) if node.step_ids and node.label else None


def _work(node: Node) -> Hashable | None:
    """Type, inputs, evidence and how it ends; of a node without inputs and evidence all that it says."""
    whole: dict[str, JsonValue] = node.to_json()
    whole.pop("id", None)
    kept = ("type", "inputs", "evidence", "status", "reason_code", "results")
    told = node.inputs or node.evidence
    return canonical_json({key: value for key, value in whole.items() if key in kept} if told else whole)


def with_ids(workflow: Workflow, mapping: Mapping[str, str]) -> Workflow:
    """The same workflow with other ids for some nodes, wherever they are named."""
    if not mapping:
        return workflow

    def called(name: str) -> str:
        return mapping.get(name, name)

    def ref(one: Ref) -> Ref:
        if one.node is None or one.node not in mapping:
            return one
        return Ref(".".join(("$", one.root, mapping[one.node], *one.path[1:])))

    def operands(values: Mapping[str, Operand]) -> dict[str, Operand]:
        return {name: one if isinstance(one, Literally) else ref(one) for name, one in values.items()}

    def edge(one: Edge) -> Edge:
        condition = one.condition if isinstance(one.condition, Always | Otherwise) else substitute(one.condition, ref)
        return one.model_copy(
            update={"source": called(one.source), "target": called(one.target), "condition": condition}
        )

    def renamed(node: Node) -> Node:
        results = None if node.results is None else operands(node.results)
        own = {"inputs": operands(node.inputs), "results": results, "id": node.id and called(node.id)}
        return node.model_copy(update=own)

    nodes = {called(name): renamed(node) for name, node in workflow.nodes.items()}
    gaps = tuple(gap.model_copy(update={"about": tuple(called(name) for name in gap.about)}) for gap in workflow.gaps)
    return workflow.model_copy(
        update={
            "nodes": nodes,
            "edges": tuple(edge(one) for one in workflow.edges),
            "outputs": operands(workflow.outputs),
            "gaps": gaps,
            "rule_packs": {name: _pack(pack, ref) for name, pack in workflow.rule_packs.items()},
        }
    )


def _pack(pack: RulePack, ref: Callable[[Ref], Ref]) -> RulePack:
    def formula(one: Formula) -> Formula:
        tree = replace_parts(one.formula, lambda part: ref(part) if isinstance(part, Ref) else part)
        return one.model_copy(update={"formula": tree})

    def row(rule: Rule) -> Rule:
        condition = rule.condition
        if not isinstance(condition, Always | Otherwise):
            condition = substitute(condition, ref)
        formulas = {name: formula(one) for name, one in rule.formulas.items()}
        return rule.model_copy(update={"condition": condition, "formulas": formulas})

    return pack.model_copy(update={"rules": tuple(map(row, pack.rules))})
