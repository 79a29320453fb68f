"""What a reference refers to: the types of workflow inputs and node outputs, and where they may be null."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.fields import Fields, FieldSpec
from ir.predicate import Operand, Ref
from ir.workflow import CONTROL_CALL, CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, InputSpec, Node, Workflow
from validator.analysis.call_graph import CallGraph, Outputs, call_reference
from validator.analysis.fit import field_misfit, field_of_value
from validator.analysis.units import CONVERT_UNIT, conversion_inputs, conversion_outputs, named_unit

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
    """A workflow with the catalog, and the workflows to be called, that give its names meaning."""

    workflow: Workflow
    catalog: Catalog
    call_graph: CallGraph = field(default_factory=CallGraph)

    def type_of(self, name: str) -> NodeType | None:
        """The Node Type of a node, or None where the node or its Type is unknown."""
        node = self.workflow.nodes.get(name)
        return self.catalog.resolve(node.type) if node else None

    def inputs(self, name: str) -> Fields | None:
        """What a node takes: by its Type, or by the workflow that it calls; None where that is not known."""
        node = self.workflow.nodes[name]
        if node.type == CONTROL_CALL:
            inner = self.call_graph.find(node.call)
            if inner is None:
                return None
            return {key: _field(spec, required=spec.is_required) for key, spec in inner.inputs.items()}
        found = self.catalog.resolve(node.type)
        if found is None:
            return None
        fields = conversion_inputs(node, found.inputs_schema) if found.type == CONVERT_UNIT else found.inputs_schema
        units = {
            name: self._unit_of_input(node, by) or fields[name].unit
            for name, by in found.units.items()
            if name in fields
        }
        return fields | {name: fields[name].model_copy(update={"unit": unit}) for name, unit in units.items()}

    def _unit_of_input(self, node: Node, name: str) -> str | None:
        """The unit that an input says: the one that it names, or the one of the number that it reads."""
        value = node.inputs.get(name)
        if not isinstance(value, Ref):
            return named_unit(node, name)
        spec = self.spec(value)
        return spec.unit if spec else None

    @cached_property
    def _declared(self) -> dict[str, Fields | None]:
        return {name: self._outputs_of(node) for name, node in self.workflow.nodes.items()}

    @cached_property
    def _outputs(self) -> dict[str, Fields | None]:
        found = dict(self._declared)
        for name, node in self.workflow.nodes.items():
            if self._converts(node):
                found[name] = conversion_outputs(node, found[name] or {}, self._converted(node))
        return found

    def _converts(self, node: Node) -> bool:
        known = self.catalog.resolve(node.type)
        return known is not None and known.type == CONVERT_UNIT

    def _converted(self, node: Node) -> FieldSpec | None:
        """The field whose value a node converts, through conversions before it; None where that is not known."""
        passed: list[Node] = []
        while node not in passed:
            passed.append(node)
            value = node.inputs.get("value")
            chain = self._chain(value, self._declared) if isinstance(value, Ref) else None
            if not isinstance(value, Ref) or not isinstance(chain, tuple):
                return None
            before = self.workflow.nodes.get(value.node or "")
            if before is None or not self._converts(before):
                return chain[-1]
            node = before
        return None

    def outputs(self, name: str) -> Fields | None:
        """What a node gives, with `required` always set; None where its Type, or what it calls, is not known."""
        return self._outputs.get(name)

    def _called_outputs(self, node: Node) -> Outputs | None:
        """What the workflow gives that a node calls, fields of unknown type as None; None where it is not at hand."""
        wanted = self.call_graph.find(node.call)
        if wanted is None:
            return None
        known = self.call_graph.outputs
        if call_reference(wanted) not in known:
            waiting = [each for each in self.call_graph.callees_first(wanted) if call_reference(each) not in known]
            known |= {call_reference(each): {} for each in waiting}  # in a cycle, what is not known yet gives nothing
            for each in waiting:
                scope = Scope(each, self.catalog, self.call_graph)
                given = {name: scope.field_of(value) for name, value in each.outputs.items()}
                known[call_reference(each)] = {**given, **result_fields(each)}
        return known[call_reference(wanted)]

    def field_of(self, value: Operand) -> FieldSpec | None:
        """The field that holds a value, nullable if anything on the way to it is; None where it is not known."""
        if not isinstance(value, Ref):
            return field_of_value(value.value)
        spec = self.spec(value)
        return spec and spec.model_copy(update={"required": True, "nullable": bool(self.null_sources(value))})

    def _outputs_of(self, node: Node) -> Fields | None:
        given, pack = self._outputs_of_type(node), self.workflow.rule_packs.get(node.rule_pack or "")
        if given is not None and node.assumed_outputs:
            given = _with_required(node.assumed_outputs, default=True) | given
        if given is None or pack is None or not pack.outputs:
            return given
        own = _with_required(pack.outputs, default=True)
        return given | {name: spec for name, spec in own.items() if name not in given or narrows(spec, given[name])}

    def _outputs_of_type(self, node: Node) -> Fields | None:
        if node.type == HUMAN_INPUT:
            return _with_required(node.requested_fields or {}, default=True)
        if node.type == CONTROL_END:
            return {}
        if node.type == CONTROL_CALL:
            given = self._called_outputs(node)
            return None if given is None else {name: spec for name, spec in given.items() if spec is not None}
        found = self.catalog.resolve(node.type)
        declared = found.outputs_schema if found else {}
        if node.type == HUMAN_APPROVAL:
            return APPROVAL_OUTPUTS | declared
        if node.type == HUMAN_TASK:
            fields = TASK_OUTPUTS | declared
            return fields | {"outcome": fields["outcome"].model_copy(update={"enum": node.outcomes or ("done",)})}
        return None if found is None else _with_required(found.outputs_schema, default=False)

    def chain(self, ref: Ref) -> tuple[FieldSpec, ...] | Missing | None:
        """The fields on the way to what a reference reads, the input or node first and the field itself last.

        Returns:
            Missing where there is no such thing; None where it cannot be known because a Type is not.
        """
        return self._chain(ref, self._outputs)

    def _chain(self, ref: Ref, given: Mapping[str, Fields | None]) -> tuple[FieldSpec, ...] | Missing | None:
        name, below = ref.path[0], ref.path[1:]
        if ref.root == "inputs":
            inputs = self.workflow.inputs
            if name not in inputs:
                return Missing("input", name, tuple(inputs))
            fact = inputs[name]
            start = _field(fact, required=fact.required is not False or fact.default is not None)
        elif ref.root == "outputs":
            if name not in self.workflow.nodes:
                return Missing("node", name, tuple(self.workflow.nodes))
            outputs = given[name]
            if outputs is None or self._untyped(name, below):
                return None
            start = FieldSpec(type="object", required=True, properties=outputs)
        else:
            return Missing("state", ref.text, ("inputs", "outputs"))
        return _descend(start, below)

    def _untyped(self, name: str, below: Sequence[str]) -> bool:
        """Whether a read of a called workflow's outputs takes in one of which no type is known."""
        node = self.workflow.nodes[name]
        given = self._called_outputs(node) if node.type == CONTROL_CALL else None
        return any(spec is None and (not below or below[0] == key) for key, spec in (given or {}).items())

    def spec(self, ref: Ref) -> FieldSpec | None:
        """The field that a reference reads; None where there is none or it cannot be known."""
        chain = self.chain(ref)
        return chain[-1] if isinstance(chain, tuple) else None

    def nodes_applying(self, pack: str) -> tuple[str, ...]:
        """The nodes that apply a rule pack and of which it is known what they take and give."""
        nodes = self.workflow.nodes.items()
        return tuple(n for n, node in nodes if node.rule_pack == pack and None not in (self.inputs(n), self.outputs(n)))

    def rule_specs(self, pack: str) -> tuple[Callable[[Ref], FieldSpec | None], ...]:
        """What a reference in a rule pack may read: the workflow's fields, or the inputs of a node that applies it."""

        def of_applier(name: str) -> Callable[[Ref], FieldSpec | None]:
            fields = self.inputs(name) or {}

            def spec(ref: Ref) -> FieldSpec | None:
                if ref.root != "inputs" or ref.path[0] not in fields:
                    return self.spec(ref)
                chain = _descend(fields[ref.path[0]], ref.path[1:])
                return chain[-1] if isinstance(chain, tuple) else None

            return spec

        return (self.spec, *(of_applier(name) for name in self.nodes_applying(pack)))

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


