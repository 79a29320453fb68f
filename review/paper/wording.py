"""Rows of rules read aloud: their conditions are over the inputs of the node that applies them."""

from dataclasses import dataclass

from compiler.report.plain_words import PlainReader
from ir.fields import FieldSpec
from ir.predicate import Ref
from ir.workflow import Node


@dataclass(frozen=True)
class RuleReader(PlainReader):
    """Reads the rows that a node applies, whose conditions are over the node's own inputs.

    Args:
        node: that applies them.
    """

    node: Node | None = None

    def field(self, ref: Ref) -> FieldSpec | None:
        """The declaration of the node's input; of another field that of the workflow."""
        node_type = self.node_type(self.node) if self.node is not None else None
        if node_type is None or ref.root != "inputs":
            return super().field(ref)
        spec = node_type.inputs_schema.get(ref.path[0])
        return spec.at(ref.path[1:]) if spec is not None else super().field(ref)


def rule_reader(reader: PlainReader, node: Node) -> RuleReader:
    """A reader of the rows that a node applies."""
    return RuleReader(reader.workflow, reader.catalog, reader.language, node)
