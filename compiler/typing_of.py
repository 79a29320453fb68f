"""What a reference refers to: the types of workflow inputs and node outputs, and where they may be null."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.fields import Fields, FieldSpec
from ir.predicate import Ref
from ir.workflow import CONTROL_CALL, CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, Node, Workflow

APPROVAL_OUTPUTS: Fields = {
    "approved": FieldSpec(type="boolean", required=True),
    "approver": FieldSpec(type="string", required=True),
    "comment": FieldSpec(type="string", required=True, nullable=True),
    "at": FieldSpec(type="datetime", required=True),
}


@dataclass(frozen=True)
class Missing:
    """A reference that leads nowhere.

    Args:
        what: which part is not there; `state` is anything but inputs and outputs.
        name: that part.
        known: the names that are there.
        closed: for a field, False where its parent declares nothing about what it holds.
    """

    what: Literal["input", "node", "field", "state"]
    name: str
    known: tuple[str, ...] = ()
    closed: bool = True


TASK_OUTPUTS: Fields = {
    "outcome": FieldSpec(type="string", required=True),
    "comment": FieldSpec(type="string", required=True, nullable=True),
}


@dataclass(frozen=True, eq=False)
class Scope:
    """A workflow with the catalog that gives its names meaning."""

    workflow: Workflow
    catalog: Catalog

    def type_of(self, name: str) -> NodeType | None:
        """The Node Type of a node, or None where the node or its Type is unknown."""
        node = self.workflow.nodes.get(name)
        return self.catalog.resolve(node.type) if node else None

    @cached_property
    def _outputs(self) -> dict[str, Fields | None]:
        return {name: self._outputs_of(node) for name, node in self.workflow.nodes.items()}

    def outputs(self, name: str) -> Fields | None:
        """What a node gives, with `required` always set; None where its Type is unknown or it calls a workflow."""
        return self._outputs.get(name)

    def _outputs_of(self, node: Node) -> Fields | None:
        if node.type == HUMAN_INPUT:
            return _with_required(node.requested_fields or {}, default=True)
        if node.type == CONTROL_END:
            return {}
        found = self.catalog.resolve(node.type)
        declared = found.outputs_schema if found else {}
        if node.type == HUMAN_APPROVAL:
            return APPROVAL_OUTPUTS | declared
        if node.type == HUMAN_TASK:
            fields = TASK_OUTPUTS | declared
            return fields | {"outcome": fields["outcome"].model_copy(update={"enum": node.outcomes or ("done",)})}
        return (
            None if found is None or node.type == CONTROL_CALL else _with_required(found.outputs_schema, default=False)
        )

    def chain(self, ref: Ref) -> tuple[FieldSpec, ...] | Missing | None:
        """The fields on the way to what a reference reads, the input or node first and the field itself last.

        Returns:
            Missing where there is no such thing; None where it cannot be known because a Type is not.
        """
        name, below = ref.path[0], ref.path[1:]
        if ref.root == "inputs":
            inputs = self.workflow.inputs
            if name not in inputs:
                return Missing("input", name, tuple(inputs))
            given = inputs[name]
            required = given.required is not False or given.default is not None
            start = FieldSpec.model_validate(given.model_dump(exclude={"evidence"}) | {"required": required})
        elif ref.root == "outputs":
            if name not in self.workflow.nodes:
                return Missing("node", name, tuple(self.workflow.nodes))
            outputs = self.outputs(name)
            if outputs is None:
                return None
            start = FieldSpec(type="object", required=True, properties=outputs)
        else:
            return Missing("state", ref.text, ("inputs", "outputs"))
        return _descend(start, below)

    def spec(self, ref: Ref) -> FieldSpec | None:
        """The field that a reference reads; None where there is none or it cannot be known."""
        chain = self.chain(ref)
        return chain[-1] if isinstance(chain, tuple) else None

    def null_sources(self, ref: Ref) -> tuple[Ref, ...]:
        """Where null can come from when a reference is read: each field on its way that may be null or absent."""
        chain = self.chain(ref)
        if not isinstance(chain, tuple):
            return ()
        names = ref.path
        return tuple(
            Ref(".".join(("$", ref.root, *names[: depth + 1])))
            for depth, spec in enumerate(chain)
            if spec.nullable or spec.required is not True
        )


def _with_required(fields: Fields, *, default: bool) -> Fields:
    return {
        name: spec.model_copy(update={"required": default if spec.required is None else spec.required})
        for name, spec in fields.items()
    }


def _descend(start: FieldSpec, names: Sequence[str]) -> tuple[FieldSpec, ...] | Missing:
    chain = [start]
    for name in names:
        fields = chain[-1].properties
        if fields is None or name not in fields:
            return Missing("field", name, tuple(fields or ()), closed=fields is not None)
        chain.append(fields[name])
    return tuple(chain)


def below(ref: Ref, prefix: Ref) -> bool:
    """Whether a reference reads what another refers to, or a part of it.

    >>> below(Ref("$.outputs.a.b.c"), Ref("$.outputs.a.b")), below(Ref("$.outputs.a.bc"), Ref("$.outputs.a.b"))
    (True, False)
    """
    return ref.text == prefix.text or ref.text.startswith(prefix.text + ".")


def above(ref: Ref) -> tuple[Ref, ...]:
    """What a reference reads a part of, the outermost first.

    >>> [one.text for one in above(Ref("$.outputs.a.b.c"))]
    ['$.outputs.a', '$.outputs.a.b']
    """
    return tuple(Ref(".".join(("$", ref.root, *ref.path[:depth]))) for depth in range(1, len(ref.path)))