def narrows(spec: FieldSpec, wider: FieldSpec) -> bool:
    """Whether a field that a rule pack declares is one that the Type gives, said more closely."""
    return field_misfit(spec, wider) is None and (wider.nullable or not spec.nullable)


def _field(given: InputSpec, *, required: bool) -> FieldSpec:
    return FieldSpec.model_validate(given.model_dump(include=set(FieldSpec.model_fields)) | {"required": required})


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


def result_fields(workflow: Workflow) -> Fields:
    """What a completed run gives as the document names it, with `required` and `nullable` always set."""
    found: Fields = {}
    for name, spec in workflow.results.items():
        surely = spec.is_required or spec.default is not None
        plain = FieldSpec.model_validate(spec.model_dump(include=set(FieldSpec.model_fields)))
        found[name] = plain.model_copy(update={"required": True, "nullable": not surely})
    return found


def below(ref: Ref, prefix: Ref) -> bool:
    """Whether a reference reads what another refers to, or a part of it.

    >>> below(Ref("$.outputs.a.b.c"), Ref("$.outputs.a.b")), below(Ref("$.outputs.a.bc"), Ref("$.outputs.a.b"))
    (True, False)
    """
    return ref.text == prefix.text or ref.text.startswith(prefix.text + ".")


def whole_output(ref: Ref) -> Ref:
    """All that the node gives whose output is read.

    >>> whole_output(Ref("$.outputs.a.b.c")).text
    '$.outputs.a'
    """
    return Ref(f"$.outputs.{ref.node}")


def above(ref: Ref) -> tuple[Ref, ...]:
    """What a reference reads a part of, the outermost first.

    >>> [one.text for one in above(Ref("$.outputs.a.b.c"))]
    ['$.outputs.a', '$.outputs.a.b']
    """
    return tuple(Ref(".".join(("$", ref.root, *ref.path[:depth]))) for depth in range(1, len(ref.path)))
