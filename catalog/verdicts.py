"""Which output of a Node Type says how a judgement came out."""

from catalog.load import Catalog
from catalog.node_type import NodeType

VERDICT = "verdict"


def verdict_field(node_type: NodeType, catalog: Catalog) -> str | None:
    """The boolean output that says how a judgement came out, None where the Type judges nothing."""
    for name, spec in node_type.outputs_schema.items():
        concept = catalog.concepts.get(spec.concept or "")
        if spec.type == "boolean" and concept and VERDICT in (concept.id, concept.broader):
            return name
    return None
