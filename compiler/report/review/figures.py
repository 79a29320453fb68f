"""How many nodes a workflow has, by where they come from and who does them."""

from dataclasses import dataclass

from ir.workflow import CONTROL_END, HUMAN_TASK, Workflow


@dataclass(frozen=True)
class Figures:
    """Counts of nodes.

    Args:
        document: nodes not put in by primers (and no ends): the steps of the document, as `mapped + human + unmapped`.
        primers: nodes put in by primers, ends left out.
        unmapped: `human.task` nodes for steps that no Type fits.
    """

    document: int
    primers: int
    mapped: int
    human: int
    unmapped: int


def unmapped_nodes(workflow: Workflow) -> frozenset[str]:
    """The ids of the nodes that stand for steps which no Type fits, as the gaps say."""
    about = {name for gap in workflow.gaps if gap.kind == "unmapped_step" for name in gap.about}
    return frozenset(
        node_id
        for node_id, node in workflow.nodes.items()
        if node.type == HUMAN_TASK and (node_id in about or not about.isdisjoint(node.step_ids))
    )


def count_nodes(workflow: Workflow) -> Figures:
    """Count the nodes of a workflow for headers and tables."""
    steps = {node_id: node for node_id, node in workflow.nodes.items() if node.type != CONTROL_END}
    put_in = {node_id for node_id, node in steps.items() if node.origin.startswith("primer:")}
    document = {node_id: node for node_id, node in steps.items() if node_id not in put_in}
    unmapped = unmapped_nodes(workflow) & set(document)
    human = {node_id for node_id, node in document.items() if node.type.startswith("human.")} - unmapped
    return Figures(len(document), len(put_in), len(document) - len(human) - len(unmapped), len(human), len(unmapped))
