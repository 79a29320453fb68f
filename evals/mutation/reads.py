"""Faults of what is read: inputs of nodes, declared inputs, outputs of the workflow."""

from collections.abc import Callable, Iterator

from evals.mutation.subject import Kind, Mutant, Subject
from ir.fields import FieldSpec
from ir.predicate import Ref, references
from ir.workflow import CONTROL_END

Candidates = Iterator[tuple[Ref, FieldSpec]]


def required_input_removed(subject: Subject) -> Iterator[Mutant]:
    """A node is not given an input that its Type requires."""
    for name, node in subject.workflow.nodes.items():
        for field in node.inputs:
            wanted = _wanted(subject, name, field)
            if wanted is not None and wanted.required and wanted.default is None:
                yield subject.copy().drop("nodes", name, "inputs", field).done(f"{name} without {field}")


def input_not_upstream(subject: Subject) -> Iterator[Mutant]:
    """An input reads a node that does not come before."""
    graph = subject.analysis.graph

    def later(name: str) -> Candidates:
        return ((r, s) for r, s in subject.fields if r.node is not None and r.node not in graph.ancestors[name])

    yield from _mapped(subject, later, lambda spec, wanted: spec.type == wanted.type)


def input_maybe_skipped(subject: Subject) -> Iterator[Mutant]:
    """A required input reads a node without which a run can come there."""

    def skippable(name: str) -> Candidates:
        return (
            (r, s)
            for r, s in subject.readable(name)
            if r.node and name in subject.analysis.nodes_running_without([r.node])
        )

    yield from _mapped(
        subject,
        skippable,
        lambda spec, wanted: spec.type == wanted.type and bool(wanted.required and not wanted.nullable),
    )


def input_of_other_type(subject: Subject) -> Iterator[Mutant]:
    """An input reads a value of another type."""
    fitting = {("integer", "number")}
    yield from _mapped(
        subject,
        subject.readable,
        lambda spec, wanted: spec.type != wanted.type and (spec.type, wanted.type) not in fitting,
    )


def input_of_other_concept(subject: Subject) -> Iterator[Mutant]:
    """An input reads a value of the same type and of another concept."""
    yield from _mapped(
        subject,
        subject.readable,
        lambda spec, wanted: (
            spec.type == wanted.type and None not in (spec.concept, wanted.concept) and spec.concept != wanted.concept
        ),
    )


def input_reads_missing(subject: Subject) -> Iterator[Mutant]:
    """An input reads a field that there is not."""
    for name, node in subject.workflow.nodes.items():
        for field, ref in node.references.items():
            what = f"{name}.{field} reads {ref.text}x"
            yield subject.copy().put(ref.text + "x", "nodes", name, "inputs", field).done(what)


def input_reads_state(subject: Subject) -> Iterator[Mutant]:
    """An input reads what is neither an input nor an output."""
    for name, node in subject.workflow.nodes.items():
        for field, ref in node.references.items():
            state = f"$.facts.{ref.path[-1]}"
            yield subject.copy().put(state, "nodes", name, "inputs", field).done(f"{name}.{field} reads {state}")


def declared_input_dropped(subject: Subject) -> Iterator[Mutant]:
    """An input that something reads is not declared."""
    for name in _read_inputs(subject):
        yield subject.copy().drop("inputs", name).done(f"input {name} undeclared")


def declared_type_changed(subject: Subject) -> Iterator[Mutant]:
    """An input that something reads is declared with another type."""
    for name in _read_inputs(subject):
        other = "boolean" if subject.workflow.inputs[name].type != "boolean" else "integer"
        copy = subject.copy().put(other, "inputs", name, "type")
        for key in ("enum", "unit", "items", "properties"):
            copy.drop("inputs", name, key)
        yield copy.done(f"input {name} is a {other}")


def declared_unit_changed(subject: Subject) -> Iterator[Mutant]:
    """An input that something reads is declared in another unit."""
    for name in _read_inputs(subject):
        unit = subject.workflow.inputs[name].unit
        if unit is not None:
            other = "t" if unit != "t" else "kg"
            yield subject.copy().put(other, "inputs", name, "unit").done(f"input {name} is in {other}, not {unit}")


def declared_member_dropped(subject: Subject) -> Iterator[Mutant]:
    """An input that something reads cannot be one of its values."""
    for name in _read_inputs(subject):
        enum = subject.workflow.inputs[name].enum or ()
        for member in enum if len(enum) > 1 else ():
            rest = [other for other in enum if other != member]
            yield subject.copy().put(rest, "inputs", name, "enum").done(f"input {name} cannot be {member!r}")


def declared_nullable(subject: Subject) -> Iterator[Mutant]:
    """An input that something reads may be null."""
    for name in _read_inputs(subject):
        if not subject.workflow.inputs[name].nullable:
            yield subject.copy().put(True, "inputs", name, "nullable").done(f"input {name} is nullable")


def output_from_branch(subject: Subject) -> Iterator[Mutant]:
    """An output of the workflow reads a node without which a run can come to an end that completes."""
    nodes, without = subject.workflow.nodes, subject.analysis.nodes_running_without
    ends = [name for name, node in nodes.items() if node.type == CONTROL_END and node.status == "completed"]
    partial = [(r, s) for r, s in subject.fields if r.node and any(end in without([r.node]) for end in ends)]
    for name, value in subject.workflow.outputs.items():
        spec = subject.analysis.scope.spec(value) if isinstance(value, Ref) else None
        other = next((r for r, s in partial if spec is not None and r != value and s.type == spec.type), None)
        if other is not None:
            yield subject.copy().put(other.text, "outputs", name).done(f"output {name} reads {other.text}")


def output_reads_missing(subject: Subject) -> Iterator[Mutant]:
    """An output of the workflow reads a field that there is not."""
    for name, value in subject.workflow.outputs.items():
        if isinstance(value, Ref):
            yield subject.copy().put(value.text + "x", "outputs", name).done(f"output {name} reads {value.text}x")


def _wanted(subject: Subject, name: str, field: str) -> FieldSpec | None:
    node_type = subject.analysis.scope.type_of(name)
    return node_type.inputs_schema.get(field) if node_type else None


def _mapped(
    subject: Subject, candidates: Callable[[str], Candidates], fits: Callable[[FieldSpec, FieldSpec], bool]
) -> Iterator[Mutant]:
    """Each input of a node given the first of the candidates that fits what is wanted."""
    for name, node in subject.workflow.nodes.items():
        for field, value in node.inputs.items():
            wanted = _wanted(subject, name, field)
            found = (
                ref for ref, spec in candidates(name) if wanted is not None and ref != value and fits(spec, wanted)
            )
            other = next(found, None)
            if other is not None:
                what = f"{name}.{field} reads {other.text}"
                yield subject.copy().put(other.text, "nodes", name, "inputs", field).done(what)


def _read_inputs(subject: Subject) -> list[str]:
    workflow = subject.workflow
    read = {ref.path[0] for edge in workflow.edges for ref in references(edge.condition) if ref.root == "inputs"}
    for node in workflow.nodes.values():
        read |= {ref.path[0] for ref in node.references.values() if ref.root == "inputs"}
    return [name for name in workflow.inputs if name in read]


KINDS: tuple[Kind, ...] = (
    required_input_removed,
    input_not_upstream,
    input_maybe_skipped,
    input_of_other_type,
    input_of_other_concept,
    input_reads_missing,
    input_reads_state,
    declared_input_dropped,
    declared_type_changed,
    declared_unit_changed,
    declared_member_dropped,
    declared_nullable,
    output_from_branch,
    output_reads_missing,
)
