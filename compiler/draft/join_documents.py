"""Joins what the other documents of a folder say into a workflow: data of tables, prohibitions of other policies."""

from collections.abc import Iterator

from catalog.node_type import NodeType
from compiler.context import Context
from compiler.draft.rule_packs import numbered, prohibitions, rows
from compiler.extract.forms.folder_facts import FolderFacts
from ir.procedure import Procedure
from ir.workflow import Rule, RulePack, Workflow


def join_documents(ctx: Context, workflow: Workflow, linked: FolderFacts, others: tuple[Procedure, ...]) -> Workflow:
    """The workflow with rule packs from the rest of the folder; the same one where nothing there concerns it.

    A node that looks something up by the key of a reference table gets the table's rows as its rules. A decision node
    gets the prohibitions of other policies that speak of just the concepts which it is given.

    Args:
        others: procedures, and bare rules, of the other documents.
    """
    packs, nodes = dict(workflow.rule_packs), dict(workflow.nodes)
    for name, node in workflow.nodes.items():
        node_type = ctx.catalog.resolve(node.type)
        if node_type is None or node_type.category not in ("decision", "ontology"):
            continue
        own = packs[node.rule_pack].rules if node.rule_pack in packs else ()
        said = [rule.condition for rule in own]
        more = [rule for rule in _rules(ctx, node_type, linked, others) if rule.condition not in said]
        if more:
            pack = node.rule_pack or name
            packs[pack] = RulePack(version="1.0.0", rules=(*own, *numbered(more, len(own) + 1)))
            nodes[name] = node.model_copy(update={"rule_pack": pack})
    if packs == workflow.rule_packs:
        return workflow
    return workflow.model_copy(update={"rule_packs": packs, "nodes": nodes})


def _rules(ctx: Context, node_type: NodeType, linked: FolderFacts, others: tuple[Procedure, ...]) -> Iterator[Rule]:
    for reference in linked.references:
        yield from rows(reference, node_type)
    if node_type.category == "decision":
        for other in others:
            yield from prohibitions(other.constraints, other.facts, node_type, ctx.catalog)
