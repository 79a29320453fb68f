"""What a workflow gives that names nothing: how its run ended."""

from ir.predicate import Literally
from ir.workflow import CONTROL_END, ResultSpec, Workflow

ENDED = "ended"
"""The result's name: the status of the end that a run came to."""
_SAID = {"zh": "本流程如何结束", "en": "how the run ended"}


def with_its_end(workflow: Workflow) -> Workflow:
    """The workflow as it is, where it has outputs or results or no end; else with a result that each end gives.

    What is published has to give something (requirement C15), and of rules that only say what people do this is what
    their run comes to.
    """
    ends = {name: node.status for name, node in workflow.nodes.items() if node.type == CONTROL_END and node.status}
    if workflow.outputs or workflow.results or not ends:
        return workflow
    said = _SAID.get(workflow.metadata.language or "en", _SAID["en"])
    spec = ResultSpec(type="string", enum=tuple(dict.fromkeys(ends.values())), description=said)
    nodes = {
        name: node.model_copy(update={"results": {ENDED: Literally(ends[name])}}) if name in ends else node
        for name, node in workflow.nodes.items()
    }
    return workflow.model_copy(update={"results": {ENDED: spec}, "nodes": nodes})
